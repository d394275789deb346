"""The citations of the protocol notes (docs/notes) in a text, and whether what they cite is there.

There is one form: ``channels.md 5.2``, ``mqi.md 7.4 row 3``, ``client-observed.md O-020``. Several of one note stand
one after another, ``channels.md 17.3, 17.4 and 18`` or ``mqi.md 7 to 13``; so do rows, rules and steps of a table.
Numbers that tell their note may stand alone: O-nnn, E-nnn, M-nnn, T-nn, SC-nn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from mqbridge.captures.report.notes import Note, parse_note

NOTES: Final = Path(__file__).parents[3] / "docs" / "notes"
NAMES: Final = frozenset(path.stem for path in NOTES.glob("*.md")) - {"README"}

_HOMES: Final = {"O": "client-observed.md", "E": "mqe.md", "M": "myopenq.md", "T": "tls.md", "SC": "scenarios.md"}
_GAP: Final = r"(?:[ \t]|\n[ \t]*(?:#|//|\*)?[ \t]*)+"
"""Between words: the text may go on in the next line, of a comment too."""
_TAG: Final = r"(?:O-\d{3}a?|E-\d{3}|M-\d{3}|T-\d{2}|SC-\d{2})"
_NUMBER: Final = rf"(?:{_TAG}|[COK]-\d\d|\d+(?:\.\d+)*)"
_NEXT: Final = rf"(?:,{_GAP}and{_GAP}|,{_GAP}|{_GAP}and{_GAP}|{_GAP}to{_GAP})"
_PLACES: Final = rf"{_GAP}(?:row|rule|step)s?{_GAP}\d+(?:{_NEXT}\d+(?![\w.]*\w))*"
_ONE: Final = rf"{_NUMBER}(?![\w-])(?:{_PLACES})?"
_DOCUMENT: Final = rf"(?<![\w/-])(?P<name>{'|'.join(sorted(NAMES))})\.md"
_CITATIONS: Final = re.compile(rf"{_DOCUMENT}{_GAP}(?P<list>{_ONE}(?:{_NEXT}{_ONE})*)|(?<![\w.#-]){_TAG}(?![\w-])")
_EACH: Final = re.compile(rf"(?P<number>{_NUMBER})(?![\w-])(?P<places>{_PLACES})?")
_PLACE: Final = re.compile(r"\d+")
_RANGE: Final = re.compile(r"(\d+)\s+to\s+(?=(\d+))")
_OTHER_FORMS: Final = re.compile(
    rf"(?<![\w/-])(?:{'|'.join(sorted(NAMES))})(?:\.md[`*]*{_GAP}(?:sections?\b|§)|\.md[`*]+{_GAP}{_NUMBER}"
    rf"|(?:(?<=mq-wire)|(?<=client-observed)|(?<=jms-mapping)|(?<=myopenq)|(?<=mqe)|(?<=mqi)){_GAP}{_NUMBER}(?!\w))"
)


class Citation(NamedTuple):
    """One number of one note. ``rows``: of its table; ``text``: the whole list as written, and ``offset`` in it all."""

    document: str
    number: str
    rows: tuple[int, ...]
    text: str
    offset: int


@cache
def load_notes() -> dict[str, Note]:
    """All notes by file name."""
    return {f"{name}.md": parse_note((NOTES / f"{name}.md").read_text(encoding="utf-8")) for name in sorted(NAMES)}


def citations(text: str) -> Iterator[Citation]:
    """Every citation of a text, those of a list one by one."""
    for found in _CITATIONS.finditer(text):
        if found["name"] is None:
            yield Citation(_HOMES[found[0].partition("-")[0]], found[0], (), found[0], found.start())
            continue
        for each in _EACH.finditer(found["list"]):
            rows = _rows(each["places"] or "")
            offset = found.start("list") + each.start()
            yield Citation(f"{found['name']}.md", each["number"], rows, found[0], offset)


def other_forms(text: str) -> Iterator[tuple[str, int]]:
    """What cites a note in another form than the one, and where."""
    for found in _OTHER_FORMS.finditer(text):
        yield found[0], found.start()


def _rows(places: str) -> tuple[int, ...]:
    rows = {int(row) for row in _PLACE.findall(places)}
    for first, last in _RANGE.findall(places):
        rows.update(range(int(first), int(last) + 1))
    return tuple(sorted(rows))


def check(citation: Citation, notes: dict[str, Note]) -> None:
    """Raises ``LookupError`` for what is not there: the number, or a row of its table."""
    section = notes.get(citation.document, {}).get(citation.number.lower())
    if section is None:
        raise LookupError(f"no {citation.document} {citation.number}")
    cells = [line[1:].partition("|")[0].strip(" *") for line in section.text.splitlines() if line.startswith("|")]
    numbered = {int(cell) for cell in cells if cell.isdigit()} or set(range(1, len(cells) - 1))
    missing = [row for row in citation.rows if row not in numbered]
    if missing:
        raise LookupError(f"{citation.document} {citation.number} has no row {missing[0]}")
