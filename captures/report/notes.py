"""The protocol notes by section: what rules cite, for readers of the report alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_ANCHOR: Final = re.compile(r'<a id="([^"]+)"></a>')
_HEADING: Final = re.compile(r"(#+) (?!#)")
_NUMBER: Final = re.compile(r"^(?:[\d.]+|[A-Z]+-\d+) ")
_LETTERS: Final = re.compile(r"^[a-z]+")
_ITEM: Final = re.compile(r"\d+\. ")


@dataclass(frozen=True, slots=True)
class Section:
    """Content of an anchor of a note: a section, a row of a table, or an item of a list.

    ``title``: of the section, or of the enclosing one. ``text``: Markdown without anchors; of a section without own
    text that of its subsections; of a row the table with this row alone.
    """

    number: str
    title: str
    text: str


Note = dict[str, Section]
"""Sections by number, in lower case as in the anchor, in the order of the note."""


def parse_note(text: str) -> Note:
    """Divide a note at its anchors. Raises ``ValueError`` for a duplicate anchor."""
    lines = text.splitlines()
    headings = [(place, len(found[1])) for place, line in enumerate(lines) if (found := _HEADING.match(line))]
    note: Note = {}
    title = ""
    for place, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading:
            title = _NUMBER.sub("", _plain(line[heading.end() :]))
        for anchor in _ANCHOR.findall(line):
            if anchor in note:
                raise ValueError(f"anchor {anchor} stands twice")
            number = _LETTERS.sub(lambda letters: letters[0].upper(), anchor)
            note[anchor] = Section(number, title, _own_text(lines, headings, place) if heading else _part(lines, place))
    return note


@cache
def read_note(document: str) -> Note:
    """Return the note of this name, empty if rules cite no such note."""
    file = files(__package__).joinpath("notes", document)
    return parse_note(file.read_text(encoding="utf-8")) if file.is_file() else {}


def cited(citations: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return title and text of each citation, such as ``channels.md 5.3``, that leads to a section."""
    found = {}
    for citation in sorted(set(citations)):
        document, _, number = citation.partition(" ")
        section = read_note(document).get(number.lower())
        if section is not None:
            found[citation] = {"title": section.title, "text": section.text}
    return found


def _own_text(lines: list[str], headings: list[tuple[int, int]], place: int) -> str:
    """Return the lines below a heading up to the next one, or, if these are empty, up to the next that is no
    subsection."""
    level = next(level for at, level in headings if at == place)
    later = [(at, deep) for at, deep in headings if at > place]
    own = _plain("\n".join(lines[place + 1 : later[0][0] if later else None]))
    if own:
        return own
    end = next((at for at, deep in later if deep <= level), None)
    return _plain("\n".join(lines[place + 1 : end]))


def _part(lines: list[str], place: int) -> str:
    """Return a row with the head of its table, an item with its lines, or the line."""
    line = lines[place]
    if line.startswith("|"):
        head = place
        while lines[head - 1].startswith("|"):
            head -= 1
        return _plain("\n".join((*lines[head : head + 2], line)))
    if not _ITEM.match(line):
        return _plain(line)
    end = place + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    return _plain("\n".join(lines[place:end]))


def _plain(text: str) -> str:
    return _ANCHOR.sub("", text).strip().removesuffix("---").strip()
