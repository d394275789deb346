"""Tables as Parquet files, one a table, written as the rows come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EIO
from os import PathLike, strerror
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
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._waiting: dict[str, list[Row]] = {table: [] for table in tables}
        self._held = 0
        try:
            for table in sorted(tables):
                with self._named(table):
                    schema = arrow_schema(table)
                    self._writers[table] = pq.ParquetWriter(self._part(table), schema, compression="zstd")
        except OSError:
            self._clear_away()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                for table in self._writers:
                    self._flush(table)
                    with self._named(table):
                        self._writers[table].close()
                for table in self._writers:
                    self._part(table).replace(self.folder / f"{table}.parquet")
        finally:
            self._clear_away()

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
            batch = record_batch(table, waiting)
            with self._named(table):
                self._writers[table].write_batch(batch)
            waiting.clear()
            if TABLES[table] is MessageRow:
                self._held = 0

    def _clear_away(self) -> None:
        """Close what is open and remove what is not whole."""
        for writer in self._writers.values():
            with suppress(OSError):
                writer.close()
            writer.is_open = False  # or it tries again when it is deleted
        for table in self._waiting:
            self._part(table).unlink(missing_ok=True)

    @contextmanager
    def _named(self, table: str) -> Iterator[None]:
        """Says which file could not be written; the library does not."""
        try:
            yield
        except OSError as error:
            number = error.errno or EIO
            raise OSError(number, strerror(number), str(self._part(table))) from error

    def _part(self, table: str) -> Path:
        return self.folder / f"{table}.parquet.part"
