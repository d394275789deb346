"""Records: parsed structures of fixed layout, with one attribute per field.

Each layout has a class in ``protocol.layouts``, with a child for each byte order, made from its grammar.
``parse(buffer, offset=0)`` unpacks all fields in one call of ``struct``; ``build()`` packs them in one call. Nothing is
decoded: character fields stay bytes, so ``build`` returns the original bytes. Callers decode text, names and code pages
when they need them.

A big-endian field in a little-endian structure (the length in a segment header, mq-wire.md 1.2) is unpacked as bytes
and converted afterwards. In a run of structures (TSH, MSH, XQH and MD as one), attributes are prefixed with the name of
their part: ``md_msg_id``.

A buffer that is too short raises the same ``StructureError`` as the grammar; a value that does not fit its field raises
``LocalProtocolError``. Property tests hold both readers equal on arbitrary input.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

from mypy_extensions import mypyc_attr

from .constants import ByteOrder
from .errors import LocalProtocolError, StructureError
from .fields import Field

Buffer: TypeAlias = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a fixed layout: its description, offset and ``struct`` code.

    ``swapped``: the field is big-endian in a little-endian layout.
    """

    field: Field
    offset: int
    size: int
    code: str
    swapped: bool

    @property
    def length(self) -> int | None:
        """Number of bytes that a value must have; None for an integer."""
        return self.size if self.code.endswith("s") else None


@mypyc_attr(allow_interpreted_subclasses=True)  # so that `__new__` of a compiled class sets no fields: `parse` does
class Record:
    """A parsed structure: characters and ids as bytes, integers as ``int``.

    Fields may be passed by keyword; the others hold their defaults. Records of one class are equal if all fields are
    equal.
    """

    __slots__ = ()

    NAME: ClassVar[str]
    """Of the structure, as in mq-wire.md 9.22."""
    ORDER: ClassVar[ByteOrder]
    LAYOUT: ClassVar[struct.Struct]
    SIZE: ClassVar[int]
    """In bytes."""
    KEYS: ClassVar[tuple[str, ...]]
    """Names of the attributes, in layout order."""
    SLOTS: ClassVar[tuple[Slot, ...]]
    """The fields; known once ``Structure.codec`` has given the class."""

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        """Read ``SIZE`` bytes at ``offset`` (from 0). Raises ``StructureError`` when fewer are there."""
        raise NotImplementedError

    def build(self) -> bytes:
        """The ``SIZE`` bytes. Raises ``LocalProtocolError`` when a value does not fit its field."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """Return raw values by attribute name, in layout order."""
        return {key: getattr(self, key) for key in self.KEYS}

    def copy(self, **changes: Any) -> Self:
        """Return a new record of the same class with some fields changed."""
        return type(self)(**{**self.as_dict(), **changes})

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, key) == getattr(other, key) for key in self.KEYS)

    def __hash__(self) -> int:
        raise TypeError(f"a record can change: {self.NAME} has no hash")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.as_dict())

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.KEYS)
        return f"{self.NAME}({shown})"

    @classmethod
    def _short(cls, buffer: Buffer, offset: int) -> StructureError:
        """Return the error for a buffer that ends inside the structure."""
        return short_structure(cls.NAME, cls.SLOTS, offset, len(buffer) - offset)

    def _unfit(self) -> LocalProtocolError:
        """Return the error for the first value that does not fit."""
        for slot in self.SLOTS:
            value = getattr(self, slot.field.key)
            if not fits(slot, value):
                return unfit_value(self.NAME, slot.field.name, value, slot.length)
        return LocalProtocolError(f"{self.NAME} cannot be built")


def _again(kind: type[Record], values: dict[str, Any]) -> Record:
    """Return a record that was pickled or is copied."""
    return kind(**values)


def short_structure(name: str, slots: Iterable[Slot], offset: int, there: int) -> StructureError:
    """Return the error for a structure at ``offset`` of which only ``there`` bytes are there, 0 or fewer for none."""
    there = max(there, 0)
    cut = next(slot for slot in slots if slot.offset + slot.size > there)
    return short_input(name, cut.field.name, offset + cut.offset, cut.size, there - cut.offset)


def short_input(name: str, field: str, offset: int, needed: int, there: int) -> StructureError:
    """Return the error for a structure that ends inside ``field``, which begins at ``offset``."""
    return StructureError(name, offset, f"ends inside {field}: {needed} bytes needed, {there} there")


def unfit_value(name: str, field: str, value: object, size: int | None) -> LocalProtocolError:
    """Return the error for a value that does not fit its field; ``size`` in bytes, None for an integer."""
    if size is not None and isinstance(value, bytes | bytearray | memoryview):
        return LocalProtocolError(f"{name}.{field}: {size} bytes needed, {len(value)} given")
    return LocalProtocolError(f"{name}.{field}: value {value!r} does not fit")


def fits(slot: Slot, value: object) -> bool:
    """Return whether a slot can hold a value."""
    if slot.length is not None:
        return isinstance(value, bytes | bytearray) and len(value) == slot.length
    try:
        struct.pack("<" + slot.code, value)
    except struct.error:
        return False
    return True
