"""The output of runmqsc: messages, attributes in two columns, the summary at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .replies import Cell, CommandReply, Response, Row

INDENT = "   "
_FIELD = re.compile(r"([A-Z][A-Z0-9]*)(?:\((.*)\))?", re.DOTALL)
COLUMN = 40
"""Width of the left column; a field that does not fit has a line of its own."""


def format_field(keyword: str, cell: Cell) -> str:
    """``MAXDEPTH(5000)``, ``DESCR( )`` for a blank value, ``NOTRIGGER`` or ``CURRENT`` for a bare word."""
    if cell.bare:
        return cell.text
    return f"{keyword}({cell.text or ' '})"


def format_row(row: Row) -> list[str]:
    """The lines of a row, two fields to a line."""
    lines: list[str] = []
    left = ""
    for keyword, cell in row.items():
        shown = format_field(keyword, cell)
        if len(shown) >= COLUMN:
            if left:
                lines.append(INDENT + left)
                left = ""
            lines.append(INDENT + shown)
        elif left:
            lines.append(INDENT + left.ljust(COLUMN) + shown)
            left = ""
        else:
            left = shown
    if left:
        lines.append(INDENT + left)
    return lines


def read_fields(lines: Sequence[str]) -> dict[str, str | None]:
    """Parse the lines of a row, of `format_row` or runmqsc: value by keyword, None for a bare word."""
    found: dict[str, str | None] = {}
    for line in lines:
        text = line.removeprefix(INDENT)
        left, right = text[:COLUMN], text[COLUMN:]
        both = left.endswith(" ") and _FIELD.fullmatch(left.rstrip()) and _FIELD.fullmatch(right.rstrip())
        for field in (left, right) if both else (text,):
            match = _FIELD.fullmatch(field.rstrip())
            if match is not None:
                found[match[1]] = match[2] and match[2].strip(" ")
    return found


def format_response(response: Response) -> list[str]:
    """The lines of one response: its message, and the row that it shows."""
    return [response.line, *(format_row(response.row) if response.row is not None else ())]


def format_echo(number: int | None, line: str) -> str:
    """An input line as it is repeated: with the number of the command that begins there, if one does."""
    return f"{number if number is not None else '':>6} : {line}"


def _count(number: int, one: str, many: str, none: str) -> str:
    return none if number == 0 else one if number == 1 else many.format(number)


@dataclass(slots=True)
class RunSummary:
    """Counts of the commands of a run, for its last lines."""

    commands: int = 0
    syntax_errors: int = 0
    failures: int = 0

    def count(self, reply: CommandReply) -> None:
        """Count one reply."""
        self.commands += 1
        if reply.syntax:
            self.syntax_errors += 1
        elif not reply.ok:
            self.failures += 1

    @property
    def failed(self) -> bool:
        """Whether any command has failed."""
        return bool(self.syntax_errors or self.failures)

    def lines(self) -> list[str]:
        """The three lines that end a run."""
        return [
            _count(self.commands, "One MQSC command read.", "{0} MQSC commands read.", "No MQSC commands read."),
            _count(
                self.syntax_errors,
                "One command has a syntax error.",
                "{0} commands have a syntax error.",
                "No commands have a syntax error.",
            ),
            _count(
                self.failures,
                "One valid MQSC command could not be processed.",
                "{0} valid MQSC commands could not be processed.",
                "All valid MQSC commands were processed.",
            ),
        ]
