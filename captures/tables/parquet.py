"""Tables as Parquet files, one per table, written while rows arrive."""

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
"""Rows per row group."""
GROUP_BYTES: Final = 128 << 20
"""Bytes in Arrow that end a row group early."""


class _Waiting:
    """Unwritten rows of one table, and the batches before them.

    ``held``: weight of the rows. ``count``, ``size``: rows and bytes of the batches.
    """

    __slots__ = ("batches", "count", "heavy", "held", "rows", "size", "table")

    def __init__(self, table: str) -> None:
        self.table = table
        self.heavy = TABLES[table] in HEAVY
        self.rows: list[Row] = []
        self.held = 0
        self.batches: list[pa.RecordBatch] = []
        self.count = self.size = 0


class ParquetTables:
    """Writes ``TABLE.parquet`` into a folder for each of ``tables``, even if empty.

    Files are renamed when they are complete; until then, and after an error, they end in ``.part``. Raises ``OSError``
    if the folder cannot be made or written.
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
        """Take a row of any table; rows of other tables are skipped."""
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
        """Convert rows to a batch, which takes less memory."""
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
        """Close open files and remove incomplete ones."""
        for writer in self._writers.values():
            with suppress(OSError):
                writer.close()
            writer.is_open = False  # otherwise it tries again on deletion
        for waiting in self._waiting.values():
            self._part(waiting.table).unlink(missing_ok=True)

    @contextmanager
    def _named(self, table: str) -> Iterator[None]:
        """Add the name of the file to errors; the library does not."""
        try:
            yield
        except OSError as error:
            number = error.errno or EIO
            raise OSError(number, strerror(number), str(self._part(table))) from error

    def _part(self, table: str) -> Path:
        return self.folder / f"{table}.parquet.part"
