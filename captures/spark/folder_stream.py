"""A folder of incoming captures as a stream: each file is read once.

An offset is the list of files read so far, each with its size and modification time, so that a query restarted from its
checkpoint continues. Recorders write under another name and rename complete files; for other programs the option
``settle`` waits until a file has not changed for a while. A file changed after it was read is read again, completely.
Bytes that a connection sent before its recorder began another file are in another capture.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow

from mqbridge.captures.spark.conditions import Conditions
from mqbridge.captures.spark.options import SourceOptions
from mqbridge.captures.spark.paths import find_captures
from mqbridge.captures.spark.planning import Task, plan
from mqbridge.captures.spark.spark_worker import table_batches

_FILES: Final = "files"

Offset = dict[str, dict[str, str]]
"""``{"files": {path: "size@nanoseconds"}}``."""


class FolderStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads new files of the requested paths; option ``maxFilesPerTrigger`` limits a batch, oldest files first."""

    def __init__(self, asked: SourceOptions, columns: list[str]) -> None:
        self.asked = asked
        self.columns = columns
        self._target: dict[str, str] | None = None

    def initialOffset(self) -> Offset:
        """Return the offset without files."""
        return {_FILES: {}}

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the offset after the next batch; deleted files are removed from it with the next new file."""
        there = self._there() if self._target is None else self._target
        taken = start[_FILES]
        new = sorted(
            (name for name, stamp in there.items() if taken.get(name) != stamp), key=lambda n: _age(there[n], n)
        )
        if isinstance(limit, ReadMaxFiles):
            new = new[: limit.max_files]
        if not new:
            return start
        kept = {name: stamp for name, stamp in taken.items() if name in there}
        return {_FILES: dict(sorted((kept | {name: there[name] for name in new}).items()))}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit of the option ``maxFilesPerTrigger``."""
        return ReadAllAvailable() if self.asked.max_files is None else ReadMaxFiles(self.asked.max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        """Limit the query to files that exist now."""
        self._target = self._there()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Return tasks for the files between two offsets."""
        taken = start[_FILES]
        new = [name for name, stamp in end[_FILES].items() if taken.get(name) != stamp]
        return plan(new, self.asked, Conditions(self.asked.table)) if new else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one task."""
        pieces = partition.pieces if isinstance(partition, Task) else ()
        return table_batches(pieces, self.asked, self.columns, Conditions(self.asked.table))

    def _there(self) -> dict[str, str]:
        """Return the readable files by path, with size and modification time."""
        latest = time.time_ns() - int(self.asked.settle * 1e9)
        found: dict[str, str] = {}
        for name in find_captures(self.asked.paths, may_be_empty=True):
            try:
                status = os.stat(name)
            except OSError:
                continue  # deleted meanwhile
            if status.st_size and (not self.asked.settle or status.st_mtime_ns <= latest):
                found[name] = f"{status.st_size}@{status.st_mtime_ns}"
        return found


def _age(stamp: str, name: str) -> tuple[int, str]:
    return int(stamp.partition("@")[2]), name
