"""What one part of a server or client connection stands on when it is tried alone, and segments for it."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.channel import Closed
from mqbridge.protocol.channel.link import Link, Timer
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.framing import Segment, SegmentReader, SegmentWriter
from mqbridge.protocol.mqi.conversation import ServerConversation, ServerConversations
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi.states import CONNECTION, ConversationState
from mqbridge.protocol.mqi_client import ClientParameters
from mqbridge.protocol.mqi_client.conversation import ClientConversation as ClientConversation
from mqbridge.protocol.mqi_client.exchange import Exchange
from mqbridge.protocol.structures import API

WRITER = SegmentWriter(ByteOrder.LITTLE, 819)
ORDER: ByteOrder = ByteOrder.LITTLE


def agreed(**changes: Any) -> ClientNegotiated:
    values = {
        "fap_level": 17, "transmission_size": 32748, "max_message_length": 10_000, "heartbeat_interval": 300,
        "conversations": 2,
    } | changes  # fmt: skip
    return ClientNegotiated(**values)


class Standing:
    """A link whose machine has no part but the one under test."""

    def __init__(self) -> None:
        self.link: Link[Any] = Link(self, Wire(SegmentWriter(ORDER, 819)), CONNECTION, State.NEGOTIATING, 1000.0)

    def timers(self) -> tuple[Timer, ...]:
        return ()

    def quiesce(self, status: StatusCode, now: float) -> None:
        raise NotImplementedError

    def force(self, status: StatusCode) -> None:
        raise NotImplementedError

    def abandon(self, ending: Closed) -> bool:
        return False

    def sent(self) -> list[Segment]:
        """What was queued since the last question."""
        data = b""
        while pieces := self.link.wire.take():
            data += b"".join(pieces)
        return list(SegmentReader(1 << 24).feed(data))


class Alone(Standing):
    """At the server: with conversations."""

    def __init__(self, values: ClientNegotiated | None = None) -> None:
        super().__init__()
        self.conversations = ServerConversations(self.link)
        if values is not None:
            self.link.state = State.RUNNING
            self.link.shared = values.shared
            self.conversations.agreed = values

    def connected(self, number: int = 1) -> ServerConversation:
        """A conversation in which calls are taken."""
        self.conversations.start(number)
        self.conversations.connected = True
        conversation = self.conversations.by_id[number]
        conversation.state = ConversationState.CONNECTED
        return conversation


class ClientAlone(Standing):
    """At the client: connected, with the conversation and the exchange of calls."""

    def __init__(self, values: ClientNegotiated | None = None, **parameters: Any) -> None:
        super().__init__()
        self.parameters = ClientParameters(channel_name="C", handshake_timeout=30, reply_timeout=60, **parameters)
        self.conversation = ClientConversation(self.link, self.parameters.transmission_size)
        self.exchange = Exchange(self.link, self.conversation, self.parameters)
        if values is not None:
            self.link.state = State.RUNNING
            self.conversation.agree(values)
            self.conversation.ids = (1, 0) if values.shared else None
            self.conversation.state = ConversationState.CONNECTED


def shared(kind: int, *body: bytes, number: int = 1, request: int = 7, flags: int = 0x30) -> Segment:
    """A segment of a conversation."""
    (segment,) = SegmentReader(1 << 24).feed(WRITER.build_shared(number, request, kind, *body, flags1=flags))
    return segment


def single(kind: int, *body: bytes, flags: int = 0x30) -> Segment:
    """A segment of the connection, or of its one conversation."""
    (segment,) = SegmentReader(1 << 24).feed(WRITER.build(kind, *body, flags1=flags))
    return segment


def api(handle: int = 0, **values: Any) -> bytes:
    """The API header of a call."""
    return API.codec(ORDER)(reply_length=4096, object_handle=handle, **values).build()


def outcome(segment: Segment) -> tuple[int, int, int]:
    """Completion code, reason and handle of a reply."""
    header = API.codec(segment.order).parse(segment.body)
    return header.comp_code, header.reason, header.object_handle
