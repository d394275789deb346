"""Properties of objects, a row for each: what definitions, administration messages and inquiries are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, unique
from typing import Any, Final, NamedTuple

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType, decode, encode
from mqbridge.protocol.everyplace.fields import Fields

from .queue_kinds import QueueKind

MAX_TEXT: Final = 1 << 16
"""Longest value of a property, in bytes; a row of the registry has that many for each."""


@unique
class Alterable(Enum):
    """When a property may be given a value."""

    NEVER = "when the object is created"
    EMPTY = "while the queue is inactive and empty"
    """E-139"""
    ALWAYS = "always"
    READ_ONLY = "never; it is inquired"


class Property(NamedTuple):
    """One property. ``field``: its field in administration messages. ``constant``: IBM's name, or ours. ``types``:
    those that are accepted; the first is given back. ``default``: of a new object. ``queues``: kinds that have it.
    ``attribute``: of the definition's value; with ``-`` for ``_`` it is the option of commands. ``secret``: it is never
    given back. ``choices``: words for the numbers from 0."""

    field: str
    constant: str
    types: tuple[FieldType, ...]
    default: Any
    queues: frozenset[QueueKind] = frozenset(QueueKind)
    alterable: Alterable = Alterable.ALWAYS
    attribute: str = ""
    secret: bool = False
    choices: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Return that of its field alone: definitions look values up for every message."""
        return hash(self.field)

    @property
    def type(self) -> FieldType:
        """The type in which its value is given back."""
        return self.types[0]

    @property
    def option(self) -> str:
        """How people write it."""
        return self.attribute.replace("_", "-")

    def checked(self, value: Any) -> Any:
        """Return a value as it is given back. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
        try:
            data = encode(self.type, value)
        except EveryplaceError as error:
            raise self.invalid(error.text) from None
        if data is not None and len(data) > MAX_TEXT:
            raise self.invalid(f"{len(data)} bytes; {MAX_TEXT} are allowed")
        return decode(self.type, data)

    def read(self, fields: Fields) -> Any:
        """Return its value in a fields object. Raises `EveryplaceError` ADMIN_INVALID_FIELD for another type."""
        try:
            return fields.get(self.field, *self.types)
        except EveryplaceError as error:
            raise self.invalid(error.text) from None

    def invalid(self, text: str, code: Code = Code.ADMIN_INVALID_FIELD) -> EveryplaceError:
        """Return the error of a value that it cannot have (E-571)."""
        return EveryplaceError(code, f"{self.constant} ({self.field}): {text}")


ASCII: Final = (FieldType.ASCII, FieldType.UNICODE)
TEXT: Final = (FieldType.UNICODE, FieldType.ASCII)
NAMES: Final = (FieldType.ASCII_ARRAY, FieldType.UNICODE_ARRAY)
INT: Final = (FieldType.INT,)
LONG: Final = (FieldType.LONG, FieldType.INT)
BOOLEAN: Final = (FieldType.BOOLEAN,)


def write_row(type_name: str, rows: Iterable[Property], definition: object) -> Fields:
    """Return a definition whose attributes the rows name, as a fields object for the registry."""
    found = Fields(type_name)
    for row in rows:
        value = getattr(definition, row.attribute)
        if value != row.default:
            found.put(row.field, value, row.type)
    return found


def read_row(fields: Fields, rows: Iterable[Property]) -> dict[str, Any]:
    """Return the attributes of a definition that a fields object holds. Raises `EveryplaceError`."""
    return {row.attribute: row.checked(row.read(fields)) for row in rows if row.field in fields}


def by_field(rows: Iterable[Property]) -> Mapping[str, Property]:
    """Return rows by their field."""
    return {row.field: row for row in rows}
