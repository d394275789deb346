from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import MQENC, MQFB, MQFMT, MQRC, MQRO, ControlFlags1, SegmentType
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import (
    ByteOrder,
    decode_float,
    decode_integer,
    decode_packed,
    encode_float,
    encode_integer,
    encode_packed,
)
from mqbridge.protocol.text import CODECS, decode_field, decode_text, encode_field, encode_text, is_ebcdic

ENCODINGS = st.sampled_from([0x111, 0x222, 0x311, 0x112, 0x121, 0x01000222])
ANY_CCSID = st.sampled_from(sorted(CODECS)) | st.integers(-10, 70000)
SINGLE_BYTE = st.sampled_from([*sorted(ccsid for ccsid in CODECS if is_ebcdic(ccsid)), 437, 819, 850, 1252])


@given(st.integers(-(2**31), 2**32))
@pytest.mark.spec("mq-wire.md 9")
def test_any_number_survives_in_any_family(value: int) -> None:
    for family in (MQRC, MQFB, SegmentType, MQRO, MQENC, ControlFlags1):
        member = family(value)
        assert member == value
        assert int(member) == value
        assert str(member)
        assert family(member) == value


@given(st.integers(0, 2**32 - 1))
@pytest.mark.spec("mq-wire.md 9.5")
def test_the_text_of_a_flag_word_leads_back_to_it(value: int) -> None:
    for family in (MQRO, MQENC, ControlFlags1):
        assert family.from_text(str(family(value))) == value


@given(st.text(max_size=8))
def test_any_format_name_survives(text: str) -> None:
    assert MQFMT(text) == text.partition("\0")[0].rstrip(" ")


@given(st.integers(), st.sampled_from([1, 2, 4, 8]), ENCODINGS, st.booleans())
def test_integers_round_trip_or_do_not_fit(value: int, length: int, encoding: int, signed: bool) -> None:
    try:
        raw = encode_integer(value, length, encoding, signed=signed)
    except ConversionError:
        low = -(1 << 8 * length - 1) if signed else 0
        assert not low <= value < low + (1 << 8 * length)
    else:
        assert len(raw) == length
        assert decode_integer(raw, encoding, signed=signed) == value


@given(st.integers(-(10**31) + 1, 10**31 - 1), st.integers(0, 31), ENCODINGS)
def test_packed_decimals_round_trip(digits: int, scale: int, encoding: int) -> None:
    value = Decimal(f"{digits}E-{scale}")
    assert decode_packed(encode_packed(value, 16, encoding, scale), encoding, scale) == value


@given(st.binary(max_size=20), ENCODINGS)
def test_any_bytes_are_a_packed_decimal_or_an_error(raw: bytes, encoding: int) -> None:
    try:
        value = decode_packed(raw, encoding)
    except ConversionError:
        return
    assert decode_packed(encode_packed(value, len(raw), encoding), encoding) == value


@given(st.binary(min_size=4, max_size=4) | st.binary(min_size=8, max_size=8), ENCODINGS)
@pytest.mark.spec("mq-wire.md 1.5")
def test_any_bytes_are_a_float_and_round_trip(raw: bytes, encoding: int) -> None:
    value = decode_float(raw, encoding)
    if math.isnan(value):
        return
    if encoding & 0xF00 == 0x300 and abs(value) >= 16.0**63:  # rounded up past the largest
        return
    again = decode_float(encode_float(value, len(raw), encoding), encoding)
    assert again == value or abs(value) < 16.0**-60


@given(st.binary(min_size=4, max_size=4) | st.binary(min_size=8, max_size=8))
def test_a_hexadecimal_float_is_the_exact_fraction_rounded(raw: bytes) -> None:
    bits = 8 * (len(raw) - 1)
    exact = Fraction(int.from_bytes(raw[1:], "big"), 1 << bits) * Fraction(16) ** ((raw[0] & 0x7F) - 64)
    assert decode_float(raw, 0x311) == float(-exact if raw[0] & 0x80 else exact)


@given(st.floats(min_value=1e-70, max_value=1e70), st.sampled_from([4, 8]))
def test_a_float_is_rounded_to_the_nearest_hexadecimal_one(value: float, length: int) -> None:
    raw = encode_float(value, length, 0x311)
    number = int.from_bytes(raw, "big")
    distance = abs(Fraction(decode_float(raw, 0x311)) - Fraction(value))
    for neighbour in (number - 1, number + 1):
        other = decode_float(neighbour.to_bytes(length, "big"), 0x311)
        assert distance <= abs(Fraction(other) - Fraction(value))


@given(st.binary(max_size=60), SINGLE_BYTE)
@pytest.mark.spec("mq-wire.md 1.3")
def test_fields_decode_and_fill_again(raw: bytes, ccsid: int) -> None:
    text = decode_field(raw, ccsid)
    assert "\0" not in text
    assert not text.endswith(" ")
    if "�" not in text:
        filled = encode_field(text, len(raw) + 3, ccsid)
        assert decode_field(filled, ccsid) == text
        assert len(filled) == len(raw) + 3


@given(st.binary(max_size=40), ANY_CCSID, st.sampled_from(ByteOrder))
def test_any_bytes_in_any_character_set_are_text_or_the_documented_error(
    raw: bytes, ccsid: int, order: ByteOrder
) -> None:
    for read in (decode_field, decode_text):
        try:
            text = read(raw, ccsid, order=order)
        except ConversionError:
            continue
        assert isinstance(text, str)


@given(st.text(max_size=20), ANY_CCSID)
def test_any_text_is_encoded_or_the_documented_error(text: str, ccsid: int) -> None:
    try:
        raw = encode_text(text, ccsid)
    except ConversionError:
        return
    assert isinstance(decode_text(raw, ccsid), str)
