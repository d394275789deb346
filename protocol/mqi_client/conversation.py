"""The conversation of a client connection: state, negotiated values, segments (client-observed.md 3)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol.channel.link import Link, check_uncompressed
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import ControlFlags1, SegmentType, SocketAction, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi.outgoing import WHOLE, Ids, SplitReply, header_size
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi.states import CONVERSATION, ConversationState, ConversationTrigger
from mqbridge.protocol.segment import SHARED_HEADERS
from mqbridge.protocol.structures import SOCKET

_SEGMENT_ENDS: Final = 4
_CONNECTION_ID: Final = 24


class ClientConversation:
    """The single conversation of a connection, shared or not. ``size``: longest segment in bytes, header included."""

    __slots__ = ("_link", "_size", "agreed", "capabilities", "connection_id", "ids", "quiescing", "state")

    def __init__(self, link: Link[Any], size: int) -> None:
        self._link = link
        self._size = size
        self.state = ConversationState.STARTED
        self.agreed: ClientNegotiated | None = None
        """Negotiated values; None during negotiation."""
        self.ids: Ids = None
        """Conversation and request of a call's TSHM; None if the connection is not shared."""
        self.capabilities = 0
        """CapFlag of the reply to MQCONN."""
        self.connection_id = bytes(_CONNECTION_ID)
        """24 bytes, from the reply to MQCONN."""
        self.quiescing: int | None = None
        """MQRC 2161 or 2202 once the queue manager, or the connection, is ending."""

    def agree(self, agreed: ClientNegotiated) -> None:
        """Adopt the values of a completed negotiation."""
        self.agreed = agreed
        self._size = agreed.transmission_size

    def go(self, trigger: ConversationTrigger) -> None:
        """Make a transition. Raises ``LocalProtocolError`` if the table has none."""
        following = CONVERSATION[self.state].get(trigger)
        if following is None:
            raise LocalProtocolError(f"{trigger.value!r} is not possible: {self.state.value}")
        self.state = following

    @property
    def connected(self) -> bool:
        """Whether calls can be made."""
        return self.state is ConversationState.CONNECTED and not self._link.closed

    def check_connected(self) -> None:
        """Raise ``LocalProtocolError`` unless calls can be made."""
        if self.state is not ConversationState.CONNECTED or self._link.closed:
            raise LocalProtocolError(f"not connected: {self.state.value}")

    @property
    def connecting(self) -> bool:
        """Whether MQCONN is unanswered."""
        return self.state is ConversationState.STARTED or self.state is ConversationState.CONNECTING

    def check_header(self, segment: Segment) -> None:
        """Check the header of a segment. Raises ``ChannelError`` for compression, and for another conversation."""
        check_uncompressed(segment)
        if segment.struc_id in SHARED_HEADERS:
            if self.ids is None:
                raise ChannelError(f"{segment.header.name} on a connection not shared", StatusCode.PROTOCOL_ID_ERROR)
            if segment.conversation_id != self.ids[0]:
                raise ChannelError(f"no conversation {segment.conversation_id}", StatusCode.CONV_ID_ERROR)

    # Out

    def send(self, kind: SegmentType, body: bytes, flags: int = WHOLE, *, request: int = 0) -> None:
        """Send a segment of the conversation, padded to whole words if the connection is shared."""
        writer = self._link.wire.writer
        if self.ids is None:
            segment = writer.build(kind, body, flags1=flags)
        else:
            filling = bytes(-len(body) % _SEGMENT_ENDS)
            segment = writer.build_shared(self.ids[0], request, kind, body, filling, flags1=flags)
        self._link.wire.queue((segment,), len(segment))

    def send_call(self, kind: SegmentType, pieces: tuple[bytes, ...], length: int) -> None:
        """Send a call in as many segments as it needs. ``length``: total bytes of the pieces, API header included."""
        wire, ids, size = self._link.wire, self.ids, self._size
        total = header_size(ids) + length
        if total > size:
            wire.queue_split(SplitReply(wire.writer, ids, kind, pieces, length, size=size))
            return
        filling = bytes(min(-length % _SEGMENT_ENDS, size - total)) if ids else b""
        header = wire.writer.header(kind, length + len(filling), flags1=WHOLE, ids=ids)
        wire.queue((header, *pieces, filling), total + len(filling))

    def send_common(self, kind: SegmentType, body: bytes = b"", *, flags: int) -> None:
        """Send a segment about the connection as a whole: with a TSHC if it is shared."""
        writer = self._link.wire.writer
        build = writer.build if self.ids is None else writer.build_common
        segment = build(kind, body, flags1=flags)
        self._link.wire.queue((segment,), len(segment))

    def leave(self) -> None:
        """End the conversation, and the connection with it."""
        flags = int(ControlFlags1.CLOSE_CHANNEL) | WHOLE
        if self.ids is None:
            self.send_common(SegmentType.STATUS_DATA, flags=flags)
        else:
            codec = SOCKET.codec(self._link.wire.writer.order)
            body = codec(conversation_id=self.ids[0], type=SocketAction.END_CONVERSATION).build()
            self.send_common(SegmentType.SOCKET_ACTION, body, flags=flags)
        self._link.finish("disconnected", "AMQ9001", normal=True)
