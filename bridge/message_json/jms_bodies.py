"""Bodies of JMS messages from text and JSON, as ``put --jms`` takes them.

A map is an object whose keys are names, or ``name:type`` with a type of ``dt``: ``{"count:i4": 5, "name": "abc"}``; a
stream an array. A value may also be ``{"type": "i4", "value": 5}``, as it is shown; then a colon of its name belongs to
the name. Without a type it follows from the value: ``i4`` or ``i8``, ``r8``, ``string``, ``boolean``, ``null``.
"""

from __future__ import annotations

import json
from typing import Any, Final

from mqbridge.mappings.jms import JMS_TYPES, KINDS, JmsFormatError, Typed, typed

from .errors import MessageFormError

GivenBody = str | bytes | dict[str, Typed] | tuple[Typed, ...] | None
_FLOATS: Final = ("r4", "r8")
_TEXTS_OF_FLOATS: Final = ("nan", "inf", "-inf")


def jms_body(kind: str, text: str) -> GivenBody:
    """Return the body of a kind from text: plain (text), hexadecimal (bytes, object), JSON (map, stream).

    Raises `MessageFormError` for text that is not of the kind, a value that is not of its type, an unknown kind.
    """
    if kind == "text":
        return text
    if kind in ("bytes", "object"):
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise MessageFormError(f"{text[:40]!r} is not hexadecimal, as a body of kind {kind} is given") from None
    if kind == "none":
        if text:
            raise MessageFormError("a message of kind none has no body")
        return None
    if kind not in KINDS:
        raise MessageFormError(f"{kind!r} is no kind of JMS message; they are {', '.join(KINDS)}")
    document = _json(text)
    if kind == "map":
        if not isinstance(document, dict):
            raise MessageFormError('a map is given as a JSON object: {"name:type": value}')
        return _map(document)
    if not isinstance(document, list):
        raise MessageFormError("a stream is given as a JSON array: [value, …]")
    return tuple(_value(f"element {number}", each) for number, each in enumerate(document, 1))


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise MessageFormError(f"no JSON: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _map(document: dict[str, Any]) -> dict[str, Typed]:
    found: dict[str, Typed] = {}
    for key, value in document.items():
        name, colon, kind = key.rpartition(":")
        if isinstance(value, dict) or not colon:
            name, kind = key, ""
        elif kind not in JMS_TYPES:
            raise MessageFormError(f"{key!r}: {kind!r} is no type of JMS; they are {', '.join(JMS_TYPES)}")
        if name in found:
            raise MessageFormError(f"{name!r} is given twice")
        found[name] = _value(repr(name), value, kind)
    return found


def _value(place: str, value: Any, kind: str = "") -> Typed:
    """Return a value of JSON with its type. ``place`` says in errors where it stands."""
    if isinstance(value, dict):
        if value.keys() != {"type", "value"} or not isinstance(value["type"], str):
            raise MessageFormError(f'{place}: a value, or {{"type": …, "value": …}} is expected')
        kind, value = value["type"], value["value"]
    if isinstance(value, dict | list):
        raise MessageFormError(f"{place}: JMS has no lists or objects as values")
    try:
        if kind == "bin.hex" and isinstance(value, str):
            return typed(Typed(bytes.fromhex(value), kind))
        if kind in _FLOATS and value in _TEXTS_OF_FLOATS:
            return typed(Typed(float(value), kind))
        return typed(Typed(value, kind) if kind else value)
    except JmsFormatError as error:
        raise MessageFormError(f"{place}: {error}") from error
    except (ValueError, OverflowError):
        raise MessageFormError(f"{place}: {str(value)[:40]!r} is no {JMS_TYPES[kind]}") from None
