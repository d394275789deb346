"""Conversion of any data: it never fails but by its reason, and the fields always say what the data are like."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.mappings.conversion import DataEncoding, convert_data
from mqbridge.protocol.chain import walk
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.structures.dlh import DLH
from mqbridge.protocol.structures.rfh2 import make_rfh2

ENCODINGS = st.sampled_from([273, 546, 785, 0])
CCSIDS = st.sampled_from([37, 500, 819, 943, 1200, 1208, 1252, 99999])
FORMS = st.builds(DataEncoding, ENCODINGS, CCSIDS)
FORMATS = st.sampled_from([str(name) for name in MQFMT] + ["MYOWN"])
LATIN = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=60)


@pytest.mark.spec("mqi.md 14")
@settings(max_examples=200)
@given(FORMATS, FORMS, FORMS, st.binary(max_size=300))
def test_any_data_are_converted_or_left_as_they_are(
    format_name: str, source: DataEncoding, target: DataEncoding, data: bytes
) -> None:
    converted = convert_data(format_name, source, data, target)
    assert converted.form in (source, target)
    if converted.form == source and converted.reason:
        assert converted.data == data
    if source == target:
        assert (converted.data, converted.reason) == (data, 0)


@pytest.mark.spec("mqi.md 14")
@given(
    st.sampled_from([DataEncoding(273, 500), DataEncoding(546, 819), DataEncoding(273, 37)]),
    st.sampled_from([DataEncoding(546, 1208), DataEncoding(273, 1047), DataEncoding(546, 1252)]),
    LATIN,
    st.lists(st.sampled_from(["<usr><a>1</a></usr>", "<jms/>"]), max_size=3),
    st.sampled_from(["MQSTR", "", "MYOWN"]),
)
def test_a_chain_says_what_it_holds_and_comes_back(
    source: DataEncoding, target: DataEncoding, text: str, folders: list[str], body_format: str
) -> None:
    codec = f"cp{source.ccsid:03}" if source.ccsid != 819 else "latin_1"
    order = ByteOrder.BIG if source.encoding == 273 else ByteOrder.LITTLE
    link = {"encoding": source.encoding, "coded_char_set_id": source.ccsid}
    rfh2 = make_rfh2(order, [each.encode() for each in folders], format=body_format.ljust(8).encode(codec), **link)
    rfh2.record.struc_id = "RFH ".encode(codec)
    dead = DLH.codec(order)(format="MQHRF2  ".encode(codec), struc_id="DLH ".encode(codec), **link)
    for slot in dead.SLOTS:
        value = getattr(dead, slot.field.key)
        if slot.field.kind == "char" and value.isspace():
            setattr(dead, slot.field.key, " ".encode(codec) * slot.size)
    data = dead.build() + rfh2.build() + text.encode(codec)
    converted = convert_data("MQDEAD", source, data, target)
    chain = walk("MQDEAD", *target, converted.data)
    assert chain.stopped is None
    assert [each.name for each in chain.links] == ["DLH", "RFH2"]
    assert chain.body_format == body_format
    expected = target if body_format == "MQSTR" else source
    assert (chain.body_encoding, chain.body_ccsid) == expected
    assert bool(converted.reason) is (body_format == "MYOWN")
    back = convert_data("MQDEAD", target, converted.data, source)
    assert (back.data, back.form) == (data, source)
