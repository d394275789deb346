"""Fields of a grammar of fixed layout, and records of layouts for which no module is made.

The structures of MQ have their records in ``protocol.layouts``. Structures of plug-ins, and beginnings of structures
that are shown, are not known before the program runs; their records do the same field by field.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import construct

from .constants import ByteOrder
from .fields import Field, notes
from .records import Buffer, Record, Slot, fits


def slots_of(grammar: Any, order: ByteOrder) -> tuple[Slot, ...]:
    """Return the fields of a fixed layout in order; fields of nested structures are prefixed with the part's name.

    Raises ``TypeError`` for anything but integers, ``Bytes`` of known length and structures of these.
    """
    slots = []
    offset = 0
    for field, code, big in _walk(grammar, "", ""):
        size = struct.calcsize("<" + code)
        swapped = big and order is ByteOrder.LITTLE and size > 1 and not code.endswith("s")
        if not big and order is ByteOrder.BIG:
            raise TypeError(f"{field.name} is little-endian in a big-endian layout")
        if swapped and code.islower():
            raise TypeError(f"{field.name} is signed and big-endian in a little-endian layout")
        slots.append(Slot(field, offset, size, code, swapped))
        offset += size
    return tuple(slots)


def _walk(grammar: Any, key_prefix: str, name_prefix: str) -> Iterator[tuple[Field, str, bool]]:
    for subcon in grammar.subcons:
        inner = subcon
        while isinstance(inner, construct.Renamed):
            inner = inner.subcon
        if isinstance(inner, construct.Struct):
            yield from _walk(inner, f"{key_prefix}{subcon.name}_", f"{name_prefix}{subcon.name.upper()}.")
            continue
        name = subcon.name or ""
        field = notes(subcon) or Field(name, name, "part", subcon.docs)
        field = replace(field, key=key_prefix + field.key, name=name_prefix + field.name)
        if isinstance(inner, construct.FormatField):
            yield field, inner.fmtstr[1:], inner.fmtstr[0] == ">" or inner.length == 1
        elif isinstance(inner, construct.Bytes) and isinstance(inner.length, int):
            yield field, f"{inner.length}s", True
        else:
            raise TypeError(f"{field.name} has no fixed layout: {inner!r}")


def layout_of(slots: Sequence[Slot], order: ByteOrder) -> str:
    """Return the ``struct`` format of the fields; swapped ones are bytes."""
    return order.prefix + "".join(f"{slot.size}s" if slot.swapped else slot.code for slot in slots)


def checked_slots(name: str, grammar: Any, order: ByteOrder) -> tuple[Slot, ...]:
    """Return the fields of a layout of which records can be made. Raises ``TypeError`` for one of which they cannot."""
    slots = slots_of(grammar, order)
    if len({slot.field.key for slot in slots}) != len(slots):
        raise TypeError(f"{name}: a field name stands twice")
    size = struct.calcsize(layout_of(slots, order))
    if size != grammar.sizeof():
        raise TypeError(f"{name}: {size} bytes in the record, {grammar.sizeof()} in the grammar")
    return slots


def record_class(name: str, grammar: Any, order: ByteOrder) -> type[Record]:
    """Return a class of records of a fixed layout. Raises ``TypeError`` if the layout is not fixed."""
    slots = checked_slots(name, grammar, order)
    layout = struct.Struct(layout_of(slots, order))
    keys = tuple(slot.field.key for slot in slots)

    class Made(Record):
        __slots__ = keys

        NAME: ClassVar[str] = name
        ORDER: ClassVar[ByteOrder] = order
        LAYOUT: ClassVar[struct.Struct] = layout
        SIZE: ClassVar[int] = layout.size
        KEYS: ClassVar[tuple[str, ...]] = keys
        SLOTS: ClassVar[tuple[Slot, ...]] = slots

        def __init__(self, **values: Any) -> None:
            for slot in slots:
                setattr(self, slot.field.key, values.pop(slot.field.key, slot.field.default))
            if values:
                raise TypeError(f"{name} has no {', '.join(values)}")

        @classmethod
        def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
            try:
                values = layout.unpack_from(buffer, offset)
            except struct.error:
                raise cls._short(buffer, offset) from None
            made = cls.__new__(cls)
            for slot, value in zip(slots, values, strict=True):
                setattr(made, slot.field.key, int.from_bytes(value, "big") if slot.swapped else value)
            return made

        def build(self) -> bytes:
            values = [getattr(self, key) for key in keys]
            if not all(map(fits, slots, values)):
                raise self._unfit()
            raw = (
                value.to_bytes(slot.size, "big") if slot.swapped else value
                for slot, value in zip(slots, values, strict=True)
            )
            return layout.pack(*raw)

    return Made
