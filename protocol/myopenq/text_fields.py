"""Text fields of fixed width: names padded with blanks, numbers with zeros (M-014)."""

from __future__ import annotations

from typing import Final

_PADDING: Final = b" \0"


def write_text(text: str, width: int, what: str) -> bytes:
    """Return ``text`` left-justified in ``width`` bytes. Raises `ValueError` where it is longer, or no ASCII."""
    data = text.encode("ascii")
    if len(data) > width:
        raise ValueError(f"{what} has {len(data)} bytes; {width} are the most")
    return data.ljust(width)


def write_number(number: int, width: int, what: str) -> bytes:
    """Return ``number`` as ``width`` digits. Raises `ValueError` where it does not fit."""
    if not 0 <= number < 10**width:
        raise ValueError(f"{what} is {number}; {width} digits hold it")
    return b"%0*d" % (width, number)


def read_text(field: bytes) -> str:
    """Return the text of a field, without the blanks and NULs behind it. Raises `ValueError` for what is no ASCII."""
    return field.rstrip(_PADDING).decode("ascii")


def read_number(field: bytes) -> int:
    """Return the number of a field; one of blanks alone is 0. Raises `ValueError` for anything but digits."""
    digits = field.lstrip(b" ").rstrip(_PADDING)
    if digits and not digits.isdigit():
        raise ValueError(f"{field!r} is no number")
    return int(digits or b"0")
