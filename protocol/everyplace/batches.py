"""Bodies of the frames that carry messages from queue manager to queue manager (`bridge.everyplace.transfer`).

::

    PUSH       lane, number, count, messages: queue, queue manager, body of the message's dump
    TAKEN      lane, number, count, refused messages: origin, time, code, why
    CONFIRM    lane, number           CONFIRMED  lane, number
    STATE      lane, number           (0 in the question)
    PULL       lane, number, wait     milliseconds that the server may wait for a message; number: last batch placed
    NOTHING    lane, number
    PART       lane, origin, time, length of the whole, offset, bytes
    HAVE       lane, origin, time, bytes that have come

Texts are a length and UTF-8; lengths and counts are those of `numbers`; batch numbers, times and offsets have 8 bytes,
codes and waits 4. A lane is named by the queue at the sending end, of a store-and-forward queue with its entry.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from .errors import Code, DumpError, EveryplaceError
from .fields import Fields
from .frames import Kind
from .message import Message
from .names import Address
from .numbers import number as encoded
from .numbers import read_number
from .uid import MessageUid

MAX_MESSAGES: Final = 500
"""Most messages of a batch."""
_U32: Final = struct.Struct(">I")
_U64: Final = struct.Struct(">Q")


class Push(NamedTuple):
    """A batch. ``messages``: with the address that each has from here on."""

    lane: str
    number: int
    messages: tuple[tuple[Address, Message], ...]


class RefusedMessage(NamedTuple):
    """A message that cannot be placed, and why. ``code``: of `errors.Code`."""

    uid: MessageUid
    code: int
    text: str


class Taken(NamedTuple):
    """The answer to a push: what is not taken of it."""

    lane: str
    number: int
    refused: tuple[RefusedMessage, ...] = ()


class Numbered(NamedTuple):
    """CONFIRM, CONFIRMED, STATE, NOTHING: a lane and a number."""

    lane: str
    number: int


class Pull(NamedTuple):
    """Asks for the batch behind ``number``. ``wait``: milliseconds that the server may wait for a message."""

    lane: str
    number: int
    wait: int = 0


class Part(NamedTuple):
    """Bytes of the body of a long message. ``length``: of all of it."""

    lane: str
    uid: MessageUid
    length: int
    offset: int
    data: bytes


class Have(NamedTuple):
    """How many bytes of a long message are there."""

    lane: str
    uid: MessageUid
    offset: int


Body: TypeAlias = Push | Taken | Numbered | Pull | Part | Have


def write_body(body: Body) -> bytes:
    """Return the bytes of a body."""
    parts = [_text(body.lane)]
    match body:
        case Push(_, batch, messages):
            parts += [_U64.pack(batch), encoded(len(messages))]
            for address, message in messages:
                data = message.body()
                parts += [_text(address.queue), _text(address.queue_manager), encoded(len(data)), data]
        case Taken(_, batch, refused):
            parts += [_U64.pack(batch), encoded(len(refused))]
            for uid, code, text in refused:
                parts += [_uid(uid), _U32.pack(code), _text(text)]
        case Numbered(_, batch):
            parts.append(_U64.pack(batch))
        case Pull(_, batch, wait):
            parts += [_U64.pack(batch), _U32.pack(wait)]
        case Part(_, uid, length, offset, data):
            parts += [_uid(uid), _U64.pack(length), _U64.pack(offset), encoded(len(data)), data]
        case Have(_, uid, offset):
            parts += [_uid(uid), _U64.pack(offset)]
    return b"".join(parts)


def read_body(kind: Kind, data: bytes) -> Body:
    """Return the body of a frame of one of the kinds above. Raises `EveryplaceError` DATA."""
    reader = _Reader(data)
    try:
        found = _READERS[kind](reader)
        if reader.at != len(data):
            raise DumpError(reader.at, f"{len(data) - reader.at} bytes too many")
    except EveryplaceError as error:
        raise EveryplaceError(Code.DATA, f"this is no {kind.name}: {error.text}") from None
    return found


class _Reader:
    """Reads a body from front to back."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def count(self) -> int:
        found, self.at = read_number(self.data, self.at, len(self.data))
        if found is None:
            raise DumpError(self.at, "a length is null")
        return found

    def bytes(self) -> bytes:
        length = self.count()
        end = self.at + length
        if end > len(self.data):
            raise DumpError(self.at, "it is cut")
        found = self.data[self.at : end]
        self.at = end
        return found

    def text(self) -> str:
        try:
            return self.bytes().decode()
        except UnicodeDecodeError:
            raise DumpError(self.at, "a text is not UTF-8") from None

    def unpack(self, layout: struct.Struct) -> int:
        end = self.at + layout.size
        if end > len(self.data):
            raise DumpError(self.at, "it is cut")
        found: int = layout.unpack_from(self.data, self.at)[0]
        self.at = end
        return found

    def uid(self) -> MessageUid:
        return MessageUid(self.text(), self.unpack(_U64))

    def push(self) -> Push:
        lane, batch, count = self.text(), self.unpack(_U64), self.count()
        if count > MAX_MESSAGES:
            raise DumpError(self.at, f"{count} messages; {MAX_MESSAGES} are allowed")
        messages = []
        for _ in range(count):
            address = Address(self.text(), self.text())
            address.check()
            message = Message.of(Fields.of_body(self.bytes()))
            message.check()
            messages.append((address, message))
        return Push(lane, batch, tuple(messages))

    def taken(self) -> Taken:
        lane, batch, count = self.text(), self.unpack(_U64), self.count()
        if count > MAX_MESSAGES:
            raise DumpError(self.at, f"{count} messages; {MAX_MESSAGES} are allowed")
        refused = [RefusedMessage(self.uid(), self.unpack(_U32), self.text()) for _ in range(count)]
        return Taken(lane, batch, tuple(refused))

    def numbered(self) -> Numbered:
        return Numbered(self.text(), self.unpack(_U64))

    def pull(self) -> Pull:
        return Pull(self.text(), self.unpack(_U64), self.unpack(_U32))

    def part(self) -> Part:
        return Part(self.text(), self.uid(), self.unpack(_U64), self.unpack(_U64), self.bytes())

    def have(self) -> Have:
        return Have(self.text(), self.uid(), self.unpack(_U64))


def _text(text: str) -> bytes:
    data = text.encode()
    return encoded(len(data)) + data


def _uid(uid: MessageUid) -> bytes:
    return _text(uid.origin) + _U64.pack(uid.time)


_READERS: Final[dict[Kind, Callable[[_Reader], Body]]] = {
    Kind.PUSH: _Reader.push,
    Kind.TAKEN: _Reader.taken,
    Kind.CONFIRM: _Reader.numbered,
    Kind.CONFIRMED: _Reader.numbered,
    Kind.STATE: _Reader.numbered,
    Kind.NOTHING: _Reader.numbered,
    Kind.PULL: _Reader.pull,
    Kind.PART: _Reader.part,
    Kind.HAVE: _Reader.have,
}
