"""A client's connection as a whole: conversations, heartbeats, time, its end (client-observed.md 3 and 7).

A shared connection asks whether the client is there after an interval of silence and gives it up later; one that is
not shared does so only while a get waits, for else its client says nothing for hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.machine import Timer, read_status, stop_message
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.channel.status import ChannelError, meaning_of
from mqbridge.protocol.constants import (
    MQCHSSTATE,
    MQGMO,
    MQMODE,
    ControlFlags1,
    NotificationCode,
    SegmentType,
    SocketAction,
    StatusCode,
)
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.grammar import Buffer
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures import SOCKET, status_data

from .calls import Get
from .conversation import Conversation
from .events import ConversationEnded, ConversationStarted, Event
from .opening import Opening, read_body
from .states import ConversationState

_RUNNING: Final = State.RUNNING  # for what is done with every segment: members of an enum are looked up slowly
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)


class Session(Opening):
    """A server connection without its calls."""

    __slots__ = ()

    # Status

    @property
    def substate(self) -> MQCHSSTATE:
        """See `Machine.substate`: whether a program is in a call."""
        if self.state is _RUNNING and any(each.waiting is not None for each in self._conversations.values()):
            return MQCHSSTATE.IN_MQI_CALL
        return super().substate

    def _count_call(self) -> None:
        """One more call is being handled, or one more request for messages."""
        counters = self.wire.counters
        counters.messages += 1
        counters.last_message = self._last_heard

    # SOCKET_ACTION

    def _socket_action(self, segment: Segment, now: float) -> None:
        del now
        if self.agreed is None or not self.agreed.shared:
            raise ChannelError("SOCKET_ACTION on a connection not shared", StatusCode.PROTOCOL_SEGMENT_ERROR)
        action = read_body(_read_socket_action, segment)
        if action.type == SocketAction.START_CONVERSATION:
            self._start_conversation(action.conversation_id, action.request_id)
        elif action.type == SocketAction.END_CONVERSATION:
            self._end_conversation(action.conversation_id)
            if segment.flags1 & ControlFlags1.CLOSE_CHANNEL:
                self._finish("the client disconnected", "AMQ9001", normal=True, by_partner=True)
        elif action.type != inferred.IGNORED_SOCKET_ACTION:
            raise ChannelError(f"SOCKET_ACTION of type {action.type}", StatusCode.SOCKET_ACTION_TYPE)

    def _start_conversation(self, number: int, request: int) -> None:
        assert self.agreed is not None
        if not number or number in self._conversations:
            raise ChannelError(f"conversation {number} cannot be started", StatusCode.CONV_ID_ERROR)
        room = len(self._conversations) < self.agreed.conversations
        if room:
            self._conversations[number] = Conversation(number, shared=True)
            self._emit(ConversationStarted(conversation=number))
        self._send_socket_action(
            number, SocketAction.CONVERSATION_STARTED if room else inferred.REFUSED_CONVERSATION, request
        )

    def _send_socket_action(self, number: int, kind: int, request: int) -> None:
        writer = self.wire.writer
        body = SOCKET.codec(writer.order)(conversation_id=number, request_id=request, type=kind).build()
        segment = writer.build_shared(number, request, SegmentType.SOCKET_ACTION, body)
        self.wire.queue((segment,), len(segment))

    def _end_conversation(self, number: int) -> None:
        conversation = self._conversations.pop(number, None)
        if conversation is None:
            raise ChannelError(f"no conversation {number} to end", StatusCode.CONV_ID_ERROR)
        self._ended(conversation)
        if self._closing and not self._conversations:
            self._finish("stopped by command", stop_message(self._quiesce_status), normal=True)

    def _ended(self, conversation: Conversation) -> None:
        orderly = conversation.state in (ConversationState.STARTED, ConversationState.DISCONNECTED)
        conversation.end()
        self._emit(ConversationEnded(conversation=conversation.id, orderly=orderly))

    # STATUS_DATA and SECURITY_DATA

    def _status(self, segment: Segment, now: float) -> None:
        del now
        code, value = read_status(segment)
        if segment.flags1 & ControlFlags1.ERROR or code:
            meaning = meaning_of(code)
            self._finish(
                meaning.reason, meaning.amq, status=code, retryable=meaning.retryable, by_partner=True, value=value
            )
        elif segment.flags1 & ControlFlags1.CLOSE_CHANNEL:
            self._finish("the client disconnected", "AMQ9001", normal=True, by_partner=True)
        else:
            raise ChannelError(f"STATUS_DATA with flags {segment.flags1:#04x}", StatusCode.PROTOCOL_SEGMENT_ERROR)

    def _security(self, segment: Segment, now: float) -> None:
        del segment, now
        raise ChannelError(
            "a security exit of the client wants an answer",
            StatusCode.SECURITY_FAILURE,
            amq="AMQ9552",
            retryable=False,
        )

    # Heartbeats and time

    def _heartbeat(self, segment: Segment, now: float) -> None:
        del now
        if segment.flags1 & _CONFIRM:
            self._send_heartbeat(0)

    def _send_heartbeat(self, flags: int) -> None:
        build = self.wire.writer.build_common if self.agreed and self.agreed.shared else self.wire.writer.build
        segment = build(SegmentType.HEARTBEAT, flags1=flags)
        self.wire.queue((segment,), len(segment))

    def next_timeout(self) -> float | None:
        """As at every machine. A shared connection at work has one deadline only: the end of the silence."""
        agreed = self.agreed
        if (
            self.state is _RUNNING
            and self._connected
            and agreed is not None
            and agreed.shared
            and self._conversations
            and self._silence_limit is not None
            and not self._paused
        ):
            return self._silent_since + agreed.heartbeat_interval
        return super().next_timeout()

    def _timers(self) -> Iterator[Timer]:
        if self.closed:
            return
        waiting = [conversation.waiting for conversation in self._conversations.values()]
        if not self._connected and not any(waiting):
            yield self._started_at + self.parameters.handshake_timeout, self._handshake_too_long
        if self._connected and not self._conversations:
            yield self._silent_since + self.parameters.handshake_timeout, self._nobody_left
        idle = self.parameters.disconnect_interval
        if idle and self.agreed is not None and not self.agreed.shared and not any(waiting):
            yield self._silent_since + idle, self._idle_too_long
        if self._silence_limit is None or self._paused or self.agreed is None:
            return
        if self.state is State.HEARTBEATING:
            yield self._silent_since + self._silence_limit, self._silent_too_long
        elif self.agreed.shared or any(isinstance(call, Get) for call in waiting):
            yield self._silent_since + self.agreed.heartbeat_interval, self._ask

    def _ask(self, now: float) -> None:
        """Nothing was heard for an interval: is the client there?"""
        del now
        self._go(Trigger.HEARTBEAT)
        self._sent_mark = self.counters.bytes_sent
        self._send_heartbeat(_CONFIRM)

    def _silent_too_long(self, now: float) -> None:
        if self.unsent and self.counters.bytes_sent > self._sent_mark:
            # Much stands before the question, and the client takes it: it is slow, not gone.
            self._sent_mark = self.counters.bytes_sent
            self._silent_since = now
            return
        self._finish(f"nothing heard for {now - self._silent_since:g} seconds", "AMQ9259", retryable=True)

    def _handshake_too_long(self, now: float) -> None:
        del now
        self._finish(f"no connection within {self.parameters.handshake_timeout:g} seconds", "AMQ9259", retryable=True)

    def _nobody_left(self, now: float) -> None:
        del now
        self._finish("the last conversation has ended", "AMQ9001", normal=True)

    def _idle_too_long(self, now: float) -> None:
        self.wire.send(SegmentType.STATUS_DATA, flags=int(inferred.CLOSE_FLAGS))
        self._finish(f"no call for {now - self._silent_since:g} seconds", "AMQ9001", normal=True)

    # The end

    def close(self, mode: MQMODE, now: float, status: StatusCode = StatusCode.USER_CLOSED) -> list[Event]:
        """End the connection: QUIESCE tells the programs and waits for them to disconnect, FORCE ends at once.

        Conversations that begin afterwards are for the agent to refuse, when they connect: to a start that is not
        confirmed clients have no better answer than a fault report and 2273 (client-observed O-041).

        ``status`` is what they learn: USER_CLOSED when the channel is stopped, QM_TERMINATING when the queue manager
        ends (client-observed O-044, O-091). Programs without shared conversations learn it by the replies that the
        agent gives (2202, 2161).
        """
        self._quiesce_status = status
        return super().close(mode, now, status)

    def open_again(self) -> None:
        """The end that was asked for with QUIESCE is asked for no more; programs that were told may stay and leave."""
        self._closing = False

    def _quiesce(self, now: float) -> None:
        del now
        if self.agreed is None or not self._conversations:
            self._force(self._quiesce_status)
            return
        if self._closing:
            return
        self._closing = True
        if not self.agreed.shared:
            return
        ending = self._quiesce_status == StatusCode.QM_TERMINATING
        for conversation in self._conversations.values():
            for delivery in conversation.deliveries.values():
                if ending and delivery.waiting and delivery.options & MQGMO.FAIL_IF_QUIESCING:
                    self.notify(delivery, NotificationCode.QM_QUIESCING, inferred.QUIESCING_VALUE)
            kind = SocketAction.Q_MGR_QUIESCING if ending else SocketAction.CONVERSATION_QUIESCING
            writer = self.wire.writer
            body = SOCKET.codec(writer.order)(conversation_id=conversation.id, type=kind).build()
            segment = writer.build_common(SegmentType.SOCKET_ACTION, body)
            self.wire.queue((segment,), len(segment))

    def _send_error(self, status: int, value: int | None = None) -> None:
        """On a shared connection with TSHC: with TSH clients understand it too, and report a fault (O-034)."""
        if self.agreed is None or not self.agreed.shared:
            super()._send_error(status, value)
            return
        writer = self.wire.writer
        body = status_data(writer.order, status, value).build()
        segment = writer.build_common(SegmentType.STATUS_DATA, body, flags1=int(inferred.ERROR_FLAGS))
        self.wire.queue((segment,), len(segment))

    def _abandon(self) -> bool:
        for conversation in self._conversations.values():
            self._ended(conversation)
        self._conversations.clear()
        return False


def _read_socket_action(body: Buffer, order: ByteOrder) -> Any:
    return SOCKET.codec(order).parse(body)
