"""Columns of a descriptor hold what its grammar says, though what repeats is read once."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.analysis.message_rows import pending_row, settled_row
from mqbridge.captures.tables import MessageRow
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.dissection.shown import readable_ccsid
from mqbridge.protocol.observer import MessageRoute, ObservedMessage, Place
from mqbridge.protocol.structures import MD, MD1
from mqbridge.protocol.text import decode_field

COLUMNS = MessageRow._fields[MessageRow._fields.index("msg_id") : MessageRow._fields.index("property_types")]
IDS, TIMES = st.binary(min_size=48, max_size=48), st.binary(min_size=16, max_size=16)
OPTIONS = AnalysisOptions("x")


def row_of(raw: bytes, order: ByteOrder, ccsid: int) -> MessageRow:
    place = Place(1.0, 1, 0)
    values: Any = MessageRoute.CHANNEL, Direction.INITIATOR, raw, order, ccsid, b"data", 4, False, place, place
    return settled_row(pending_row(ObservedMessage(*values), 1, "C", OPTIONS), None)


def expected(raw: bytes, order: ByteOrder, ccsid: int) -> dict[str, object]:
    structure = MD if len(raw) == MD.size else MD1
    record, found = structure.codec(order).parse(raw), {}
    for slot in MD.slots:
        key = slot.field.key
        value = getattr(record, key, slot.field.default)
        if slot.field.kind == "char":
            raw_text = value if isinstance(value, bytes) else b""
            value = decode_field(raw_text, readable_ccsid(ccsid), order=order)
        elif slot.field.kind == "bytes":
            value = (bytes(slot.size) if value is None or not hasattr(record, key) else value).hex()
        found[key] = value
    return {key: found[key] for key in COLUMNS}


@settings(max_examples=200)
@given(
    st.lists(st.tuples(IDS, TIMES), min_size=1, max_size=4),
    st.binary(min_size=0, max_size=268),
    st.booleans(),
    st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]),
    st.sampled_from([819, 1208, 500, 1200, 0, 65535]),
)
def test_columns_of_any_descriptor(
    differing: list[tuple[bytes, bytes]], common: bytes, longer: bool, order: ByteOrder, ccsid: int
) -> None:
    size = MD.size if longer else MD1.size
    for ids, times in differing:
        raw = bytearray((bytes(96) + common).ljust(size, b" ")[:size])
        raw[48:96], raw[304:320] = ids, times
        raw[32:40] = b"MQSTR   "
        row = row_of(bytes(raw), order, ccsid)
        assert {key: getattr(row, key) for key in COLUMNS} == expected(bytes(raw), order, ccsid)
        assert row.body_format == "MQSTR"


def test_each_field_reaches_its_column() -> None:
    before = row_of(bytes(MD.size), ByteOrder.BIG, 819)
    for slot in MD.slots:
        raw = bytearray(MD.size)
        raw[slot.offset : slot.offset + slot.size] = b"A" * slot.size
        changed = {
            key for key in COLUMNS if getattr(row_of(bytes(raw), ByteOrder.BIG, 819), key) != getattr(before, key)
        }
        assert changed == {slot.field.key} & set(COLUMNS)
