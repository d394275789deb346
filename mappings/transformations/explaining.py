"""What a run did to a message, a line for each step (``mqbridge routes --explain``)."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Value, read_properties
from mqbridge.mappings.properties.names import USER_FOLDER
from mqbridge.protocol.errors import LocalProtocolError, MQBridgeError
from mqbridge.protocol.structures import MD

from .run import Change, Run

MAX_VALUE: Final = 60
"""Longest value that is shown, in characters."""
_COLUMN: Final = 12
"""Characters of the steps' names; a longer one moves its text to the right."""
_CHAINED: Final = ("Format", "CodedCharSetId", "Encoding")
"""Fields that are told together if one of them changes."""
_FIELDS: Final = tuple(
    (slot.field.name, slot.field.key) for slot in MD.slots if slot.field.name not in ("StrucId", "Version", *_CHAINED)
)


def explain(run: Run) -> tuple[str, ...]:
    """Return the lines of a run that was started with ``record=True``: the steps that were applied so far.

    Raises ``LocalProtocolError`` for a run without a record.
    """
    if run.changes is None:
        raise LocalProtocolError("the run keeps no record")
    lines = []
    for change in run.changes:
        lines += [f"{change.step.shown:{_COLUMN}} {text}" for text in _told(change)]
    return tuple(lines)


def _told(change: Change) -> list[str]:
    if not change.after:
        return ["dropped"]
    if len(change.after) == 1:
        return [_difference(change.before, change.after[0])]
    number = len(change.after)
    return [f"{place} of {number}: {_difference(change.before, each)}" for place, each in enumerate(change.after, 1)]


def _difference(before: Message, after: Message) -> str:
    """Return how a message differs from what it was: its length, its descriptor, its properties."""
    if after is before:
        return "unchanged"
    longer = len(after.body) - len(before.body)
    same_data = not longer and before.data == after.data
    parts = [f"{longer} bytes in" if longer > 0 else f"{-longer} bytes out"] if longer else []
    try:
        parts += _of_descriptors(before, after)
        changed = [] if same_data else _of_properties(before, after)
    except MQBridgeError as error:
        return "; ".join((*parts, f"not read: {error}"))
    parts += changed
    if not longer and not same_data and not changed:
        parts.append("other data of the same length")
    return "; ".join(parts) or "unchanged"


def _of_descriptors(before: Message, after: Message) -> list[str]:
    if (before.raw_md, before.order, before.ccsid) == (after.raw_md, after.order, after.ccsid):
        return []
    parts = []
    was, now = before.md, after.md
    chained = (now.format, now.coded_char_set_id, now.encoding)
    if chained != (was.format, was.coded_char_set_id, was.encoding):
        parts.append(
            "MQMD." + ", ".join(f"{name} {value or 'blank'}" for name, value in zip(_CHAINED, chained, strict=True))
        )
    changed = [(name, getattr(now, key)) for name, key in _FIELDS if getattr(now, key) != getattr(was, key)]
    if changed:
        parts.append("MQMD." + ", ".join(f"{name} {_shown(value)}" for name, value in changed))
    return parts


def _of_properties(before: Message, after: Message) -> list[str]:
    """Return what became of properties; nothing if all went, with their headers."""
    was, now = _properties(before), _properties(after)
    if not now:
        return []
    parts = [f"{name} {_shown(value)}" for name, value in now.items() if name not in was or was[name] != value]
    return parts + [f"{name} out" for name in was if name not in now]


def _properties(message: Message) -> dict[str, Value]:
    found = {}
    for each in read_properties(message):
        found[each.name if "." in each.name else f"{USER_FOLDER}.{each.name}"] = each.value
    return found


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        text = value.hex()
    elif isinstance(value, str):
        text = repr(value) if value else "blank"
    else:
        text = "null" if value is None else str(value)
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…"
