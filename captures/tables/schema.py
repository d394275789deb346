"""The schema of each table as plain data, taken from the annotations of its rows.

From here come the schemas of Arrow (:mod:`captures.tables.arrow`) and of Spark (:func:`ddl`).
"""

from __future__ import annotations

import types
import typing
from functools import cache
from typing import Final, NamedTuple

from mqbridge.captures.tables import rows
from mqbridge.captures.tables.rows import Row

TABLES: Final[dict[str, type[Row]]] = {
    "captures": rows.CaptureRow,
    "segments": rows.SegmentRow,
    "flows": rows.FlowRow,
    "findings": rows.FindingRow,
    "messages": rows.MessageRow,
    "calls": rows.CallRow,
    "batches": rows.BatchRow,
}
"""Table → class of its rows."""

Type = str | tuple["Column", ...]
"""``string``, ``int``, ``long``, ``double``, ``boolean``, ``binary``, ``timestamp``, ``array<string>``,
``map<string,string>``; or the columns of a struct."""


class Column(NamedTuple):
    """One column. ``nullable``: it may hold None."""

    name: str
    type: Type
    nullable: bool


_PLAIN: Final[dict[object, str]] = {
    str: "string",
    int: "long",
    float: "double",
    bool: "boolean",
    bytes: "binary",
    list[str]: "array<string>",
    dict[str, str]: "map<string,string>",
}
_SPARK: Final = {"long": "bigint"}


@cache
def schema(table: str) -> tuple[Column, ...]:
    """The columns of a table, in order. Raises ``KeyError`` for a name that is none of :data:`TABLES`."""
    return _columns(TABLES[table])


def ddl(table: str) -> str:
    """The same in the notation of Spark: ``capture string not null, …``."""
    return _ddl(schema(table), " ")


def _columns(row: type[tuple[object, ...]]) -> tuple[Column, ...]:
    hints = typing.get_type_hints(row, include_extras=True)
    return tuple(Column(name, *_type(hint)) for name, hint in hints.items())


def _type(hint: object) -> tuple[Type, bool]:
    """The type that an annotation stands for, and whether None is allowed."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        (inner,) = (one for one in typing.get_args(hint) if one is not types.NoneType)
        return _type(inner)[0], True
    if typing.get_origin(hint) is typing.Annotated:
        named: str = typing.get_args(hint)[1]
        return named, False
    if hint in _PLAIN:
        return _PLAIN[hint], False
    if isinstance(hint, type) and issubclass(hint, tuple):
        return _columns(hint), False
    raise TypeError(f"no type of a column stands for {hint!r}")


def _ddl(columns: tuple[Column, ...], between: str) -> str:
    return ", ".join(
        f"`{name}`{between}{kind if isinstance(kind, str) and kind not in _SPARK else _spark(kind)}"
        f"{'' if nullable else ' not null'}"
        for name, kind, nullable in columns
    )


def _spark(kind: Type) -> str:
    return _SPARK[kind] if isinstance(kind, str) else f"struct<{_ddl(kind, ':')}>"
