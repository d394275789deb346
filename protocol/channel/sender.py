"""The sending end of a message channel: SDR, SVR (channels.md 5, 6; mq-wire.md 7).

``states.py`` explains the states, the package's docstring the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import NO_LUWID, Segment

from .agreement import receive_timeout
from .batches_out import READY_STATES, BatchesOut
from .endings import close_channel, end_by_error, end_by_partner, refuse_security, unexpected_status
from .events import Closed, CloseRequested, Event
from .heartbeats import Heartbeats
from .link import Link, Routes, Timer, read_status, status_while
from .negotiation import Negotiation
from .parameters import ChannelParameters, Negotiated, SenderState
from .ping import Ping
from .proposal import Proposal
from .receive_timeout import ReceiveTimeout
from .sender_recovery import SenderRecovery
from .states import SENDER, State, Trigger
from .status import PROTOCOL_CODES
from .wire import Wire, own_writer

_STARTING: Final = frozenset({State.NEGOTIATING, State.RESYNCHRONISING, State.RESETTING, State.PINGING})

_STATUS: Final[Mapping[State, MQCHS]] = {
    **dict.fromkeys(SENDER, MQCHS.RUNNING),
    **dict.fromkeys((*_STARTING, State.RECORDING), MQCHS.BINDING),
    State.CLOSED: MQCHS.INACTIVE,
}
_SUBSTATE: Final[Mapping[State, MQCHSSTATE]] = {
    State.NEGOTIATING: MQCHSSTATE.RECEIVING,
    State.RESYNCHRONISING: MQCHSSTATE.RESYNCHING,
    State.RESETTING: MQCHSSTATE.RESYNCHING,
    State.RECORDING: MQCHSSTATE.RESYNCHING,
    State.PINGING: MQCHSSTATE.RECEIVING,
    State.RUNNING: MQCHSSTATE.IN_MQGET,
    State.HEARTBEATING: MQCHSSTATE.HEARTBEATING,
    State.BATCH: MQCHSSTATE.SENDING,
    State.CHECKING: MQCHSSTATE.HEARTBEATING,
    State.ENDING: MQCHSSTATE.END_OF_BATCH,
    State.CONFIRMING: MQCHSSTATE.END_OF_BATCH,
}


class SenderChannel:
    """The sending end of a message channel.

    ``saved``: the durable state for this channel and partner. ``luwids``: returns a new LUWID. ``ping``: test data; the
    machine then only sends them, awaits their return and closes (PING CHANNEL). ``wire``: a requester's connection to
    take over; without it the machine is the caller.
    """

    __slots__ = (
        "_heartbeats",
        "_idle_since",
        "_ping",
        "_recovery",
        "_timeout",
        "_wished",
        "batches",
        "link",
        "negotiation",
        "parameters",
    )

    def __init__(
        self,
        parameters: ChannelParameters,
        saved: SenderState,
        luwids: Callable[[], bytes],
        now: float,
        *,
        ping: bytes | None = None,
        wire: Wire | None = None,
    ) -> None:
        caller = wire is None
        self.parameters = parameters
        self.link = link = Link[Event](self, wire or Wire(own_writer(parameters)), SENDER, State.NEGOTIATING, now)
        self.negotiation = Negotiation(link, parameters, self._agreed, caller=caller, requester=False)
        self._timeout = ReceiveTimeout(link)
        self._heartbeats = Heartbeats(link, self._timeout, now)
        self._recovery = SenderRecovery(link, saved, parameters.sequence_wrap)
        self.batches = BatchesOut(link, parameters, luwids, self._recovery, self._heartbeats)
        self._ping = Ping(link, ping)
        link.drops_unsent = True
        link.serve(_ROUTES, (self, self.negotiation, self._recovery, self._ping))
        self._idle_since = now
        self._wished = False
        if caller:
            self.negotiation.propose()

    @classmethod
    def answering(
        cls,
        wire: Wire,
        proposal: Proposal,
        parameters: ChannelParameters,
        saved: SenderState,
        luwids: Callable[[], bytes],
        now: float,
    ) -> SenderChannel:
        """Take over a connection on which a requester called; for the responder."""
        machine = cls(parameters, saved, luwids, now, wire=wire)
        machine.link.guard(machine.negotiation.receive, proposal, 0, now)
        return machine

    @property
    def negotiated(self) -> Negotiated | None:
        """Negotiated values; None before :class:`Started`."""
        return self.batches.negotiated

    @property
    def status(self) -> MQCHS:
        """Channel status for DISPLAY CHSTATUS, as far as this connection determines it (channels.md 2)."""
        return status_while(self.link.closing, _STATUS[self.link.state])

    @property
    def substate(self) -> MQCHSSTATE:
        """SUBSTATE for DISPLAY CHSTATUS."""
        return _SUBSTATE.get(self.link.state, MQCHSSTATE.OTHER)

    def recorded(self, now: float) -> list[Event]:
        """Note that the state of :class:`InDoubtResolved` or :class:`SequenceReset` is durable; the channel continues.

        Raises ``LocalProtocolError`` if there was no such event. After the end of the machine it does nothing.
        """
        if not self.link.closed and not self._recovery.recorded():
            self._run(now)
        return self.link.drain()

    # For the link.

    def timers(self) -> Iterator[Timer]:
        """See :meth:`.link.Machine.timers`."""
        state = self.link.state
        if state in _STARTING:
            yield from self.negotiation.timers()
        elif state is State.CHECKING:
            yield self.link.silent_since + self.parameters.batch_heartbeat_seconds, self._check_failed
        elif state is State.CONFIRMING:
            yield from self._timeout.timers()
        elif state in READY_STATES:
            if not self.batches.open:
                if self.parameters.disconnect_interval:
                    yield self._idle_since + self.parameters.disconnect_interval, self._disconnect
            elif (deadline := self.batches.deadline) is not None:
                yield deadline, self.batches.end
            yield from self._heartbeats.timers()
        elif state is State.ENDING:
            yield from self._heartbeats.timers()

    def quiesce(self, status: StatusCode, now: float) -> None:
        """See :meth:`.link.Machine.quiesce`: the open batch ends first."""
        link = self.link
        if link.closing:
            return
        link.closing = True
        if link.state is State.BATCH:
            self.batches.end(now)
        elif link.state in _STARTING or link.state in READY_STATES:
            self._close_as_asked()

    def force(self, status: StatusCode) -> None:
        """See :meth:`.link.Machine.force`."""
        self.link.wire.drop()
        self.link.stop(status)

    def abandon(self, ending: Closed) -> bool:
        """See :meth:`.link.Machine.abandon`."""
        return self.batches.abandon()

    # Transitions.

    def _agreed(self, negotiated: Negotiated, now: float) -> None:
        self.batches.agreed(negotiated)
        self._heartbeats.interval = negotiated.heartbeat_interval
        self._timeout.limit = receive_timeout(negotiated.heartbeat_interval)
        if not self._ping.begin(negotiated.transmission_size) and not self._recovery.begin():
            self.link.go(Trigger.AGREED)
            self._run(now)

    def _run(self, now: float) -> None:
        """Begin to run, or continue, between batches."""
        self._heartbeats.last_sent = self._idle_since = now
        if self.link.closing:
            self._close_as_asked()

    def _close_as_asked(self) -> None:
        if self._wished:
            close_channel(self.link, "the partner asked for the end", "AMQ9001", by_partner=True)
        else:
            close_channel(self.link, "stopped by command", "AMQ9528")

    def _disconnect(self, now: float) -> None:
        close_channel(self.link, "disconnect interval expired", "AMQ9545")

    def _check_failed(self, now: float) -> None:
        silence = now - self.link.silent_since
        self.link.finish(f"no answer to a batch heartbeat for {silence:g} seconds", "AMQ9259", retryable=True)

    # Answers of the partner.

    def _status(self, segment: Segment, now: float) -> None:
        """Take STATUS_DATA. Answers arrive in the order of the questions, so an open heartbeat is answered first."""
        link, flags = self.link, segment.flags1
        code, value = read_status(segment)
        awaited = self._heartbeats.unanswered > 0 and segment.luwid == NO_LUWID
        if flags & ControlFlags1.ERROR or code:
            self._refused(code, value)
        elif flags & ControlFlags1.CONFIRM_REQUEST:
            raise unexpected_status(link, segment)
        elif link.state is State.CONFIRMING and not awaited and self.batches.is_confirmation(segment):
            self._confirmed(segment, now)
        elif flags & ControlFlags1.CLOSE_CHANNEL:
            self._partner_closes()
        elif link.state is State.RESETTING:
            self._recovery.reset_answered(segment, now)
        elif awaited:
            self._heartbeat_answered(segment, now)
        elif flags & ControlFlags1.REQUEST_CLOSE and link.state not in _STARTING:
            self._grant_close(now)
        else:
            raise unexpected_status(link, segment)

    def _refused(self, code: StatusCode, value: int | None) -> None:
        self.batches.refused = code in inferred.BATCH_REFUSALS
        if self.link.state is State.RESYNCHRONISING and code in PROTOCOL_CODES:
            self.link.finish(
                f"the partner does not know our resynchronisation ({code}); RESOLVE CHANNEL settles the batch",
                "AMQ9507",
                status=code,
                by_partner=True,
                value=value,
            )
        else:
            end_by_error(self.link, code, value)

    def _confirmed(self, segment: Segment, now: float) -> None:
        self.batches.confirmed(segment)
        if segment.flags1 & ControlFlags1.CLOSE_CHANNEL:
            self._partner_closes()
            return
        if segment.flags1 & ControlFlags1.REQUEST_CLOSE:
            self._wished = self.link.closing = True
            self.link.emit(CloseRequested())
        self._run(now)

    def _partner_closes(self) -> None:
        if self.link.state in _STARTING:
            reason = "the partner closed the channel at its start"
            self.link.finish(reason, "AMQ9209", retryable=True, by_partner=True)
        else:
            end_by_partner(self.link)

    def _heartbeat(self, segment: Segment, now: float) -> None:
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            self.link.wire.send(SegmentType.HEARTBEAT)
        else:
            self._heartbeat_answered(segment, now)

    def _heartbeat_answered(self, segment: Segment, now: float) -> None:
        checking = self.link.state is State.CHECKING
        self._heartbeats.answered()
        if segment.flags1 & ControlFlags1.REQUEST_CLOSE:
            self._grant_close(now)
        if checking:
            self.batches.tell_end()

    def _grant_close(self, now: float) -> None:
        """End the channel because the partner asked to."""
        self._wished = True
        self.link.emit(CloseRequested())
        self.quiesce(StatusCode.USER_CLOSED, now)


_CHANNEL, _NEGOTIATION, _RECOVERY, _PING = range(4)

_ROUTES: Final[Routes] = {
    SegmentType.INITIAL_DATA: (_NEGOTIATION, Negotiation.initial_data),
    SegmentType.STATUS_DATA: (_CHANNEL, SenderChannel._status),
    SegmentType.RESYNC_DATA: (_RECOVERY, SenderRecovery.resync_answered),
    SegmentType.RESET_DATA: (_RECOVERY, SenderRecovery.reset_answered),
    SegmentType.PING_DATA: (_PING, Ping.answered),
    SegmentType.SECURITY_DATA: (_CHANNEL, refuse_security),
    SegmentType.HEARTBEAT: (_CHANNEL, SenderChannel._heartbeat),
}
