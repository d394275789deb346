"""The rows of each class of resources, by which words become fields and fields words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqbridge.bridge.everyplace.definitions import (
    bridge_properties,
    connection_definition,
    listener_definition,
    queue_properties,
)
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType

from . import actions
from .manager import PROPERTIES as MANAGER_PROPERTIES

_TRUE, _FALSE = ("true", "yes"), ("false", "no")


class Vocabulary:
    """Classes and their rows. Other packages add theirs."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[Property, ...]] = {
            actions.QUEUE_MANAGER: MANAGER_PROPERTIES,
            actions.QUEUE: queue_properties.PROPERTIES,
            actions.CONNECTION: connection_definition.PROPERTIES,
            actions.LISTENER: listener_definition.PROPERTIES,
        }
        self._rows |= {kind.value: found for kind, found in bridge_properties.PROPERTIES.items()}
        for kind in QueueKind:
            self._rows[kind.value] = tuple(row for row in queue_properties.PROPERTIES if kind in row.queues)
        for bridge_kind, rows in bridge_properties.PROPERTIES.items():
            self._rows[bridge_kind.value] = tuple(rows)

    def add(self, resource: str, rows: Sequence[Property]) -> None:
        """Know a class; its first row is the name."""
        self._rows[resource] = tuple(rows)

    def classes(self) -> list[str]:
        """Return the classes, in alphabetical order."""
        return sorted(self._rows)

    def rows(self, resource: str) -> tuple[Property, ...]:
        """Return the rows of a class. Raises `EveryplaceError` SYNTAX."""
        found = self._rows.get(resource)
        if found is None:
            raise EveryplaceError(Code.SYNTAX, f"{resource!r} is none of {', '.join(self.classes())}")
        return found

    def option(self, resource: str, name: str) -> Property:
        """Return the row that an option means, with or without ``--``. Raises `EveryplaceError` SYNTAX."""
        wanted = name.removeprefix("--")
        for row in self.rows(resource):
            if row.option == wanted:
                return row
        known = ", ".join(row.option for row in self.rows(resource))
        raise EveryplaceError(Code.SYNTAX, f"{resource} has no --{wanted[:40]}; it has {known}")

    def field(self, resource: str, name: str) -> Property | None:
        """Return the row of a field, if it is known."""
        return next((row for row in self._rows.get(resource, ()) if row.field == name), None)


def value_of(row: Property, text: str) -> Any:
    """Return the value that a text means for a property. Raises `EveryplaceError` SYNTAX."""
    kind = row.type
    if kind.is_array:
        return [each.strip() for each in text.split(",") if each.strip()]
    if kind in (FieldType.ASCII, FieldType.UNICODE):
        return text
    if kind is FieldType.BOOLEAN and text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    if text in row.choices:
        return row.choices.index(text)
    try:
        if kind is not FieldType.BOOLEAN:
            return int(text)
    except ValueError:
        pass
    wanted = "yes or no" if kind is FieldType.BOOLEAN else " or ".join(row.choices) or "a number"
    raise EveryplaceError(Code.SYNTAX, f"--{row.option} {text[:40]!r} is not {wanted}")


def text_of(row: Property, value: Any) -> str:
    """Return a value as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return _TRUE[1] if value else _FALSE[1]
    if isinstance(value, tuple):
        return ",".join(value)
    if row.choices and isinstance(value, int) and 0 <= value < len(row.choices):
        return row.choices[value]
    return str(value)
