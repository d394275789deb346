"""Fields of a transaction: where each is, of what type, what it stands for and how it is computed (M-162 to M-165)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final, Literal, NamedTuple, TypeAlias

from .types.field_type import FieldType
from .values import Value

MAPPED: Final = (
    "queue",
    "target-manager",
    "source-manager",
    "channel",
    "message",
    "message-id",
    "correlation-id",
    "priority",
    "expiry",
    "reply-to",
    "time-stamp",
)
"""Names that have a meaning (M-165); any other name of a mapping is a field of the application."""


class At(NamedTuple):
    """A place in the packet: ``offset`` from its start, or if ``from_end``, how many bytes before its end."""

    offset: int
    from_end: bool = False


class Behind(NamedTuple):
    """The place behind another field; ``field`` is empty for the one before."""

    field: str
    gap: int = 0


class SizeFrom(NamedTuple):
    """A length that another field gives: its value times ``unit`` plus ``plus``, in bytes."""

    field: str
    unit: int = 1
    plus: int = 0


@unique
class Size(Enum):
    """Lengths that the packet itself gives: all the rest, or up to the end that the value has in itself."""

    REST = "rest"
    OWN = "own"


Position: TypeAlias = At | Behind
Length: TypeAlias = int | SizeFrom | Size


class Range(NamedTuple):
    """Bytes of the packet from ``start`` up to ``end``; a negative number counts from the end, None is the end."""

    start: int = 0
    end: int | None = None

    def of(self, length: int) -> tuple[int, int]:
        """Return start and end in a packet of so many bytes. Raises ``ValueError`` where it has not so many."""
        start = self.start + length if self.start < 0 else self.start
        end = length if self.end is None else self.end + length if self.end < 0 else self.end
        if not 0 <= start <= end <= length:
            raise ValueError(f"the packet of {length} bytes has no bytes from {self.start} to {self.end}")
        return start, end


class LengthOf(NamedTuple):
    """Computed: the length of a field (by name) or a range, divided by ``unit``, plus ``plus``."""

    of: str | Range
    unit: int = 1
    plus: int = 0


class Sequence(NamedTuple):
    """Computed: the next number of a counter, ``first`` behind ``last``. ``restarts``: with each connection."""

    counter: str
    first: int
    last: int
    step: int
    restarts: bool = False


class RandomId(NamedTuple):
    """Computed: random bytes, or digits; the field's own length."""


class Now(NamedTuple):
    """Computed: the time; a number in a field of integers is whole seconds."""


class Copy(NamedTuple):
    """Computed: what a field of the request says."""

    field: str


Method: TypeAlias = Literal["md5", "crc32", "sum8", "sum16", "xor", "internet"]


class Checksum(NamedTuple):
    """Computed: a checksum of a range, in which the field itself counts as zeros."""

    method: Method
    range: Range


Computed: TypeAlias = LengthOf | Sequence | RandomId | Now | Copy | Checksum


class Field(NamedTuple):
    """One field.

    ``position``, ``length``: where it is. ``type``: how its bytes are a value, by ``kind``, the name of the type.
    ``map``: what it stands for, or empty. ``value``: what it always is when built. ``computed``: how it is made when no
    value is given. ``cut``: whether a value that is too long is cut. ``identity``: whether the other side knows a
    repeat by it. ``values``: names of values, for reports; ``flags``: names of bits.
    """

    name: str
    kind: str
    type: FieldType
    position: Position
    length: Length
    map: str = ""
    value: Value | None = None
    computed: Computed | None = None
    cut: bool = False
    identity: bool = False
    values: Mapping[str, Value] = {}
    flags: Mapping[str, int] = {}
    description: str = ""

    def shown(self, value: Value) -> str:
        """Return the name of a value or of its bits, empty if it has none."""
        for name, each in self.values.items():
            if each == value:
                return name
        if self.flags and isinstance(value, int):
            names = [name for name, bit in self.flags.items() if value & bit == bit]
            left = value
            for name in names:
                left &= ~self.flags[name]
            return " ".join([*names, *([hex(left)] if left else [])])
        return ""
