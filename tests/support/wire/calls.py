"""Calls of a client as bytes: segments out, replies in. What a program says is in :mod:`wire.program`."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.structures import API, TSH, TSHM
from mqbridge.protocol.structures.md import MD
from support.clients.playbook import CHANNEL

T = TypeVar("T")
Exchange = Generator[bytes, Segment, T]
"""Gives the bytes to send (none to go on listening), is sent the next segment."""

ORDER = ByteOrder.LITTLE
WRITER = SegmentWriter(ORDER, 819)
WORD = 4
WHOLE, FIRST, LAST = 0x30, 0x10, 0x20
ROOM = 1 << 20
TRANSMISSION_SIZE = 32_748
STREAM_REQUEST = 1
MD_VERSION = 2


class Gone(Exception):
    """The queue manager has ended the connection, or it broke."""


@dataclass(slots=True)
class Answer:
    """A reply: what stands behind its API header."""

    handle: int
    reason: int
    body: bytes


@dataclass(slots=True)
class Taken:
    """A message that was got. ``length``: of the whole message; ``reason``: 0 or a warning."""

    data: bytes
    md: Any
    length: int
    reason: int = 0
    token: bytes = b""
    statuses: str = ""
    """GroupStatus and SegmentStatus; only MQGET tells them."""


@dataclass(slots=True)
class Place:
    """Where the delivery of a handle stands."""

    selection: int = 0
    index: int = 0


@dataclass(slots=True)
class WireCalls:
    """One connection with one conversation; ``shared``: conversations that the client wants on it."""

    shared: int = 0
    queue_manager: str = ""
    channel: str = CHANNEL
    application: str = "wire program"
    conversation: int = 0
    global_index: int = 0
    places: dict[int, Place] = field(default_factory=dict)

    def segment(self, kind: int, *body: bytes, flags: int = WHOLE, request: int = STREAM_REQUEST) -> bytes:
        """A segment, or as many as it takes (client-observed.md O-059)."""
        room = TRANSMISSION_SIZE - (TSHM.size if self.conversation else TSH.size)
        if sum(map(len, body)) > room:
            whole = b"".join(body)
            pieces = [whole[at : at + room] for at in range(0, len(whole), room)]
            steps = [FIRST, *[0] * (len(pieces) - 2), LAST]
            pairs = zip(pieces, steps, strict=True)
            return b"".join(self.segment(kind, piece, flags=step, request=request) for piece, step in pairs)
        if self.conversation:
            return WRITER.build_shared(self.conversation, request, kind, *body, flags1=flags)
        return WRITER.build(kind, *body, flags1=flags)

    def call(self, kind: SegmentType, *body: bytes, handle: int = 0, comp_code: int = 0) -> Exchange[Answer]:
        """Makes a call. Raises `MQError` with its reason when it failed."""
        api = API.codec(ORDER)(reply_length=ROOM, object_handle=handle, comp_code=comp_code)
        came = yield self.segment(kind, api.build(), *body)
        came = yield from self.of_type(came, kind + 0x10)
        header = API.codec(came.order).parse(came.body)
        body_pieces = [came.body[API.size :]]
        while not came.flags1 & LAST:
            came = yield from self.of_type((yield b""), kind + 0x10)
            body_pieces.append(came.body)
        if header.comp_code > 1:
            raise MQError(header.reason)
        return Answer(header.object_handle, header.reason, b"".join(body_pieces))

    def of_type(self, came: Segment, *kinds: int) -> Exchange[Segment]:
        """The next segment of a type; heartbeats are answered on the way."""
        while came.type not in kinds:
            if came.type == SegmentType.HEARTBEAT:
                came = yield (WRITER.build_common if self.conversation else WRITER.build)(
                    SegmentType.HEARTBEAT, flags1=WHOLE
                )
            elif came.type == SegmentType.STATUS_DATA:
                raise Gone(came.body.hex())
            elif came.type in (SegmentType.NOTIFICATION, SegmentType.ASYNC_MESSAGE):
                came = yield b""
            else:
                raise AssertionError(f"{SegmentType(came.type)} instead of {[SegmentType(kind) for kind in kinds]}")
        return came


def word(number: int) -> bytes:
    """A number as the client sends it."""
    return (number & 0xFFFFFFFF).to_bytes(WORD, ORDER.endian)


def descriptor(fields: dict[str, Any]) -> bytes:
    """MQMD version 2; texts may be str of any length."""
    values = {key: _filled(key, value) if isinstance(value, str) else value for key, value in fields.items()}
    return bytes(MD.codec(ORDER)(**{"version": MD_VERSION, **values}).build())


def _filled(key: str, text: str) -> bytes:
    size = next(slot.size for slot in MD.codec(ORDER).SLOTS if slot.field.key == key)
    return text.encode().ljust(size)
