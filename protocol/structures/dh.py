"""DH: the distribution header, several destinations of one message, mq-wire.md 5.15.

Format in front of it: ``MQHDIST``. Behind the fixed part stand an object record (OR) for each destination and,
where fields differ between destinations, a put message record (PMR) for each, of the fields that PutMsgRecFields
names (mq-wire.md 5.6 and 5.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQDHF, MQPMRF, ByteOrder, feedback_name
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.dh import Dh, DhBig, DhLittle, Or, OrBig, OrLittle
from mqbridge.protocol.records import Buffer, Record

from .bodies import Body
from .linked import common_fields, read_header


def _dh(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "DH", version=1, length=48, flags=MQDHF),
        n.u32("PutMsgRecFields", "fields that each put message record has", names=MQPMRF),
        n.u32("RecsPresent", "destinations"),
        n.u32("ObjectRecOffset", "where the object records begin, from the start of this header"),
        n.u32("PutMsgRecOffset", "where the put message records begin, 0 for none"),
    )


def _object_record(_: Numbers) -> Any:
    return Struct(
        char("ObjectName", 48, "queue"),
        char("ObjectQMgrName", 48, "queue manager"),
    )


DH = Structure("DH", _dh, DhBig, DhLittle, mq_name="MQDH", spec="mq-wire.md 5.15")
"""The fixed part, 48 bytes."""

OR = Structure("OR", _object_record, OrBig, OrLittle, mq_name="MQOR", spec="mq-wire.md 5.6")
"""One destination, 96 bytes."""

ALL_PMR_FIELDS: Final = 0x1F
"""Field flags with a known meaning."""


@cache
def put_message_record(fields: int) -> Structure[Any]:
    """PMR with the fields that a PutMsgRecFields word names, in their fixed order; unknown bits do not count.

    The word without known bits has no record: ``ValueError``.
    """
    if not fields & ALL_PMR_FIELDS:
        raise ValueError("a put message record has at least one field")

    def layout(n: Numbers) -> Any:
        known = (
            (MQPMRF.MSG_ID, raw("MsgId", 24, "message id", since="flag 0x01")),
            (MQPMRF.CORREL_ID, raw("CorrelId", 24, "correlation id", since="flag 0x02")),
            (MQPMRF.GROUP_ID, raw("GroupId", 24, "group id", since="flag 0x04")),
            (MQPMRF.FEEDBACK, n.u32("Feedback", "feedback", since="flag 0x08", names=feedback_name)),
            (MQPMRF.ACCOUNTING_TOKEN, raw("AccountingToken", 32, "accounting token", since="flag 0x10")),
        )
        return Struct(*(field for flag, field in known if fields & flag))

    return Structure("PMR", layout, mq_name="MQPMR", spec="mq-wire.md 5.8")


PMR = put_message_record(ALL_PMR_FIELDS)
"""The put message record with all its fields, 108 bytes."""


class Distribution(Body):
    """A DH. ``rest`` holds the records as received."""

    __slots__ = ()

    @property
    def object_records(self) -> list[Or]:
        """Return the destinations."""
        codec = OR.codec(self.record.ORDER)
        start = self.record.object_rec_offset - DH.size
        return [codec.parse(self.rest, start + number * codec.SIZE) for number in range(self.record.recs_present)]

    @property
    def put_msg_records(self) -> list[Record]:
        """Return the put message record of each destination, or an empty list."""
        structure = _pmr_of(self.record)
        if structure is None:
            return []
        codec = structure.codec(self.record.ORDER)
        start = self.record.put_msg_rec_offset - DH.size
        return [codec.parse(self.rest, start + number * codec.SIZE) for number in range(self.record.recs_present)]


def parse_dh(buffer: Buffer, offset: int, order: ByteOrder) -> Distribution:
    """Read a distribution header with its records.

    Raises ``StructureError``, also for records that do not lie between the fixed part and StrucLength.
    """
    header = read_header(Distribution, DH, buffer, offset, order, 1)
    record = header.record
    _check_records(record, "ObjectRecOffset", record.object_rec_offset, OR, offset + 40)
    pmr = _pmr_of(record)
    if pmr is not None:
        _check_records(record, "PutMsgRecOffset", record.put_msg_rec_offset, pmr, offset + 44)
    return header


def make_dh(
    order: ByteOrder, object_records: Sequence[Record], put_msg_records: Sequence[Record] = (), **values: Any
) -> Distribution:
    """Return a header with its records, lengths and offsets set; PutMsgRecFields and other fields by keyword."""
    objects = b"".join(record.build() for record in object_records)
    puts = b"".join(record.build() for record in put_msg_records)
    record = DH.codec(order)(
        struc_length=DH.size + len(objects) + len(puts),
        recs_present=len(object_records),
        object_rec_offset=DH.size if objects else 0,
        put_msg_rec_offset=DH.size + len(objects) if puts else 0,
        **values,
    )
    return Distribution(record, DH.size, objects + puts)


def _pmr_of(record: Dh) -> Structure[Any] | None:
    if not record.put_msg_rec_offset or not record.put_msg_rec_fields & ALL_PMR_FIELDS:
        return None
    return put_message_record(record.put_msg_rec_fields & ALL_PMR_FIELDS)


def _check_records(record: Dh, name: str, start: int, structure: Structure[Any], offset: int) -> None:
    if not record.recs_present:
        return
    end = start + record.recs_present * structure.size
    if start < DH.size or end > record.struc_length:
        raise StructureError("DH", offset, f"{name} is {start}: {record.recs_present} records do not lie in the header")
