"""Segments and their headers (mq-wire.md 2): the values returned by ``protocol.framing``, and their builder."""

from __future__ import annotations

import struct
from typing import Any, Final

from .constants import ByteOrder, SegmentType
from .errors import LocalProtocolError
from .grammar import Structure
from .records import Buffer
from .structures.tsh import TSH, TSHC, TSHM

NO_LUWID: Final = bytes(8)
"""LUWID of a segment that belongs to no batch."""

_ORDERS: Final[tuple[ByteOrder, ...]] = (ByteOrder.BIG, ByteOrder.BIG, ByteOrder.LITTLE)

HEADERS: Final[dict[bytes, Structure[Any]]] = {
    structure.name.ljust(4).encode(code_page): structure
    for structure in (TSH, TSHC, TSHM)
    for code_page in ("ascii", "cp500")
}
"""Header structure by the first four bytes of a segment, in ASCII and in EBCDIC."""

HEADER_SIZES: Final[dict[bytes, int]] = {struc_id: header.size for struc_id, header in HEADERS.items()}
"""Header length in bytes, by the same key."""

SHARED_HEADERS: Final = frozenset(struc_id for struc_id, header in HEADERS.items() if header.name == "TSHM")
"""StrucIds of segments that belong to one conversation of a shared connection (TSHM)."""


def _with_raw_tail(header: Structure[Any]) -> struct.Struct:
    """Return a ``struct`` that unpacks a header but leaves its last words, which alone follow the segment's byte order,
    as bytes."""
    codes = [slot.code for slot in header.slots if slot.field.key not in ("encoding", "ccsid", "reserved")]
    return struct.Struct(">" + "".join(codes) + "8s")


SINGLE: Final = _with_raw_tail(TSH)
"""Unpacks a TSH or TSHC in one call; the last value is the tail of :class:`Segment`."""
SHARED: Final = _with_raw_tail(TSHM)
"""Unpacks a TSHM in one call; the last value is the tail of :class:`Segment`."""

SHARED_MARKS: Final = frozenset(struc_id[3] for struc_id, header in HEADERS.items() if header is TSHM)
"""Values of the fourth byte that distinguish a TSHM from other headers."""

_SINGLE_SIZE: Final = SINGLE.size
_SHARED_SIZE: Final = SHARED.size
_unpack_single: Final = SINGLE.unpack_from
_unpack_shared: Final = SHARED.unpack_from
_pack_shared: Final = SHARED.pack
_size_of: Final = HEADER_SIZES.get
SINGLE_WORDS: Final = 8
"""Number of values that :data:`SINGLE` unpacks; :data:`SHARED` gives two more, behind the length."""

TAILS: Final = {int(order): struct.Struct(order.prefix + "IHH") for order in ByteOrder}
"""Unpacks a tail by byte order: encoding, CCSID, reserved."""


def read_header(buffer: bytes, position: int, there: int, longest: int) -> tuple[Any, ...] | None:
    """Unpack the segment header at ``position``, of which ``there`` bytes have arrived, with :data:`SINGLE` or
    :data:`SHARED`.

    Returns None if the header is incomplete or invalid: unknown id or byte order, or a length shorter than the header
    or above ``longest``.
    """
    if there < _SINGLE_SIZE:
        return None
    if buffer[position + 3] not in SHARED_MARKS:
        words = _unpack_single(buffer, position)
        size, order = _SINGLE_SIZE, words[2]
    elif there >= _SHARED_SIZE:
        words = _unpack_shared(buffer, position)
        size, order = _SHARED_SIZE, words[4]
    else:
        return None
    if _size_of(words[0]) != size or not size <= words[1] <= longest or order not in TAILS:
        return None
    return words


