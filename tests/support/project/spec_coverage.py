"""Pytest plugin: tests cite the protocol notes, and the notes say what is cited and what is not.

``@pytest.mark.spec("channels.md 5.2")`` names a section, ``"channels.md 20.5"`` a line of a checklist,
``"client-observed.md O-020"`` an observation; a trailing ``row 3``, ``rule 3`` or ``step 3`` narrows it down. A
reference to what docs/notes does not have fails the collection. ``pytest --spec-coverage`` runs nothing and prints the
citations of each note, and what docs/features.md says will not be built.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Generator

import pytest

from mqbridge.captures.report.notes import Note
from support.project.citations import NOTES, check, citations, load_notes

Citations = dict[tuple[str, str], set[str]]
"""Note and number → the tests that cite it."""

_CITATIONS = pytest.StashKey[Citations]()


def resolve(reference: object, notes: dict[str, Note]) -> tuple[str, str]:
    """Return note and number of a reference. Raises ValueError, with the nearest one that exists."""
    found = list(citations(str(reference)))
    try:
        if len(found) == 1 and str(reference) == found[0].text:
            check(found[0], notes)
            return found[0].document, notes[found[0].document][found[0].number.lower()].number
    except LookupError:
        pass
    known = [f"{document} {section.number}" for document, note in notes.items() for section in note.values()]
    near = difflib.get_close_matches(str(reference), known, n=1)
    raise ValueError(f"unknown reference {reference!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def refused() -> set[tuple[str, str]]:
    """Note and number of what docs/features.md says will not be built, in rows of that state."""
    text = (NOTES.parent / "features.md").read_text(encoding="utf-8")
    rows = [row for row in text.splitlines() if row.startswith("|") and row.split("|")[2:3] == [" will not "]]
    return {(each.document, each.number) for row in rows for each in citations(row)}


def report(notes: dict[str, Note], cited: Citations) -> list[str]:
    """Return the lines of the coverage report."""
    lines = []
    will_not = refused()
    for document, note in notes.items():
        titles = {section.number: section.title for section in note.values()}
        ends = [number for number in titles if not any(other.startswith(f"{number}.") for other in titles)]
        ours = [number for number in ends if cited.get((document, number))]
        lines.append(f"{document}: {len(ours)} of {len(ends)} cited")
        for number, title in titles.items():
            tests = len(cited.get((document, number), ()))
            if tests:
                lines.append(f"  {number:8}{title} ({tests} test{'s'[: tests != 1]})")
        lines += [
            f"  {number:8}{titles[number]}: {'will not' if (document, number) in will_not else 'NOT CITED'}"
            for number in ends
            if number not in ours
        ]
    return lines


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--spec-coverage", action="store_true", help="run nothing; print which numbers of the protocol notes are cited"
    )


def references(item: pytest.Item) -> list[object]:
    """Return everything that the markers of a test cite; a marker without argument cites the empty text."""
    return [reference for marker in item.iter_markers("spec") for reference in marker.args or ("",)]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let the collection of a module or class fail whose tests cite what does not exist."""
    outcome = yield
    faults = []
    for item in outcome.result or ():
        if isinstance(item, pytest.Item):
            for reference in references(item):
                try:
                    resolve(reference, load_notes())
                except ValueError as error:
                    faults.append(f"{item.nodeid}: {error}")
    if faults:
        outcome.outcome = "failed"
        outcome.longrepr = "\n".join(faults)
        outcome.result = []
    return outcome


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("spec_coverage"):
        cited: Citations = defaultdict(set)
        for item in items:
            for reference in references(item):
                cited[resolve(reference, load_notes())].add(item.nodeid.partition("[")[0])
        config.stash[_CITATIONS] = cited
        items.clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    cited = config.stash.get(_CITATIONS, None)
    if cited is not None:
        for line in report(load_notes(), cited):
            terminalreporter.write_line(line)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if _CITATIONS in session.config.stash and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
