"""Our end of a client's connection: calls in, segments out; segments in, events out (mq-wire.md 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, ClassVar, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.machine import Handler, Timer
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.channel.status import ChannelError, meaning_of
from mqbridge.protocol.constants import MQCC, MQMODE, MQRC, ControlFlags1, SegmentType, SocketAction, StatusCode
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi.parameters import MAX_CALL_LENGTH
from mqbridge.protocol.mqi.reassembly import PartialCall
from mqbridge.protocol.mqi.states import ConversationState, ConversationTrigger
from mqbridge.protocol.structures import CONN, SOCKET
from mqbridge.protocol.text import decode_field

from .calls import Calls
from .events import Call, Connected, Event, Refused
from .getting import MAX_DELIVERED
from .reasons import reason_for
from .signing_on import read_api

_REPLY: Final = 0x10
_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_CONNECTION_ID_AT: Final = 12
_CONNECTION_ID: Final = 24
_COMPRESSED: Final = 0x07
_SHARED_HEADERS: Final = frozenset({b"TSHM", b"\xe3\xe2\xc8\xd4"})
_ENDED_SOCKET: Final = frozenset({2, 5, 9})
"""Types of SOCKET_ACTION after which clients drop the socket (client-observed.md O-044)."""
_REPLIES: Final = frozenset(
    int(kind) + _REPLY
    for kind in (
        SegmentType.MQCONN, SegmentType.MQDISC, SegmentType.MQOPEN, SegmentType.MQCLOSE, SegmentType.MQGET,
        SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.MQSET, SegmentType.MQINQ, SegmentType.MQCMIT,
        SegmentType.MQBACK, SegmentType.SPI, SegmentType.MQSTAT, SegmentType.MQSUB, SegmentType.MQSUBRQ,
    )
)  # fmt: skip


class ClientConnection(Calls):
    """One TCP connection to a queue manager, with one conversation. The package's docstring says how it is used."""

    __slots__ = ("_partial", "connection_id", "ended")

    def __init__(self, parameters: Any, now: float) -> None:
        self._partial: PartialCall | None = None
        self.connection_id = bytes(_CONNECTION_ID)
        self.ended: int | None = None
        """MQRC with which the connection ended; None while it lasts, and after an end that we wished."""
        super().__init__(parameters, now)

    @property
    def connected(self) -> bool:
        """Whether calls can be made."""
        return self.conversation is ConversationState.CONNECTED and not self.closed

    # Segments

    def _take_segments(self, data: bytes, now: float) -> None:
        if self.state is State.HEARTBEATING:
            self._go(Trigger.HEARTBEAT_ANSWERED)
        super()._take_segments(data, now)

    def _check_header(self, segment: Segment) -> None:
        if segment.flags2 & _COMPRESSED:
            raise ChannelError("a compressed segment, not agreed", StatusCode.PROTOCOL_SEGMENT_ERROR)
        if segment.struc_id in _SHARED_HEADERS:
            if self._ids is None:
                raise ChannelError(f"{segment.header.name} on a connection not shared", StatusCode.PROTOCOL_ID_ERROR)
            if segment.conversation_id != self._ids[0]:
                raise ChannelError(f"no conversation {segment.conversation_id}", StatusCode.CONV_ID_ERROR)

    def _reply(self, segment: Segment, now: float) -> None:
        del now
        call = self.call
        if call is None or segment.type != call.type + _REPLY:
            raise ChannelError(f"{SegmentType(segment.type)} was not asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        flags, partial = segment.flags1, self._partial
        if flags & _FIRST:
            if partial is not None:
                raise ChannelError("a reply inside another one", StatusCode.PROTOCOL_SEGMENT_ERROR)
            if flags & _LAST:
                self._answered(call, segment, segment.body)
                return
            room = MAX_DELIVERED if call.type == SegmentType.MQGET else 0
            self._partial = PartialCall(segment, MAX_CALL_LENGTH + room, keep=True)
            return
        if partial is None:
            raise ChannelError("a reply without its first segment", StatusCode.PROTOCOL_SEGMENT_ERROR)
        partial.add(segment)
        if flags & _LAST:
            self._partial = None
            self._answered(call, segment, b"".join((partial.body, *partial.more)))

    def _answered(self, call: Call, segment: Segment, body: bytes) -> None:
        """The reply to a call is whole."""
        order = segment.order
        try:
            api = read_api(body, order)
            if api.comp_code > MQCC.FAILED:
                raise StructureError("API", 4, f"CompCode is {api.comp_code}")
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        call.comp_code, call.reason = api.comp_code, api.reason
        call.body, call.order, call.ccsid = body, order, segment.ccsid
        if call.type == SegmentType.MQCONN:
            self._connection_answered(call)
            return
        if call.type == SegmentType.MQGET:
            self._get_answered(call)
        elif call.type in (SegmentType.MQOPEN, SegmentType.MQSUB):
            call.handle = api.object_handle
        elif call.type == SegmentType.MQCLOSE:
            self._closed(call)
        elif call.type == SegmentType.MQDISC:
            self._go_on(ConversationTrigger.DISCONNECTED)
        self._finish_call(call)
        if call.type == SegmentType.MQDISC:
            self._leave()

    def _connection_answered(self, call: Call) -> None:
        self.call = None
        call.done = True
        if call.failed:
            self._go_on(ConversationTrigger.REFUSED)
            self._emit(Refused(call.reason))
            self._leave()
            return
        self._go_on(ConversationTrigger.CONNECTED)
        assert self.agreed is not None
        body, ccsid, name = call.structures, call.ccsid, self.parameters.queue_manager
        try:
            name = decode_field(CONN.codec(call.order).parse(body).q_mgr_name, ccsid)
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        at = CONN.size + _CONNECTION_ID_AT
        if len(body) >= at + _CONNECTION_ID:
            self.connection_id = bytes(body[at : at + _CONNECTION_ID])
            self.capabilities = int.from_bytes(body[at - 4 : at], call.order)
        self._emit(
            Connected(
                agreed=self.agreed,
                queue_manager=name,
                queue_manager_id=self._offered().proposal.queue_manager_id,
                connection_id=self.connection_id,
                order=self.wire.writer.order,
                ccsid=self.wire.writer.ccsid,
            )
        )

    # SOCKET_ACTION and STATUS_DATA

    def _socket_action(self, segment: Segment, now: float) -> None:
        del now
        try:
            action = SOCKET.codec(segment.order).parse(segment.body_view)
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        if action.type == SocketAction.CONVERSATION_QUIESCING:
            self._quiescing(MQRC.CONNECTION_QUIESCING)
        elif action.type == SocketAction.Q_MGR_QUIESCING:
            self._quiescing(MQRC.Q_MGR_QUIESCING)
        elif action.type in _ENDED_SOCKET:
            self._finish(f"the queue manager ended the socket, SOCKET_ACTION {action.type}", "AMQ9209", by_partner=True)

    def _told(self, code: StatusCode, value: int | None) -> None:
        meaning = meaning_of(code)
        self._finish(
            meaning.reason, meaning.amq, status=code, retryable=meaning.retryable, by_partner=True, value=value
        )

    # Heartbeats and time

    def _heartbeat(self, segment: Segment, now: float) -> None:
        del now
        if segment.flags1 & _CONFIRM:
            self._send_heartbeat(_FIRST | _LAST)

    def _send_heartbeat(self, flags: int) -> None:
        build = self.wire.writer.build if self._ids is None else self.wire.writer.build_common
        segment = build(SegmentType.HEARTBEAT, flags1=flags)
        self.wire.queue((segment,), len(segment))

    def _timers(self) -> Iterator[Timer]:
        if self.closed:
            return
        agreed = self.agreed
        if self.conversation in (ConversationState.STARTED, ConversationState.CONNECTING):
            yield self._deadline, self._too_late
            return
        waiting = self._get_deadline()
        if waiting is not None:
            yield waiting, self._time_is_up
        elif self.call is not None and self._deadline < inf:
            yield self._deadline, self._too_late
        if agreed is None or not agreed.heartbeat_interval or self._paused:
            return
        interval = agreed.heartbeat_interval
        if self.state is State.HEARTBEATING:
            yield self._silent_since + 2 * interval, self._silent_too_long
        elif agreed.shared:
            yield self._silent_since + interval, self._ask
        elif self._patient:
            # The queue manager sends heartbeats during a get that waits; none means that it is gone (O-122).
            yield self._silent_since + inferred.SILENT_INTERVALS * interval, self._silent_too_long

    def _ask(self, now: float) -> None:
        del now
        self._go(Trigger.HEARTBEAT)
        self._send_heartbeat(_CONFIRM | _FIRST | _LAST)

    def _silent_too_long(self, now: float) -> None:
        self._finish(f"nothing heard for {now - self._silent_since:g} seconds", "AMQ9259", retryable=True)

    def _too_late(self, now: float) -> None:
        what = "connection" if self.call is None else str(SegmentType(self.call.type))
        self._finish(f"no reply to {what} within {now - self._started(now):g} seconds", "AMQ9259", retryable=True)

    def _started(self, now: float) -> float:
        return self._started_at if self.call is None else min(self.call.begun, now)

    # The end

    def _leave(self) -> None:
        """The conversation is over: so is the socket."""
        writer, flags = self.wire.writer, int(ControlFlags1.CLOSE_CHANNEL) | _FIRST | _LAST
        if self._ids is None:
            segment = writer.build(SegmentType.STATUS_DATA, flags1=flags)
        else:
            body = SOCKET.codec(writer.order)(conversation_id=self._ids[0], type=SocketAction.END_CONVERSATION).build()
            segment = writer.build_common(SegmentType.SOCKET_ACTION, body, flags1=flags)
        self.wire.queue((segment,), len(segment))
        self._finish("disconnected", "AMQ9001", normal=True)

    def close(self, mode: MQMODE, now: float, status: StatusCode = StatusCode.USER_CLOSED) -> list[Event]:
        """End the connection at once, without MQDISC: the queue manager backs out what is not committed."""
        del mode, now, status
        self._finish("closed by the program", "AMQ9001", normal=True)
        return self._drain()

    def _finish(self, reason: str, amq: str, **how: Any) -> None:
        if self.closed:
            return
        was_connected = self.conversation not in (ConversationState.STARTED, ConversationState.CONNECTING)
        if not how.get("normal"):
            status = how.get("status") if how.get("by_partner") else None
            self.ended = int(reason_for(status, connected=was_connected))
        super()._finish(reason, amq, **how)
        self.conversation = ConversationState.ENDED

    def _abandon(self) -> bool:
        call = self.call
        if call is not None and call.type != SegmentType.MQCONN:
            call.comp_code, call.reason = int(MQCC.FAILED), self.ended or int(MQRC.CONNECTION_BROKEN)
            self._finish_call(call)
        self._finish_streams()
        return False

    def _check_connected(self) -> None:
        if self.closed or self.conversation is not ConversationState.CONNECTED:
            raise LocalProtocolError(f"not connected: {self.conversation.value}")

    HANDLERS: ClassVar[Mapping[int, Handler]] = {
        SegmentType.INITIAL_DATA: Calls._initial_data,
        SegmentType.STATUS_DATA: Calls._status,
        SegmentType.HEARTBEAT: _heartbeat,
        SegmentType.SOCKET_ACTION: _socket_action,
        SegmentType.ASYNC_MESSAGE: Calls._async_message,
        SegmentType.NOTIFICATION: Calls._notification,
        **dict.fromkeys(_REPLIES, _reply),
    }
