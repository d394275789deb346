"""Captures analysed within a test: their rows, by table, and what the rules found."""

from __future__ import annotations

import io
from collections import Counter
from typing import TypeVar

from mqbridge.captures import Direction
from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file
from mqbridge.captures.tables import FindingRow, FlowRow, Row
from support.captures.vectors import thesis

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
EVERYTHING = AnalysisOptions("test", ALL_TABLES)
BATCH = ((IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3)))
"""The message channel of 2003: one message, not confirmed."""

R = TypeVar("R", bound=Row)


def analysed(capture: bytes, options: AnalysisOptions = EVERYTHING) -> list[Row]:
    return list(analyse_file(io.BytesIO(capture), options))


def of(kind: type[R], rows: list[Row]) -> list[R]:
    return [row for row in rows if isinstance(row, kind)]


def of_the_whole(rows: list[Row]) -> list[Row]:
    """Findings that are made of the rows of flows: they come behind the last of these."""
    last = max(place for place, row in enumerate(rows) if isinstance(row, FlowRow))
    return rows[last + 1 :]


def rules(rows: list[Row]) -> Counter[str]:
    return Counter(row.rule for row in of(FindingRow, rows))
