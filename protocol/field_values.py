"""Values of a structure by IBM's names, and back, with a function for its texts.

What a grammar parses has attribute names, and raw bytes for text, at any depth. :func:`field_values` makes of it plain
dictionaries and lists by field names, and :func:`attribute_values` the reverse; the function decodes, encodes or
converts each character field on the way. Text inside a ``Switch`` or another choice is not recognised and stays bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import construct

from .errors import LocalProtocolError
from .fields import Field, notes

ReadText = Callable[[bytes], Any]
"""Takes the bytes of a character field."""
WriteText = Callable[[Any, int | None], Any]
"""Takes a value of a character field and the field's length in bytes, None if it varies; returns its bytes."""


def field_values(struct: Any, values: Mapping[str, Any], text: ReadText) -> dict[str, Any]:
    """Return parsed values by IBM's names, nested as they are."""
    found = {}
    for subcon in struct.subcons:
        if subcon.name:
            note = notes(subcon)
            found[note.name if note else subcon.name] = _read(subcon, note, values[subcon.name], text)
    return found


def _read(subcon: Any, note: Field | None, value: Any, text: ReadText) -> Any:
    if note is not None and note.kind == "char" and isinstance(value, bytes):
        return text(value)
    inner = _inside(subcon)
    if isinstance(inner, construct.Struct) and isinstance(value, Mapping):
        return field_values(inner, value, text)
    element = _element(inner)
    if element is not None and isinstance(value, list):
        return [_read(element, notes(element), each, text) for each in value]
    return plain_value(value)


def plain_value(value: Any) -> Any:
    """Return any parsed value as dictionaries, lists and scalars."""
    if isinstance(value, Mapping):
        return {key: plain_value(each) for key, each in value.items() if not key.startswith("_")}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    return value


def attribute_values(struct: Any, values: Mapping[str, Any], text: WriteText, name: str) -> dict[str, Any]:
    """Return values for the grammar from values by IBM's names; a missing field has its default, if it has one.

    ``name`` is the structure's. Raises ``LocalProtocolError`` for a name that is no field, and what ``text`` raises.
    """
    given = dict(values)
    found = {}
    for subcon in struct.subcons:
        if not subcon.name:
            continue
        note = notes(subcon)
        known = note.name if note else subcon.name
        if known in given:
            found[subcon.name] = _write(subcon, note, given.pop(known), text, f"{name}.{known}")
        elif note is not None and note.default is not None:
            found[subcon.name] = note.default
    if given:
        raise LocalProtocolError(f"{name} has no field {next(iter(given))}")
    return found


def _write(subcon: Any, note: Field | None, value: Any, text: WriteText, name: str) -> Any:
    inner = _inside(subcon)
    if note is not None and note.kind == "char":
        length = getattr(inner, "length", None)
        return text(value, length if isinstance(length, int) else None)
    if isinstance(inner, construct.Struct) and isinstance(value, Mapping):
        return attribute_values(inner, value, text, name)
    element = _element(inner)
    if element is not None and isinstance(value, list | tuple):
        return [_write(element, notes(element), each, text, f"{name}[{at}]") for at, each in enumerate(value, 1)]
    return value


def has_unknown_bytes(struct: Any, values: Mapping[str, Any]) -> bool:
    """Return whether values hold bytes that are no field of their own: they may be text or not."""
    return any(
        _has_bytes(subcon, notes(subcon), values[subcon.name]) for subcon in struct.subcons if subcon.name in values
    )


def _has_bytes(subcon: Any, note: Field | None, value: Any) -> bool:
    if note is not None and note.kind != "part":
        return False
    inner = _inside(subcon)
    if isinstance(inner, construct.Struct) and isinstance(value, Mapping):
        return has_unknown_bytes(inner, value)
    element = _element(inner)
    if isinstance(value, list):
        return any(_has_bytes(element, notes(element), each) for each in value)
    if isinstance(value, Mapping):
        return any(_has_bytes(None, None, each) for each in value.values())
    return isinstance(value, bytes | str)


def _inside(subcon: Any) -> Any:
    """Return the layout inside names and wrappers."""
    while isinstance(subcon, construct.Subconstruct) and _element(subcon) is None:
        subcon = subcon.subcon
    return subcon


def _element(subcon: Any) -> Any:
    """Return the layout of a list's elements; None if it is no list."""
    if isinstance(subcon, construct.Array | construct.GreedyRange):
        return subcon.subcon
    if isinstance(subcon, construct.FocusedSeq):  # of PrefixedArray: a count, then the list
        focused = next((each for each in subcon.subcons if each.name == subcon.parsebuildfrom), None)
        return None if focused is None else _element(_inside(focused))
    return None
