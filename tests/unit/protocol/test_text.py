from __future__ import annotations

import codecs

import pytest

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.text import _ASCII_PAGES as ASCII_PAGES
from mqbridge.protocol.text import (
    CODECS,
    codec_for,
    decode_field,
    decode_text,
    encode_field,
    encode_text,
    is_ebcdic,
    resolve_ccsid,
)

SINGLE_BYTE_EBCDIC = sorted(ccsid for ccsid in CODECS if is_ebcdic(ccsid))


@pytest.mark.parametrize("ccsid", sorted(CODECS))
@pytest.mark.spec("mq-wire.md 1.5")
def test_every_codec_exists_and_has_the_characters_of_names(ccsid: int) -> None:
    codecs.lookup(codec_for(ccsid))
    name = "SYSTEM.DEF.SENDER_1 "
    assert decode_text(encode_text(name, ccsid), ccsid) == name


@pytest.mark.parametrize("ccsid", SINGLE_BYTE_EBCDIC)
def test_structure_ids_are_the_same_in_every_ebcdic_page(ccsid: int) -> None:
    assert encode_text("TSH MTMC2", ccsid) == bytes.fromhex("E3E2C840D4E3D4C3F2")
    assert len(encode_text("A", ccsid)) == 1


@pytest.mark.parametrize(
    ("ccsid", "text", "raw"),
    [
        (37, "[Ä]", "BA63BB"),
        (273, "Ä", "4A"),
        (500, "[Ä]", "4A635A"),
        (1047, "[", "AD"),
        (1140, "€", "9F"),
        (1141, "€", "9F"),
        (819, "é", "E9"),
        (437, "é", "82"),
        (850, "é", "82"),
        (858, "€", "D5"),
        (923, "€", "A4"),
        (1252, "€", "80"),
        (5348, "€", "80"),
        (1251, "Ж", "C6"),
        (915, "Ж", "B6"),
        (1025, "Ж", "EC"),
        (1208, "é€", "C3A9E282AC"),
        (1200, "é", "00E9"),
        (13488, "é", "00E9"),
        (1202, "é", "E900"),
        (943, "日本", "93FA967B"),
        (954, "日本", "C6FCCBDC"),
        (5050, "日本", "C6FCCBDC"),
        (1381, "中", "D6D0"),
        (1386, "中", "D6D0"),
        (5488, "€", "A2E3"),
        (950, "中", "A4A4"),
        (970, "한", "C7D1"),
        (1363, "한", "C7D1"),
    ],
)
@pytest.mark.spec("mqi.md 14")
def test_characters_of_each_kind_of_page(ccsid: int, text: str, raw: str) -> None:
    assert encode_text(text, ccsid) == bytes.fromhex(raw)
    assert decode_text(bytes.fromhex(raw), ccsid) == text


def test_two_byte_unicode_follows_the_byte_order() -> None:
    for ccsid in (1200, 13488, 17584):
        assert encode_text("A", ccsid) == b"\0A"
        assert encode_text("A", ccsid, order=ByteOrder.LITTLE) == b"A\0"
        assert decode_text(b"A\0", ccsid, order=ByteOrder.LITTLE) == "A"
        assert decode_field(b"A\0 \0\0\0B\0", ccsid, order=ByteOrder.LITTLE) == "A"
    assert encode_text("A", 1201, order=ByteOrder.LITTLE) == b"\0A"


@pytest.mark.parametrize("ccsid", [930, 939, 1388, 4711, -5])
def test_an_unknown_character_set_is_an_error(ccsid: int) -> None:
    for action in (
        lambda: codec_for(ccsid),
        lambda: decode_text(b"A", ccsid),
        lambda: decode_field(b"A", ccsid),
        lambda: encode_text("A", ccsid),
        lambda: encode_field("A", 4, ccsid),
    ):
        with pytest.raises(ConversionError, match=str(ccsid)):
            action()


@pytest.mark.parametrize("ccsid", [0, -1, -2, -3, -4])
def test_special_values_have_to_be_resolved(ccsid: int) -> None:
    with pytest.raises(ConversionError, match="resolve it first"):
        codec_for(ccsid)


@pytest.mark.spec("mq-wire.md 1.5")
def test_what_the_special_values_stand_for() -> None:
    assert [resolve_ccsid(ccsid, inherited=500, default=819) for ccsid in (437, 0, -1, -2, -3, -4)] == [
        437,
        819,
        500,
        500,
        819,
        819,
    ]
    with pytest.raises(ConversionError, match="-5"):
        resolve_ccsid(-5, inherited=500, default=819)


@pytest.mark.parametrize(
    ("raw", "ccsid", "text"),
    [
        (b"MyHPQ   ", 437, "MyHPQ"),
        (b"MyHPQ\0\0\0", 437, "MyHPQ"),
        (b"MyHPQ \0 ", 437, "MyHPQ"),
        (b"MyHPQ\0AB", 437, "MyHPQ"),
        (b"\0\0\0\0", 819, ""),
        (b"        ", 819, ""),
        (b"  A  ", 819, "  A"),
        (bytes.fromhex("D4C84040"), 500, "MH"),
        (bytes.fromhex("D4C80000"), 500, "MH"),
        (b"A\xff", 1208, "A�"),
        (b"", 819, ""),
    ],
)
@pytest.mark.spec("mq-wire.md 1.3")
def test_fields_padded_with_blanks_or_nuls(raw: bytes, ccsid: int, text: str) -> None:
    assert decode_field(raw, ccsid) == text
    assert decode_field(memoryview(raw), ccsid) == text


def test_fields_are_filled_with_blanks() -> None:
    assert encode_field("QM", 8, 819) == b"QM      "
    assert encode_field("QM", 4, 500) == bytes.fromhex("D8D44040")
    assert encode_field("QM", 8, 1200) == b"\0Q\0M\0 \0 "
    assert encode_field("", 3, 437) == b"   "
    assert encode_field("ABC", 3, 437) == b"ABC"


def test_what_does_not_fit_into_a_field_is_an_error() -> None:
    with pytest.raises(ConversionError, match="5 bytes"):
        encode_field("ABCDE", 4, 819)
    with pytest.raises(ConversionError, match="4 bytes"):
        encode_field("€A", 3, 1208)
    with pytest.raises(ConversionError, match="whole number"):
        encode_field("A", 3, 1200)
    with pytest.raises(ConversionError, match="not possible"):
        encode_field("€", 4, 819)
    with pytest.raises(ConversionError, match="not valid"):
        decode_text(b"\xff", 1208)
    with pytest.raises(ConversionError, match="not valid"):
        decode_field(b"\xff", 1208, errors="strict")


def test_the_pages_with_a_fast_decoder_begin_with_ascii() -> None:
    ascii_half = bytes(range(128))
    for ccsid in ASCII_PAGES:
        assert decode_text(ascii_half, ccsid) == ascii_half.decode("ascii")
