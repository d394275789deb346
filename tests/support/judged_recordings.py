"""What the tests put on the wire, judged by the rules that ``mqbridge replay`` judges captures by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from captures.analysis import AnalysisOptions, analyse_file
from captures.rules import Severity
from captures.tables.rows import FindingRow

MOST_TOLD = 10


def errors_in(capture: Path) -> list[FindingRow]:
    """The findings of severity ``error`` in a capture."""
    options = AnalysisOptions(capture=capture.name, tables=frozenset(("findings",)))
    rows = analyse_file(capture, options)
    return [row for row in rows if isinstance(row, FindingRow) and row.severity == Severity.ERROR.value]


def demand_conforming(folders: Iterable[Path | None]) -> None:
    """Fail where a recording in one of the folders holds an error; captures that the process left are taken too."""
    found = [
        f"{path}: flow {row.flow}, packet {row.packet}: {row.rule} {row.title}: {row.expected}, but {row.seen}"
        for folder in folders
        if folder is not None and folder.is_dir()
        for path in sorted(folder.iterdir())
        for row in errors_in(path)
    ]
    assert not found, "\n".join(found[:MOST_TOLD])
