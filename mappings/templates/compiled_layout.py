"""The head of a packet on the compiled codec: a Construct grammar made from its pieces, and all slots by one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final

import construct

from mqbridge.protocol.compiled import compile_layout
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import part, raw

from .layout import Piece
from .types.numbers import Integer

_CODES: Final = {1: "B", 2: "H", 4: "L", 8: "Q"}

SlotReader = Callable[[bytes], tuple[Any, ...]]
"""Returns a slot for each piece: a number for those of `is_number`, else bytes. Raises ``StructureError``."""


def is_number(piece: Piece) -> bool:
    """Return whether the codec reads a piece as a number."""
    return piece.field is not None and isinstance(piece.field.type, Integer) and piece.size in _CODES


def grammar_of(pieces: Sequence[Piece]) -> tuple[Any, ByteOrder]:
    """Return the grammar of pieces of fixed length, and the byte order of its codec; its keys are ``p0``, ``p1`` …"""
    little = any(_is_little(piece) for piece in pieces)
    subcons = []
    for index, piece in enumerate(pieces):
        name = f"p{index}"
        if is_number(piece):
            subcons.append(part(name, _integer(piece), piece.key, kind="int", default=0))
        else:
            subcons.append(raw(name, piece.size, piece.key))
    return construct.Struct(*subcons), ByteOrder.LITTLE if little else ByteOrder.BIG


def slot_reader(pieces: Sequence[Piece]) -> SlotReader:
    """Return the function that reads the pieces of fixed length at the start of a packet."""
    if not pieces:
        return lambda _packet: ()
    grammar, order = grammar_of(pieces)
    record = compile_layout("Head", grammar, order)
    parse, keys = record.parse, record.KEYS
    get = attrgetter(*keys)
    if len(keys) == 1:
        return lambda packet: (get(parse(packet)),)
    return lambda packet: get(parse(packet))


def _is_little(piece: Piece) -> bool:
    return is_number(piece) and piece.size > 1 and _type(piece).order == "little"


def _integer(piece: Piece) -> Any:
    code = _CODES[piece.size]
    kind = _type(piece)
    return construct.FormatField(">" if kind.order == "big" else "<", code.lower() if kind.signed else code)


def _type(piece: Piece) -> Integer:
    assert piece.field is not None, "a field"
    assert isinstance(piece.field.type, Integer), "a number"
    return piece.field.type
