"""Bodies of the frames that carry messages from queue manager to queue manager (`bridge.everyplace.transfer`).

::

    PUSH       lane, number, count, messages: queue, queue manager, and the body of the message's dump; or, of a message
               that has come in parts, null, origin, time
    TAKEN      lane, number, count, refused messages: origin, time, code, why
    CONFIRM    lane, number, mark     CONFIRMED  lane, number
    STATE      lane, number, doubt    of the sender: number of the last batch that it knows to be placed, and whether
                                      (1 byte, 0 or 1) the next one is in doubt; of the receiver: the last one placed, 0
    STATE      … and mark             of the sender: 0; of the receiver: that of the batch placed last, 0 if unknown
    PULL       lane, number, wait     milliseconds that the server may wait for a message; number: last batch placed
    NEXT       lane, number           of the batch that TAKEN ahead of it answers; the one behind is asked for
    NOTHING    lane, number
    PART       lane, origin, time, length of the whole, offset, bytes
    HAVE       lane, origin, time, bytes that have come

Texts are a length and UTF-8; lengths and counts are those of `numbers`; batch numbers, times and offsets have 8 bytes,
codes and waits 4. A mark (4 bytes) is a checksum of the UIDs of a batch, never 0. A lane is named by the queue at the
sending end, of a store-and-forward queue with its entry.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from .body_reader import BodyReader, text_bytes
from .errors import Code, DumpError, EveryplaceError
from .fields import Fields
from .frames import Kind
from .message import Message
from .names import Address
from .numbers import NULL_NUMBER
from .numbers import number as encoded
from .uid import MessageUid

MAX_MESSAGES: Final = 500
"""Most messages of a batch."""
_U8: Final = struct.Struct(">B")
_U32: Final = struct.Struct(">I")
_U64: Final = struct.Struct(">Q")


class Push(NamedTuple):
    """A batch. ``messages``: with the address that each has from here on; of one that came in parts its UID. What is
    written may be the body of a message's dump instead, which goes as it is."""

    lane: str
    number: int
    messages: tuple[tuple[Address, Message | MessageUid | bytes], ...]


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
    """CONFIRMED, NEXT, NOTHING: a lane and a number."""

    lane: str
    number: int


class Confirm(NamedTuple):
    """The sender has written the batch as in doubt: it is to be placed. ``mark``: see `mark_of`."""

    lane: str
    number: int
    mark: int


class State(NamedTuple):
    """Asks for, or answers with, the number of the last batch placed. ``in_doubt``: whether the next one may be too.
    ``mark``: of the batch placed last, 0 in the question and where it is not known."""

    lane: str
    number: int
    in_doubt: bool = False
    mark: int = 0


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


Body: TypeAlias = Push | Taken | Numbered | Confirm | State | Pull | Part | Have


def mark_of(uids: Iterable[MessageUid]) -> int:
    """Return the mark of a batch, so that the batches that two copies of a device number alike are told apart."""
    return zlib.crc32("\n".join(map(str, uids)).encode()) or 1


def write_body(body: Body) -> bytes:
    """Return the bytes of a body."""
    parts = [text_bytes(body.lane)]
    match body:
        case Push(_, batch, messages):
            parts += [_U64.pack(batch), encoded(len(messages))]
            for address, message in messages:
                parts += [text_bytes(address.queue), text_bytes(address.queue_manager)]
                if isinstance(message, MessageUid):
                    parts += [NULL_NUMBER, _uid(message)]
                else:
                    data = message if isinstance(message, bytes) else message.body()
                    parts += [encoded(len(data)), data]
        case Taken(_, batch, refused):
            parts += [_U64.pack(batch), encoded(len(refused))]
            for uid, code, text in refused:
                parts += [_uid(uid), _U32.pack(code), text_bytes(text)]
        case Numbered(_, batch):
            parts.append(_U64.pack(batch))
        case Confirm(_, batch, mark):
            parts += [_U64.pack(batch), _U32.pack(mark)]
        case State(_, batch, in_doubt, mark):
            parts += [_U64.pack(batch), _U8.pack(in_doubt), _U32.pack(mark)]
        case Pull(_, batch, wait):
            parts += [_U64.pack(batch), _U32.pack(wait)]
        case Part(_, uid, length, offset, data):
            parts += [_uid(uid), _U64.pack(length), _U64.pack(offset), encoded(len(data)), data]
        case Have(_, uid, offset):
            parts += [_uid(uid), _U64.pack(offset)]
    return b"".join(parts)


