"""Conversion of data in formats that are handed in (mqi.md 14)."""

from __future__ import annotations

from typing import Any

import pytest
from construct import GreedyBytes, Struct, Switch, this

from mqbridge.mappings.conversion import DataEncoding, NotConvertedError, convert_data, convert_message
from mqbridge.mappings.conversion.plug_ins import convert_plug_in
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC, ByteOrder
from mqbridge.protocol.fields import char, part
from mqbridge.protocol.formats import Format
from mqbridge.protocol.grammar import Structure
from support.formats.shop import FORMATS, HEADER, LETTER, PAIRS

UTF_8 = DataEncoding(546, 1208)
HOST = DataEncoding(785, 500)
VALUES = {"Customer": "Ann", "Count": 1, "Items": [{"Part": "BOLT", "Pieces": 5}]}


def order(form: DataEncoding) -> bytes:
    found = FORMATS.get("SHOPORD")
    assert found is not None
    return found.build(VALUES, form.encoding, form.ccsid)


def header(form: DataEncoding, **fields: Any) -> bytes:
    text = "cp500" if form.ccsid == 500 else "ascii"
    side = ByteOrder.LITTLE if form.encoding == 546 else ByteOrder.BIG
    return HEADER.codec(side)(
        struc_id="SHOP".encode(text),
        format="SHOPORD ".encode(text),
        branch="London".encode(text),
        token=b"ab",
        encoding=form.encoding,
        coded_char_set_id=form.ccsid,
        **fields,
    ).build()


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize(("source", "target"), [(UTF_8, HOST), (HOST, UTF_8)])
def test_text_and_integers_of_a_header_and_a_body(source: DataEncoding, target: DataEncoding) -> None:
    found = convert_data("SHOPHDR", source, header(source) + order(source), target, FORMATS)
    assert (found.data, found.form, found.reason) == (header(target) + order(target), target, 0)


def test_a_header_of_variable_length() -> None:
    def letter(form: DataEncoding) -> bytes:
        found = FORMATS.get("SHOPLET")
        assert found is not None
        values = {"Format": "SHOPORD", "Length": 4, "Subject": "Note"}
        return found.build(
            {"Encoding": form.encoding, "CodedCharSetId": form.ccsid, **values}, form.encoding, form.ccsid
        )

    found = convert_data("SHOPLET", UTF_8, letter(UTF_8) + order(UTF_8), HOST, FORMATS)
    assert (found.data, found.reason) == (letter(HOST) + order(HOST), 0)
    assert LETTER.name == "LETTER"


def test_an_object_converts_itself() -> None:
    message = Message.build(b"a=1", format="SHOPPAIR", encoding=546, coded_char_set_id=1208)
    assert convert_message(message, HOST, 1208, FORMATS) == 0
    assert (message.data, message.md.coded_char_set_id, message.md.encoding) == ("a=1".encode("cp500"), 500, 785)


def test_without_the_table_a_format_is_unknown() -> None:
    message = Message.build(b"a=1", format="SHOPPAIR", encoding=546, coded_char_set_id=1208)
    assert convert_message(message, HOST, 1208) == MQRC.FORMAT_ERROR
    assert message.data == b"a=1"


@pytest.mark.parametrize(
    ("format_name", "data", "reason"),
    [
        ("SHOPORD", b"short", MQRC.FORMAT_ERROR),
        ("SHOPORD", b"Ann     \0\0!", MQRC.FORMAT_ERROR),
        ("SHOPORD", b"\xff\xff      \0\0", MQRC.NOT_CONVERTED),
        ("SHOPPAIR", b"no sign", MQRC.FORMAT_ERROR),
        ("SHOPHDR", b"SHOP", MQRC.FORMAT_ERROR),
    ],
)
def test_what_cannot_be_converted_stays_as_it_is(format_name: str, data: bytes, reason: int) -> None:
    found = convert_data(format_name, UTF_8, data, HOST, FORMATS)
    assert (found.data, found.form, found.reason) == (data, UTF_8, reason)


def test_a_header_converted_before_a_body_that_is_not() -> None:
    found = convert_data("SHOPHDR", UTF_8, header(UTF_8) + b"short", HOST, FORMATS)
    first = HEADER.codec(ByteOrder.BIG).parse(found.data)
    assert (first.encoding, first.coded_char_set_id) == (546, 1208)
    assert first.branch == "London".encode("cp500")
    assert (found.data[28:], found.form, found.reason) == (b"short", HOST, MQRC.FORMAT_ERROR)


def test_text_that_grows_beyond_its_field() -> None:
    data = "\u00fcber\u00fc\u00fc\u00fc\u00fc".encode("cp500") + b"\0\0"
    assert convert_data("SHOPORD", HOST, data, UTF_8, FORMATS).reason == MQRC.CONVERTED_STRING_TOO_BIG


def test_bytes_that_no_field_describes_are_not_guessed() -> None:
    def layout(n: Any) -> Any:
        return Struct(n.u8("Kind", "of the rest"), part("Rest", Switch(this.kind, {1: GreedyBytes}), "text or not"))

    found = Format("CHOICE", Structure("CHOICE", layout))
    with pytest.raises(NotConvertedError, match="no field says whether some of the bytes are text"):
        convert_plug_in(found, b"\1text", UTF_8, HOST)
    assert convert_plug_in(found, b"\2", UTF_8, HOST) == b"\2"


def test_a_text_of_the_rest_keeps_its_length() -> None:
    found = Format("NOTE", Structure("NOTE", lambda _: Struct(part("Text", GreedyBytes, "all", kind="char"))))
    assert convert_plug_in(found, b"hello", UTF_8, HOST) == "hello".encode("cp500")
    assert not Format("PAIRS", PAIRS).is_header
    assert not Format("FOUR", Structure("FOUR", lambda _: Struct(char("Text", 4, "all")))).is_header
