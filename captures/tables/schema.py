"""Schemas of the tables as plain data, taken from the annotations of their rows.

The schemas of Arrow (:mod:`captures.tables.arrow`) and Spark (:func:`ddl`) are made from them.
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
"""Row classes by table, of the tables that every capture has."""

PROTOCOL_MESSAGES: Final = "protocol_messages"
"""Name of the table of messages by the description of their protocol."""
ROW_CLASSES: Final[dict[str, type[Row]]] = {**TABLES, PROTOCOL_MESSAGES: rows.ProtocolMessageRow}
"""Row classes by table, with that one."""

Type = str | tuple["Column", ...]
"""``string``, ``int``, ``long``, ``double``, ``boolean``, ``binary``, ``timestamp``, ``array<string>``,
``map<string,string>``; or the columns of a struct."""


class Column(NamedTuple):
    """One column. ``nullable``: whether it may be None."""

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
    """Return the columns of a table, in order. Raises ``KeyError`` for an unknown table."""
    return _columns(ROW_CLASSES[table])


def ddl(table: str) -> str:
    """Return the columns in Spark's notation: ``capture string not null, …``."""
    return _ddl(schema(table), " ")


def _columns(row: type[tuple[object, ...]]) -> tuple[Column, ...]:
    hints = typing.get_type_hints(row, include_extras=True)
    return tuple(Column(name, *_type(hint)) for name, hint in hints.items())


def _type(hint: object) -> tuple[Type, bool]:
    """Return the type of an annotation, and whether it allows None."""
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
