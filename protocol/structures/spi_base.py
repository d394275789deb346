"""The fields with which the structures of SPI calls begin, mq-wire.md 5.12.

A request has an SPxU and an SPxI, its reply an SPxU and an SPxO; x stands for the verb. Length includes the base and
the structures that belong to it, such as MD and PMO of an SPPU.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from construct import Struct

from mqbridge.protocol.compiled import Record
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Buffer, Structure

from .linked import check_id

SPI_BASE_SIZE: Final = 12


def base_fields(n: Numbers, struc_id: str, *, version: int = 1, length: int = SPI_BASE_SIZE) -> tuple[Any, ...]:
    """Return StrucId, Version and Length, 12 bytes."""
    return (
        char("StrucId", 4, f"`{struc_id}`", default=struc_id.encode("ascii")),
        n.u32("Version", "version of this structure", default=version),
        n.u32("Length", "bytes of this structure with all that belongs to it", default=length),
    )


@cache
def spi_base(struc_id: str) -> Structure:
    """Return the base fields alone as a structure of this name: ``spi_base("SPOU")``."""

    def layout(n: Numbers) -> Any:
        return Struct(*base_fields(n, struc_id))

    return Structure(struc_id, layout, spec="mq-wire.md 5.12")


SPQU, SPQI = spi_base("SPQU"), spi_base("SPQI")
"""Query."""
SPPU, SPPO = spi_base("SPPU"), spi_base("SPPO")
"""Put; MD and PMO belong to SPPU."""
SPGU = spi_base("SPGU")
"""Get; MD and GMO belong to it."""
SPAU, SPAO = spi_base("SPAU"), spi_base("SPAO")
"""Activate."""
SPRU = spi_base("SPRU")
"""Reserve."""
SPNU, SPNO = spi_base("SPNU"), spi_base("SPNO")
"""Notify."""
SPBU = spi_base("SPBU")
"""Subscribe."""
SPOU, SPOI, SPOO = spi_base("SPOU"), spi_base("SPOI"), spi_base("SPOO")
"""Open; LPOO and OD belong to SPOI and SPOO."""


def parse_spi(structure: Structure, buffer: Buffer, offset: int, order: ByteOrder, *, whole: bool = True) -> Record:
    """Read the fixed part of an SPI structure.

    ``whole``: the buffer must hold the whole Length; otherwise message data may continue in later segments. Raises
    ``StructureError`` when the structure is cut short, begins with another StrucId, or states a Length below 12 or
    beyond the buffer.
    """
    record = structure.codec(order).parse(buffer, offset)
    check_id(structure, record, offset)
    there = len(buffer) - offset
    if record.length < SPI_BASE_SIZE or (whole and record.length > there):
        raise StructureError(structure.name, offset + 8, f"Length is {record.length}, {there} bytes are there")
    return record
