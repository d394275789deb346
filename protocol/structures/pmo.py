"""PMO: options of an MQPUT or MQPUT1, versions 1 to 3, mq-wire.md 5.8.

For a distribution list, a put message record (PMR) of the fields that PutMsgRecFields names and a response record (RR)
stand behind it for each destination, if it states their offsets, which count from the start of the PMO.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQACTP, MQPMO, MQPMRF, ByteOrder
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.pmo import Pmo, PmoBig, PmoLittle
from mqbridge.protocol.layouts.rr import Rr
from mqbridge.protocol.records import Buffer, Record

from .bodies import Body
from .dh import ALL_PMR_FIELDS, put_message_record
from .od import end_of_records, records_behind
from .rr import RR
from .versioned import new_versioned, read_versioned


def _pmo(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`PMO` and a blank", since="v1", default=b"PMO"),
        n.u32("Version", "1 to 3", since="v1", default=1),
        n.u32("Options", "options of the put", since="v1", names=MQPMO),
        n.i32("Timeout", "reserved, -1", since="v1", default=-1),
        n.u32("Context", "queue handle that gives the context", since="v1"),
        n.u32("KnownDestCount", "reply: messages put to local queues", since="v1"),
        n.u32("UnknownDestCount", "reply: messages put to remote queues", since="v1"),
        n.u32("InvalidDestCount", "reply: messages that could not be put", since="v1"),
        char("ResolvedQName", 48, "reply: resolved queue", since="v1"),
        char("ResolvedQMgrName", 48, "reply: resolved queue manager", since="v1"),
        n.u32("RecsPresent", "put message records and response records", since="v2"),
        n.u32("PutMsgRecFields", "fields that each put message record has", since="v2", names=MQPMRF),
        n.u32("PutMsgRecOffset", "where the put message records begin, 0 for none", since="v2"),
        n.u32("ResponseRecOffset", "where the response records begin, 0 for none", since="v2"),
        n.u32("PutMsgRecPtr", "pointer, without meaning", since="v2"),
        n.u32("ResponseRecPtr", "pointer, without meaning", since="v2"),
        n.u64("OriginalMsgHandle", "message handle", since="v3"),
        n.u64("NewMsgHandle", "message handle", since="v3"),
        n.u32("Action", "how the message relates to the original one", since="v3", names=MQACTP),
        n.u32("PubLevel", "level of a publication", since="v3", default=9),
    )


PMO = Structure("PMO", _pmo, PmoBig, PmoLittle, mq_name="MQPMO", spec="mq-wire.md 5.8")
"""Version 3, 176 bytes."""

PMO_SIZES: Final = {1: 128, 2: 152, 3: 176}
"""Length in bytes by version."""


class PutMessageOptions(Body):
    """A PMO. ``rest`` holds the records behind it as received."""

    __slots__ = ()

    @property
    def put_msg_records(self) -> list[Record]:
        """Return the put message record of each destination, or an empty list."""
        structure = pmr_of(self.record)
        return records_behind(self, structure, self.record.put_msg_rec_offset) if structure else []

    @property
    def response_records(self) -> list[Rr]:
        """Return the outcome for each destination."""
        return records_behind(self, RR, self.record.response_rec_offset)


def pmr_of(record: Pmo) -> Structure[Any] | None:
    """Return the structure of the put message records of a PMO; None if it has none."""
    fields = record.put_msg_rec_fields & ALL_PMR_FIELDS
    return put_message_record(fields) if record.put_msg_rec_offset and fields else None


def parse_pmo(buffer: Buffer, offset: int, order: ByteOrder) -> PutMessageOptions:
    """Read a PMO with its records.

    Raises ``StructureError`` when it is cut short, begins with another StrucId, states a version other than 1 to 3,
    or when a record does not lie behind it in the buffer.
    """
    options = read_versioned(PutMessageOptions, PMO, PMO_SIZES, buffer, offset, order)
    record, known = options.record, options.known
    if not record.recs_present:
        return options
    pmr = pmr_of(record)
    end = end_of_records(record, "ResponseRecOffset", record.response_rec_offset, RR.size, known, buffer, offset)
    if pmr is not None:
        start = record.put_msg_rec_offset
        end = max(end, end_of_records(record, "PutMsgRecOffset", start, pmr.size, known, buffer, offset))
    options.rest = bytes(memoryview(buffer)[offset + known : offset + end])
    return options


def make_pmo(
    order: ByteOrder,
    version: int = 1,
    *,
    put_msg_records: Sequence[Record] = (),
    response_records: Sequence[Record] = (),
    **values: Any,
) -> PutMessageOptions:
    """Return a PMO to send, with records behind it; PutMsgRecFields and others by keyword. Records need version 2."""
    size = PMO_SIZES[version]
    puts = b"".join(record.build() for record in put_msg_records)
    responses = b"".join(record.build() for record in response_records)
    if puts:
        values |= {"recs_present": len(put_msg_records), "put_msg_rec_offset": size}
    if responses:
        values |= {"recs_present": len(response_records), "response_rec_offset": size + len(puts)}
    options = new_versioned(PutMessageOptions, PMO, PMO_SIZES, order, version, values)
    options.rest = puts + responses
    return options
