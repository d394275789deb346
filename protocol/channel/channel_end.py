"""What sender and receiver have in common: negotiation, refusals and closes of the partner, the receive time-out."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import Segment, SegmentWriter

from .events import Event, Started
from .machine import Machine, Timer, read_status
from .negotiation import Negotiation
from .parameters import ChannelParameters, Negotiated
from .proposal import Proposal, own_proposal, read_proposal
from .silence import receive_timeout
from .states import State, Trigger
from .status import ChannelError, meaning_of
from .wire import SEND_AT_ONCE, Wire


class ChannelEnd(Machine[Event]):
    """One end of a message channel, whoever called."""

    __slots__ = ("_negotiation", "_question_end", "_sent_mark", "_silence_limit", "negotiated", "parameters")

    def __init__(self, parameters: ChannelParameters, now: float, *, wire: Wire | None, requester: bool) -> None:
        caller = wire is None
        if wire is None:
            wire = Wire(SegmentWriter("big" if parameters.big_endian else "little", parameters.ccsid))
        super().__init__(wire, State.NEGOTIATING, now)
        self.parameters = parameters
        self.negotiated: Negotiated | None = None
        """What both ends go by; None before :class:`Started`."""
        self._silence_limit: float | None = None
        self._question_end = self._sent_mark = 0
        own = own_proposal(parameters, caller=caller, requester=requester)
        self._negotiation = Negotiation(own=own, send=self._send_proposal, caller=caller)
        if caller:
            self._negotiation.propose()

    @property
    def partner(self) -> str:
        """Queue manager name of the partner; empty before it said so."""
        stated = self._negotiation.partner
        return stated.queue_manager if stated is not None else ""

    def _send_proposal(self, proposal: Proposal, flags: int) -> None:
        self.wire.send(SegmentType.INITIAL_DATA, proposal.build(self.wire.writer), flags=flags)

    # INITIAL_DATA

    def _initial_data(self, segment: Segment, now: float) -> None:
        self._step(Trigger.VALUES_CHANGED)  # only while negotiating
        self._take_proposal(read_proposal(segment), segment.flags1, now)

    def _take_proposal(self, proposal: Proposal, flags: int, now: float) -> None:
        agreed = self._negotiation.receive(proposal, flags)
        if agreed is None:
            return
        self.negotiated = agreed
        self._silence_limit = receive_timeout(agreed.heartbeat_interval)
        self.wire.reader.max_segment = agreed.transmission_size + inferred.SEGMENT_LENGTH_TOLERANCE
        self._emit(
            Started(
                channel_name=self.parameters.channel_name,
                partner=proposal.queue_manager,
                partner_id=proposal.queue_manager_id,
                product=proposal.product_id,
                negotiated=agreed,
            )
        )
        self._agreed(agreed, now)

    def _agreed(self, negotiated: Negotiated, now: float) -> None:
        raise NotImplementedError

    # STATUS_DATA

    def _status(self, segment: Segment, now: float) -> None:
        code, value = read_status(segment)
        if segment.flags1 & ControlFlags1.ERROR or code:
            self._partner_error(code, value)
        else:
            self._partner_status(segment, now)

    def _partner_error(self, code: StatusCode, value: int | None) -> None:
        meaning = meaning_of(code)
        self._finish(
            meaning.reason, meaning.amq, status=code, retryable=meaning.retryable, by_partner=True, value=value
        )

    def _partner_status(self, segment: Segment, now: float) -> None:
        raise NotImplementedError

    def _partner_closes(self) -> None:
        """CLOSE_CHANNEL without an error."""
        self._finish("the partner closed the channel", "AMQ9001", normal=True, by_partner=True)

    def _unexpected_status(self, segment: Segment) -> ChannelError:
        return ChannelError(
            f"STATUS_DATA with flags {segment.flags1:#04x} in state {self.state.value}",
            StatusCode.PROTOCOL_SEGMENT_ERROR,
        )

    def _security(self, segment: Segment, now: float) -> None:
        del segment, now
        raise ChannelError(
            "a security exit of the partner wants an answer",
            StatusCode.SECURITY_FAILURE,
            amq="AMQ9552",
            retryable=False,
        )

    # Time

    def _handshake_timers(self) -> Iterator[Timer]:
        yield self._started_at + self.parameters.handshake_timeout, self._handshake_too_long

    def _handshake_too_long(self, now: float) -> None:
        del now
        self._finish(f"no agreement within {self.parameters.handshake_timeout:g} seconds", "AMQ9259", retryable=True)

    def _silence_timers(self) -> Iterator[Timer]:
        if self._silence_limit is not None and not self._paused:
            yield self._silent_since + self._silence_limit, self._silent_too_long

    def _asked(self, now: float) -> None:
        """A question to the partner was queued: its silence counts from here."""
        self._silent_since = now
        self._sent_mark = self.counters.bytes_sent
        self._question_end = self._sent_mark + self.wire.unsent

    def _silent_too_long(self, now: float) -> None:
        sent = self.counters.bytes_sent
        if self._question_end - self._sent_mark > SEND_AT_ONCE and sent > self._sent_mark:
            # Much stood before the question, and the partner has taken some of it: it is slow, not gone.
            self._sent_mark = sent
            self._silent_since = now
            return
        self._finish(f"nothing heard for {now - self._silent_since:g} seconds", "AMQ9259", retryable=True)
