"""A folder into which captures come, as a stream: each file is read once, when it is there.

An offset is the list of files taken so far with size and time of their last change, so a query that is started again
from its checkpoint goes on where it was. A recorder writes under another name and renames what is finished; for
programs that do not, the option ``settle`` waits until a file has been left alone. A file that is changed after it was
taken is taken again, whole. What a connection sent before its recorder began another file is in another capture.
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
    """Reads new files of the paths that were asked for; option ``maxFilesPerTrigger`` limits a batch, oldest first."""

    def __init__(self, asked: SourceOptions, columns: list[str]) -> None:
        self.asked = asked
        self.columns = columns
        self._target: dict[str, str] | None = None

    def initialOffset(self) -> Offset:
        """Nothing was taken."""
        return {_FILES: {}}

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """What will have been taken after the next batch; files that are gone are forgotten with the next new one."""
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
        """The option ``maxFilesPerTrigger``."""
        return ReadAllAvailable() if self.asked.max_files is None else ReadMaxFiles(self.asked.max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        """Take what is there now and nothing that comes later."""
        self._target = self._there()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Tasks for the files between two offsets."""
        taken = start[_FILES]
        new = [name for name, stamp in end[_FILES].items() if taken.get(name) != stamp]
        return plan(new, self.asked, Conditions(self.asked.table)) if new else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Rows of one task."""
        pieces = partition.pieces if isinstance(partition, Task) else ()
        return table_batches(pieces, self.asked, self.columns, Conditions(self.asked.table))

    def _there(self) -> dict[str, str]:
        """The files that can be taken now, by path, with size and time of the last change."""
        latest = time.time_ns() - int(self.asked.settle * 1e9)
        found: dict[str, str] = {}
        for name in find_captures(self.asked.paths, may_be_empty=True):
            try:
                status = os.stat(name)
            except OSError:
                continue  # gone meanwhile
            if status.st_size and (not self.asked.settle or status.st_mtime_ns <= latest):
                found[name] = f"{status.st_size}@{status.st_mtime_ns}"
        return found


def _age(stamp: str, name: str) -> tuple[int, str]:
    return int(stamp.partition("@")[2]), name
