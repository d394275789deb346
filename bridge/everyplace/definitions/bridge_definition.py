"""The definition of a bridge object, and its row in the registry (mqe.md 18.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

from . import bridge_properties as rows
from .bridge_properties import BOUNDS, BY_FIELD, NOT_SUPPORTED, OWNERS, PROPERTIES, BridgeKind
from .properties import Alterable, Property

BridgePath = tuple[str, ...]
"""The names from the bridge down to an object; empty for all bridges."""
MAX_CHANNEL_NAME: Final = 20


class BridgeDefinition:
    """A bridge object as it was defined.

    ``path``: its name behind those of the objects above it. Raises `EveryplaceError` SYNTAX or TOO_LONG for names,
    ADMIN_INVALID_FIELD for properties that its kind does not have, NOT_SUPPORTED for values that nothing here can use.
    """

    __slots__ = ("_values", "kind", "path")

    def __init__(self, path: BridgePath, values: Mapping[Property, Any] | None = None) -> None:
        self.kind = kind_of(path)
        for name in path:
            check_name(name, self.kind.value, for_mq=True)
        if self.kind is BridgeKind.CLIENT_CONNECTION and len(path[-1]) > MAX_CHANNEL_NAME:
            raise EveryplaceError(
                Code.TOO_LONG, f"channel {path[-1]} has {len(path[-1])} characters; {MAX_CHANNEL_NAME} are allowed"
            )
        self.path = path
        self._values: dict[Property, Any] = {}
        for row, value in (values or {}).items():
            self.set(row, value)

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]

    def value(self, row: Property) -> Any:
        """Return a property; the default of one that was not given."""
        if row is rows.NAME:
            return self.name
        if row in OWNERS:
            return self.path[OWNERS.index(row)]
        return self._values.get(row, row.default)

    def set(self, row: Property, value: Any) -> None:
        """Give a property a value; None its default. Raises `EveryplaceError`."""
        if row not in PROPERTIES[self.kind]:
            raise row.invalid(f"a {self.kind.value} does not have it")
        if row.alterable is not Alterable.ALWAYS:
            raise row.invalid("it cannot be given a value")
        if value is None:
            self._values.pop(row, None)
            return
        value = row.checked(value)
        if row in NOT_SUPPORTED and value:
            raise row.invalid(NOT_SUPPORTED[row], Code.NOT_SUPPORTED)
        lowest, highest = BOUNDS.get(row, (None, None))
        if lowest is not None and highest is not None and not lowest <= value <= highest:
            raise row.invalid(f"{value} is not from {lowest} to {highest}")
        self._values[row] = value

    def altered(self, values: Mapping[Property, Any]) -> BridgeDefinition:
        """Return it with other values. Raises `EveryplaceError`."""
        return BridgeDefinition(self.path, {**self._values, **values})

    def fields(self) -> Fields:
        """Return it as a fields object, for the registry."""
        found = Fields(self.kind.value)
        for row in PROPERTIES[self.kind]:
            if row in self._values:
                found.put(row.field, self._values[row], row.type)
        return found

    @classmethod
    def read(cls, path: BridgePath, fields: Fields) -> BridgeDefinition:
        """Return the definition of a row of the registry. Raises `EveryplaceError`."""
        found = cls(path)
        for name in fields:
            row = BY_FIELD[found.kind].get(name)
            if row is not None:
                found.set(row, row.read(fields))
        return found

    def __str__(self) -> str:
        return f"{self.kind.value} {'/'.join(self.path)}"


def kind_of(path: BridgePath) -> BridgeKind:
    """Return the kind of the object that a path leads to. Raises `EveryplaceError` SYNTAX."""
    kinds = tuple(BridgeKind)
    if len(path) >= len(kinds):
        raise EveryplaceError(Code.SYNTAX, f"{len(path)} names lead below a listener")
    return kinds[len(path)]
