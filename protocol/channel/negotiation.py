"""How two ends agree on their values, mq-wire.md 7.2, channels.md 4.

The caller proposes, the other end answers: as it is, or marked as an error with values that it can take, which the
caller then repeats. :class:`Negotiation` is one end's side of the exchange, at most
:data:`protocol.inferred.MAX_NEGOTIATION_ROUNDS` segments of the partner long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import define, evolve, field

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import CapFlags1, CapFlags2, ControlFlags1, InitErrFlags1, InitErrFlags2, StatusCode

from .parameters import MESSAGE_HEADERS_LENGTH, MIN_TRANSMISSION_SIZE, Negotiated
from .proposal import Proposal
from .status import ChannelError

Send: TypeAlias = Callable[[Proposal, int], None]
"""Puts a proposal on the wire, with control flags."""


def combine(own: Proposal, theirs: Proposal) -> Proposal:
    """What two proposals come to, in the words of the first (its names, its capabilities cut down).

    Raises ``ChannelError`` where they cannot come together.
    """
    if theirs.sequence_wrap != own.sequence_wrap:
        raise ChannelError(
            f"sequence wrap {theirs.sequence_wrap} there, {own.sequence_wrap} here",
            inferred.WRAP_MISMATCH,
            amq="AMQ9505",
            retryable=False,
        )
    fap_level = min(own.fap_level, theirs.fap_level)
    if fap_level < inferred.LOWEST_FAP_LEVEL:
        raise _failed(f"FAP level {theirs.fap_level} is too low", StatusCode.FAP_LEVEL)
    transmission_size = min(own.transmission_size, theirs.transmission_size)
    if transmission_size < MIN_TRANSMISSION_SIZE:
        raise _failed(f"segments of {transmission_size} bytes are too short", StatusCode.NEGOTIATION_FAILED)
    own_heartbeat, their_heartbeat = own.heartbeat_interval, theirs.heartbeat_interval
    return evolve(
        own,
        fap_level=fap_level,
        cap1=own.cap1 & theirs.cap1,
        cap2=own.cap2 & theirs.cap2,
        cap3=own.cap3 & theirs.cap3,
        batch_size=min(own.batch_size, theirs.batch_size or own.batch_size),
        transmission_size=transmission_size,
        message_length=min(own.message_length, theirs.message_length or own.message_length),
        heartbeat_interval=max(own_heartbeat, their_heartbeat) if own_heartbeat and their_heartbeat else 0,
    )


def _failed(message: str, status: StatusCode) -> ChannelError:
    return ChannelError(message, status, amq="AMQ9503", retryable=False)


def differences(theirs: Proposal, agreed: Proposal) -> Proposal:
    """The answer to a proposal: what was agreed, with the bits that say what was changed and refused."""
    changed = 0
    for bit, before, after in (
        (InitErrFlags1.MAX_TRANSMISSION_SIZE, theirs.transmission_size, agreed.transmission_size),
        (InitErrFlags1.FAP_LEVEL, theirs.fap_level, agreed.fap_level),
        (InitErrFlags1.MAX_MSG_SIZE, theirs.message_length, agreed.message_length),
        (InitErrFlags1.MAX_MSG_PER_BATCH, theirs.batch_size, agreed.batch_size),
        (InitErrFlags1.HEARTBEAT_INTERVAL, theirs.heartbeat_interval, agreed.heartbeat_interval),
    ):
        if before != after:
            changed |= int(bit)
    refused = theirs.cap2 & ~agreed.cap2 & inferred.DEMANDED_CAPABILITIES_2
    compression = inferred.REFUSED_COMPRESSION if theirs.compressed else int(InitErrFlags2.NONE)
    return evolve(agreed, changed1=changed, changed2=compression, refused2=refused)


@define(kw_only=True)
class Negotiation:
    """One end's side of the exchange of INITIAL_DATA.

    ``send`` puts a proposal on the wire with control flags. :meth:`propose` begins as the caller;
    :meth:`receive` takes each INITIAL_DATA of the partner and says what was agreed, or None while it goes on.
    """

    own: Proposal
    send: Send
    caller: bool
    rounds: int = 0
    partner: Proposal | None = field(default=None)
    """What the partner stated last."""

    def propose(self) -> None:
        """Send our proposal as the caller."""
        self.send(self.own, int(ControlFlags1.CONFIRM_REQUEST))

    def receive(self, theirs: Proposal, flags: int) -> Negotiated | None:
        """Take the partner's INITIAL_DATA. Raises ``ChannelError`` where no agreement is possible."""
        self.rounds += 1
        self.partner = theirs
        if theirs.channel_name != self.own.channel_name:
            raise _failed(
                f"channel {theirs.channel_name!r} instead of {self.own.channel_name!r}", StatusCode.NEGOTIATION_FAILED
            )
        agreed = self._answered(theirs, flags) if self.caller else self._answer(theirs)
        if agreed is None and self.rounds >= inferred.MAX_NEGOTIATION_ROUNDS:
            raise _failed(f"no agreement after {self.rounds} rounds", StatusCode.NEGOTIATION_FAILED)
        return agreed

    def _answer(self, theirs: Proposal) -> Negotiated | None:
        agreed = combine(self.own, theirs)
        answer = differences(theirs, agreed)
        open_points = answer.changed1 or answer.changed2 or answer.refused2
        self.send(answer, int(inferred.NEGOTIATION_ERROR_FLAGS) if open_points else 0)
        return None if open_points else self._result(agreed, theirs)

    def _answered(self, theirs: Proposal, flags: int) -> Negotiated | None:
        self._check_refusals(theirs)
        agreed = combine(self.own, theirs)
        if not flags & ControlFlags1.ERROR and not theirs.changed1:
            return self._result(agreed, theirs)
        asked = self.own.cap1 & CapFlags1.REQUEST_INITIATION  # stays a wish, whatever was answered
        self.own = evolve(agreed, cap1=agreed.cap1 | asked)
        if self.rounds < inferred.MAX_NEGOTIATION_ROUNDS:
            self.propose()
        return None

    @staticmethod
    def _check_refusals(theirs: Proposal) -> None:
        """Bits that no other value can mend."""
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

    @staticmethod
    def _result(agreed: Proposal, theirs: Proposal) -> Negotiated:
        split = bool(agreed.cap1 & CapFlags1.SPLIT_MESSAGE)
        room = agreed.message_length if split else agreed.transmission_size - MESSAGE_HEADERS_LENGTH
        return Negotiated(
            fap_level=agreed.fap_level,
            batch_size=agreed.batch_size,
            max_message_length=min(agreed.message_length, room),
            transmission_size=agreed.transmission_size,
            sequence_wrap=agreed.sequence_wrap,
            heartbeat_interval=agreed.heartbeat_interval,
            fast=bool(agreed.cap2 & CapFlags2.FAST_MESSAGES_REQUIRED),
            split=split,
            distribution_lists=bool(theirs.cap2 & CapFlags2.DIST_LIST_CAPABLE),
            partner_encoding=theirs.encoding,
            partner_ccsid=theirs.ccsid,
        )
