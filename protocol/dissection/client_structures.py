"""Structures of client calls: what they are called and how long they are, mq-wire.md 3 and 5.4 to 5.13.

They are not taken apart here, only found: each appears by its name with its bytes. MD and the message data of a
call are the exception, they are the same as on message channels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from protocol.constants import SegmentType
from protocol.numbers import ByteOrder


class Piece(NamedTuple):
    """A run of bytes in the body of a call: what it is called and where it ends (offset in the body).

    The names ``"MD"`` and ``"data"`` say that it can be taken apart further; a data piece follows the MD before it.
    """

    name: str
    end: int


_BY_VERSION: Final[dict[str, dict[int, int]]] = {
    "OD": {1: 168, 2: 200, 3: 336, 4: 400},
    "PMO": {1: 128, 2: 152, 3: 176},
    "GMO": {1: 72, 2: 80, 3: 100, 4: 112},
    "MD": {1: 324, 2: 364},
}
_STATED_LENGTH: Final = frozenset(("FOPA", "SPQO", "SPQI"))  # u32 at +8
_FIXED: Final = {"FCMI": 8, "SPAI": 136, "SPGI": 24, "SPPI": 20, "SPGO": 20}
_SPI_BASE: Final = 12
_LPOO_FORMS: Final = (32, 88)
_OD_STRINGS: Final = (336, 356, 376)
_PMR_FIELDS: Final = (24, 24, 24, 4, 32)  # by bit of PutMsgRecFields


class _Body:
    """The body of one segment, read from the front."""

    def __init__(self, data: bytes, order: ByteOrder) -> None:
        self.data = data
        self.order = order
        self.at = 0

    def number(self, offset: int) -> int:
        """The u32 at an offset from the current place; 0 where the body ends before it."""
        word = self.data[self.at + offset : self.at + offset + 4]
        return int.from_bytes(word, self.order) if len(word) == 4 else 0

    def struc_id(self) -> str:
        """Name of the structure that begins here, as far as its first bytes say so."""
        word = self.data[self.at : self.at + 4]
        if len(word) < 4:
            return ""
        text = word.decode("cp500" if word[0] >= 0x80 else "latin-1")
        name = text.rstrip(" ")
        known = name in _BY_VERSION or name in _FIXED or name in _STATED_LENGTH or name in ("LPOO", "FCNO")
        spi = name.isascii() and name.isalpha() and len(name) == 4 and name.startswith("SP") and name[3] in "UIO"
        return name if known or spi else ""

    def size_of(self, name: str) -> int:
        """Bytes of the structure that begins here."""
        if name in _BY_VERSION:
            sizes = _BY_VERSION[name]
            size = sizes.get(self.number(4), min(sizes.values()))
            return max(size, self.end_of_strings()) if name == "OD" and self.number(4) == 4 else size
        if name in _FIXED:
            return _FIXED[name]
        if name in _STATED_LENGTH:
            return max(self.number(8), _SPI_BASE)
        if name == "LPOO":
            descriptors = (b"OD  ", b"\xd6\xc4\x40\x40")
            return next(
                (size for size in _LPOO_FORMS if self.data[self.at + size : self.at + size + 4] in descriptors),
                _LPOO_FORMS[-1],
            )
        return _SPI_BASE

    def end_of_strings(self) -> int:
        """Where the strings behind an OD version 4 end, a multiple of 4."""
        ends = [self.number(charv + 4) + self.number(charv + 12) for charv in _OD_STRINGS if self.number(charv + 4)]
        return (max(ends, default=0) + 3) // 4 * 4

    def piece(self, name: str, size: int) -> Iterator[Piece]:
        """The next ``size`` bytes, as far as they are there."""
        end = min(self.at + size, len(self.data))
        if end > self.at:
            self.at = end
            yield Piece(name, end)

    def structures(self, *names: str) -> Iterator[Piece]:
        """All structures from here on that begin with an id, only those named where names are given."""
        while (name := self.struc_id()) and (not names or name in names):
            yield from self.piece(name, self.size_of(name))

    def rest(self, name: str) -> Iterator[Piece]:
        yield from self.piece(name, len(self.data))


_Layout = Callable[[_Body], Iterator[Piece]]


def _connect(body: _Body) -> Iterator[Piece]:
    yield from body.piece("CONN", 120)
    yield from body.rest("FCNO")


def _open(body: _Body) -> Iterator[Piece]:
    yield from _object_descriptor(body)
    yield from body.piece("Options", 4)
    yield from body.structures("FOPA", "FCMI")


def _object_descriptor(body: _Body) -> Iterator[Piece]:
    """OD, with the records of a distribution list behind it."""
    count = body.number(168) if body.number(4) > 1 else 0
    objects, responses = body.number(184), body.number(188)
    for piece in body.structures("OD"):
        yield piece
        yield from body.piece("OR", 96 * count if objects else 0)
        yield from body.piece("RR", 8 * count if responses else 0)


def _put_options(body: _Body) -> Iterator[Piece]:
    """PMO, with the records of a distribution list behind it."""
    count = body.number(128) if body.number(4) > 1 else 0
    fields, records, responses = body.number(132), body.number(136), body.number(140)
    size = sum(length for bit, length in enumerate(_PMR_FIELDS) if fields >> bit & 1)
    for piece in body.structures("PMO"):
        yield piece
        yield from body.piece("PMR", size * count if records else 0)
        yield from body.piece("RR", 8 * count if responses else 0)


def _close(body: _Body) -> Iterator[Piece]:
    yield from body.piece("Options", 4)


def _message(body: _Body) -> Iterator[Piece]:
    """The structures of a get or a put, up to the word that says how long the data is."""
    yield from _object_descriptor(body)
    yield from body.structures("MD", "GMO")
    yield from _put_options(body)
    yield from body.piece("DataLength", 4)


def _message_with_data(body: _Body) -> Iterator[Piece]:
    yield from _message(body)
    yield from body.piece("data", int.from_bytes(body.data[body.at - 4 : body.at], body.order))


def _inquire(body: _Body) -> Iterator[Piece]:
    yield from body.rest("INQ")


def _nothing(_: _Body) -> Iterator[Piece]:
    return iter(())


def _spi(body: _Body) -> Iterator[Piece]:
    yield from body.piece("SPI", 12)
    opened = False
    for piece in body.structures():
        yield piece
        if piece.name in ("SPPI", "SPGO"):
            yield from body.piece("data", int.from_bytes(body.data[piece.end - 4 : piece.end], body.order))
        opened |= piece.name == "SPOO"
    if opened:
        yield from body.rest("Extra")


def _xa_id(body: _Body) -> Iterator[Piece]:
    yield from body.rest("XID")


def _xa_info(body: _Body) -> Iterator[Piece]:
    yield from body.rest("XAInfo")


def _xa_recover(body: _Body) -> Iterator[Piece]:
    yield from body.piece("Count", 4)
    yield from body.rest("XID")


_CALLS: Final[dict[int, _Layout]] = {
    SegmentType.MQCONN: _connect,
    SegmentType.MQOPEN: _open,
    SegmentType.MQCLOSE: _close,
    SegmentType.MQGET: _message,
    SegmentType.MQGET_REPLY: _message_with_data,
    SegmentType.MQPUT: _message_with_data,
    SegmentType.MQPUT_REPLY: _message,
    SegmentType.MQPUT1: _message_with_data,
    SegmentType.MQPUT1_REPLY: _message,
    SegmentType.MQSET: _inquire,
    SegmentType.MQINQ: _inquire,
    SegmentType.SPI: _spi,
    SegmentType.XA_OPEN: _xa_info,
    SegmentType.XA_CLOSE: _xa_info,
    SegmentType.XA_RECOVER: _xa_recover,
}
_API: Final = range(0x81, 0xA0)
_API_REPLIES: Final = range(0x91, 0xA0)
_XA: Final = range(0xA1, 0xBB)
_XA_REPLIES: Final = range(0xB1, 0xBB)
_REPLY: Final = 0x10
_ASYNC_FIRST: Final = 54  # bytes up to the length of the queue name


def client_pieces(segment_type: int, body: bytes, order: ByteOrder, *, first: bool) -> list[Piece]:
    """How the body of a client segment divides into structures, from front to back without a hole.

    ``first``: whether the segment begins its call; one that does not is data. Bytes behind the last structure are a
    piece named ``"padding"`` (up to three NULs) or ``"left-over"``. Nothing is checked: what is cut is shorter.
    """
    reader = _Body(body, order)
    pieces = list(_pieces(reader, segment_type, first))
    left = body[reader.at :]
    if left:
        pieces.append(Piece("padding" if len(left) < 4 and not left.strip(b"\0") else "left-over", len(body)))
    return pieces


def _pieces(body: _Body, segment_type: int, first: bool) -> Iterator[Piece]:
    if segment_type == SegmentType.SOCKET_ACTION:
        yield from body.piece("SOCKET", 20)
    elif segment_type == SegmentType.NOTIFICATION:
        yield from body.piece("NOTIF", 16)
    elif segment_type == SegmentType.REQUEST_MSGS:
        yield from body.rest("REQMSG")
    elif segment_type == SegmentType.ASYNC_MESSAGE:
        yield from _asynchronous(body)
    elif not first:
        yield from body.rest("data")
    elif segment_type in _API:
        yield from body.piece("API", 16)
        yield from _call(segment_type, _API_REPLIES, _nothing)(body)
    elif segment_type in _XA:
        yield from body.piece("XA", 16)
        yield from _call(segment_type, _XA_REPLIES, _xa_id)(body)


def _call(segment_type: int, replies: range, otherwise: _Layout) -> _Layout:
    """How a call or its reply goes on behind the first structure; a reply as its call, unless it has its own way."""
    if segment_type not in _CALLS and segment_type in replies:
        segment_type -= _REPLY
    return _CALLS.get(segment_type, otherwise)


def _asynchronous(body: _Body) -> Iterator[Piece]:
    data_length = body.number(16)
    segment_index = int.from_bytes(body.data[20:22], body.order)
    if segment_index or len(body.data) <= _ASYNC_FIRST:
        yield from body.piece("ASYNC", 24)
    else:
        name = body.data[_ASYNC_FIRST]
        yield from body.piece("ASYNC", 52 + (3 + name + 3) // 4 * 4)
        yield from body.structures("MD")
    yield from body.piece("data", data_length)
