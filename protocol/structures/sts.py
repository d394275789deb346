"""STS: the status report of MQSTAT, versions 1 and 2, mq-wire.md 5.17; the strings of version 2 stand behind it."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from construct import Struct

from mqbridge.protocol.constants import MQCC, MQOO, MQOT, MQSO, ByteOrder, reason_name
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.sts import StatBig, StatLittle
from mqbridge.protocol.records import Buffer

from .charv import StructureWithStrings, charv, end_of_strings, string_names
from .versioned import new_versioned, read_versioned


def _sts(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`STAT`", since="v1", default=b"STAT"),
        n.u32("Version", "1 or 2", since="v1", default=1),
        n.u32("CompCode", "outcome of the first failure", since="v1", names=MQCC),
        n.u32("Reason", "its reason", since="v1", names=reason_name),
        n.u32("PutSuccessCount", "puts that succeeded", since="v1"),
        n.u32("PutWarningCount", "puts with a warning", since="v1"),
        n.u32("PutFailureCount", "puts that failed", since="v1"),
        n.u32("ObjectType", "kind of object of the first failure", since="v1", names=MQOT),
        char("ObjectName", 48, "its name", since="v1"),
        char("ObjectQMgrName", 48, "its queue manager", since="v1"),
        char("ResolvedObjectName", 48, "its resolved name", since="v1"),
        char("ResolvedQMgrName", 48, "its resolved queue manager", since="v1"),
        *charv(n, "ObjectString", "long object name", "v2"),
        *charv(n, "SubName", "name of the subscription", "v2"),
        n.u32("OpenOptions", "open options of the object", since="v2", names=MQOO),
        n.u32("SubOptions", "options of the subscription", since="v2", names=MQSO),
    )


STAT = Structure("STAT", _sts, StatBig, StatLittle, mq_name="MQSTS", spec="mq-wire.md 5.17")
"""Version 2, 272 bytes."""

STAT_SIZES: Final = {1: 224, 2: 272}
"""Length in bytes by version."""


class StatusReport(StructureWithStrings):
    """An STS. ``rest`` holds its strings as received."""

    __slots__ = ()

    STRINGS: ClassVar[tuple[str, ...]] = string_names(("ObjectString", "SubName"))


def parse_sts(buffer: Buffer, offset: int, order: ByteOrder) -> StatusReport:
    """Read an STS with its strings.

    Raises ``StructureError`` when it is cut short, begins with another StrucId, states a version other than 1 or 2,
    or when a string does not lie behind it in the buffer.
    """
    report = read_versioned(StatusReport, STAT, STAT_SIZES, buffer, offset, order)
    end = end_of_strings(report, buffer, offset)
    report.rest = bytes(memoryview(buffer)[offset + report.known : offset + end])
    return report


def make_sts(order: ByteOrder, version: int = 1, **values: Any) -> StatusReport:
    """Return an STS to send; fields by keyword."""
    return new_versioned(StatusReport, STAT, STAT_SIZES, order, version, values)
