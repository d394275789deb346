"""OD: the object descriptor of MQOPEN and MQPUT1, versions 1 to 4, mq-wire.md 5.6.

Behind it stand, if it states their offsets, an object record (OR) and a response record (RR) for each destination of a
distribution list, and the strings of version 4. All offsets count from the start of the OD.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from construct import Struct

from mqbridge.protocol.constants import MQOT, ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import RecordT, Structure
from mqbridge.protocol.layouts.dh import Or
from mqbridge.protocol.layouts.od import OdBig, OdLittle
from mqbridge.protocol.layouts.rr import Rr
from mqbridge.protocol.records import Buffer, Record

from .bodies import Body
from .charv import STRING_CCSID, StructureWithStrings, charv, end_of_strings, place_strings, string_names
from .dh import OR
from .rr import RR
from .versioned import new_versioned, read_versioned


def _od(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`OD` and two blanks", since="v1", default=b"OD"),
        n.u32("Version", "1 to 4", since="v1", default=1),
        n.u32("ObjectType", "kind of object", since="v1", names=MQOT, default=1),
        char("ObjectName", 48, "object; in a reply the resolved or dynamic name", since="v1"),
        char("ObjectQMgrName", 48, "queue manager of the object", since="v1"),
        char("DynamicQName", 48, "template for the name of a dynamic queue", since="v1"),
        char("AlternateUserId", 12, "user whose authority counts", since="v1"),
        n.u32("RecsPresent", "destinations of a distribution list", since="v2"),
        n.u32("KnownDestCount", "reply: local queues opened", since="v2"),
        n.u32("UnknownDestCount", "reply: remote queues opened", since="v2"),
        n.u32("InvalidDestCount", "reply: queues that could not be opened", since="v2"),
        n.u32("ObjectRecOffset", "where the object records begin, 0 for none", since="v2"),
        n.u32("ResponseRecOffset", "where the response records begin, 0 for none", since="v2"),
        n.u32("ObjectRecPtr", "pointer, without meaning", since="v2"),
        n.u32("ResponseRecPtr", "pointer, without meaning", since="v2"),
        raw("AlternateSecurityId", 40, "security id of the alternate user", since="v3"),
        char("ResolvedQName", 48, "reply: resolved queue", since="v3"),
        char("ResolvedQMgrName", 48, "reply: resolved queue manager", since="v3"),
        *charv(n, "ObjectString", "long object name, topic string", since="v4"),
        *charv(n, "SelectionString", "selector", since="v4"),
        *charv(n, "ResObjectString", "reply: resolved topic string", since="v4"),
        n.u32("ResolvedType", "reply: kind of the resolved object", since="v4", names=MQOT),
    )


OD = Structure("OD", _od, OdBig, OdLittle, mq_name="MQOD", spec="mq-wire.md 5.6")
"""Version 4, 400 bytes."""

OD_SIZES: Final = {1: 168, 2: 200, 3: 336, 4: 400}
"""Length in bytes by version."""


class ObjectDescriptor(StructureWithStrings):
    """An OD. ``rest`` holds the records and strings behind it as received."""

    __slots__ = ()

    STRINGS: ClassVar[tuple[str, ...]] = string_names(("ObjectString", "SelectionString", "ResObjectString"))

    @property
    def object_records(self) -> list[Or]:
        """Return the destinations of a distribution list."""
        return records_behind(self, OR, self.record.object_rec_offset)

    @property
    def response_records(self) -> list[Rr]:
        """Return the outcome for each destination."""
        return records_behind(self, RR, self.record.response_rec_offset)


def parse_od(buffer: Buffer, offset: int, order: ByteOrder) -> ObjectDescriptor:
    """Read an OD with its records and strings.

    Raises ``StructureError`` when it is cut short, begins with another StrucId, states a version other than 1 to 4,
    or when a record or string does not lie behind it in the buffer.
    """
    descriptor = read_versioned(ObjectDescriptor, OD, OD_SIZES, buffer, offset, order)
    record, known = descriptor.record, descriptor.known
    end = max(
        end_of_strings(descriptor, buffer, offset),
        end_of_records(record, "ObjectRecOffset", record.object_rec_offset, OR.size, known, buffer, offset),
        end_of_records(record, "ResponseRecOffset", record.response_rec_offset, RR.size, known, buffer, offset),
    )
    descriptor.rest = bytes(memoryview(buffer)[offset + known : offset + end])
    return descriptor


def records_behind(body: Body, structure: Structure[RecordT], start: int) -> list[RecordT]:
    """Return the records of a distribution list at an offset from the start of ``body``; none for offset 0."""
    if not start:
        return []
    codec = structure.codec(body.record.ORDER)
    places = range(start - body.known, start - body.known + body.record.recs_present * codec.SIZE, codec.SIZE)
    return [codec.parse(body.rest, place) for place in places]


def replace_records(body: Body, start: int, records: Sequence[Record]) -> None:
    """Overwrite the records at an offset from the start of ``body``."""
    built = b"".join(record.build() for record in records)
    place = start - body.known
    body.rest = body.rest[:place] + built + body.rest[place + len(built) :]


def end_of_records(record: Any, name: str, start: int, size: int, known: int, buffer: Buffer, offset: int) -> int:
    """Return the end of the records of a distribution list, as an offset from the start of their structure.

    ``size``: length of one record in bytes. Raises ``StructureError`` for records that do not lie between the fixed
    part and the end of the buffer.
    """
    if not start or not record.recs_present:
        return known
    end: int = start + record.recs_present * size
    if start < known or end > len(buffer) - offset:
        place = next(slot.offset for slot in record.SLOTS if slot.field.name == name)
        what = f"{name} is {start}: {record.recs_present} records do not lie behind {known} bytes"
        raise StructureError(record.NAME, offset + place, what)
    return end


def make_od(
    order: ByteOrder,
    version: int = 1,
    *,
    object_records: Sequence[Record] = (),
    response_records: Sequence[Record] = (),
    strings: Mapping[str, bytes | None] | None = None,
    ccsid: int = STRING_CCSID,
    **values: Any,
) -> ObjectDescriptor:
    """Return an OD to send, with records and strings behind it; other fields by keyword.

    ``strings``: by attribute name, in ``ccsid``. Records need version 2, strings version 4.
    """
    size = OD_SIZES[version]
    objects = b"".join(record.build() for record in object_records)
    responses = b"".join(record.build() for record in response_records)
    if objects:
        values |= {"recs_present": len(object_records), "object_rec_offset": size}
    if responses:
        values |= {"recs_present": len(response_records), "response_rec_offset": size + len(objects)}
    placed, tail = place_strings(size + len(objects) + len(responses), strings or {}, ccsid)
    descriptor = new_versioned(ObjectDescriptor, OD, OD_SIZES, order, version, values | placed)
    descriptor.rest = objects + responses + tail
    return descriptor
