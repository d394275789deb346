"""The receiving end of a message channel: RCVR, RQSTR (channels.md 5 to 7; mq-wire.md 7).

``states.py`` explains the states, the package's docstring the contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import Segment

from .agreement import receive_timeout
from .batches_in import BatchesIn
from .endings import end_by_error, end_by_partner, refuse_security, unexpected_status
from .events import Closed, Event, HeartbeatReceived
from .link import Link, Routes, Timer, read_status, status_while
from .negotiation import Negotiation
from .parameters import ChannelParameters, Negotiated, ReceiverState
from .proposal import Proposal
from .receive_timeout import ReceiveTimeout
from .receiver_recovery import ReceiverRecovery
from .states import RECEIVER, State, Trigger
from .wire import Wire, own_writer

_WAITING: Final = frozenset({State.STARTED, State.RUNNING, State.BATCH, State.PARTIAL})

_STATUS: Final[Mapping[State, MQCHS]] = {
    **dict.fromkeys(RECEIVER, MQCHS.RUNNING),
    State.NEGOTIATING: MQCHS.BINDING,
    State.CLOSED: MQCHS.INACTIVE,
}
_SUBSTATE: Final[Mapping[State, MQCHSSTATE]] = {
    **dict.fromkeys(RECEIVER, MQCHSSTATE.RECEIVING),
    State.RECORDING: MQCHSSTATE.RESYNCHING,
    State.CONFIRMING: MQCHSSTATE.END_OF_BATCH,
    State.CLOSED: MQCHSSTATE.OTHER,
}


class ReceiverChannel:
    """The receiving end of a message channel.

    ``saved``: the durable state for this channel and partner. Constructed directly it is a requester: it calls and asks
    the partner to send. Constructed by :meth:`Responder.accept` it answers a sender.
    """

    __slots__ = ("_recovery", "_timeout", "batches", "link", "negotiated", "negotiation", "parameters")

    def __init__(
        self, parameters: ChannelParameters, saved: ReceiverState, now: float, *, wire: Wire | None = None
    ) -> None:
        caller = wire is None
        self.parameters = parameters
        self.negotiated: Negotiated | None = None
        """Negotiated values; None before :class:`Started`."""
        self.link = link = Link[Event](self, wire or Wire(own_writer(parameters)), RECEIVER, State.NEGOTIATING, now)
        self.negotiation = Negotiation(link, parameters, self._agreed, caller=caller, requester=caller)
        self._timeout = ReceiveTimeout(link)
        self._recovery = ReceiverRecovery(link, saved, parameters.sequence_wrap)
        self.batches = BatchesIn(link, saved)
        link.serve(_ROUTES, (self, self.negotiation, self._recovery, self.batches))
        if caller:
            self.negotiation.propose()

    @classmethod
    def answering(
        cls, wire: Wire, proposal: Proposal, parameters: ChannelParameters, saved: ReceiverState, now: float
    ) -> ReceiverChannel:
        """Take over a connection on which a sender called; for the responder."""
        machine = cls(parameters, saved, now, wire=wire)
        machine.link.guard(machine.negotiation.receive, proposal, 0, now)
        return machine

    @property
    def status(self) -> MQCHS:
        """Channel status for DISPLAY CHSTATUS; a requester that awaits the answer is REQUESTING (channels.md 2)."""
        link = self.link
        if link.state is State.NEGOTIATING and self.negotiation.caller and not link.closing:
            return MQCHS.REQUESTING
        return status_while(link.closing, _STATUS[link.state])

    @property
    def substate(self) -> MQCHSSTATE:
        """SUBSTATE for DISPLAY CHSTATUS."""
        return _SUBSTATE[self.link.state]

    @property
    def idle(self) -> bool:
        """Whether no batch is open, so that a FORCE close loses nothing."""
        return not self.batches.open and self.link.state is not State.RECORDING

    def confirm(self, now: float, *, dlq_used: bool = False) -> list[Event]:
        """Answer :class:`ConfirmRequested`: batch and record are durable. ``dlq_used``: a message was dead-lettered.

        Raises ``LocalProtocolError`` if no confirmation was requested. After the end of the machine it does nothing.
        """
        if not self.link.closed:
            self.batches.confirmed(self._close_flags() | (int(ControlFlags1.DLQ_USED) if dlq_used else 0))
            self.link.silent_since = now
            if self.batches.last:
                self._partner_closes()
        return self.link.drain()

    def reject(
        self, status: StatusCode, reason: str, now: float, *, amq: str = "AMQ9506", retryable: bool = True
    ) -> list[Event]:
        """Refuse the batch, which is not and will not be committed, and end the channel.

        ``status`` should be one of :data:`protocol.inferred.BATCH_REFUSALS`. Allowed in every state.
        """
        if not self.link.closed:
            self.link.send_error(status)
            self.link.finish(reason, amq, status=status, retryable=retryable)
        return self.link.drain()

    def recorded(self, now: float) -> list[Event]:
        """Note that the number of :class:`SequenceReset` is durable. Raises ``LocalProtocolError`` if there was
        none."""
        if not self.link.closed:
            self._recovery.recorded()
            assert self.negotiated is not None
            self.batches.begin(self.negotiated, self._recovery.saved)
            self.link.wire.send(SegmentType.STATUS_DATA, flags=self._close_flags())
            self.link.silent_since = now
        return self.link.drain()

    # For the link.

    def timers(self) -> Iterator[Timer]:
        """See :meth:`.link.Machine.timers`."""
        if self.link.state is State.NEGOTIATING:
            yield from self.negotiation.timers()
        elif self.link.state in _WAITING:
            yield from self._timeout.timers()

    def quiesce(self, status: StatusCode, now: float) -> None:
        """See :meth:`.link.Machine.quiesce`: the request to end goes to the sender with the next answer."""
        self.link.closing = True
        if self.link.state is State.NEGOTIATING:
            self.force(StatusCode.USER_CLOSED)

    def force(self, status: StatusCode) -> None:
        """See :meth:`.link.Machine.force`."""
        if self.link.state is State.CONFIRMING:
            # The commit may still succeed: send nothing that the sender could take for a refusal.
            self.link.finish("stopped by command during a commit", "AMQ9528", normal=True)
        else:
            self.link.stop(status)

    def abandon(self, ending: Closed) -> bool:
        """See :meth:`.link.Machine.abandon`."""
        self.batches.abandon()
        return False

    # Transitions.

    def _agreed(self, negotiated: Negotiated, now: float) -> None:
        self.negotiated = negotiated
        self._timeout.limit = receive_timeout(negotiated.heartbeat_interval)
        self.link.go(Trigger.AGREED)
        self.batches.begin(negotiated, self._recovery.saved)

    def _close_flags(self) -> int:
        """Return the flags that tell the sender, in an answer, that we want to end."""
        return int(inferred.REQUEST_CLOSE_FLAGS) if self.link.closing else 0

    def _partner_closes(self) -> None:
        if self.link.state is State.NEGOTIATING:
            # A sender called by a requester ends here and opens its own connection.
            reason = "the partner will call back"
            self.link.finish(reason, "AMQ9001", normal=True, by_partner=True, call_back=True)
        else:
            end_by_partner(self.link)

    def _status(self, segment: Segment, now: float) -> None:
        code, value = read_status(segment)
        flags = segment.flags1
        if flags & ControlFlags1.ERROR or code:
            end_by_error(self.link, code, value)
        elif flags & ControlFlags1.CONFIRM_REQUEST:
            self.batches.confirm_asked(segment)
        elif flags & ControlFlags1.CLOSE_CHANNEL:
            self._partner_closes()
        else:
            raise unexpected_status(self.link, segment)

    def _heartbeat(self, segment: Segment, now: float) -> None:
        self.link.step(Trigger.HEARTBEAT)
        self.link.wire.send(SegmentType.HEARTBEAT, flags=self._close_flags())
        self.link.emit(HeartbeatReceived())


_CHANNEL, _NEGOTIATION, _RECOVERY, _BATCHES = range(4)

_ROUTES: Final[Routes] = {
    SegmentType.MESSAGE_DATA: (_BATCHES, BatchesIn.message),
    SegmentType.STATUS_DATA: (_CHANNEL, ReceiverChannel._status),
    SegmentType.HEARTBEAT: (_CHANNEL, ReceiverChannel._heartbeat),
    SegmentType.INITIAL_DATA: (_NEGOTIATION, Negotiation.initial_data),
    SegmentType.RESYNC_DATA: (_RECOVERY, ReceiverRecovery.resync_asked),
    SegmentType.RESET_DATA: (_RECOVERY, ReceiverRecovery.reset_asked),
    SegmentType.PING_DATA: (_RECOVERY, ReceiverRecovery.ping),
    SegmentType.SECURITY_DATA: (_CHANNEL, refuse_security),
}
