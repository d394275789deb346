"""Formats of others in a table that is handed in: structures and objects, headers and bodies."""

from __future__ import annotations

from typing import Any

import pytest
from construct import Bytes, Int32ub, Struct

from mqbridge.protocol.chain import MAX_HEADERS, walk, walk_descriptor, walk_unknown
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import ConversionError, LocalProtocolError, StructureError
from mqbridge.protocol.fields import char
from mqbridge.protocol.formats import NO_FORMATS, Format, FormatError, Formats
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures.md import MD1
from support.formats.shop import FORMATS, HEADER, LETTER, ORDER, PAIRS, Pairs

LITTLE, BIG = 546, 273
ITEMS = [{"Part": "BOLT", "Pieces": 5}, {"Part": "NUT", "Pieces": -1}]
ORDERED = {"Customer": "Ann", "Count": 2, "Items": ITEMS}


def header(order: ByteOrder, **fields: Any) -> bytes:
    return HEADER.codec(order)(**{"format": b"SHOPORD ", "branch": b"London", "token": b"\1\2", **fields}).build()


def test_a_structure_that_says_what_follows_is_a_header() -> None:
    data = header(ByteOrder.BIG, encoding=LITTLE, coded_char_set_id=500) + b"body"
    chain = walk("SHOPHDR", BIG, 819, data, FORMATS)
    (link,) = chain.links
    assert (link.name, link.offset, link.length, link.format) == ("SHOPHDR", 0, 28, "SHOPHDR")
    assert link.plug_in is FORMATS.header("SHOPHDR")
    assert link.header.record.branch == b"London"
    assert (chain.body_format, chain.body_encoding, chain.body_ccsid, chain.body) == ("SHOPORD", LITTLE, 500, b"body")
    assert chain.build() == data


def test_without_the_table_it_is_a_body() -> None:
    chain = walk("SHOPHDR", BIG, 819, header(ByteOrder.BIG))
    assert (chain.links, chain.body_format) == ([], "SHOPHDR")


def test_a_header_of_variable_length_ends_where_its_grammar_does() -> None:
    values = {"encoding": BIG, "coded_char_set_id": 500, "format": b"SHOPHDR ", "length": 3, "subject": b"Hi!"}
    data = LETTER.build(values, ByteOrder.LITTLE) + header(ByteOrder.BIG, struc_id="SHOP".encode("cp500"))
    chain = walk("SHOPLET", LITTLE, 1208, data, FORMATS)
    assert [(link.name, link.length, link.header.rest) for link in chain.links] == [
        ("SHOPLET", 21, b"Hi!"),
        ("SHOPHDR", 28, b""),
    ]
    assert chain.build() == data


def test_the_format_is_read_in_the_code_page_in_front_of_a_header_without_struc_id() -> None:
    values = {"encoding": BIG, "coded_char_set_id": 819, "format": "SHOPORD ".encode("cp500"), "length": 0}
    chain = walk("SHOPLET", BIG, 500, LETTER.build({**values, "subject": b""}, ByteOrder.BIG), FORMATS)
    assert chain.body_format == "SHOPORD"


def test_every_way_into_a_chain_takes_the_table() -> None:
    data = header(ByteOrder.LITTLE)
    descriptor = MD1.codec(ByteOrder.LITTLE)(format=b"SHOPHDR ", encoding=LITTLE, coded_char_set_id=0)
    assert len(walk_descriptor(descriptor, data, default_ccsid=1208, formats=FORMATS).links) == 1
    assert [link.name for link in walk_unknown(descriptor.build() + data, FORMATS).links] == ["MD", "SHOPHDR"]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (header(ByteOrder.BIG)[:-1], "SHOP at offset 26: ends inside Token: 2 bytes needed, 1 there"),
        (header(ByteOrder.BIG, struc_id=b"SHIP"), "SHOP at offset 0: StrucId is b'SHIP'"),
    ],
)
def test_a_malformed_header_stops_the_chain(data: bytes, error: str) -> None:
    chain = walk("SHOPHDR", BIG, 819, data, FORMATS)
    assert str(chain.stopped) == error
    assert (chain.links, chain.body) == ([], data)


def test_a_chain_of_such_headers_has_an_end() -> None:
    data = header(ByteOrder.LITTLE, format=b"SHOPHDR ") * (MAX_HEADERS + 5)
    chain = walk("SHOPHDR", LITTLE, 819, data, FORMATS)
    assert len(chain.links) == MAX_HEADERS
    assert "more than 100 headers" in str(chain.stopped)


def test_the_body_of_a_structure_is_read_and_built() -> None:
    found = FORMATS.body("SHOPORD")
    assert found is not None
    data = found.build(ORDERED, BIG, 500)
    assert (
        data
        == "Ann     ".encode("cp500")
        + b"\0\2"
        + "BOLT".encode("cp500")
        + b"\0\5"
        + "NUT ".encode("cp500")
        + b"\xff\xff"
    )
    assert found.parse(data, BIG, 500) == ORDERED


def test_text_that_its_code_page_does_not_have_stays_bytes() -> None:
    found = FORMATS.body("SHOPORD")
    assert found is not None
    data = b"\xff\xfe      \0\0"
    values = found.parse(data, BIG, 1208)
    assert values["Customer"] == b"\xff\xfe      "
    assert found.build(values, BIG, 1208) == data


