"""Dissection of data in formats that are handed in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.dissection import Findings, dissect_message, message_lines
from mqbridge.protocol.formats import Format, Formats
from mqbridge.protocol.structures.md import MD1
from support.formats.shop import FORMATS, HEADER, PAIRS

LITTLE, BIG = 546, 273


def message(format_name: bytes, data: bytes) -> bytes:
    order = ByteOrder.LITTLE
    return MD1.codec(order)(format=format_name, encoding=LITTLE, coded_char_set_id=1208).build() + data


def header(**fields: Any) -> bytes:
    return HEADER.codec(ByteOrder.LITTLE)(**{"format": b"SHOPORD ", "branch": b"London", **fields}).build()


def order() -> bytes:
    found = FORMATS.get("SHOPORD")
    assert found is not None
    return found.build({"Customer": "Ann", "Count": 1, "Items": [{"Part": "BOLT", "Pieces": 5}]}, LITTLE, 1208)


def test_a_header_and_a_body_are_structures() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPHDR ", header() + order()), findings)
    assert findings.errors == []
    assert shown["structures"][1:] == [
        {
            "structure": "SHOP",
            "offset": 324,
            "length": 28,
            "fields": {
                "StrucId": "SHOP",
                "Encoding": 546,
                "CodedCharSetId": 1208,
                "Format": "SHOPORD",
                "Branch": "London",
                "Token": "0000",
            },
        },
        {
            "structure": "ORDER",
            "offset": 352,
            "length": 16,
            "fields": {"Customer": "Ann", "Count": 1, "Items": [{"Part": "BOLT", "Pieces": 5}]},
        },
    ]
    assert shown["body"] == {"offset": 368, "length": 0, "format": "", "ccsid": 1208, "hex": ""}


def test_an_object_shows_its_values() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPPAIR", b"a=1;b=2"), findings)
    assert shown["structures"][1] == {
        "structure": "SHOPPAIR",
        "offset": 324,
        "length": 7,
        "fields": {"a": "1", "b": "2"},
    }
    assert any("a  1" in line for line in message_lines(shown))


def test_data_that_are_not_of_their_format_stay_a_body_with_an_error() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPPAIR", b"nothing"), findings)
    assert len(shown["structures"]) == 1
    assert (shown["body"]["format"], shown["body"]["hex"]) == ("SHOPPAIR", b"nothing".hex())
    (error,) = findings.errors
    assert error.startswith("offset 324: SHOPPAIR its plug-in shop:PAIRS failed: ValueError")


def test_a_body_that_is_cut_shows_its_whole_fields() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPORD ", order()[:-1]), findings)
    assert shown["structures"][1]["fields"] == {"Customer": "Ann", "Count": 1}
    assert findings.errors == ["offset 338: ORDER ends inside Items.Pieces: 2 bytes needed, 1 there"]


def test_data_behind_a_body_are_an_error() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPORD ", order() + b"!!"), findings)
    assert shown["structures"][1]["length"] == 16
    assert shown["body"]["hex"] == b"!!".hex()
    assert findings.errors == ["offset 340: 2 bytes follow ORDER"]


def test_a_header_that_is_cut_shows_its_whole_fields() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPHDR ", header()[:-3]), findings)
    assert list(shown["structures"][1]["fields"]) == ["StrucId", "Encoding", "CodedCharSetId", "Format"]
    assert findings.errors == ["offset 344: SHOP ends inside Branch: 6 bytes needed, 5 there"]


def test_a_header_with_another_struc_id_is_a_body() -> None:
    findings = Findings(formats=FORMATS)
    shown = dissect_message(message(b"SHOPHDR ", header(struc_id=b"SHIP")), findings)
    assert len(shown["structures"]) == 1
    assert findings.errors == ["offset 324: SHOP StrucId is b'SHIP'"]


class _Late(Mapping[str, Any]):
    """Values that are read when they are asked for."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __getitem__(self, name: str) -> Any:
        return {"number": int(self._data), "raw": self._data, "ratio": float("nan"), "set": {1}}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("number", "raw", "ratio", "set"))

    def __len__(self) -> int:
        return 4


class _Lazy:
    def parse(self, data: bytes, encoding: int, ccsid: int) -> Mapping[str, Any]:
        return _Late(data)

    build = PAIRS.build
    convert = PAIRS.convert


def test_values_on_demand_are_asked_for_and_may_fail_then() -> None:
    formats = Formats((Format("LAZY", _Lazy(), "lazy:IT"),))
    findings = Findings(formats=formats)
    shown = dissect_message(b"12", findings, message_format="LAZY")
    assert shown["structures"][0]["fields"] == {"number": 12, "raw": "3132", "ratio": "nan", "set": "{1}"}
    shown = dissect_message(b"x", findings, message_format="LAZY")
    assert shown["structures"] == []
    assert findings.errors[0].startswith("offset 0: LAZY: its plug-in lazy:IT failed: ValueError")
