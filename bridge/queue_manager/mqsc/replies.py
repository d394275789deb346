"""What a command answers: completion, reason, messages and rows of attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mqbridge.bridge.queue_manager.objects import Definition, Value
from mqbridge.bridge.queue_manager.objects.values import Switch
from mqbridge.protocol.constants import MQCC

from .messages import TEXTS, nothing_found

MAX_SHARED: Final = 10_000
"""Cells that are kept for further rows: most objects have the same values in most attributes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One attribute of a row: its value, the text that MQSC shows, and whether it stands without parentheses."""

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
    """The whole answer to one command.

    `completion`: MQCC value; `reason`: 0, an MQRC or an MQRCCF value, as the PCF form of the command would have;
    `syntax`: the command was not understood and nothing was done. `offset`: where in its text it is wrong, -1 if that
    cannot be said.
    """

    command: str
    completion: int = MQCC.OK
    reason: int = 0
    responses: list[Response] = field(default_factory=list)
    syntax: bool = False
    offset: int = -1

    @property
    def ok(self) -> bool:
        """Whether the command did what it says."""
        return self.completion == MQCC.OK

    @property
    def rows(self) -> list[Row]:
        """The rows of all responses."""
        return [response.row for response in self.responses if response.row is not None]

    def add(self, amq: str, *inserts: object, row: Row | None = None) -> None:
        """Add a message with what it is about, and a row."""
        severity, text = TEXTS[amq]
        self.responses.append(Response(amq, severity, text.format(*inserts), row))

    def fail(self, amq: str, reason: int, text: str) -> None:
        """Make the reply one of failure, with a message of this text."""
        self.completion = MQCC.FAILED
        self.reason = int(reason)
        self.responses.append(Response(amq, "E", text.rstrip(".") + "."))

    def keep(self, wanted: Callable[[str], bool], noun: str, name: str) -> None:
        """Take out the rows whose name, their first field, is not wanted; with none left nothing was found."""
        self.responses = [
            each for each in self.responses if each.row is None or wanted(next(iter(each.row.values())).text)
        ]
        if not self.responses:
            self.fail(*nothing_found(noun), f"no object is meant by {noun} {name}")


def cell(keyword: str, value: Value) -> Cell:
    """A cell for a value that no attribute table describes: numbers and words as they are, True as a bare keyword."""
    if isinstance(value, bool):
        return Cell(value, keyword if value else "NO", bare=value)
    return Cell(value, ",".join(value) if isinstance(value, tuple) else str(value))


_shared: Final[dict[tuple[int, type[Value], Value], Cell]] = {}
"""By identity of the attribute, which a table keeps for good, type and value."""


def attribute_cell(definition: Definition, keyword: str) -> Cell:
    """The cell of one attribute of a definition."""
    attribute = definition.table[keyword]
    value = definition[keyword]
    key = (id(attribute), type(value), value)
    found = _shared.get(key)
    if found is None:
        if len(_shared) >= MAX_SHARED:
            _shared.clear()
        kind = attribute.type
        found = _shared[key] = Cell(value, kind.show(value), isinstance(kind, Switch))
    return found


def cells(values: Mapping[str, Value]) -> Row:
    """A row of values that no attribute table describes."""
    return {keyword: cell(keyword, value) for keyword, value in values.items()}
