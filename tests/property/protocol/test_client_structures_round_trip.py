"""Structures of client calls: what is read builds back to the same bytes, what is built reads back, in both orders."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import (
    INQ_VALUES,
    OR,
    RR,
    XID,
    make_od,
    make_pmo,
    make_sd,
    parse_od,
    parse_pmo,
    parse_sd,
)
from support.captures.header_strategies import ORDERS
from support.clients.strategies import STRUCTURES

EACH = pytest.mark.parametrize("name", STRUCTURES)
ENDLESS = {"FCNO"}
"""Structures that go on to the end of what there is."""


@EACH
@given(data=st.data(), order=ORDERS, ebcdic=st.booleans(), before=st.binary(max_size=5), after=st.binary(max_size=5))
@pytest.mark.spec("mq-wire.md 5.6")
@pytest.mark.spec("mq-wire.md 5.8")
@pytest.mark.spec("mq-wire.md 5.9")
@pytest.mark.spec("mq-wire.md 5.12")
def test_a_structure_builds_and_reads_back(
    name: str, data: st.DataObject, order: ByteOrder, ebcdic: bool, before: bytes, after: bytes
) -> None:
    reader, strategy = STRUCTURES[name]
    made = data.draw(strategy(order, ebcdic))
    raw = made.build()
    if name in ENDLESS:
        after = b""
    for buffer in (before + raw + after, bytearray(before + raw + after), memoryview(before + raw + after)):
        if name == "LPOO" and len(raw) == 32:
            od = b"OD  " if not ebcdic else "OD  ".encode("cp500")
            buffer = before + raw + od
        again = reader(buffer, len(before), order)
        assert again == made
        assert again.build() == raw


@EACH
@given(data=st.data(), order=ORDERS, ebcdic=st.booleans())
def test_a_structure_cut_short_is_an_error(name: str, data: st.DataObject, order: ByteOrder, ebcdic: bool) -> None:
    reader, strategy = STRUCTURES[name]
    raw = data.draw(strategy(order, ebcdic)).build()
    least = 139 if name in ENDLESS else len(raw) - 4 if name in ("XID", "OD", "SD", "STAT") else len(raw) - 1
    cut = data.draw(st.integers(0, max(least, 0)))  # what fills a string or XID up may be missing at the end
    with pytest.raises(StructureError) as caught:
        reader(raw[:cut], 0, order)
    assert 0 <= caught.value.offset <= len(raw)


@EACH
@given(data=st.data(), order=ORDERS, ebcdic=st.booleans())
def test_a_damaged_structure_is_read_or_is_an_error(
    name: str, data: st.DataObject, order: ByteOrder, ebcdic: bool
) -> None:
    reader, strategy = STRUCTURES[name]
    raw = bytearray(data.draw(strategy(order, ebcdic)).build())
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = reader(bytes(raw), 0, order)
    except StructureError as error:
        fault = error
    else:
        built = read.build()
        assert built == raw[: len(built)]
        every_view(read)
        return
    assert 0 <= fault.offset <= len(raw)


def every_view(read: Any) -> None:
    """Ask a structure for all that it gives: none of it may fail once it was read."""
    for name in dir(type(read)):
        if not name.startswith("_") and isinstance(getattr(type(read), name, None), property):
            getattr(read, name)


@given(
    order=ORDERS,
    objects=st.integers(0, 3),
    strings=st.dictionaries(st.sampled_from(["object_string", "selection_string"]), st.binary(max_size=30)),
)
@pytest.mark.spec("client-observed.md 4")
def test_what_is_made_to_be_sent_is_read(order: ByteOrder, objects: int, strings: dict[str, bytes]) -> None:
    names = [OR.codec(order)(object_name=str(number).encode().ljust(48)) for number in range(objects)]
    answers = [RR.codec(order)(reason=number) for number in range(objects)]
    od = parse_od(make_od(order, 4, object_records=names, response_records=answers, strings=strings).build(), 0, order)
    assert (od.object_records, od.response_records, od.strings) == (names, answers, strings)
    sd = parse_sd(make_sd(order, strings=strings, options=0x222022).build(), 0, order)
    assert (sd.strings, sd.record.options) == (strings, 0x222022)
    pmo = parse_pmo(make_pmo(order, 2, response_records=answers, options=0x20000).build(), 0, order)
    assert (pmo.response_records, pmo.put_msg_records, pmo.record.options) == (answers, [], 0x20000)


@given(data=st.data(), order=ORDERS)
@pytest.mark.spec("mq-wire.md 5.10")
@pytest.mark.spec("mq-wire.md 5.13")
def test_what_readers_see_is_what_the_grammar_says(data: st.DataObject, order: ByteOrder) -> None:
    inquiry = data.draw(STRUCTURES["INQ"][1](order, False))
    said = INQ_VALUES.parse(inquiry.build(), 0, order)
    assert (list(said.selectors), list(said.int_attrs), said.char_attrs) == (
        list(inquiry.selectors),
        list(inquiry.int_attrs),
        inquiry.char_attrs,
    )
    xid = data.draw(STRUCTURES["XID"][1](order, False))
    said = XID.parse(xid.build(), 0, order)
    assert (said.format_id, said.gtrid, said.bqual) == xid.key
    assert XID.build(said, order) == xid.build()
