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
    import pyarrow as pa
    import pyarrow.parquet as pq
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "mqbridge.captures.tables.parquet needs pyarrow, which is not installed: pip install 'mqbridge[parquet]'",
        name="pyarrow",
    ) from error

from mqbridge.captures.tables.arrow import BATCH_BYTES, BATCH_ROWS, HEAVY, arrow_schema, record_batch, weight
from mqbridge.captures.tables.rows import Row
from mqbridge.captures.tables.schema import TABLES

GROUP_ROWS: Final = 16 * BATCH_ROWS
"""Rows of one row group."""
GROUP_BYTES: Final = 128 << 20
"""Bytes in Arrow after which a row group ends early."""


class _Waiting:
    """What is to be written of one table: rows, and batches of those before them. ``held``: what the rows weigh;
    ``count``, ``size``: rows and bytes of the batches."""

    __slots__ = ("batches", "count", "heavy", "held", "rows", "size", "table")

    def __init__(self, table: str) -> None:
        self.table = table
        self.heavy = TABLES[table] in HEAVY
        self.rows: list[Row] = []
        self.held = 0
        self.batches: list[pa.RecordBatch] = []
        self.count = self.size = 0


class ParquetTables:
    """Writes ``TABLE.parquet`` into a folder for each of ``tables``, empty ones too.

    A file stands under its name when all is written; until then, and after an error, it ends in ``.part``. Raises
    ``OSError`` where the folder cannot be made or written.
    """

    def __init__(self, folder: str | PathLike[str], tables: frozenset[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._waiting = {TABLES[table]: _Waiting(table) for table in sorted(tables)}
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
                for waiting in self._waiting.values():
                    self._pack(waiting)
                    self._write_group(waiting)
                    with self._named(waiting.table):
                        self._writers[waiting.table].close()
                for table in self._writers:
                    self._part(table).replace(self.folder / f"{table}.parquet")
        finally:
            self._clear_away()

    def write(self, row: Row) -> None:
        """Take a row of any table; those of tables that are not written are passed over."""
        waiting = self._waiting.get(type(row))
        if waiting is None:
            return
        waiting.rows.append(row)
        if waiting.heavy:
            waiting.held += weight(row)
        if len(waiting.rows) >= BATCH_ROWS or waiting.held >= BATCH_BYTES:
            self._pack(waiting)
            if waiting.count >= GROUP_ROWS or waiting.size >= GROUP_BYTES:
                self._write_group(waiting)

    def _pack(self, waiting: _Waiting) -> None:
        """Rows become a batch, which takes far less room."""
        if waiting.rows:
            batch = record_batch(waiting.table, waiting.rows)
            waiting.batches.append(batch)
            waiting.count += len(waiting.rows)
            waiting.size += batch.nbytes
            waiting.rows.clear()
            waiting.held = 0

    def _write_group(self, waiting: _Waiting) -> None:
        if waiting.batches:
            with self._named(waiting.table):
                group = pa.Table.from_batches(waiting.batches)
                self._writers[waiting.table].write_table(group, row_group_size=waiting.count)
            waiting.batches.clear()
            waiting.count = waiting.size = 0

    def _clear_away(self) -> None:
        """Close what is open and remove what is not whole."""
        for writer in self._writers.values():
            with suppress(OSError):
                writer.close()
            writer.is_open = False  # or it tries again when it is deleted
        for waiting in self._waiting.values():
            self._part(waiting.table).unlink(missing_ok=True)

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