class Segment:
    """One segment: the raw fields of its header, and the position of its body.

    ``buffer`` holds the segment from ``start`` on. ``struc_id``: its first four bytes. ``length``: total bytes.
    ``conversation_id`` and ``request_id`` are 0 if the header has none. ``byte_order`` is 1 (big-endian) or 2,
    :attr:`order` what it states. ``type``, ``flags1`` and ``flags2`` are plain integers, ``luwid`` is 8 bytes.
    ``tail``: the last words of the header, read by :attr:`encoding` and :attr:`ccsid`.
    """

    __slots__ = (
        "buffer",
        "byte_order",
        "conversation_id",
        "flags1",
        "flags2",
        "length",
        "luwid",
        "request_id",
        "start",
        "struc_id",
        "tail",
        "type",
    )

    buffer: bytes
    start: int
    struc_id: bytes
    length: int
    conversation_id: int
    request_id: int
    byte_order: int
    type: int
    flags1: int
    flags2: int
    luwid: bytes
    tail: bytes

    def __init__(self, words: tuple[Any, ...], buffer: bytes, start: int) -> None:
        """``words``: the header, as :func:`read_header` gives it."""
        if len(words) == SINGLE_WORDS:
            (
                self.struc_id,
                self.length,
                self.byte_order,
                self.type,
                self.flags1,
                self.flags2,
                self.luwid,
                self.tail,
            ) = words
            self.conversation_id = self.request_id = 0
        else:
            (
                self.struc_id,
                self.length,
                self.conversation_id,
                self.request_id,
                self.byte_order,
                self.type,
                self.flags1,
                self.flags2,
                self.luwid,
                self.tail,
            ) = words
        self.buffer = buffer
        self.start = start

    @property
    def header(self) -> Structure[Any]:
        """The structure of the header; its ``name`` is ``"TSH"``, ``"TSHC"`` or ``"TSHM"``."""
        return HEADERS[self.struc_id]

    @property
    def ebcdic(self) -> bool:
        """Whether the sender writes structure ids in EBCDIC."""
        return self.struc_id[0] == 0xE3

    @property
    def order(self) -> ByteOrder:
        """Byte order of the integers in the body."""
        return _ORDERS[self.byte_order]

    @property
    def encoding(self) -> int:
        """Numeric encoding of the sender; informative."""
        encoding: int = TAILS[self.byte_order].unpack(self.tail)[0]
        return encoding

    @property
    def ccsid(self) -> int:
        """CCSID of the character fields in the body."""
        ccsid: int = TAILS[self.byte_order].unpack(self.tail)[1]
        return ccsid

    @property
    def body_start(self) -> int:
        """Offset of the body in :attr:`buffer`, where codecs read without a copy."""
        return self.start + HEADER_SIZES[self.struc_id]

    @property
    def body_length(self) -> int:
        """Number of bytes behind the header."""
        return self.length - HEADER_SIZES[self.struc_id]

    @property
    def body(self) -> bytes:
        """Copy of the bytes behind the header."""
        return self.buffer[self.body_start : self.start + self.length]

    @property
    def body_view(self) -> memoryview:
        """View of the bytes behind the header."""
        start = self.start
        return memoryview(self.buffer)[start + HEADER_SIZES[self.struc_id] : start + self.length]

    def body_from(self, offset: int) -> bytes:
        """Return a copy of the body from ``offset`` on: the data of a message behind its headers."""
        return self.buffer[self.body_start + offset : self.start + self.length]

    @property
    def data(self) -> bytes:
        """Copy of the whole segment."""
        return self.buffer[self.start : self.start + self.length]

    def __repr__(self) -> str:
        return (
            f"<Segment {self.header.name} {SegmentType(self.type)}, {self.length} bytes, {self.order.endian}-endian,"
            f" flags {self.flags1:02x} {self.flags2:02x}>"
        )


class SegmentWriter:
    """Builds the segments of one end, whose byte order, CCSID and numeric encoding are written in every header."""

    def __init__(self, order: ByteOrder = ByteOrder.LITTLE, ccsid: int = 437, encoding: int | None = None) -> None:
        self.order = order
        self.ccsid = ccsid
        self.encoding = encoding if encoding is not None else order.encoding
        try:
            self._tail = TAILS[order].pack(self.encoding, ccsid, 0)
        except struct.error:
            raise LocalProtocolError(f"CCSID {ccsid} or encoding {encoding} does not fit a segment header") from None

    def build(
        self, segment_type: int, *body: Buffer, flags1: int = 0, flags2: int = 0, luwid: bytes = NO_LUWID
    ) -> bytes:
        """Build a segment with a TSH; the parts of the body are joined.

        Raises ``LocalProtocolError`` for a value that does not fit.
        """
        length = _SINGLE_SIZE + sum(map(len, body))
        return self._joined(
            SINGLE, body, (b"TSH ", length, self.order, segment_type, flags1, flags2, luwid, self._tail)
        )

    def build_shared(
        self,
        conversation_id: int,
        request_id: int,
        segment_type: int,
        *body: Buffer,
        flags1: int = 0,
        flags2: int = 0,
    ) -> bytes:
        """Build a segment with a TSHM, for one conversation of a shared connection."""
        length = _SHARED_SIZE + sum(map(len, body))
        ids = (b"TSHM", length, conversation_id, request_id)
        return self._joined(SHARED, body, (*ids, self.order, segment_type, flags1, flags2, NO_LUWID, self._tail))

    def build_common(self, segment_type: int, *body: Buffer, flags1: int = 0) -> bytes:
        """Build a segment with a TSHC, for a shared connection as a whole."""
        length = _SINGLE_SIZE + sum(map(len, body))
        return self._joined(SINGLE, body, (b"TSHC", length, self.order, segment_type, flags1, 0, NO_LUWID, self._tail))

    def header(
        self, segment_type: int, body_length: int, *, flags1: int = 0, ids: tuple[int, int] | None = None
    ) -> bytes:
        """Build only the header for a body of ``body_length`` bytes: TSHM if ``ids`` (conversation, request) are given,
        else TSH."""
        order, tail = self.order, self._tail
        if ids is None:
            length = _SINGLE_SIZE + body_length
            return SINGLE.pack(b"TSH ", length, order, segment_type, flags1, 0, NO_LUWID, tail)
        length, (conversation, request) = _SHARED_SIZE + body_length, ids
        return _pack_shared(b"TSHM", length, conversation, request, order, segment_type, flags1, 0, NO_LUWID, tail)

    @staticmethod
    def _joined(header: struct.Struct, body: tuple[Buffer, ...], values: tuple[object, ...]) -> bytes:
        try:
            return b"".join((header.pack(*values), *body))
        except struct.error as fault:
            raise LocalProtocolError(f"segment header {values!r}: {fault}") from None


def build_segment(
    segment_type: int, body: Buffer = b"", *, order: ByteOrder = ByteOrder.LITTLE, ccsid: int = 437, flags1: int = 0
) -> bytes:
    """Build one segment with a TSH, without keeping a :class:`SegmentWriter`."""
    return SegmentWriter(order, ccsid).build(segment_type, body, flags1=flags1)
