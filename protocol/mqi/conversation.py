"""The conversations of a connection: state, call, handles and deliveries of each (client-observed.md 3)."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.link import Link, check_uncompressed, read_body, read_status, stop_message
from mqbridge.protocol.channel.status import ChannelError, meaning_of
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType, SocketAction, StatusCode
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.records import Buffer
from mqbridge.protocol.segment import SHARED_HEADERS
from mqbridge.protocol.structures import SOCKET

from .calls import Call
from .delivery import ConversationStream, Delivery
from .events import ConversationEnded, ConversationStarted, Event
from .parameters import ClientNegotiated
from .reassembly import PartialCall
from .states import CONVERSATION, ConversationState, ConversationTrigger


class ServerConversation:
    """One program's connection to the queue manager."""

    __slots__ = (
        "deliveries",
        "handles",
        "id",
        "partial",
        "shared",
        "state",
        "stream",
        "waiting",
    )

    def __init__(self, conversation_id: int, *, shared: bool) -> None:
        self.id = conversation_id
        self.shared = shared
        """Whether its segments carry its id (TSHM)."""
        self.state = ConversationState.STARTED
        self.waiting: Call | None = None
        """The call that awaits its reply."""
        self.partial: PartialCall | None = None
        """A call that has arrived in part."""
        self.handles: set[int] = set()
        """Open handles of the client."""
        self.deliveries: dict[int, Delivery] = {}
        """Deliveries by handle."""
        self.stream = ConversationStream(conversation_id)
        """State that its deliveries share."""

    def step(self, trigger: ConversationTrigger) -> bool:
        """Make a transition; return False if the table has none."""
        following = CONVERSATION[self.state].get(trigger)
        if following is None:
            return False
        self.state = following
        return True

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.state is ConversationState.ENDED

    def end(self) -> ConversationEnded:
        """End it; nothing more is sent for it."""
        orderly = self.state in (ConversationState.STARTED, ConversationState.DISCONNECTED)
        self.step(ConversationTrigger.END)
        self.waiting = self.partial = None
        for delivery in self.deliveries.values():
            delivery.end()
        return ConversationEnded(conversation=self.id, orderly=orderly)

    def opened(self, handle: int) -> None:
        """Add a handle given to the client, and forget deliveries of an earlier handle with that number."""
        self.handles.add(handle)
        self.deliveries.pop(handle, None)

    def forget(self, handle: int) -> None:
        """Remove a closed handle."""
        self.handles.discard(handle)
        self.deliveries.pop(handle, None)


