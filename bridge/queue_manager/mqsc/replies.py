"""Replies of commands: completion code, reason code, messages and rows of attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mqbridge.bridge.queue_manager.objects import Definition, Value
from mqbridge.bridge.queue_manager.objects.values import Switch, Text
from mqbridge.protocol.constants import MQCC

from .messages import TEXTS, nothing_found

MAX_SHARED: Final = 10_000
"""Cells shared between rows: most objects have the same values in most attributes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One attribute of a row: its value and its text in MQSC. `bare`: shown without parentheses."""

    value: Value
    text: str
    bare: bool = False


Row: TypeAlias = dict[str, Cell]
"""Cells by keyword, in the order in which they are shown."""


@dataclass(slots=True)
class Response:
    """One message of a reply, with the row that it heads, if any.

    `amq` is its id (``"AMQ8409"``), `severity` I, W or E, `text` the message without id.
    """

    amq: str
    severity: str
    text: str
    row: Row | None = None

    @property
    def line(self) -> str:
        """The message as it is printed: ``AMQ8006I: queue created.``"""
        return f"{self.amq}{self.severity}: {self.text}"


@dataclass(slots=True)
class CommandReply:
    """The reply of one command.

    `completion`: MQCC value. `reason`: 0, or the MQRC or MQRCCF value of its PCF form. `syntax`: the command has a
    syntax error. `offset`: of that in its text, -1 if unknown.
    """

    command: str = field(repr=False)
    completion: int = MQCC.OK
    reason: int = 0
    responses: list[Response] = field(default_factory=list)
    syntax: bool = False
    offset: int = -1

    @property
    def ok(self) -> bool:
        """Whether the command has succeeded."""
        return self.completion == MQCC.OK

    @property
    def rows(self) -> list[Row]:
        """The rows of all responses."""
        return [response.row for response in self.responses if response.row is not None]

    def add(self, amq: str, *inserts: object, row: Row | None = None) -> None:
        """Add a message with inserts, and a row."""
        severity, text = TEXTS[amq]
        self.responses.append(Response(amq, severity, text.format(*inserts), row))

    def fail(self, amq: str, reason: int, text: str) -> None:
        """Add an error message; the command has failed."""
        self.completion = MQCC.FAILED
        self.reason = int(reason)
        self.responses.append(Response(amq, "E", text.rstrip(".") + "."))

    def keep(self, wanted: Callable[[str], bool], noun: str, name: str) -> None:
        """Keep only rows whose name (the first field) is wanted; with none left, nothing was found."""
        self.responses = [
            each for each in self.responses if each.row is None or wanted(next(iter(each.row.values())).text)
        ]
        if not self.responses:
            self.fail(*nothing_found(noun), f"no object is meant by {noun} {name}")


def cell(keyword: str, value: Value) -> Cell:
    """A cell for a value that is not an attribute: True as a bare keyword, others as their text."""
    if isinstance(value, bool):
        return Cell(value, keyword if value else "NO", bare=value)
    return Cell(value, ",".join(value) if isinstance(value, tuple) else str(value))


_shared: Final[dict[tuple[int, type[Value], Value], Cell]] = {}
"""By id() of the attribute (tables are never freed), type and value."""


def attribute_cell(definition: Definition, keyword: str) -> Cell:
    """The cell of one attribute of a definition; a secret one is not in it."""
    attribute = definition.table[keyword]
    value = definition[keyword]
    if isinstance(attribute.type, Text) and attribute.type.secret:
        value = attribute.type.show(value)
    key = (id(attribute), type(value), value)
    found = _shared.get(key)
    if found is None:
        if len(_shared) >= MAX_SHARED:
            _shared.clear()
        kind = attribute.type
        found = _shared[key] = Cell(value, kind.show(value), isinstance(kind, Switch))
    return found


def cells(values: Mapping[str, Value]) -> Row:
    """A row of values that are not attributes."""
    return {keyword: cell(keyword, value) for keyword, value in values.items()}
