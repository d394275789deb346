"""The sending end of a message channel: SDR, SVR (channels.md 5, 6; mq-wire.md 7).

The states and the reasons for them stand in ``states.py``, the contract in the package's docstring. The machine is
built in layers: negotiation and refusals (``channel_end``), resynchronisation (``sender_start``), batches
(``sender_batches``); here are answers, heartbeats, timers and the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import ProtocolError
from mqbridge.protocol.framing import NO_LUWID, Segment

from .events import CloseRequested
from .machine import Handler, Timer
from .parameters import ChannelParameters, SenderState
from .proposal import Proposal
from .sender_batches import READY_STATES, SenderBatches
from .sender_start import SenderStart
from .states import SENDER, State, Trigger
from .wire import Wire

_STARTING: Final = frozenset({State.NEGOTIATING, State.RESYNCHRONISING, State.RESETTING, State.PINGING})


class SenderChannel(SenderBatches):
    """The sending end.

    ``saved``: what is on disk for this channel and partner. ``luwids``: gives a new LUWID when called. ``ping``: test
    data; the machine then only sends them there and back and closes (PING CHANNEL).
    """

    __slots__ = ("_idle_since", "_open_heartbeats")

    STATUS: ClassVar[Mapping[State, MQCHS]] = {
        **dict.fromkeys(SENDER, MQCHS.RUNNING),
        **dict.fromkeys((*_STARTING, State.RECORDING), MQCHS.BINDING),
        State.CLOSED: MQCHS.INACTIVE,
    }
    SUBSTATE: ClassVar[Mapping[State, MQCHSSTATE]] = {
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
        self._open_heartbeats = 0
        self._idle_since = now
        super().__init__(parameters, saved, luwids, now, ping=ping, wire=wire)

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
        """Go on with a connection on which a requester asked; for the responder."""
        machine = cls(parameters, saved, luwids, now, wire=wire)
        machine._guard(machine._take_proposal, proposal, 0, now)
        return machine

    def _run(self, now: float) -> None:
        """Between batches, for the first time or again."""
        self._last_sent = self._idle_since = now
        if self._closing:
            self._close_as_asked()

    # What the partner says

    def _partner_error(self, code: StatusCode, value: int | None) -> None:
        self._refused = code in inferred.BATCH_REFUSALS
        super()._partner_error(code, value)

    def _partner_status(self, segment: Segment, now: float) -> None:
        flags = segment.flags1
        if flags & ControlFlags1.CONFIRM_REQUEST:
            raise self._unexpected_status(segment)
        # Answers come in the order of the questions, so an open heartbeat is answered first.
        awaited = self._open_heartbeats > 0 and segment.luwid == NO_LUWID
        if self.state is State.CONFIRMING and not awaited and self._is_confirmation(segment):
            self._confirmed(segment, now)
        elif flags & ControlFlags1.CLOSE_CHANNEL:
            self._partner_closes()
        elif self.state is State.RESETTING:
            self._reset_answer(segment, now)
        elif awaited:
            self._heartbeat_answered(segment, now)
        elif flags & ControlFlags1.REQUEST_CLOSE and self.state not in _STARTING:
            self._grant_close(now)
        else:
            raise self._unexpected_status(segment)

    def _is_confirmation(self, segment: Segment) -> bool:
        """Whether an answer confirms; one that closes the channel does only when it names the batch."""
        closes = segment.flags1 & ControlFlags1.CLOSE_CHANNEL
        return not closes or segment.luwid == self._the_batch().luwid

    def _partner_closes(self) -> None:
        if self.state in _STARTING:
            self._finish("the partner closed the channel at its start", "AMQ9209", retryable=True, by_partner=True)
        else:
            super()._partner_closes()

    def _heartbeat(self, segment: Segment, now: float) -> None:
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            self.wire.send(SegmentType.HEARTBEAT)
        else:
            self._heartbeat_answered(segment, now)

    def _heartbeat_answered(self, segment: Segment, now: float) -> None:
        checking = self.state is State.CHECKING
        self._step(Trigger.HEARTBEAT_ANSWERED)
        self._open_heartbeats = max(self._open_heartbeats - 1, 0)
        if segment.flags1 & ControlFlags1.REQUEST_CLOSE:
            self._grant_close(now)
        if checking:
            self._tell_end_of_batch()

    # The end

    def _grant_close(self, now: float) -> None:
        """The partner wants the channel to end."""
        self._wished = True
        self._emit(CloseRequested())
        self._quiesce(now)

    def _quiesce(self, now: float) -> None:
        if self._closing:
            return
        self._closing = True
        if self.state is State.BATCH:
            self._end_batch(now)
        elif self.state in _STARTING or self.state in READY_STATES:
            self._close_as_asked()

    def _close_as_asked(self) -> None:
        if self._wished:
            self._close_normally("the partner asked for the end", "AMQ9001", by_partner=True)
        else:
            self._close_normally("stopped by command", "AMQ9528")

    def _force(self, status: StatusCode) -> None:
        self.wire.drop()
        super()._force(status)

    def _fail(self, error: ProtocolError) -> None:
        self.wire.drop()
        super()._fail(error)

    # Time

    def _timers(self) -> Iterator[Timer]:
        state = self.state
        if state in _STARTING:
            yield from self._handshake_timers()
        elif state in READY_STATES:
            yield from self._running_timers()
        elif state is State.ENDING:
            yield from self._heartbeat_timers()
        elif state is State.CHECKING:
            yield self._silent_since + self.parameters.batch_heartbeat_seconds, self._check_failed
        elif state is State.CONFIRMING:
            yield from self._silence_timers()

    def _running_timers(self) -> Iterator[Timer]:
        if self._batch is not None:
            deadline = self._batch.deadline
            if deadline is not None:
                yield deadline, self._end_batch
        elif self.parameters.disconnect_interval:
            yield self._idle_since + self.parameters.disconnect_interval, self._disconnect
        yield from self._heartbeat_timers()

    def _heartbeat_timers(self) -> Iterator[Timer]:
        if self._open_heartbeats:
            yield from self._silence_timers()
        elif self.negotiated is not None and self.negotiated.heartbeat_interval:
            yield self._last_sent + self.negotiated.heartbeat_interval, self._beat

    def _beat(self, now: float) -> None:
        self._go(Trigger.HEARTBEAT)
        self._send_heartbeat(now)

    def _send_heartbeat(self, now: float) -> None:
        self.wire.send(SegmentType.HEARTBEAT, flags=int(inferred.HEARTBEAT_FLAGS))
        self._open_heartbeats += 1
        self._last_sent = now
        self._asked(now)

    def _disconnect(self, now: float) -> None:
        del now
        self._close_normally("disconnect interval expired", "AMQ9545")

    def _check_failed(self, now: float) -> None:
        self._finish(
            f"no answer to a batch heartbeat for {now - self._silent_since:g} seconds", "AMQ9259", retryable=True
        )

    HANDLERS: ClassVar[Mapping[int, Handler]] = {
        SegmentType.INITIAL_DATA: SenderStart._initial_data,
        SegmentType.STATUS_DATA: SenderStart._status,
        SegmentType.RESYNC_DATA: SenderStart._resync_answer,
        SegmentType.RESET_DATA: SenderStart._reset_answer,
        SegmentType.PING_DATA: SenderStart._ping_answer,
        SegmentType.SECURITY_DATA: SenderStart._security,
        SegmentType.HEARTBEAT: _heartbeat,
    }
