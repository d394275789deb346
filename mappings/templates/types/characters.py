"""Types of fields that are characters: padded text, digits of a number, hexadecimal digits (M-163)."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from mqbridge.mappings.templates.values import Value

from .field_type import too_long

MAX_DIGITS: Final = 1000
"""Most digits of a decimal number."""
_TOO_BIG: Final = 10**MAX_DIGITS
_DIGITS: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


@cache
def is_sure(codec: str) -> bool:
    """Return whether every byte is a character of its own, so that text keeps the bytes that it was read from."""
    every = bytes(range(256))
    try:
        text = str(every, codec)
        return len(set(text)) == len(text) == 256 and text.encode(codec) == every
    except ValueError:
        return False


class Text(NamedTuple):
    """Padded text.

    ``codec``: Python's name of the character set. ``pad``: one character. ``left``: whether the padding is on the left.
    ``cut_off``: characters that are cut off on reading, of the padded side; ``pad`` is one of them. ``sure``: whether
    what is read is always what is written, see `is_sure`.
    """

    codec: str
    pad: str = " "
    left: bool = False
    cut_off: str = " "
    sure: bool = False

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the text without padding."""
        if self.sure:
            text = str(raw, self.codec)
            return (text.lstrip(self.pad) if self.left else text.rstrip(self.pad)), True
        try:
            text = str(raw, self.codec)
            stripped = text.lstrip(self.cut_off) if self.left else text.rstrip(self.cut_off)
            return stripped, self._padded(stripped.encode(self.codec), len(raw)) == raw
        except ValueError:
            return raw, True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the text with its padding."""
        if not isinstance(value, str):
            raise ValueError(f"text is needed, not {value!r}")
        try:
            raw = value.encode(self.codec)
        except UnicodeError as error:
            raise ValueError(f"text not in the character set of the field: {error}") from None
        if size is None:
            return raw
        if len(raw) > size:
            if not cut:
                raise too_long("text", len(raw), size)
            raw = str(raw[:size], self.codec, "ignore").encode(self.codec)
        return self._padded(raw, size)

    def _padded(self, raw: bytes, size: int) -> bytes:
        pad = self.pad.encode(self.codec)
        number, odd = divmod(size - len(raw), len(pad))
        if odd:
            raise ValueError(f"text of {len(raw)} bytes cannot be padded to {size} by {len(pad)} at a time")
        return pad * number + raw if self.left else raw + pad * number


class Decimal(NamedTuple):
    """A whole number in digits.

    ``codec``: Python's name of the character set. ``pad``: one character, on the left of the digits. Blanks and NUL
    are read on either side (M-014).
    """

    codec: str
    pad: str = "0"

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the number."""
        try:
            text = str(raw, self.codec).strip(" \0")
            if len(text) > MAX_DIGITS or not _DIGITS.fullmatch(text):
                return raw, True
            number = int(text)
            return number, self.write(number, len(raw)) == raw
        except ValueError:
            return raw, True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the digits. A number that is too long is never cut."""
        if not isinstance(value, int) or abs(value) >= _TOO_BIG:
            raise ValueError(f"a whole number is needed, not {value!r:.80}")
        text = str(value)
        if size is not None:
            width = len("0".encode(self.codec))
            text = text.zfill(size // width) if self.pad == "0" else text.rjust(size // width, self.pad)
        raw = text.encode(self.codec)
        if size is not None and len(raw) != size:
            raise ValueError(f"the number {value} does not fit into {size} bytes")
        return raw


class HexDigits(NamedTuple):
    """Hexadecimal digits; the value is text of lower-case digits, empty for a blank field.

    ``codec``: Python's name of the character set. ``upper``: whether digits are written in upper case.
    """

    codec: str
    upper: bool = False

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the digits."""
        try:
            text = str(raw, self.codec).strip(" \0").lower()
            if text.strip("0123456789abcdef"):
                return raw, True
            return text, self.write(text, len(raw)) == raw
        except ValueError:
            return raw, True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the digits, with blanks behind them."""
        if not isinstance(value, str) or value.lower().strip("0123456789abcdef"):
            raise ValueError(f"hexadecimal digits are needed, not {value!r:.80}")
        raw = (value.upper() if self.upper else value.lower()).encode(self.codec)
        if size is None or len(raw) == size:
            return raw
        if len(raw) > size:
            raise too_long("digits", len(raw), size)
        return raw + " ".encode(self.codec) * (size - len(raw))
