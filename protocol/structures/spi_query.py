"""SPQO: output of SPI QUERY, the verbs that a queue manager supports, mq-wire.md 5.12."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from construct import Struct

from mqbridge.protocol.constants import ByteOrder, SpiVerb
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi_query import SpqoBig, SpqoLittle, VerbEntry, VerbEntryBig, VerbEntryLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .spi_base import base_fields, parse_spi


def _spqo(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPQO", length=16),
        n.u32("VerbCount", "entries that follow"),
    )


def _verb(n: Numbers) -> Any:
    return Struct(
        n.u32("Verb", "verb", names=SpiVerb),
        n.u32("MaxInOutVersion", "highest version of SPxU"),
        n.u32("MaxInVersion", "highest version of SPxI"),
        n.u32("MaxOutVersion", "highest version of SPxO"),
        n.u32("Flags", "1 available"),
    )


SPQO = Structure("SPQO", _spqo, SpqoBig, SpqoLittle, spec="mq-wire.md 5.12")
"""The fixed part, 16 bytes."""

SPI_VERB = Structure("SPIVerb", _verb, VerbEntryBig, VerbEntryLittle, spec="mq-wire.md 5.12")
"""One entry, 20 bytes."""


class VerbTable(Body):
    """An SPQO. ``rest`` holds its entries as received, and any bytes behind them that Length includes."""

    __slots__ = ()

    @property
    def verbs(self) -> list[VerbEntry]:
        """The entries."""
        codec = SPI_VERB.codec(self.record.ORDER)
        return [codec.parse(self.rest, number * codec.SIZE) for number in range(self.record.verb_count)]


def parse_spqo(buffer: Buffer, offset: int, order: ByteOrder) -> VerbTable:
    """Read an SPQO. Raises ``StructureError``, also for entries that do not lie within Length."""
    record = parse_spi(SPQO, buffer, offset, order)
    rest = bytes(memoryview(buffer)[offset + SPQO.size : offset + record.length])
    if record.verb_count * SPI_VERB.size > len(rest):
        raise StructureError("SPQO", offset + 12, f"{record.verb_count} entries in {len(rest)} bytes")
    return VerbTable(record, SPQO.size, rest)


def make_spqo(order: ByteOrder, verbs: Sequence[tuple[int, int, int, int, int]]) -> VerbTable:
    """Return an SPQO to send. ``verbs``: verb, highest versions of SPxU, SPxI and SPxO, and flags of each entry."""
    codec, keys = SPI_VERB.codec(order), [slot.field.key for slot in SPI_VERB.slots]
    rest = b"".join(codec(**dict(zip(keys, verb, strict=True))).build() for verb in verbs)
    record = SPQO.codec(order)(length=SPQO.size + len(rest), verb_count=len(verbs))
    return VerbTable(record, SPQO.size, rest)
