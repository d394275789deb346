"""Pytest plugin: tests cite the protocol notes, and the notes' index says what is cited and what is not.

``@pytest.mark.spec("channels.md 5.2")`` names a section, ``"channels.md 20.5"`` a line of a checklist,
``"client-observed.md O-020"`` an observation; a trailing ``row 3``, ``rule 3`` or ``step 3`` narrows it down. A
reference that ``docs/spec-index.toml`` does not have fails the collection. ``pytest --spec-coverage`` runs nothing and
prints the citations of each document.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections import defaultdict
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest

INDEX_FILE = Path(__file__).parents[2] / "docs" / "spec-index.toml"

Index = dict[str, dict[str, str]]
"""Document → number → title."""
Citations = dict[tuple[str, str], set[str]]
"""Document and number → the tests that cite it."""

_REFERENCE = re.compile(r"(\S+\.md) (\S+?)(?: (?:row|rule|step) [\w.-]+)?")
_CITATIONS = pytest.StashKey[Citations]()


@cache
def load_index(file: Path = INDEX_FILE) -> Index:
    """Read the numbers and titles of all documents."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def resolve(reference: object, index: Index) -> tuple[str, str]:
    """Return document and number of a reference. Raises ValueError, with the nearest one that exists."""
    match = _REFERENCE.fullmatch(str(reference))
    if match and match[2] in index.get(match[1], {}):
        return match[1], match[2]
    known = [f"{document} {number}" for document, numbers in index.items() for number in numbers]
    near = difflib.get_close_matches(str(reference), known, n=1)
    raise ValueError(f"unknown reference {reference!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def report(index: Index, citations: Citations) -> list[str]:
    """Return the lines of the coverage report."""
    lines = []
    for document, numbers in index.items():
        ends = [number for number in numbers if not any(other.startswith(f"{number}.") for other in numbers)]
        cited = [number for number in ends if citations.get((document, number))]
        lines.append(f"{document}: {len(cited)} of {len(ends)} cited")
        for number, title in numbers.items():
            tests = len(citations.get((document, number), ()))
            if tests:
                lines.append(f"  {number:8}{title} ({tests} test{'s'[: tests != 1]})")
        lines += [f"  {number:8}{numbers[number]}: NOT CITED" for number in ends if number not in cited]
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
                    resolve(reference, load_index())
                except ValueError as error:
                    faults.append(f"{item.nodeid}: {error}")
    if faults:
        outcome.outcome = "failed"
        outcome.longrepr = "\n".join(faults)
        outcome.result = []
    return outcome


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("spec_coverage"):
        citations: Citations = defaultdict(set)
        for item in items:
            for reference in references(item):
                citations[resolve(reference, load_index())].add(item.nodeid.partition("[")[0])
        config.stash[_CITATIONS] = citations
        items.clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    citations = config.stash.get(_CITATIONS, None)
    if citations is not None:
        for line in report(load_index(), citations):
            terminalreporter.write_line(line)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if _CITATIONS in session.config.stash and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
