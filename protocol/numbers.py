"""Numbers in the encodings of message data: binary integers, packed decimals, floating point.

The Encoding word (:class:`~protocol.constants.MQENC`, mq-wire.md 1.5) has a nibble for each. Integers follow it
in message data and message headers; inside a segment's own structures the ByteOrder of the segment header does.

Floating point of Tandem (TNS) is not supported: reading or writing it raises :class:`ConversionError`.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Final

from .constants import MQENC, ByteOrder
from .errors import ConversionError

_ORDERS: Final = (None, ByteOrder.BIG, ByteOrder.LITTLE)

MAX_PACKED_LENGTH: Final = 16
"""Longest packed decimal in bytes: 31 digits and the sign, as in COBOL and PL/I."""

INTEGER_LENGTHS: Final = (1, 2, 4, 8)

_POSITIVE_SIGNS = frozenset((0xA, 0xC, 0xE, 0xF))
_NEGATIVE_SIGNS = frozenset((0xB, 0xD))


_HIGHEST_KINDS: Final = ((0x00F, 0x002), (0x0F0, 0x020), (0xF00, 0x400))
"""Mask of each nibble of an encoding, and the highest value with a meaning; 0 is undefined (mq-wire.md 1.5)."""


def is_known_encoding(encoding: int) -> bool:
    """Return whether the integer, decimal and floating-point nibbles of an encoding are defined; other bits are
    ignored."""
    return all(encoding & mask <= highest for mask, highest in _HIGHEST_KINDS)


def order_of(encoding: int) -> ByteOrder | None:
    """Return the byte order of binary integers; None if the encoding names none."""
    nibble = encoding & 0x00F
    return _ORDERS[nibble] if nibble < 3 else None


def integer_order(encoding: int) -> ByteOrder:
    """Return the byte order of binary integers. Raises :class:`ConversionError` if undefined or unknown."""
    order = order_of(encoding)
    if order is None:
        raise ConversionError(f"encoding 0x{int(encoding) & 0xFFFFFFFF:X} names no byte order of integers")
    return order


def decimal_order(encoding: int) -> ByteOrder:
    """Return the byte order of packed decimals. Raises :class:`ConversionError` if undefined or unknown."""
    order = order_of(encoding >> 4)
    if order is None:
        raise ConversionError(f"encoding 0x{int(encoding) & 0xFFFFFFFF:X} names no byte order of packed decimals")
    return order


def decode_integer(raw: bytes | memoryview, encoding: int, *, signed: bool = True) -> int:
    """Decode an integer of 1, 2, 4 or 8 bytes.

    Raises :class:`ConversionError` for another length or an unknown encoding.
    """
    if len(raw) not in INTEGER_LENGTHS:
        raise ConversionError(f"an integer has 1, 2, 4 or 8 bytes, not {len(raw)}")
    return int.from_bytes(raw, integer_order(encoding).endian, signed=signed)


def encode_integer(value: int, length: int, encoding: int, *, signed: bool = True) -> bytes:
    """Encode an integer in ``length`` bytes. Raises :class:`ConversionError` if it does not fit."""
    if length not in INTEGER_LENGTHS:
        raise ConversionError(f"an integer has 1, 2, 4 or 8 bytes, not {length}")
    try:
        return int(value).to_bytes(length, integer_order(encoding).endian, signed=signed)
    except OverflowError as error:
        raise ConversionError(f"{value} does not fit into {length} bytes") from error


def decode_packed(raw: bytes | memoryview, encoding: int, scale: int = 0) -> Decimal:
    """Decode a packed decimal (COMP-3) of 1 to 16 bytes with ``scale`` digits after the point.

    Each byte holds two digits; the last nibble is the sign: A, C, E, F plus; B, D minus. Raises
    :class:`ConversionError` for other nibbles, another length or an unknown encoding.
    """
    if not 1 <= len(raw) <= MAX_PACKED_LENGTH:
        raise ConversionError(f"a packed decimal has 1 to {MAX_PACKED_LENGTH} bytes, not {len(raw)}")
    data = bytes(raw) if decimal_order(encoding) is ByteOrder.BIG else bytes(raw)[::-1]
    sign = data[-1] & 0x0F
    digits = data.hex()[:-1]
    if not digits.isdecimal() or (sign not in _POSITIVE_SIGNS and sign not in _NEGATIVE_SIGNS):
        raise ConversionError(f"{data.hex()} is no packed decimal")
    return Decimal((1 if sign in _NEGATIVE_SIGNS else 0, tuple(map(int, digits)), -scale))


def encode_packed(value: Decimal | int, length: int, encoding: int, scale: int = 0) -> bytes:
    """Encode a packed decimal of ``length`` bytes with ``scale`` digits after the point; sign C or D.

    Raises :class:`ConversionError` if the number has too many digits on either side of the point, or is not finite.
    """
    if not 1 <= length <= MAX_PACKED_LENGTH:
        raise ConversionError(f"a packed decimal has 1 to {MAX_PACKED_LENGTH} bytes, not {length}")
    sign, digits, exponent = Decimal(value).as_tuple()
    if not isinstance(exponent, int):
        raise ConversionError(f"{value} has no packed decimal")
    text = "".join(map(str, digits)).lstrip("0")
    shift = exponent + scale
    if shift < 0:
        if text[shift:].strip("0"):
            raise ConversionError(f"{value} has more than {scale} digits after the point")
        text = text[:shift]
    elif text:
        if len(text) + shift > 2 * length - 1:
            raise ConversionError(f"{value} does not fit into {length} bytes of packed decimal")
        text += "0" * shift
    if len(text) > 2 * length - 1:
        raise ConversionError(f"{value} does not fit into {length} bytes of packed decimal")
    data = bytes.fromhex(text.rjust(2 * length - 1, "0") + ("d" if sign else "c"))
    return data if decimal_order(encoding) is ByteOrder.BIG else data[::-1]


def decode_float(raw: bytes | memoryview, encoding: int) -> float:
    """Decode a floating-point number of 4 or 8 bytes: IEEE in either byte order, or S/390 hexadecimal.

    An S/390 number of 8 bytes has up to 56 significant bits and is rounded to the nearest double. Raises
    :class:`ConversionError` for another length, TNS or an unknown encoding.
    """
    form = _float_form(len(raw), encoding)
    if form is None:
        return _decode_s390(bytes(raw))
    return float(form.unpack(raw)[0])


def encode_float(value: float, length: int, encoding: int) -> bytes:
    """Encode a floating-point number, rounded to the nearest that ``length`` bytes can hold.

    Raises :class:`ConversionError` on overflow, and for infinities and NaN in S/390 form, which has none. Underflow in
    S/390 form gives zero.
    """
    form = _float_form(length, encoding)
    if form is None:
        return _encode_s390(value, length)
    try:
        return form.pack(value)
    except OverflowError as error:
        raise ConversionError(f"{value} is too large for {length} bytes") from error


_IEEE: Final[dict[tuple[int, int], struct.Struct]] = {
    (4, MQENC.FLOAT_IEEE_NORMAL): struct.Struct(">f"),
    (8, MQENC.FLOAT_IEEE_NORMAL): struct.Struct(">d"),
    (4, MQENC.FLOAT_IEEE_REVERSED): struct.Struct("<f"),
    (8, MQENC.FLOAT_IEEE_REVERSED): struct.Struct("<d"),
}


def _float_form(length: int, encoding: int) -> struct.Struct | None:
    """Return the ``struct`` of an IEEE form; None for S/390."""
    nibble = encoding & 0xF00
    if length not in (4, 8):
        raise ConversionError(f"a floating-point number has 4 or 8 bytes, not {length}")
    if nibble == MQENC.FLOAT_S390:
        return None
    if nibble == MQENC.FLOAT_TNS:
        raise ConversionError("TNS floating point is not supported")
    form = _IEEE.get((length, nibble))
    if form is None:
        raise ConversionError(f"encoding 0x{int(encoding) & 0xFFFFFFFF:X} names no floating-point form")
    return form


def _decode_s390(raw: bytes) -> float:
    # sign bit, 7 bits exponent of 16 in excess 64, fraction 0.f
    bits = 8 * (len(raw) - 1)
    number = int.from_bytes(raw, "big")
    fraction = number & ((1 << bits) - 1)
    exponent = (number >> bits & 0x7F) - 64
    value = math.ldexp(fraction, 4 * exponent - bits)
    return -value if number >> (bits + 7) else value


def _encode_s390(value: float, length: int) -> bytes:
    if not math.isfinite(value):
        raise ConversionError(f"S/390 floating point has no {value}")
    bits = 8 * (length - 1)
    sign = 1 if math.copysign(1.0, value) < 0 else 0
    mantissa, power = math.frexp(abs(value))
    exponent = -(-power // 4)  # smallest power of 16 above the value
    fraction = round(math.ldexp(mantissa, power - 4 * exponent + bits)) if mantissa else 0
    if fraction >> bits:  # rounding carried into a new hexadecimal digit
        fraction >>= 4
        exponent += 1
    if exponent > 63:
        raise ConversionError(f"{value} is too large for S/390 floating point")
    if not fraction or exponent < -64:
        fraction, exponent = 0, -64
    return (sign << (bits + 7) | (exponent + 64) << bits | fraction).to_bytes(length, "big")
