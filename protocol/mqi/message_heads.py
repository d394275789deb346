"""The structures in front of message data in a call, as parsed by live machines and observers.

mq-wire.md 5.12, 8.3, client-observed.md 4 and 6.
"""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol.constants import ByteOrder, SegmentType, SpiVerb, StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import API, SPI, parse_od
from mqbridge.protocol.structures.md import MD, MD1
from mqbridge.protocol.structures.pmo import PutMessageOptions, parse_pmo
from mqbridge.protocol.structures.spi_base import SPI_BASE_SIZE, SPPU, parse_spi
from mqbridge.protocol.structures.spi_put import SPPI, sppi_size

_AT: Final = API.size
_SPI_AT: Final = API.size + SPI.size
_WORD: Final = 4
_BEGINNING: Final = 8
MD_SIZES: Final = {
    (order, name + version.to_bytes(4, order.endian)): structure.size
    for order in ByteOrder
    for name in (b"MD  ", "MD  ".encode("cp500"))
    for version, structure in ((1, MD1), (2, MD))
}
"""Length of an MQMD in bytes, by byte order and its first eight bytes."""
_SPPI_BEGINNINGS: Final = (b"SPPI", "SPPI".encode("cp500"))


def word_at(body: memoryview, at: int, order: ByteOrder, name: str) -> int:
    """Return the u32 at an offset. Raises ``StructureError`` if the body ends before it."""
    word = body[at : at + _WORD]
    if len(word) < _WORD:
        raise StructureError(
            name, at, f"{_WORD} bytes needed, {len(word)} there", status=StatusCode.PROTOCOL_LENGTH_ERROR
        )
    return int.from_bytes(word, order.endian)


def read_descriptor(body: memoryview, at: int, order: ByteOrder) -> bytes:
    """Return the raw MQMD at an offset. Raises ``StructureError`` if there is none."""
    beginning = bytes(body[at : at + _BEGINNING])
    size = MD_SIZES.get((order, beginning))
    if size is None:
        raise StructureError("MD", at, f"begins with {beginning.hex()}")
    descriptor = bytes(body[at : at + size])
    if len(descriptor) < size:
        raise StructureError("MD", at, f"{size} bytes needed, {len(descriptor)} there")
    return descriptor


def read_put_head(body: memoryview, order: ByteOrder, kind: int) -> tuple[Any, bytes, PutMessageOptions, int, int]:
    """Return OD (MQPUT1, else None), MD, PMO, and offset and length of the data. Raises ``StructureError``."""
    at = _AT
    od = None
    if kind == SegmentType.MQPUT1:
        od = parse_od(body, at, order)
        at += od.known + len(od.rest)
    descriptor = read_descriptor(body, at, order)
    at += len(descriptor)
    options = parse_pmo(body, at, order)
    at += options.known + len(options.rest)
    return od, descriptor, options, at + _WORD, word_at(body, at, order, "data")


def read_spi_put_head(body: memoryview, order: ByteOrder) -> tuple[bytes, PutMessageOptions, int, int, int]:
    """Return MD, PMO, offset and length of the data, and delivery delay of an SPI PUT. Raises ``StructureError``."""
    parse_spi(SPPU, body, _SPI_AT, order)
    at = _SPI_AT + SPI_BASE_SIZE
    descriptor = read_descriptor(body, at, order)
    at += len(descriptor)
    options = parse_pmo(body, at, order)
    at += options.known + len(options.rest)
    start = bytes(body[at : at + SPPI.size])
    record = SPPI.codec(order).parse(start.ljust(SPPI.size, b"\0"))
    size = sppi_size(record.version)
    # Its Length includes the data, which may be in later segments.
    if record.struc_id not in _SPPI_BEGINNINGS or len(start) < size or record.length != size + record.data_length:
        raise StructureError("SPPI", at, f"Length is {record.length}, DataLength {record.data_length}")
    return descriptor, options, at + size, record.data_length, record.delivery_delay if size == SPPI.size else 0


def is_notify(kind: int, body: memoryview, order: ByteOrder) -> bool:
    """Return whether the body of a segment is an SPI NOTIFY, by its verb."""
    return kind == SegmentType.SPI and int.from_bytes(body[API.size : API.size + 4], order.endian) == SpiVerb.NOTIFY
