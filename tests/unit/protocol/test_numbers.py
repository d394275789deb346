from __future__ import annotations

from decimal import Decimal

import pytest

from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import (
    ByteOrder,
    decimal_order,
    decode_float,
    decode_integer,
    decode_packed,
    encode_float,
    encode_integer,
    encode_packed,
    integer_order,
)

NORMAL, REVERSED, S390, TNS = 0x111, 0x222, 0x311, 0x411


@pytest.mark.spec("mq-wire.md 1.5")
def test_the_encoding_word_names_the_orders() -> None:
    assert (integer_order(NORMAL), decimal_order(NORMAL)) == (ByteOrder.BIG, ByteOrder.BIG)
    assert (integer_order(REVERSED), decimal_order(REVERSED)) == (ByteOrder.LITTLE, ByteOrder.LITTLE)
    assert (integer_order(S390), integer_order(0x01000222)) == (ByteOrder.BIG, ByteOrder.LITTLE)
    assert (integer_order(0x112), decimal_order(0x112)) == (ByteOrder.LITTLE, ByteOrder.BIG)


@pytest.mark.parametrize("encoding", [0, 0x110, 0x113, 0x22F, -1])
def test_an_undefined_order_is_an_error(encoding: int) -> None:
    with pytest.raises(ConversionError, match="integers"):
        integer_order(encoding)
    with pytest.raises(ConversionError, match="packed"):
        decimal_order(encoding & ~0xF0 | 0x30)


def test_integers() -> None:
    assert decode_integer(b"\x01\x02", NORMAL) == 258
    assert decode_integer(b"\x01\x02", REVERSED) == 513
    assert decode_integer(b"\xff\xff\xff\xfe", NORMAL) == -2
    assert decode_integer(b"\xff\xff\xff\xfe", NORMAL, signed=False) == 0xFFFFFFFE
    assert encode_integer(-2, 8, REVERSED) == b"\xfe" + b"\xff" * 7
    with pytest.raises(ConversionError, match="does not fit"):
        encode_integer(32768, 2, NORMAL)
    with pytest.raises(ConversionError, match="1, 2, 4 or 8"):
        encode_integer(1, 3, NORMAL)
    with pytest.raises(ConversionError, match="1, 2, 4 or 8"):
        decode_integer(b"abc", NORMAL)


@pytest.mark.parametrize(
    ("raw", "scale", "value"),
    [
        ("1C", 0, "1"),
        ("12345C", 0, "12345"),
        ("12345D", 2, "-123.45"),
        ("0012345F", 2, "123.45"),
        ("00000C", 2, "0.00"),
        ("123A", 0, "123"),
        ("123E", 0, "123"),
        ("123B", 0, "-123"),
        ("9999999999999999999999999999999C", 0, "9" * 31),
    ],
)
def test_packed_decimals(raw: str, scale: int, value: str) -> None:
    data = bytes.fromhex(raw.rjust(len(raw) + len(raw) % 2, "0"))
    assert decode_packed(data, NORMAL, scale) == Decimal(value)
    assert decode_packed(data[::-1], REVERSED, scale) == Decimal(value)
    canonical = encode_packed(Decimal(value), len(data), NORMAL, scale)
    assert decode_packed(canonical, NORMAL, scale) == Decimal(value)
    assert canonical[-1] & 0xF == (0xD if value.startswith("-") else 0xC)
    assert encode_packed(Decimal(value), len(data), REVERSED, scale) == canonical[::-1]


def test_what_is_no_packed_decimal() -> None:
    for raw in ("1A2C", "1234", "12", ""):
        with pytest.raises(ConversionError):
            decode_packed(bytes.fromhex(raw), NORMAL)
    for value, length, scale in ((1000, 2, 0), (Decimal("1.5"), 4, 0), (Decimal("NaN"), 4, 0), (10**40, 16, 0)):
        with pytest.raises(ConversionError):
            encode_packed(value, length, NORMAL, scale)
    with pytest.raises(ConversionError, match="1 to 16"):
        encode_packed(1, 17, NORMAL)
    with pytest.raises(ConversionError, match="fit"):
        encode_packed(Decimal("1E+999999"), 16, NORMAL)
    assert encode_packed(Decimal("0E+999999"), 2, NORMAL) == b"\x00\x0c"
    assert encode_packed(Decimal("1.50"), 2, NORMAL, 1) == b"\x01\x5c"


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        (0.0, "00000000"),
        (1.0, "41100000"),
        (-118.625, "C276A000"),
        (0.5, "40800000"),
        (0.1, "4019999A"),
        (15.999999999, "42100000"),
        (2.0**-260, "00100000"),
        (1e-300, "00000000"),
    ],
)
@pytest.mark.spec("mq-wire.md 1.5")
def test_hexadecimal_floats_of_s390(value: float, raw: str) -> None:
    assert encode_float(value, 4, S390).hex().upper() == raw


def test_floats_in_each_form() -> None:
    assert decode_float(bytes.fromhex("C276A000"), S390) == -118.625
    assert decode_float(bytes.fromhex("C276A00000000000"), S390) == -118.625
    assert decode_float(bytes.fromhex("7FFFFFFFFFFFFFFF"), S390) == 16.0**63
    assert encode_float(1.5, 4, NORMAL) == bytes.fromhex("3FC00000")
    assert encode_float(1.5, 4, REVERSED) == bytes.fromhex("0000C03F")
    assert encode_float(1.5, 8, NORMAL) == bytes.fromhex("3FF8000000000000")
    assert encode_float(-0.0, 4, S390) == bytes.fromhex("80000000")


def test_floats_that_cannot_be() -> None:
    for value, length, encoding in (
        (1e300, 4, NORMAL),
        (1e300, 8, S390),
        (float("inf"), 8, S390),
        (float("nan"), 4, S390),
        (1.0, 4, TNS),
        (1.0, 4, 0x011),
        (1.0, 5, NORMAL),
    ):
        with pytest.raises(ConversionError):
            encode_float(value, length, encoding)
    with pytest.raises(ConversionError, match="TNS"):
        decode_float(bytes(8), TNS)
    with pytest.raises(ConversionError, match="4 or 8"):
        decode_float(bytes(2), NORMAL)
