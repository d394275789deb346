"""Messages of a described protocol as text and as JSON."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from mqbridge.mappings.templates import Value

from .messages import Found, ReadMessage

MAX_SHOWN: Final = 200
"""Characters of a value that a line shows."""


def shown_value(value: Value) -> str | int | float:
    """Return a value as JSON has it: bytes are hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def message_json(found: Found) -> dict[str, Any]:
    """Return a message, or what could not be read, as one object. ``fields``: by name, with ``offset``, ``length``,
    ``value`` and, where it has one, the ``name`` of the value."""
    about: dict[str, Any] = {
        "connection": found.connection,
        "direction": found.direction.value,
        "offset": found.offset,
    }
    if isfinite(found.time):
        about["time"] = found.time
    if found.packet:
        about["packet"] = found.packet
    if not isinstance(found, ReadMessage):
        return {**about, "length": found.length, "fault": found.reason, "extract": found.extract.hex()}
    places = found.transaction.places(found.data)
    fields = {}
    for name, field in found.transaction.fields.items():
        value = found.values.fields[name]
        start, end = places[name]
        fields[name] = {"offset": start, "length": end - start, "value": shown_value(value)}
        if shown := field.shown(value):
            fields[name]["name"] = shown
    return {**about, "length": len(found.data), "transaction": found.transaction.name, "fields": fields}


def message_lines(found: Found) -> list[str]:
    """Return a message as lines of text."""
    shown = message_json(found)
    head = f"{found.direction.value} {found.connection}, offset {found.offset}"
    if not isinstance(found, ReadMessage):
        return [f"{head}: {found.length} bytes not explained, {found.reason}: {found.extract.hex(' ')}"]
    lines = [f"{shown['transaction']}  {head}, {shown['length']} bytes"]
    for name, field in shown["fields"].items():
        value = field["value"]
        text = repr(value) if isinstance(found.values.fields[name], str) else str(value)
        if len(text) > MAX_SHOWN:
            text = f"{text[:MAX_SHOWN]}… ({field['length']} bytes)"
        named = f" ({field['name']})" if "name" in field else ""
        lines.append(f"  {field['offset']:>6}  {name:<20} {text}{named}")
    return lines
