"""The fields with which the structures of SPI calls begin, mq-wire.md 5.12.

A request has an SPxU and an SPxI, its reply an SPxU and an SPxO; x stands for the verb. Length includes the base and
the structures that belong to it, such as MD and PMO of an SPPU.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import RecordT, Structure
from mqbridge.protocol.layouts.spi_base import (
    SpaoBig,
    SpaoLittle,
    SpauBig,
    SpauLittle,
    SpbuBig,
    SpbuLittle,
    SpguBig,
    SpguLittle,
    SpnoBig,
    SpnoLittle,
    SpnuBig,
    SpnuLittle,
    SpoiBig,
    SpoiLittle,
    SpooBig,
    SpooLittle,
    SpouBig,
    SpouLittle,
    SppoBig,
    SppoLittle,
    SppuBig,
    SppuLittle,
    SpqiBig,
    SpqiLittle,
    SpquBig,
    SpquLittle,
    SpruBig,
    SpruLittle,
)
from mqbridge.protocol.records import Buffer

from .linked import check_id

SPI_BASE_SIZE: Final = 12


def base_fields(n: Numbers, struc_id: str, *, version: int = 1, length: int = SPI_BASE_SIZE) -> tuple[Any, ...]:
    """Return StrucId, Version and Length, 12 bytes."""
    return (
        char("StrucId", 4, f"`{struc_id}`", default=struc_id.encode("ascii")),
        n.u32("Version", "version of this structure", default=version),
        n.u32("Length", "bytes of this structure with all that belongs to it", default=length),
    )


def _base(struc_id: str, big: type[RecordT], little: type[RecordT]) -> Structure[RecordT]:
    """Return the base fields alone as a structure of this name."""

    def layout(n: Numbers) -> Any:
        return Struct(*base_fields(n, struc_id))

    return Structure(struc_id, layout, big, little, spec="mq-wire.md 5.12")


SPQU = _base("SPQU", SpquBig, SpquLittle)
SPQI = _base("SPQI", SpqiBig, SpqiLittle)
"""Query."""
SPPU = _base("SPPU", SppuBig, SppuLittle)
SPPO = _base("SPPO", SppoBig, SppoLittle)
"""Put; MD and PMO belong to SPPU."""
SPGU = _base("SPGU", SpguBig, SpguLittle)
"""Get; MD and GMO belong to it."""
SPAU = _base("SPAU", SpauBig, SpauLittle)
SPAO = _base("SPAO", SpaoBig, SpaoLittle)
"""Activate."""
SPRU = _base("SPRU", SpruBig, SpruLittle)
"""Reserve."""
SPNU = _base("SPNU", SpnuBig, SpnuLittle)
SPNO = _base("SPNO", SpnoBig, SpnoLittle)
"""Notify."""
SPBU = _base("SPBU", SpbuBig, SpbuLittle)
"""Subscribe."""
SPOU = _base("SPOU", SpouBig, SpouLittle)
SPOI = _base("SPOI", SpoiBig, SpoiLittle)
SPOO = _base("SPOO", SpooBig, SpooLittle)
"""Open; LPOO and OD belong to SPOI and SPOO."""

_BASES: Final = {
    each.name: each
    for each in (
        SPQU,
        SPQI,
        SPPU,
        SPPO,
        SPGU,
        SPAU,
        SPAO,
        SPRU,
        SPNU,
        SPNO,
        SPBU,
        SPOU,
        SPOI,
        SPOO,
    )
}


def spi_base(struc_id: str) -> Structure[Any]:
    """Return the base fields alone as a structure of this name: ``spi_base("SPOU")``."""
    return _BASES[struc_id]


def parse_spi(
    structure: Structure[RecordT], buffer: Buffer, offset: int, order: ByteOrder, *, whole: bool = True
) -> RecordT:
    """Read the fixed part of an SPI structure.

    ``whole``: the buffer must hold the whole Length; otherwise message data may continue in later segments. Raises
    ``StructureError`` when the structure is cut short, begins with another StrucId, or states a Length below 12 or
    beyond the buffer.
    """
    record = structure.codec(order).parse(buffer, offset)
    check_id(structure, record, offset)
    there = len(buffer) - offset
    length = record.as_dict()["length"]
    if length < SPI_BASE_SIZE or (whole and length > there):
        raise StructureError(structure.name, offset + 8, f"Length is {length}, {there} bytes are there")
    return record
