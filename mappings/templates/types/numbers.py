"""Types of fields that are binary numbers: integers, packed decimals, floats, base 128 (M-163)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mqbridge.mappings.templates.values import Value

Order: TypeAlias = Literal["big", "little"]
MAX_GROUPS: Final = 10
"""Most bytes of a number in base 128."""
_SIGNS: Final = (0xC, 0xD, 0xF, 0xA, 0xB, 0xE)


def _whole(value: Value) -> int:
    if not isinstance(value, int):
        raise ValueError(f"a whole number is needed, not {value!r:.80}")
    return value


class Integer(NamedTuple):
    """A binary integer of 1 to 8 bytes."""

    order: Order
    signed: bool = False

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the number."""
        return int.from_bytes(raw, self.order, signed=self.signed), True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return ``size`` bytes."""
        try:
            return _whole(value).to_bytes(size or 0, self.order, signed=self.signed)
        except OverflowError:
            raise ValueError(f"the number {value!r} does not fit into {size} bytes") from None


class Packed(NamedTuple):
    """A packed decimal: two digits a byte, the sign in the last half byte if ``signed``."""

    signed: bool = True

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the number."""
        digits = raw.hex()
        negative = False
        if self.signed:
            if not raw or raw[-1] & 0xF not in _SIGNS:
                return raw, True
            negative = raw[-1] & 0xF in (0xB, 0xD)
            digits = digits[:-1]
        if not digits.isdigit():
            return raw, True
        number = -int(digits) if negative else int(digits)
        return number, self.write(number, len(raw)) == raw

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return ``size`` bytes, with C or D as the sign."""
        number = _whole(value)
        if number < 0 and not self.signed:
            raise ValueError(f"{number} has a sign, the field has none")
        text = f"{abs(number)}{'D' if number < 0 else 'C'}" if self.signed else str(number)
        if len(text) > 2 * (size or 0):
            raise ValueError(f"the number {number} does not fit into {size} bytes")
        return bytes.fromhex(text.zfill(2 * (size or 0)))


class Float(NamedTuple):
    """A floating-point number as IEEE 754 has it, of 4 or 8 bytes."""

    order: Order

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the number."""
        number = struct.unpack(self._code(len(raw)), raw)[0]
        return number, struct.pack(self._code(len(raw)), number) == raw

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return ``size`` bytes."""
        if not isinstance(value, int | float):
            raise ValueError(f"a number is needed, not {value!r:.80}")
        try:
            return struct.pack(self._code(size or 0), value)
        except OverflowError:
            raise ValueError(f"the number {value!r} does not fit into {size} bytes") from None

    def _code(self, size: int) -> str:
        return (">" if self.order == "big" else "<") + ("f" if size == 4 else "d")


class Base128(NamedTuple):
    """A number in groups of 7 bits, of which all but the last have the highest bit set; ``order``: of the groups."""

    order: Order

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the number."""
        if self.size(raw, 0) != len(raw):
            return raw, True
        number = self.number(raw)
        return number, self.write(number, None) == raw

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return as few bytes as will do, or ``size`` with empty groups."""
        number = _whole(value)
        if number < 0 or number >= 1 << 7 * MAX_GROUPS:
            raise ValueError(f"the number {number} does not fit into {MAX_GROUPS} bytes")
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F)
        if size is not None:
            if len(groups) > size:
                raise ValueError(f"the number {value!r} does not fit into {size} bytes")
            groups += [0] * (size - len(groups))
        if self.order == "big":
            groups.reverse()
        return bytes([group | 0x80 for group in groups[:-1]] + groups[-1:])

    def number(self, raw: Sequence[int]) -> int:
        """Return the number of bytes that are one."""
        number = 0
        for group in raw if self.order == "big" else reversed(raw):
            number = number << 7 | group & 0x7F
        return number

    def size(self, buffer: bytes | bytearray, offset: int) -> int | None:
        """Return how many bytes the number at an offset has; None if its end is not there within `MAX_GROUPS`."""
        for index in range(offset, min(len(buffer), offset + MAX_GROUPS)):
            if buffer[index] < 0x80:
                return index + 1 - offset
        return None
