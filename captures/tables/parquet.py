"""Tables as Parquet files, one a table, written as the rows come."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Final, Self

try:
    import pyarrow.parquet as pq
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "captures.tables.parquet needs pyarrow, which is not installed: pip install 'mqbridge[parquet]'", name="pyarrow"
    ) from error

from captures.tables.arrow import BATCH_BYTES, BATCH_ROWS, arrow_schema, record_batch
from captures.tables.rows import MessageRow, Row
from captures.tables.schema import TABLES

GROUP_ROWS: Final = 16 * BATCH_ROWS
"""Rows of one row group."""

_NAMES: Final = {row: table for table, row in TABLES.items()}


class ParquetTables:
    """Writes ``TABLE.parquet`` into a folder for each of ``tables``, empty ones too.

    A file stands under its name when all is written; until then, and after an error, it ends in ``.part``. Raises
    ``OSError`` where the folder cannot be made or written.
    """

    def __init__(self, folder: str | PathLike[str], tables: frozenset[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._writers = {
            table: pq.ParquetWriter(self._part(table), arrow_schema(table), compression="zstd")
            for table in sorted(tables)
        }
        self._waiting: dict[str, list[Row]] = {table: [] for table in self._writers}
        self._held = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            for table in self._writers:
                self._flush(table)
        for writer in self._writers.values():
            writer.close()
        for table in self._writers:
            if kind is None:
                self._part(table).replace(self.folder / f"{table}.parquet")
            else:
                self._part(table).unlink(missing_ok=True)

    def write(self, row: Row) -> None:
        """Take a row of any table; those of tables that are not written are passed over."""
        table = _NAMES[type(row)]
        waiting = self._waiting.get(table)
        if waiting is None:
            return
        waiting.append(row)
        if isinstance(row, MessageRow) and row.body is not None:
            self._held += len(row.body)
        if len(waiting) >= GROUP_ROWS or self._held >= BATCH_BYTES:
            self._flush(table)

    def _flush(self, table: str) -> None:
        waiting = self._waiting[table]
        if waiting:
            self._writers[table].write_batch(record_batch(table, waiting))
            waiting.clear()
            if TABLES[table] is MessageRow:
                self._held = 0

    def _part(self, table: str) -> Path:
        return self.folder / f"{table}.parquet.part"
