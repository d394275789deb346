"""SPPI: input of SPI PUT, with a delivery delay, mq-wire.md 5.12, client-observed.md 6.2; followed by message data."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import ByteOrder, SpiOptions
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.inferred import LONG_SPPI_VERSION
from mqbridge.protocol.layouts.spi_put import ShortSppiBig, ShortSppiLittle, SppiBig, SppiLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .spi_base import base_fields, parse_spi


def _sppi(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPPI", version=3, length=32),
        n.u32("Options", "options", names=SpiOptions),
        n.u32("DataLength", "bytes of message data behind this structure"),
        n.u32("Unknown1", "not known, 0", since="v3"),
        n.u32("Unknown2", "not known, 0", since="v3"),
        n.u32("DeliveryDelay", "milliseconds until the message may be got", since="v3"),
    )


SPPI = Structure("SPPI", _sppi, SppiBig, SppiLittle, spec="client-observed.md 6.2")
"""Version 3, 32 bytes; version 1 ends with DataLength."""

SHORT_SPPI_SIZE: Final = 20
"""Length in bytes of versions 1 and 2."""

SHORT_SPPI = SPPI.first(SHORT_SPPI_SIZE, None, ShortSppiBig, ShortSppiLittle)
"""That form."""


def sppi_size(version: int) -> int:
    """Return the length of an SPPI of this version, in bytes."""
    return SPPI.size if version >= LONG_SPPI_VERSION else SHORT_SPPI_SIZE


def parse_sppi(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read an SPPI without the message data behind it, which may continue in later segments.

    Raises ``StructureError``, also if Length is not that of structure and data.
    """
    short = parse_spi(SHORT_SPPI, buffer, offset, order, whole=False)
    known = sppi_size(short.version)
    there = bytes(memoryview(buffer)[offset : offset + known])
    if len(there) < known:
        raise StructureError("SPPI", offset + len(there), f"ends early: {known} bytes needed, {len(there)} there")
    if short.length != known + short.data_length:
        raise StructureError("SPPI", offset + 8, f"Length is {short.length}, DataLength {short.data_length}")
    return Body(SPPI.codec(order).parse(there.ljust(SPPI.size, b"\0")), known)
