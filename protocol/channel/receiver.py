"""The receiving end of a message channel: RCVR, RQSTR (channels.md 5 to 7; mq-wire.md 7).

The states and the reasons for them stand in ``states.py``, the contract in the package's docstring.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import Segment

from .channel_end import ChannelEnd
from .events import (
    BatchFailed,
    ConfirmRequested,
    Event,
    HeartbeatReceived,
    MessagePart,
    MessageReceived,
)
from .inbound import HEADERS_LENGTH, PART_LENGTH, PartialMessage, read_message
from .machine import Handler, Timer
from .parameters import NO_LUWID, ChannelParameters, Counters, ReceiverState
from .proposal import Proposal
from .receiver_start import ReceiverStart
from .states import RECEIVER, State, Trigger
from .status import ChannelError
from .wire import Wire

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_ALONE: Final = _FIRST | _LAST
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_DATA: Final = HEADERS_LENGTH - 28  # in the body
_BATCH: Final = State.BATCH
_WAITING: Final = frozenset({State.STARTED, State.RUNNING, State.BATCH, State.PARTIAL})


class ReceiverChannel(ReceiverStart):
    """The receiving end.

    ``saved``: what is on disk for this channel and partner. Made by an agent it is a requester: it calls and asks to
    be sent to. Made by :meth:`Responder.accept` it answers a sender.
    """

    __slots__ = (
        "_batch_luwid",
        "_confirmed_messages",
        "_count",
        "_last_batch",
        "_last_message",
        "_message_luwid",
        "_partial",
    )

    STATUS: ClassVar[Mapping[State, MQCHS]] = {
        **dict.fromkeys(RECEIVER, MQCHS.RUNNING),
        State.NEGOTIATING: MQCHS.BINDING,
        State.CLOSED: MQCHS.INACTIVE,
    }
    SUBSTATE: ClassVar[Mapping[State, MQCHSSTATE]] = {
        **dict.fromkeys(RECEIVER, MQCHSSTATE.RECEIVING),
        State.RECORDING: MQCHSSTATE.RESYNCHING,
        State.CONFIRMING: MQCHSSTATE.END_OF_BATCH,
        State.CLOSED: MQCHSSTATE.OTHER,
    }

    def __init__(
        self, parameters: ChannelParameters, saved: ReceiverState, now: float, *, wire: Wire | None = None
    ) -> None:
        super().__init__(parameters, saved, now, wire=wire)
        self._count = 0
        self._batch_luwid = NO_LUWID
        self._partial: PartialMessage | None = None
        self._confirmed_messages = 0
        self._message_luwid = NO_LUWID
        self._last_message: float | None = None
        self._last_batch = False

    @classmethod
    def answering(
        cls, wire: Wire, proposal: Proposal, parameters: ChannelParameters, saved: ReceiverState, now: float
    ) -> ReceiverChannel:
        """Go on with a connection on which a sender asked; for the responder."""
        machine = cls(parameters, saved, now, wire=wire)
        machine._guard(machine._take_proposal, proposal, 0, now)
        return machine

    # What the agent does

    @property
    def status(self) -> MQCHS:
        """As at every machine; a requester that waits for the answer is REQUESTING."""
        if self.state is State.NEGOTIATING and self._negotiation.caller and not self._closing:
            return MQCHS.REQUESTING
        return super().status

    @property
    def batch_open(self) -> bool:
        """Whether messages came that are not confirmed yet, or part of one."""
        return self.state in (State.BATCH, State.PARTIAL, State.CONFIRMING)

    @property
    def idle(self) -> bool:
        """Whether nothing is open: a FORCE close costs nothing."""
        return not self.batch_open and self.state is not State.RECORDING

    def confirm(self, now: float, *, dlq_used: bool = False) -> list[Event]:
        """Answer :class:`ConfirmRequested`: batch and record are durable. ``dlq_used``: a message was dead-lettered.

        Raises ``LocalProtocolError`` when no confirmation is wanted. After the end of the machine it does nothing.
        """
        if not self.closed:
            self._go(Trigger.CONFIRMED)
            flags = int(inferred.CONFIRM_ANSWER_FLAGS) | (int(ControlFlags1.DLQ_USED) if dlq_used else 0)
            self.wire.send(SegmentType.STATUS_DATA, flags=flags | self._wish(), luwid=self._batch_luwid)
            self._confirmed_messages += self._count
            self._count = 0
            self.wire.counters.batches += 1
            self._silent_since = now
            if self._last_batch:
                self._partner_closes()
        return self._drain()

    def reject(
        self, status: StatusCode, reason: str, now: float, *, amq: str = "AMQ9506", retryable: bool = True
    ) -> list[Event]:
        """Refuse the batch and end the channel: it is not committed and will not be.

        ``status`` should be one of :data:`protocol.inferred.BATCH_REFUSALS`. Possible in every state.
        """
        del now
        if not self.closed:
            self._send_error(status)
            self._finish(reason, amq, status=status, retryable=retryable)
        return self._drain()

    # Messages

    def _message(self, segment: Segment, now: float) -> None:
        flags = segment.flags1
        if flags & _ALONE != _ALONE or self._partial is not None:
            self._take_part(segment, now)
            return
        if self.state is not _BATCH:
            self._step(Trigger.MESSAGE)
        message = read_message(segment, None, self._fast)
        if message.sequence != self._expected or message.length > self._longest:
            self._refuse(message)
        self._count_message(message, now)
        if flags & _CONFIRM and inferred.CONFIRM_ON_MESSAGE_ENDS_BATCH:
            self._end_of_batch(segment)

    def _take_part(self, segment: Segment, now: float) -> None:
        first, last = segment.flags1 & _FIRST, segment.flags1 & _LAST
        self._step(Trigger.MESSAGE if last else Trigger.MESSAGE_PART)
        if self._partial is None:
            if not first:
                raise ChannelError("part of a message that did not begin", StatusCode.SEGMENT_NUMBER_ERROR)
            partial = PartialMessage(segment, self._fast)
            if partial.message.sequence != self._expected or partial.message.length > self._longest:
                self._refuse(partial.message)
            partial.add(segment.body_from(_DATA))
            self._partial = partial
            return
        if first:
            raise ChannelError("a message begins inside another", StatusCode.SEGMENT_NUMBER_ERROR)
        if not segment.body_length:
            raise ChannelError("part of a message without data", StatusCode.PROTOCOL_LENGTH_ERROR)
        partial = self._partial
        partial.add(segment.body)
        if last:
            self._partial = None
            self._count_message(partial.finish(), now)
            if segment.flags1 & _CONFIRM and inferred.CONFIRM_ON_MESSAGE_ENDS_BATCH:
                self._end_of_batch(segment)
        elif partial.untold >= PART_LENGTH:
            partial.untold = 0
            self._emit(MessagePart(message=partial.message))

    def _refuse(self, message: MessageReceived) -> None:
        """Raises ``ChannelError`` for a number or length that does not do; returns for a number that we take over."""
        if message.sequence != self._expected and not self._takes_over(message.sequence):
            raise ChannelError(
                f"message number {message.sequence} instead of {self._expected}",
                StatusCode.MSG_SEQUENCE_ERROR,
                amq="AMQ9526",
                value=self._expected,
            )
        if message.length > self._longest:
            raise ChannelError(
                f"a message of {message.length} bytes, the channel takes {self._longest}",
                StatusCode.MESSAGE_LENGTH_ERROR,
                amq="AMQ9207",
            )

    def _takes_over(self, number: int) -> bool:
        """Whether the sender's number counts: the session's first one, when our record may have missed fast batches."""
        first = not self._count and not self._confirmed_messages
        return first and self._saved.unsure and 1 <= number <= self.parameters.sequence_wrap

    def _count_message(self, message: MessageReceived, now: float) -> None:
        number = self._last = message.sequence
        self._expected = number + 1 if number < self.parameters.sequence_wrap else 1
        self._count += 1
        self._message_luwid = message.luwid
        self._last_message = now
        self._events.append(message)

    @property
    def counters(self) -> Counters:
        """Figures for DISPLAY CHSTATUS."""
        counters = self.wire.counters
        counters.messages = self._confirmed_messages + self._count
        counters.current_messages = self._count
        counters.current_sequence = self._last
        counters.current_luwid = self._message_luwid
        counters.last_message = self._last_message
        return counters

    # What else the partner says

    def _partner_status(self, segment: Segment, now: float) -> None:
        del now
        flags = segment.flags1
        if flags & ControlFlags1.CONFIRM_REQUEST:
            self._end_of_batch(segment)
        elif flags & ControlFlags1.CLOSE_CHANNEL:
            self._partner_closes()
        else:
            raise self._unexpected_status(segment)

    def _end_of_batch(self, segment: Segment) -> None:
        self._step(Trigger.CONFIRM_ASKED)
        self._batch_luwid = segment.luwid
        self._last_batch = bool(segment.flags1 & ControlFlags1.CLOSE_CHANNEL)
        self._emit(ConfirmRequested(luwid=segment.luwid, sequence=self._last, count=self._count))

    def _partner_closes(self) -> None:
        if self.state is State.NEGOTIATING:
            # A sender that a requester asked ends here and opens its own connection.
            self._finish("the partner will call back", "AMQ9001", normal=True, by_partner=True, call_back=True)
        else:
            super()._partner_closes()

    def _heartbeat(self, segment: Segment, now: float) -> None:
        del segment, now
        self._step(Trigger.HEARTBEAT)
        self.wire.send(SegmentType.HEARTBEAT, flags=self._wish())
        self._emit(HeartbeatReceived())

    # The end

    def _quiesce(self, now: float) -> None:
        del now
        self._closing = True  # told to the sender in the next answer
        if self.state is State.NEGOTIATING:
            self._force(StatusCode.USER_CLOSED)

    def _force(self, status: StatusCode) -> None:
        if self.state is State.CONFIRMING:
            # The commit may go through yet: say nothing that the sender could read as a refusal.
            self._finish("stopped by command during a commit", "AMQ9528", normal=True)
        else:
            super()._force(status)

    def _abandon(self) -> bool:
        if self.state in (State.BATCH, State.PARTIAL):
            self._emit(BatchFailed(luwid=self._message_luwid, count=self._count, in_doubt=False))
        self._partial = None
        return False

    # Time

    def _timers(self) -> Iterator[Timer]:
        if self.state is State.NEGOTIATING:
            yield from self._handshake_timers()
        elif self.state in _WAITING:
            yield from self._silence_timers()

    HANDLERS: ClassVar[Mapping[int, Handler]] = {
        SegmentType.MESSAGE_DATA: _message,
        SegmentType.STATUS_DATA: ChannelEnd._status,
        SegmentType.HEARTBEAT: _heartbeat,
        SegmentType.INITIAL_DATA: ChannelEnd._initial_data,
        SegmentType.RESYNC_DATA: ReceiverStart._resync,
        SegmentType.RESET_DATA: ReceiverStart._reset,
        SegmentType.PING_DATA: ReceiverStart._ping,
        SegmentType.SECURITY_DATA: ChannelEnd._security,
    }
