"""Captures behind URLs, ``s3a://…`` or ``hdfs://…``, opened by Spark's own file systems.

``binaryFile`` returns a file as one value, so its size is limited to 2 GB, and a worker holds it in memory, in Java and
in Python: for large files increase the workers' memory (``spark.executor.memory``; of a local session ``memory``), or
put them where workers open them by path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, Final, NamedTuple, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.spark.described_rows import DescribedRows
from mqbridge.captures.spark.options import SourceOptions, read_options
from mqbridge.captures.spark.paths import CAPTURE_NAME
from mqbridge.captures.spark.source import spark_schema
from mqbridge.captures.spark.spark_worker import content_rows, pack_rows
from mqbridge.captures.tables import ROW_CLASSES
from mqbridge.captures.tables.arrow import record_batches
from mqbridge.protocol.errors import MQBridgeError

MAX_SIZE: Final = (1 << 31) - 1
"""Maximum length in bytes of a file read by ``binaryFile``."""

_PACKED: Final = "capture string, place int, rows binary"
_CONTENT: Final = "path string, content binary"
_SPECIAL: Final = str.maketrans({character: f"\\{character}" for character in "\\*?[]{}"})


class FileTooLargeError(MQBridgeError, OSError):
    """A file behind a URL is larger than 2 GB."""


class UrlFile(NamedTuple):
    """A file under Spark's name, and its length in bytes."""

    path: str
    size: int


def find_files(spark: SparkSession, urls: Iterable[str]) -> list[UrlFile]:
    """Return the captures named by URLs, by path: files, patterns, and folders with everything below them.

    Raises ``FileNotFoundError`` for a URL without captures, ``OSError`` if Java cannot access it,
    :class:`FileTooLargeError` for files over :data:`MAX_SIZE`.
    """
    files = sorted(set().union(*(_find(spark, url) for url in urls)))
    too_large = [file for file in files if file.size > MAX_SIZE]
    if too_large:
        raise FileTooLargeError(
            f"{too_large[0].path}: {too_large[0].size:,} bytes; behind URLs captures may have {MAX_SIZE:,}: split it"
            " (editcap -c), or mount it where the workers open it by a path"
        )
    return files


def _find(spark: SparkSession, url: str) -> set[UrlFile]:
    context: Any = spark.sparkContext
    try:
        place = context._jvm.org.apache.hadoop.fs.Path(url)
        system = place.getFileSystem(context._jsc.hadoopConfiguration())
        matches = system.globStatus(place) or ()
        found: set[UrlFile] = set()
        for match in matches:
            if match.isFile():
                found.add(_file(match))
                continue
            below = system.listFiles(match.getPath(), True)
            while below.hasNext():
                status = below.next()
                if CAPTURE_NAME.fullmatch(status.getPath().getName()):
                    found.add(_file(status))
    except Exception as error:
        java: Any = getattr(error, "java_exception", None)
        if java is None:
            raise
        raise OSError(f"{url}: {java.toString()}") from None
    if not found:
        raise FileNotFoundError(f"{url}: {'no capture is in this folder' if matches else 'no such file or folder'}")
    return found


def _file(status: Any) -> UrlFile:
    return UrlFile(status.getPath().toString(), status.getLen())


def read_urls(spark: SparkSession, *urls: str, **options: str) -> DataFrame:
    """Return one table of captures behind URLs; options as for ``format("mq")``, except ``partitions``.

    Raises as :func:`find_files` does, and ``ValueError`` for options.
    """
    asked = read_options(options)
    files = _contents(spark, find_files(spark, urls))
    return files.mapInArrow(partial(_table, asked), spark_schema(asked.table))


def packed_rows(
    spark: SparkSession, files: Iterable[UrlFile], options: AnalysisOptions, keylog: str | None = None
) -> list[bytes]:
    """Return the rows of some files, packed for :func:`captures.spark.spark_worker.unpack_rows`, in the order of the
    files."""
    given = _contents(spark, files).mapInArrow(partial(_packed, options, keylog), _PACKED).collect()
    return [bytes(row.rows) for row in sorted(given, key=lambda row: (row.capture, row.place))]


def _contents(spark: SparkSession, files: Iterable[UrlFile]) -> DataFrame:
    """Return path and content of each file."""
    files = list(files)
    alone = spark.newSession()  # with its own settings: one file per batch
    alone.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    # binaryFile skips empty files.
    empty = alone.createDataFrame([(file.path, b"") for file in files if not file.size], _CONTENT)
    paths = [file.path.translate(_SPECIAL) for file in files if file.size]
    if not paths:
        return empty
    filled = alone.read.format("binaryFile").load(paths).select("path", "content")
    return filled if len(paths) == len(files) else filled.union(empty)


def _table(asked: SourceOptions, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Convert files to rows of one table, in a worker."""
    wanted = ROW_CLASSES[asked.table]
    described = None if asked.description is None else DescribedRows(asked.description, asked.port, asked.keylog)
    rows = (
        row
        for path, content in _files(batches)
        for row in (
            content_rows(content, asked.analysis(path), asked.keylog)
            if described is None
            else described.of_content(content, path)
        )
        if type(row) is wanted
    )
    return record_batches(asked.table, rows)


def _packed(
    options: AnalysisOptions, keylog: str | None, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for path, content in _files(batches):
        rows = content_rows(content, replace(options, capture=path), keylog)
        for place, packed in enumerate(pack_rows(rows, options.tables)):
            yield pa.RecordBatch.from_pydict(
                {"capture": pa.array([path]), "place": pa.array([place], pa.int32()), "rows": pa.array([packed])}
            )


def _files(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, BinaryIO]]:
    for batch in batches:
        for path, content in zip(batch.column(0), batch.column(1), strict=True):
            yield path.as_py(), cast(BinaryIO, pa.BufferReader(content.as_buffer()))
