"""Message headers: what is read builds back to the same bytes, and what is built reads back, in both orders."""

from __future__ import annotations

import pytest
from construct import GreedyRange
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import DH, FOLDER, OR, RFH2, put_message_record
from support.captures.header_strategies import HEADERS, ORDERS

READERS = {name: getattr(structures, "parse_" + name.lower()) for name in HEADERS}
EACH = pytest.mark.parametrize("name", HEADERS)


@EACH
@given(data=st.data(), order=ORDERS, ebcdic=st.booleans(), before=st.binary(max_size=5), after=st.binary(max_size=5))
@pytest.mark.spec("mq-wire.md 5.15")
def test_a_header_builds_and_reads_back(
    name: str, data: st.DataObject, order: ByteOrder, ebcdic: bool, before: bytes, after: bytes
) -> None:
    header = data.draw(HEADERS[name][1](order, ebcdic))
    raw = header.build()
    for buffer in (before + raw + after, bytearray(before + raw + after), memoryview(before + raw + after)):
        again = READERS[name](buffer, len(before), order)
        assert again == header
        assert again.build() == raw


@EACH
@given(data=st.data(), order=ORDERS, ebcdic=st.booleans())
def test_a_header_cut_short_is_an_error(name: str, data: st.DataObject, order: ByteOrder, ebcdic: bool) -> None:
    raw = data.draw(HEADERS[name][1](order, ebcdic)).build()
    cut = data.draw(st.integers(0, len(raw) - 1))
    with pytest.raises(StructureError) as caught:
        READERS[name](raw[:cut], 0, order)
    assert 0 <= caught.value.offset <= cut


@EACH
@given(data=st.data(), order=ORDERS, ebcdic=st.booleans())
def test_a_damaged_header_is_read_or_is_an_error(
    name: str, data: st.DataObject, order: ByteOrder, ebcdic: bool
) -> None:
    raw = bytearray(data.draw(HEADERS[name][1](order, ebcdic)).build())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at] = data.draw(st.integers(0, 255))
    try:
        header = READERS[name](bytes(raw), 0, order)
    except StructureError as error:
        fault = error
    else:
        built = header.build()
        assert built == raw[: len(built)]
        return
    assert 0 <= fault.offset <= len(raw)


@given(data=st.data(), order=ORDERS)
@pytest.mark.spec("mq-wire.md 5.15")
def test_folders_are_those_of_the_grammar(data: st.DataObject, order: ByteOrder) -> None:
    header = data.draw(HEADERS["RFH2"][1](order, False))
    folders = GreedyRange(FOLDER.grammar(order)).parse(header.rest)
    assert header.folders == [folder.name_value_data for folder in folders]
    assert all(folder.name_value_length == len(folder.name_value_data) for folder in folders)
    fixed = RFH2.parse(header.build(), 0, order)
    assert fixed.struc_length == RFH2.size + len(header.rest)


@given(data=st.data(), order=ORDERS)
@pytest.mark.spec("mq-wire.md 5.6")
def test_records_of_a_distribution_are_those_of_the_grammar(data: st.DataObject, order: ByteOrder) -> None:
    header = data.draw(HEADERS["DH"][1](order, False))
    raw = header.build()
    fixed = DH.parse(raw, 0, order)
    assert len(header.object_records) == fixed.recs_present
    for number, found in enumerate(header.object_records):
        expected = OR.parse(raw, fixed.object_rec_offset + number * OR.size, order)
        assert (found.object_name, found.object_q_mgr_name) == (expected.object_name, expected.object_q_mgr_name)
    if fixed.put_msg_rec_fields & 0x1F and fixed.recs_present:
        structure = put_message_record(fixed.put_msg_rec_fields & 0x1F)
        assert len(header.put_msg_records) == fixed.recs_present
        for number, found in enumerate(header.put_msg_records):
            expected = structure.parse(raw, fixed.put_msg_rec_offset + number * structure.size, order)
            assert found.as_dict() == {key: expected[key] for key in found.KEYS}
    else:
        assert header.put_msg_records == []
