"""SPBI, SPBO and LSD: input, output and options of SPI SUBSCRIBE, which JMS uses, client-observed.md 6.2."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQOO, ByteOrder, LsdOptions
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi_subscribe import Lsd, LsdBig, LsdLittle, SpbiBig, SpbiLittle, SpboBig, SpboLittle
from mqbridge.protocol.records import Buffer

from .charv import charv
from .linked import check_begin
from .spi_base import base_fields


def _subscription(struc_id: str) -> Any:
    def layout(n: Numbers) -> Any:
        return Struct(
            *base_fields(n, struc_id, length=16),
            n.i32("SubscriptionHandle", "reply: handle of the subscription"),
        )

    return layout


def _lsd(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`LSD` and a blank", default=b"LSD"),
        n.u32("Version", "1", default=1),
        n.u32("Options", "kind of subscription", names=LsdOptions),
        *charv(n, "String", "not known, empty"),
        raw("SubId", 24, "identifier of the subscription: of one to be resumed, and in replies"),
        n.u32("Unknown1", "not known, 0"),
        n.u32("OpenOptions", "options with which the managed queue is opened", names=MQOO),
        char("Unknown2", 48, "not known, blanks"),
        char("QName", 48, "reply: name of the managed queue"),
        raw("Unknown3", 24, "not known, zeros"),
        n.u32("Unknown4", "not known, 3", default=3),
        n.u32("Unknown5", "not known, 0"),
        n.u32("Unknown6", "not known, 1", default=1),
    )


SPBI = Structure("SPBI", _subscription("SPBI"), SpbiBig, SpbiLittle, spec="client-observed.md 6.2")
"""Input, 16 bytes, followed by LSD and SD."""

SPBO = Structure("SPBO", _subscription("SPBO"), SpboBig, SpboLittle, spec="client-observed.md 6.2")
"""Output, 16 bytes, followed by LSD and SD."""

LSD = Structure("LSD", _lsd, LsdBig, LsdLittle, spec="client-observed.md 6.2")
"""196 bytes."""


def parse_lsd(buffer: Buffer, offset: int, order: ByteOrder) -> Lsd:
    """Read an LSD. Raises ``StructureError``."""
    record = LSD.codec(order).parse(buffer, offset)
    check_begin(LSD, record, offset, (1,))
    return record
