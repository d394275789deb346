"""Numbers and bytes as texts of elements (jms-mapping.md 4.4). Each function raises ``ValueError``."""

from __future__ import annotations

import re
from typing import Final

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}\Z")
_NUMBER: Final = re.compile(
    r"[+-]?(?:NaN|Infinity|(?:[0-9]{1,400}(?:\.[0-9]{0,1200})?|\.[0-9]{1,1200})(?:[eE][+-]?[0-9]{1,9})?)\Z"
)


def whole(text: str, bits: int) -> int:
    """Return an integer of so many bits: a sign or none, and digits."""
    if _INTEGER.match(text) is None:
        raise ValueError(text)
    number = int(text)
    limit = 1 << (bits - 1)
    if not -limit <= number < limit:
        raise ValueError(text)
    return number


def floating(text: str) -> float:
    """Return a float: digits with or without fraction and exponent, ``NaN`` or ``Infinity``, as Java writes them."""
    if _NUMBER.match(text) is None:
        raise ValueError(text)
    return float(text)


def raw_bytes(text: str) -> bytes:
    """Return the bytes of hexadecimal digits, two for each."""
    raw = bytes.fromhex(text)
    if len(raw) * 2 != len(text):
        raise ValueError(text)
    return raw
