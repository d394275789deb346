"""Work of Spark's workers: captures in, rows of tables out, as Arrow or packed for the driver."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import BinaryIO, Final

import pyarrow as pa

from mqbridge.captures.analysis import (
    Analyser,
    AnalysisOptions,
    across_flows,
    analyse_file,
    analyse_steps,
    capture_rows,
    unread_of_mq,
)
from mqbridge.captures.capture_files import read_flows
from mqbridge.captures.errors import UnknownCaptureError
from mqbridge.captures.indexing import FlowShare
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.captures.spark.conditions import Conditions
from mqbridge.captures.spark.described_rows import DescribedRows
from mqbridge.captures.spark.options import SourceOptions
from mqbridge.captures.spark.planning import CapturePiece, CaptureSummary
from mqbridge.captures.tables import ROW_CLASSES, TABLES, FlowRow, Row
from mqbridge.captures.tables.arrow import record_batches

PACKED_ROWS: Final = 5_000
"""Rows sent to the driver in one piece."""


def table_batches(
    pieces: Iterable[CapturePiece], asked: SourceOptions, columns: list[str], conditions: Conditions
) -> Iterator[pa.RecordBatch]:
    """Yield ``columns`` of one table of some captures as Arrow, without rows that the conditions exclude."""
    wanted = ROW_CLASSES[asked.table]
    described = None if asked.description is None else DescribedRows(asked.description, asked.port, asked.keylog)
    rows = (
        row
        for piece in pieces
        for row in (
            piece_rows(piece, asked.analysis(piece.capture), asked.keylog)
            if described is None
            else described.of_piece(piece)
        )
        if type(row) is wanted and conditions.admit(row)
    )
    for batch in record_batches(asked.table, rows):
        yield batch if columns == batch.schema.names else batch.select(columns)


def piece_rows(piece: CapturePiece, options: AnalysisOptions, keylog: str | None = None) -> Iterator[Row]:
    """Yield the rows of the tables in ``options``; for a capture that cannot be opened one finding. Never raises."""
    try:
        if isinstance(piece.part, FlowShare):
            yield from share_rows(piece.part, options)
        elif piece.part is not None:
            yield from analyse_steps(piece.part.steps(), options)
        elif piece.is_whole:
            yield from analyse_file(piece.path, for_findings(options), keylog=keylog)
        else:
            flows = flow_rows(piece.path, options.capture) if piece.across else ()
            yield from summary_rows(options, piece.summary, flows)
    except OSError as error:
        if piece.is_whole if piece.part is None else piece.part.number == 0:
            reason = UnknownCaptureError(0, 0, f"it cannot be opened: {error.strerror or error}")
            yield from capture_rows(options, 0, 0, reason, {})


def share_rows(share: FlowShare, options: AnalysisOptions) -> Iterator[Row]:
    """Yield the rows of the flows of a share; the last share of a capture adds the results about the whole."""
    flows = share.read()
    yield from analyse_steps(flows.steps(), options)
    if share.number == share.count - 1:
        unread = unread_of_mq(flows.unread)
        yield from capture_rows(options, flows.packets, flows.bytes_read, flows.error, unread)


def summary_rows(options: AnalysisOptions, summary: CaptureSummary | None, flows: Iterable[FlowRow]) -> Iterator[Row]:
    """Yield the results about a divided capture after all its parts.

    ``summary``: what no part has returned. ``flows``: rows of its flows.
    """
    if "findings" in options.tables:
        yield from across_flows(flows)
    if summary is not None:
        yield from capture_rows(options, *summary)


def flow_rows(path: str, capture: str) -> Iterator[FlowRow]:
    """Yield the rows of all flows of a capture without judging them: their findings come with their parts."""
    flows = Analyser(AnalysisOptions(capture=capture, tables=frozenset(("flows",))))
    flows.judge = GuardedJudge(())
    rows = chain.from_iterable(map(flows.receive_event, read_flows(path)))
    return (row for row in rows if isinstance(row, FlowRow))


def content_rows(content: BinaryIO, options: AnalysisOptions, keylog: str | None = None) -> Iterator[Row]:
    """Yield the rows of a capture that is open or in memory."""
    return iter(analyse_file(content, for_findings(options), keylog=keylog))


def for_findings(options: AnalysisOptions) -> AnalysisOptions:
    """Return options with flows if findings are wanted: findings across flows are made from their rows."""
    return replace(options, tables=options.tables | {"flows"}) if "findings" in options.tables else options


def packed_pieces(
    pieces: Iterable[CapturePiece], options: AnalysisOptions, keylog: str | None = None
) -> Iterator[bytes]:
    """Yield the rows of pieces, packed for the driver; for divided captures with the flows that their summary needs."""
    for piece in pieces:
        asked = replace(options, capture=piece.capture)
        if piece.part is not None:
            asked = for_findings(asked)
        yield from pack_rows(piece_rows(piece, asked, keylog), asked.tables)


def pack_rows(rows: Iterable[Row], tables: frozenset[str]) -> Iterator[bytes]:
    """Pack rows of ``tables`` for the driver."""
    wanted = tuple(TABLES[table] for table in sorted(tables))
    kept = (row for row in rows if isinstance(row, wanted))
    while some := list(islice(kept, PACKED_ROWS)):
        yield zlib.compress(pickle.dumps(some, pickle.HIGHEST_PROTOCOL), 1)


def unpack_rows(packed: bytes) -> list[Row]:
    """Return the rows packed by :func:`pack_rows`."""
    rows: list[Row] = pickle.loads(zlib.decompress(packed))
    return rows