def read_body(kind: Kind, data: bytes) -> Body:
    """Return the body of a frame of one of the kinds above. Raises `EveryplaceError` DATA."""
    reader = BodyReader(data)
    try:
        found = _READERS[kind](reader)
        reader.end()
    except EveryplaceError as error:
        raise EveryplaceError(Code.DATA, f"this is no {kind.name}: {error.text}") from None
    return found


def lane_of(data: bytes) -> str:
    """Return the lane of a body that begins with its name; blank if it does not."""
    try:
        return BodyReader(data).text()
    except EveryplaceError:
        return ""


def _read_push(reader: BodyReader) -> Push:
    lane, batch, count = reader.text(), reader.unpack(_U64), _read_count(reader)
    return Push(lane, batch, tuple(_read_message(reader) for _ in range(count)))


def _read_message(reader: BodyReader) -> tuple[Address, Message | MessageUid]:
    address = Address(reader.text(), reader.text())
    address.check()
    length = reader.optional_count()
    if length is None:
        return address, _read_uid(reader)
    message = Message.of(Fields.of_body(reader.fixed(length)))
    message.check()
    return address, message


def _read_taken(reader: BodyReader) -> Taken:
    lane, batch, count = reader.text(), reader.unpack(_U64), _read_count(reader)
    refused = [RefusedMessage(_read_uid(reader), reader.unpack(_U32), reader.text()) for _ in range(count)]
    return Taken(lane, batch, tuple(refused))


def _read_count(reader: BodyReader) -> int:
    count = reader.count()
    if count > MAX_MESSAGES:
        raise DumpError(reader.at, f"{count} messages; {MAX_MESSAGES} are allowed")
    return count


def _read_numbered(reader: BodyReader) -> Numbered:
    return Numbered(reader.text(), reader.unpack(_U64))


def _read_state(reader: BodyReader) -> State:
    lane, batch, in_doubt = reader.text(), reader.unpack(_U64), reader.unpack(_U8)
    if in_doubt > 1:
        raise DumpError(reader.at, f"{in_doubt} is neither yes nor no")
    return State(lane, batch, bool(in_doubt), reader.unpack(_U32))


def _read_confirm(reader: BodyReader) -> Confirm:
    return Confirm(reader.text(), reader.unpack(_U64), reader.unpack(_U32))


def _read_pull(reader: BodyReader) -> Pull:
    return Pull(reader.text(), reader.unpack(_U64), reader.unpack(_U32))


def _read_part(reader: BodyReader) -> Part:
    return Part(reader.text(), _read_uid(reader), reader.unpack(_U64), reader.unpack(_U64), reader.bytes())


def _read_have(reader: BodyReader) -> Have:
    return Have(reader.text(), _read_uid(reader), reader.unpack(_U64))


def _read_uid(reader: BodyReader) -> MessageUid:
    return MessageUid(reader.text(), reader.unpack(_U64))


def _uid(uid: MessageUid) -> bytes:
    return text_bytes(uid.origin) + _U64.pack(uid.time)


_READERS: Final[dict[Kind, Callable[[BodyReader], Body]]] = {
    Kind.PUSH: _read_push,
    Kind.TAKEN: _read_taken,
    Kind.CONFIRM: _read_confirm,
    Kind.CONFIRMED: _read_numbered,
    Kind.STATE: _read_state,
    Kind.NEXT: _read_numbered,
    Kind.NOTHING: _read_numbered,
    Kind.PULL: _read_pull,
    Kind.PART: _read_part,
    Kind.HAVE: _read_have,
}
