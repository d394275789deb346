"""Negotiation of a channel's values (mq-wire.md 7.2, channels.md 4).

The caller proposes; the called end answers with the same values, or with values that it can take, marked as an error,
which the caller then repeats. The partner may send at most :data:`protocol.inferred.MAX_NEGOTIATION_ROUNDS` segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import (
    CapFlags1,
    CapFlags2,
    ControlFlags1,
    InitErrFlags1,
    InitErrFlags2,
    SegmentType,
    StatusCode,
)
from mqbridge.protocol.framing import Segment

from .agreement import NEGOTIATED_NUMBERS, longest_message, longest_segment
from .events import Event, Started
from .link import Link, Timer
from .parameters import MIN_TRANSMISSION_SIZE, ChannelParameters, Negotiated
from .proposal import Proposal, own_proposal, read_proposal
from .states import Trigger
from .status import ChannelError

_ASKS: Final = int(ControlFlags1.CONFIRM_REQUEST)


def combine(own: Proposal, theirs: Proposal) -> Proposal:
    """Return the values that two proposals agree on, with the names of ``own`` and its capabilities reduced.

    Raises ``ChannelError`` if they are incompatible.
    """
    if theirs.sequence_wrap != own.sequence_wrap:
        raise ChannelError(
            f"sequence wrap {theirs.sequence_wrap} there, {own.sequence_wrap} here",
            inferred.WRAP_MISMATCH,
            amq="AMQ9505",
            retryable=False,
        )
    agreed = {
        number.value: number.agree(getattr(own, number.value), getattr(theirs, number.value))
        for number in NEGOTIATED_NUMBERS
    }
    if agreed["fap_level"] < inferred.LOWEST_FAP_LEVEL:
        raise _failed(f"FAP level {theirs.fap_level} is too low", StatusCode.FAP_LEVEL)
    if agreed["transmission_size"] < MIN_TRANSMISSION_SIZE:
        raise _failed(f"segments of {agreed['transmission_size']} bytes are too short", StatusCode.NEGOTIATION_FAILED)
    return replace(
        own,
        cap1=own.cap1 & theirs.cap1,
        cap2=own.cap2 & theirs.cap2,
        cap3=own.cap3 & theirs.cap3,
        fap_level=agreed["fap_level"],
        batch_size=agreed["batch_size"],
        transmission_size=agreed["transmission_size"],
        message_length=agreed["message_length"],
        heartbeat_interval=agreed["heartbeat_interval"],
    )


def _failed(message: str, status: StatusCode) -> ChannelError:
    return ChannelError(message, status, amq="AMQ9503", retryable=False)


def differences(theirs: Proposal, agreed: Proposal) -> Proposal:
    """Return the answer to a proposal: the agreed values, with the bits that mark changed and refused ones."""
    changed = 0
    for number in NEGOTIATED_NUMBERS:
        if getattr(theirs, number.value) != getattr(agreed, number.value):
            changed |= int(number.changed)
    refused = theirs.cap2 & ~agreed.cap2 & inferred.DEMANDED_CAPABILITIES_2
    compression = inferred.REFUSED_COMPRESSION if theirs.compressed else int(InitErrFlags2.NONE)
    return replace(agreed, changed1=changed, changed2=compression, refused2=refused)


def result(agreed: Proposal, theirs: Proposal) -> Negotiated:
    """Return the negotiated values, from the agreement and what the partner stated."""
    split = bool(agreed.cap1 & CapFlags1.SPLIT_MESSAGE)
    return Negotiated(
        fap_level=agreed.fap_level,
        batch_size=agreed.batch_size,
        max_message_length=longest_message(agreed.message_length, agreed.transmission_size, split=split),
        transmission_size=agreed.transmission_size,
        sequence_wrap=agreed.sequence_wrap,
        heartbeat_interval=agreed.heartbeat_interval,
        fast=bool(agreed.cap2 & CapFlags2.FAST_MESSAGES_REQUIRED),
        split=split,
        distribution_lists=bool(theirs.cap2 & CapFlags2.DIST_LIST_CAPABLE),
        partner_encoding=theirs.encoding,
        partner_ccsid=theirs.ccsid,
    )


def _check_refusals(theirs: Proposal) -> None:
    """Raise ``ChannelError`` for a refusal that no other value of ours can resolve."""
    if theirs.changed1 & InitErrFlags1.SEQ_WRAP_VALUE:
        raise ChannelError(
            "the partner refuses our sequence wrap", inferred.WRAP_MISMATCH, amq="AMQ9505", retryable=False
        )
    if theirs.changed1 & InitErrFlags1.CCSID_NOT_SUPPORTED:
        raise ChannelError(
            "the partner does not support our CCSID",
            StatusCode.CCSID_NOT_SUPPORTED,
            amq="AMQ9541",
            retryable=False,
        )
    if theirs.changed1 & InitErrFlags1.ENCODING_INVALID:
        raise _failed("the partner does not support our encoding", StatusCode.ENCODING_INVALID)


class Negotiation:
    """One end of the exchange of INITIAL_DATA.

    ``caller``: we opened the connection and call :meth:`propose` first. ``requester``: we ask the partner to send.
    ``then`` is called with the negotiated values after :class:`Started` was emitted.
    """

    __slots__ = ("_link", "_own", "_parameters", "_rounds", "_then", "caller", "partner")

    def __init__(
        self,
        link: Link[Event],
        parameters: ChannelParameters,
        then: Callable[[Negotiated, float], None],
        *,
        caller: bool,
        requester: bool,
    ) -> None:
        self._link = link
        self._parameters = parameters
        self._then = then
        self._own = own_proposal(parameters, caller=caller, requester=requester)
        self._rounds = 0
        self.caller = caller
        self.partner = ""
        """Queue manager name of the partner; empty until it is known."""

    def propose(self) -> None:
        """Send our proposal as the caller."""
        self._send(self._own, _ASKS)

    def initial_data(self, segment: Segment, now: float) -> None:
        """Take INITIAL_DATA. Raises ``ChannelError`` if no agreement is possible or no negotiation is in progress."""
        self._link.step(Trigger.VALUES_CHANGED)  # only while negotiating
        self.receive(read_proposal(segment), segment.flags1, now)

    def receive(self, theirs: Proposal, flags: int, now: float) -> None:
        """Take the partner's proposal or answer. Raises ``ChannelError`` if no agreement is possible."""
        self._rounds += 1
        self.partner = theirs.queue_manager
        if theirs.channel_name != self._own.channel_name:
            raise _failed(
                f"channel {theirs.channel_name!r} instead of {self._own.channel_name!r}", StatusCode.NEGOTIATION_FAILED
            )
        negotiated = self._adopt(theirs, flags) if self.caller else self._answer(theirs)
        if negotiated is not None:
            self._link.wire.reader.max_segment = longest_segment(negotiated.transmission_size)
            self._link.emit(
                Started(
                    channel_name=self._parameters.channel_name,
                    partner=theirs.queue_manager,
                    partner_id=theirs.queue_manager_id,
                    product=theirs.product_id,
                    negotiated=negotiated,
                )
            )
            self._then(negotiated, now)
        elif self._rounds >= inferred.MAX_NEGOTIATION_ROUNDS:
            raise _failed(f"no agreement after {self._rounds} rounds", StatusCode.NEGOTIATION_FAILED)

    def timers(self) -> Iterator[Timer]:
        """Yield the deadline of the negotiation."""
        yield self._link.started_at + self._parameters.handshake_timeout, self._too_long

    def _too_long(self, now: float) -> None:
        seconds = self._parameters.handshake_timeout
        self._link.finish(f"no agreement within {seconds:g} seconds", "AMQ9259", retryable=True)

    def _answer(self, theirs: Proposal) -> Negotiated | None:
        """Answer the caller; return None if it has to repeat other values."""
        agreed = combine(self._own, theirs)
        answer = differences(theirs, agreed)
        open_points = answer.changed1 or answer.changed2 or answer.refused2
        self._send(answer, int(inferred.NEGOTIATION_ERROR_FLAGS) if open_points else 0)
        return None if open_points else result(agreed, theirs)

    def _adopt(self, theirs: Proposal, flags: int) -> Negotiated | None:
        """Adopt the called end's answer; return None if we repeated its values."""
        _check_refusals(theirs)
        agreed = combine(self._own, theirs)
        if not flags & ControlFlags1.ERROR and not theirs.changed1:
            return result(agreed, theirs)
        asked = self._own.cap1 & CapFlags1.REQUEST_INITIATION  # remains a request, whatever the answer states
        self._own = replace(agreed, cap1=agreed.cap1 | asked)
        if self._rounds < inferred.MAX_NEGOTIATION_ROUNDS:
            self.propose()
        return None

    def _send(self, proposal: Proposal, flags: int) -> None:
        wire = self._link.wire
        wire.send(SegmentType.INITIAL_DATA, proposal.build(wire.writer), flags=flags)