@pytest.mark.parametrize(
    ("data", "encoding", "error"),
    [
        (b"short", BIG, StructureError),
        (b"Ann     \0\1BOLT\0\5!", BIG, StructureError),
        (b"Ann     \xff\xffBOLT", BIG, StructureError),
        (b"Ann     \0\0", 0, ConversionError),
    ],
)
def test_malformed_bodies_are_documented_errors(data: bytes, encoding: int, error: type[Exception]) -> None:
    found = FORMATS.body("SHOPORD")
    assert found is not None
    with pytest.raises(error):
        found.parse(data, encoding, 1208)


@pytest.mark.parametrize(
    ("values", "error", "what"),
    [
        ({"Customer": "much too long", "Count": 0, "Items": []}, ConversionError, "much too long"),
        ({"Customer": "Ann", "Count": 1 << 16, "Items": []}, LocalProtocolError, "Count"),
        ({"Customer": "Ann", "Count": 1, "Items": []}, LocalProtocolError, "Items"),
        ({"Customer": "Ann"}, LocalProtocolError, "no value for"),
        ({**ORDERED, "Colour": "red"}, LocalProtocolError, "ORDER has no field Colour"),
        ({"Items": [{"Part": "A", "Size": 1}], "Count": 1}, LocalProtocolError, r"Items\[1\] has no field Size"),
    ],
)
def test_values_that_do_not_fit_are_documented_errors(values: Any, error: type[Exception], what: str) -> None:
    found = FORMATS.body("SHOPORD")
    assert found is not None
    with pytest.raises(error, match=what):
        found.build(values, BIG, 1208)


def test_an_object_reads_builds_and_converts() -> None:
    found = FORMATS.body("SHOPPAIR")
    assert found is not None
    assert found.parse(b"a=1;b=2", BIG, 1208) == {"a": "1", "b": "2"}
    assert found.build({"a": 1}, BIG, 500) == "a=1".encode("cp500")
    assert found.convert(b"a=1", (BIG, 1208), (BIG, 500)) == "a=1".encode("cp500")


class Broken(Pairs):
    def parse(self, data: bytes, encoding: int, ccsid: int) -> Any:
        return [1]

    def build(self, values: Any, encoding: int, ccsid: int) -> Any:
        return "text"

    def convert(self, data: bytes, source: Any, target: Any) -> bytes:
        raise ZeroDivisionError("by zero")


def test_what_foreign_code_raises_or_returns_is_a_structure_error() -> None:
    found = Format("BROKEN", Broken(), "shop:BROKEN")
    for call in (
        lambda: found.parse(b"", BIG, 1208),
        lambda: found.build({}, BIG, 1208),
        lambda: found.convert(b"", (BIG, 1208), (BIG, 500)),
        lambda: Format("PAIRS", PAIRS, "shop:BROKEN").parse(b"no sign", BIG, 1208),
    ):
        with pytest.raises(StructureError, match="shop:BROKEN"):
            call()


def _bare(_: Any) -> Any:
    return Struct("x" / Int32ub)


def _wrong(_: Any) -> Any:
    raise KeyError("layout")


@pytest.mark.parametrize(
    ("name", "plug_in", "what"),
    [
        ("", ORDER, "no format name"),
        ("TOOLONGNAME", ORDER, "no format name"),
        ("SHÖP", ORDER, "no format name"),
        (" SHOP", ORDER, "no format name"),
        ("MQSTR", ORDER, "a format of MQ's own"),
        ("MQHRF2", HEADER, "a format of MQ's own"),
        ("SHOP", object(), "object is no Structure and has no parse, build, convert"),
        ("SHOP", Pairs, "Pairs is a class, an object is expected"),
        ("SHOP", Structure("BARE", _bare), "'x' is no field"),
        ("SHOP", Structure("WRONG", _wrong), "structure WRONG: KeyError"),
        ("SHOP", Structure("EMPTY", lambda _: Struct()), "is no field"),
        ("SHOP", Structure("NONE", lambda _: Bytes(3)), "structure NONE"),
    ],
)
def test_what_is_no_format_is_refused(name: str, plug_in: Any, what: str) -> None:
    with pytest.raises(FormatError, match=what):
        Format(name, plug_in)


def test_a_name_given_twice_is_refused_with_both_origins() -> None:
    with pytest.raises(FormatError, match="SHOP is given twice: by a:A and by b:B"):
        Formats((Format("SHOP", ORDER, "a:A"), Format("SHOP", PAIRS, "b:B")))


def test_a_format_of_the_wrong_size_makes_a_body() -> None:
    def layout(n: Any) -> Any:
        return Struct(char("Format", 4, "own use"), n.i32("Encoding", "own"), n.i32("CodedCharSetId", "own"))

    assert not Format("SHOP", Structure("OWN", layout)).is_header


def test_the_table() -> None:
    assert len(NO_FORMATS) == 0
    assert [each.name for each in FORMATS] == ["SHOPHDR", "SHOPLET", "SHOPORD", "SHOPPAIR"]
    assert FORMATS.header("SHOPORD") is None
    assert FORMATS.body("SHOPHDR") is None
    assert FORMATS.get("SHOPHDR") is FORMATS.header("SHOPHDR")
    assert repr(FORMATS.get("SHOPORD")) == "<Format SHOPORD of shop:ORDER>"
