"""SD: the subscription descriptor of MQSUB and SPI SUBSCRIBE, mq-wire.md 5.17, client-observed.md O-068.

Strings stand behind it, at offsets from its start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from construct import Struct

from mqbridge.protocol.constants import MQSO, ByteOrder
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.sd import SdBig, SdLittle
from mqbridge.protocol.records import Buffer

from .charv import STRING_CCSID, StructureWithStrings, charv, end_of_strings, place_strings, string_names
from .linked import check_begin


def _sd(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`SD` and two blanks", default=b"SD"),
        n.u32("Version", "1", default=1),
        n.u32("Options", "options of the subscription", names=MQSO),
        char("ObjectName", 48, "topic object"),
        char("AlternateUserId", 12, "user whose authority counts"),
        raw("AlternateSecurityId", 40, "security id of the alternate user"),
        n.i32("SubExpiry", "tenths of a second, -1 unlimited", default=-1),
        *charv(n, "ObjectString", "topic string"),
        *charv(n, "SubName", "name of the subscription"),
        *charv(n, "SubUserData", "user data"),
        raw("SubCorrelId", 24, "correlation id of the publications"),
        n.i32("PubPriority", "priority of the publications", default=-3),
        raw("PubAccountingToken", 32, "accounting token of the publications"),
        char("PubApplIdentityData", 32, "application identity data of the publications"),
        *charv(n, "SelectionString", "selector"),
        n.i32("SubLevel", "level of the subscription", default=1),
        *charv(n, "ResObjectString", "reply: resolved topic string"),
    )


SD = Structure("SD", _sd, SdBig, SdLittle, mq_name="MQSD", spec="mq-wire.md 5.17")
"""312 bytes."""


class SubscriptionDescriptor(StructureWithStrings):
    """An SD. ``rest`` holds its strings as received."""

    __slots__ = ()

    STRINGS: ClassVar[tuple[str, ...]] = string_names(
        ("ObjectString", "SubName", "SubUserData", "SelectionString", "ResObjectString")
    )


def parse_sd(buffer: Buffer, offset: int, order: ByteOrder) -> SubscriptionDescriptor:
    """Read an SD with its strings.

    Raises ``StructureError`` when it is cut short, begins with another StrucId, states a version other than 1, or when
    a string does not lie behind it in the buffer.
    """
    record = SD.codec(order).parse(buffer, offset)
    check_begin(SD, record, offset, (1,))
    descriptor = SubscriptionDescriptor(record, SD.size)
    end = end_of_strings(descriptor, buffer, offset)
    descriptor.rest = bytes(memoryview(buffer)[offset + SD.size : offset + end])
    return descriptor


def make_sd(
    order: ByteOrder,
    *,
    strings: Mapping[str, bytes | None] | None = None,
    ccsid: int = STRING_CCSID,
    **values: Any,
) -> SubscriptionDescriptor:
    """Return an SD to send, with ``strings`` by attribute name behind it; other fields by keyword."""
    placed, tail = place_strings(SD.size, strings or {}, ccsid)
    return SubscriptionDescriptor(SD.codec(order)(**(values | placed)), SD.size, tail)
