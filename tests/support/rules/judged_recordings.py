"""What the tests put on the wire, judged by the rules that ``mqbridge replay`` judges captures by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.rules import Severity
from mqbridge.captures.tables.rows import FindingRow

MOST_TOLD = 10


def told_errors(source: Path | BinaryIO, name: str) -> list[str]:
    """The findings of severity ``error`` in a capture, a line each, the first ones."""
    rows = analyse_file(source, AnalysisOptions(capture=name, tables=frozenset(("findings",))))
    found = [
        f"{name}: flow {row.flow}, packet {row.packet}: {row.rule} {row.title}: {row.expected}, but {row.seen}"
        for row in rows
        if isinstance(row, FindingRow) and row.severity == Severity.ERROR.value
    ]
    return found[:MOST_TOLD]


def demand_conforming(folders: Iterable[Path | None]) -> None:
    """Fail where a recording in one of the folders holds an error; captures that the process left are taken too."""
    captures = [
        path for folder in folders if folder is not None and folder.is_dir() for path in sorted(folder.iterdir())
    ]
    found = [line for path in captures for line in told_errors(path, str(path))]
    assert not found, "\n".join(found)
