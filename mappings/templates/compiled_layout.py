"""The head of a packet: a Construct grammar made from its pieces, and all of them read by one call of ``struct``."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

import construct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import part, raw
from mqbridge.protocol.records import short_structure
from mqbridge.protocol.slots import checked_slots, layout_of

from .layout import Piece
from .types.numbers import Integer

_CODES: Final = {1: "B", 2: "H", 4: "L", 8: "Q"}

SlotReader = Callable[[bytes], tuple[Any, ...]]
"""Returns a slot for each piece: a number for those of `number_keys`, else bytes. Raises ``StructureError``."""


def number_keys(pieces: Sequence[Piece]) -> frozenset[str]:
    """Return the keys of the pieces that the codec reads as numbers.

    Beside little-endian numbers it reads signed big-endian ones as bytes.
    """
    little = _order(pieces) is ByteOrder.LITTLE
    numbers = [piece for piece in pieces if _fits_codec(piece)]
    return frozenset(
        piece.key
        for piece in numbers
        if not (little and piece.size > 1 and _type(piece).signed and _type(piece).order == "big")
    )


def grammar_of(pieces: Sequence[Piece]) -> tuple[Any, ByteOrder]:
    """Return the grammar of pieces of fixed length, and the byte order of its codec; its keys are ``p0``, ``p1`` …"""
    numbers = number_keys(pieces)
    subcons = []
    for index, piece in enumerate(pieces):
        name = f"p{index}"
        if piece.key in numbers:
            subcons.append(part(name, _integer(piece), piece.key, kind="int", default=0))
        else:
            subcons.append(raw(name, piece.size, piece.key))
    return construct.Struct(*subcons), _order(pieces)


def slot_reader(pieces: Sequence[Piece]) -> SlotReader:
    """Return the function that reads the pieces of fixed length at the start of a packet."""
    if not pieces:
        return lambda _packet: ()
    grammar, order = grammar_of(pieces)
    slots = checked_slots("Head", grammar, order)
    unpack = struct.Struct(layout_of(slots, order)).unpack_from
    swapped = [index for index, slot in enumerate(slots) if slot.swapped]

    def read(packet: bytes) -> tuple[Any, ...]:
        try:
            values = unpack(packet)
        except struct.error:
            raise short_structure("Head", slots, 0, len(packet)) from None
        if not swapped:
            return values
        numbers = list(values)
        for index in swapped:
            numbers[index] = int.from_bytes(numbers[index], "big")
        return tuple(numbers)

    return read


def _fits_codec(piece: Piece) -> bool:
    return piece.field is not None and isinstance(piece.field.type, Integer) and piece.size in _CODES


def _order(pieces: Sequence[Piece]) -> ByteOrder:
    """Little-endian if any number is."""
    numbers = [piece for piece in pieces if _fits_codec(piece) and piece.size > 1]
    return ByteOrder.LITTLE if any(_type(piece).order == "little" for piece in numbers) else ByteOrder.BIG


def _integer(piece: Piece) -> Any:
    code = _CODES[piece.size]
    kind = _type(piece)
    return construct.FormatField(">" if kind.order == "big" else "<", code.lower() if kind.signed else code)


def _type(piece: Piece) -> Integer:
    assert piece.field is not None, "a field"
    assert isinstance(piece.field.type, Integer), "a number"
    return piece.field.type