class ServerConversations:
    """The conversations that share a connection; exactly one, with id 0, if it is not shared."""

    __slots__ = ("_link", "agreed", "by_id", "connected", "stop_status")

    def __init__(self, link: Link[Event]) -> None:
        self._link = link
        self.agreed: ClientNegotiated | None = None
        """Negotiated values; None during negotiation."""
        self.by_id: dict[int, ServerConversation] = {}
        self.connected = False
        """Whether a program has connected yet."""
        self.stop_status = StatusCode.USER_CLOSED
        """Why the connection is to end, once that was requested."""

    @property
    def calling(self) -> list[Call]:
        """Return the calls that await their replies."""
        return [each.waiting for each in self.by_id.values() if each.waiting is not None]

    def start(self, number: int) -> None:
        """Start a conversation; ``number`` is 0 on a connection that is not shared."""
        self.by_id[number] = ServerConversation(number, shared=self._link.shared)

    def send(self, number: int, request: int, kind: SegmentType, body: bytes = b"", *, flags: int = 0) -> None:
        """Send a segment of a conversation: with a TSHM if the connection is shared."""
        wire = self._link.wire
        if self._link.shared:
            segment = wire.writer.build_shared(number, request, kind, body, flags1=flags)
        else:
            segment = wire.writer.build(kind, body, flags1=flags)
        wire.queue((segment,), len(segment))

    def check_header(self, segment: Segment) -> None:
        """Check the header of a segment. Raises ``ChannelError`` for compression, and for a TSHM if nothing is
        shared."""
        check_uncompressed(segment)
        if self.agreed is not None and not self.agreed.shared and segment.struc_id in SHARED_HEADERS:
            raise ChannelError(f"{segment.header.name} on a connection not shared", StatusCode.PROTOCOL_ID_ERROR)

    def unknown(self, segment: Segment) -> ChannelError:
        """Return the error for a segment that belongs to no conversation."""
        agreed, kind = self.agreed, SegmentType(segment.type)
        if agreed is None:
            return ChannelError(f"{kind} before an agreement", StatusCode.PROTOCOL_SEGMENT_ERROR)
        if agreed.shared and segment.struc_id not in SHARED_HEADERS:
            return ChannelError(f"{kind} without conversation", StatusCode.PROTOCOL_ID_ERROR)
        return ChannelError(f"no conversation {segment.conversation_id}", StatusCode.CONV_ID_ERROR)

    def stepping(self, segment: Segment, trigger: ConversationTrigger) -> ServerConversation:
        """Return the conversation of a segment after a transition. Raises ``ChannelError`` if the transition is
        invalid."""
        conversation = self.by_id.get(segment.conversation_id)
        if conversation is None:
            raise self.unknown(segment)
        if not conversation.step(trigger):
            raise ChannelError(
                f"{SegmentType(segment.type)} in a conversation that is {conversation.state.value}",
                StatusCode.PROTOCOL_SEGMENT_ERROR,
            )
        return conversation

    # SOCKET_ACTION

    def socket_action(self, segment: Segment, now: float) -> None:
        """Handle SOCKET_ACTION: the client starts or ends a conversation."""
        link = self._link
        if not link.shared:
            raise ChannelError("SOCKET_ACTION on a connection not shared", StatusCode.PROTOCOL_SEGMENT_ERROR)
        action = read_body(_read_socket_action, segment)
        if action.type == SocketAction.START_CONVERSATION:
            self._start(action.conversation_id, action.request_id)
        elif action.type == SocketAction.END_CONVERSATION:
            self._end(action.conversation_id)
            if segment.flags1 & ControlFlags1.CLOSE_CHANNEL:
                link.finish("the client disconnected", "AMQ9001", normal=True, by_partner=True)
        elif action.type != inferred.IGNORED_SOCKET_ACTION:
            raise ChannelError(f"SOCKET_ACTION of type {action.type}", StatusCode.SOCKET_ACTION_TYPE)

    def _start(self, number: int, request: int) -> None:
        agreed = self.agreed
        if not number or number in self.by_id:
            raise ChannelError(f"conversation {number} cannot be started", StatusCode.CONV_ID_ERROR)
        kind = int(inferred.REFUSED_CONVERSATION)
        if agreed is not None and len(self.by_id) < agreed.conversations:
            self.start(number)
            self._link.emit(ConversationStarted(conversation=number))
            kind = int(SocketAction.CONVERSATION_STARTED)
        body = self._socket_action(number, kind, request)
        self.send(number, request, SegmentType.SOCKET_ACTION, body)

    def _end(self, number: int) -> None:
        conversation = self.by_id.pop(number, None)
        if conversation is None:
            raise ChannelError(f"no conversation {number} to end", StatusCode.CONV_ID_ERROR)
        link = self._link
        link.emit(conversation.end())
        if link.closing and not self.by_id:
            link.finish("stopped by command", stop_message(self.stop_status), normal=True)

    def _socket_action(self, number: int, kind: int, request: int = 0) -> bytes:
        codec = SOCKET.codec(self._link.wire.writer.order)
        return codec(conversation_id=number, request_id=request, type=kind).build()

    # The end of the connection

    def status_data(self, segment: Segment, now: float) -> None:
        """Handle STATUS_DATA: the client reports an error, or ends the connection."""
        code, value = read_status(segment)
        if segment.flags1 & ControlFlags1.ERROR or code:
            meaning = meaning_of(code)
            self._link.finish(
                meaning.reason, meaning.amq, status=code, retryable=meaning.retryable, by_partner=True, value=value
            )
        elif segment.flags1 & ControlFlags1.CLOSE_CHANNEL:
            self._link.finish("the client disconnected", "AMQ9001", normal=True, by_partner=True)
        else:
            raise ChannelError(f"STATUS_DATA with flags {segment.flags1:#04x}", StatusCode.PROTOCOL_SEGMENT_ERROR)

    def quiesce(self, conversation: ServerConversation) -> None:
        """Notify the program of a shared conversation that the connection, or the queue manager, is ending."""
        ending = self.stop_status == StatusCode.QM_TERMINATING
        kind = SocketAction.Q_MGR_QUIESCING if ending else SocketAction.CONVERSATION_QUIESCING
        self._link.send(SegmentType.SOCKET_ACTION, self._socket_action(conversation.id, kind))

    def end_all(self) -> None:
        """End the remaining conversations, because the connection has ended."""
        for conversation in self.by_id.values():
            self._link.emit(conversation.end())
        self.by_id.clear()


def _read_socket_action(body: Buffer, order: ByteOrder) -> Any:
    return SOCKET.codec(order).parse(body)
