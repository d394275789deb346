"""Entries of a rules table: logical lines, and their keywords with values.

A line that begins with ``*`` is a comment, blank lines say nothing. ``+`` as the last character of a line continues the
entry at the first character of the next that is no blank, ``-`` at its start, even inside a keyword or value. Keywords
come in any order and case, with blanks or commas between them; each has one value in parentheses. A value of letters,
digits, ``. / _ %`` and wildcards needs no quotes and is folded to uppercase; in quotes it is as it is written, with two
quotes for one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.errors import MQBridgeError

MAX_TEXT: Final = 1 << 20
"""Longest table in characters."""
MAX_ENTRIES: Final = 10_000
"""Most entries of a table."""

_KEYWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")
_BARE: Final = re.compile(r"[A-Za-z0-9./_%*?&]*")
_BETWEEN: Final = re.compile(r"[ \t,]*")
_BLANKS: Final = re.compile(r"[ \t]*")


class RulesError(MQBridgeError):
    """A rules table that cannot be read. ``line``: counted from 1, 0 for the whole table; ``keyword``: blank if it is
    about none."""

    def __init__(self, line: int, keyword: str, text: str) -> None:
        place = "".join((f"line {line}: " if line else "", f"{keyword}: " if keyword else ""))
        super().__init__(f"{place}{text}")
        self.line = line
        self.keyword = keyword


@dataclass(frozen=True, slots=True)
class Value:
    """A keyword with its value. ``quoted``: whether it was in quotes; otherwise it is in uppercase."""

    line: int
    keyword: str
    text: str
    quoted: bool

    def wrong(self, text: str) -> RulesError:
        """Return the error of this value."""
        return RulesError(self.line, self.keyword, text)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: the line where it begins, and its values in order."""

    line: int
    values: tuple[Value, ...]


@dataclass(slots=True)
class _Joined:
    """A logical line. ``starts``: offsets at which the lines ``numbers`` begin."""

    text: str
    starts: list[int]
    numbers: list[int]

    def line_at(self, offset: int) -> int:
        return self.numbers[max(bisect_right(self.starts, offset) - 1, 0)]


def read_entries(text: str) -> list[Entry]:
    """Return the entries of a table. Raises `RulesError`."""
    if len(text) > MAX_TEXT:
        raise RulesError(0, "", f"more than {MAX_TEXT} characters")
    entries: list[Entry] = []
    for joined in _logical_lines(text):
        if len(entries) >= MAX_ENTRIES:
            raise RulesError(joined.numbers[0], "", f"more than {MAX_ENTRIES} entries")
        entries.append(_entry(joined))
    return entries


def _logical_lines(text: str) -> Iterator[_Joined]:
    open_line: _Joined | None = None
    from_start = False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line.startswith("*") or not line.strip():
            continue
        content = line.rstrip()
        mark = content[-1]
        piece = content[:-1] if mark in "+-" else content
        if open_line is None:
            open_line = _Joined(piece, [0], [number])
        else:
            open_line.starts.append(len(open_line.text))
            open_line.numbers.append(number)
            open_line.text += piece if from_start else piece.lstrip()
        from_start = mark == "-"
        if mark not in "+-":
            yield open_line
            open_line = None
    if open_line is not None:
        raise RulesError(open_line.numbers[-1], "", "the entry continues, but no line follows")


def _entry(joined: _Joined) -> Entry:
    text = joined.text
    values: list[Value] = []
    seen: set[str] = set()
    at = _after(_BETWEEN, text, 0)
    while at < len(text):
        line = joined.line_at(at)
        word = _KEYWORD.match(text, at)
        if word is None:
            raise RulesError(line, "", f"a keyword is expected, not {text[at : at + 20]!r}")
        keyword = word[0].upper()
        if keyword in seen:
            raise RulesError(line, keyword, "is given twice")
        seen.add(keyword)
        at = _after(_BLANKS, text, word.end())
        if text[at : at + 1] != "(":
            raise RulesError(line, keyword, "a value in parentheses is expected")
        value, at = _value(text, _after(_BLANKS, text, at + 1), line, keyword)
        values.append(value)
        at = _after(_BETWEEN, text, at)
    if not values:
        raise RulesError(joined.numbers[0], "", "a keyword is expected, not a comma")
    return Entry(joined.numbers[0], tuple(values))


def _value(text: str, at: int, line: int, keyword: str) -> tuple[Value, int]:
    """Return the value that begins at an offset, and the offset behind its parenthesis."""
    quoted = text[at : at + 1] == "'"
    found = (_QUOTED if quoted else _BARE).match(text, at)
    if found is None:
        raise RulesError(line, keyword, "the quote at the end of the value is missing")
    end = _after(_BLANKS, text, found.end())
    if text[end : end + 1] != ")":
        what = text[end : end + 20]
        raise RulesError(line, keyword, f"a parenthesis is expected, not {what!r}; such values stand in quotes")
    value = found[1].replace("''", "'") if quoted else found[0].upper()
    if not value:
        raise RulesError(line, keyword, "the value is empty; ' ' in quotes stands for blanks")
    return Value(line, keyword, value, quoted), end + 1


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()
