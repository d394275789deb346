"""Folders, many files and URLs for ``mqbridge replay``: the same rows as without Spark, made by its workers.

Each task is a job of its own, and a few run concurrently: rows arrive while others are still being made, in the order
of the captures, and the driver holds the rows of only those few tasks.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from pyspark import RDD
from pyspark.sql import SparkSession

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.spark.paths import find_captures, identity, is_url
from mqbridge.captures.spark.planning import CapturePiece, CaptureSummary, divide, in_order, parts_of, whole_piece
from mqbridge.captures.spark.sessions import session
from mqbridge.captures.spark.spark_worker import packed_pieces, summary_rows, unpack_rows
from mqbridge.captures.spark.url_files import UrlFile, find_files, packed_rows
from mqbridge.captures.tables import FlowRow, Row

JOB_SIZE: Final = 16 << 20
"""Maximum number of bytes of captures of one job that reads several."""
SMALLEST_JOB: Final = 1 << 20
JOBS_OF_A_CORE: Final = 4
"""Minimum number of jobs per core, down to the smallest size, so that all finish at about the same time."""
URL_MEMORY: Final = "2g"
"""Driver memory of a local session that reads URLs: Java holds whole files there."""

Progress = Callable[[int, int], None]
"""Called with the number of bytes of captures processed, and their total."""

Complain = Callable[[str], None]
"""Called with the reason why a URL cannot be read; the others are read."""

Packed = list[bytes]


class ReplayJob(NamedTuple):
    """Pieces read by one job.

    ``divided``: the capture it is a part of. ``last``: whether it is its last part. ``summary``: results about the
    whole capture that its parts do not return.
    """

    pieces: list[CapturePiece]
    divided: str = ""
    last: bool = False
    summary: CaptureSummary | None = None

    @property
    def size(self) -> int:
        """Bytes of captures."""
        return sum(piece.size for piece in self.pieces)


class _RowJob(NamedTuple):
    """A job that returns packed rows; otherwise as :class:`ReplayJob`."""

    size: int
    run: Callable[[], Packed]
    divided: str = ""
    last: bool = False
    summary: CaptureSummary | None = None


def replay_paths(
    paths: Iterable[str],
    options: AnalysisOptions,
    master: str | None = None,
    progress: Progress | None = None,
    *,
    keylog: str | None = None,
    spark: SparkSession | None = None,
    at_once: int | None = None,
    complain: Complain | None = None,
) -> Iterator[Row]:
    """Yield the rows of all captures named by ``paths``: files, folders, patterns, URLs of any file system known to
    Spark.

    ``options.capture`` is ignored: each row names its own. ``master``: URL of a cluster, this machine by default.
    ``spark``: an existing session; one made here ends with the iteration. ``keylog``: path of a key log file that every
    worker can open. ``at_once``: number of concurrent jobs, by default that of cores. Raises ``FileNotFoundError`` for
    a path without captures, ``SparkNotStartedError``, and for URLs what :func:`captures.spark.url_files.find_files`
    raises, unless ``complain`` is given.
    """
    paths = list(paths)
    if keylog is not None:
        keylog = os.path.abspath(keylog)  # workers may be elsewhere
    local = find_captures(path for path in paths if not is_url(path))
    urls = [path for path in paths if is_url(path)]
    running = spark or (session(master, memory=URL_MEMORY) if urls else session(master))
    try:
        cores = at_once or running.sparkContext.defaultParallelism
        jobs = _local_jobs(running, local, options, keylog, cores)
        jobs += _url_jobs(running, _files_of(running, urls, complain), local, options, keylog) if urls else []
        yield from _run(jobs, options, cores, progress)
    finally:
        if spark is None:
            running.stop()


def _run(jobs: list[_RowJob], options: AnalysisOptions, at_once: int, progress: Progress | None) -> Iterator[Row]:
    total, done = sum(job.size for job in jobs), 0
    waiting: deque[tuple[_RowJob, Future[Packed]]] = deque()
    left = iter(jobs)
    with ThreadPoolExecutor(at_once, thread_name_prefix="replay") as pool:
        try:
            flows: list[FlowRow] = []
            while True:
                while len(waiting) < 2 * at_once and (job := next(left, None)) is not None:
                    waiting.append((job, pool.submit(job.run)))
                if not waiting:
                    return
                job, given = waiting.popleft()
                for packed in given.result():
                    rows = unpack_rows(packed)
                    if job.divided:
                        flows += (row for row in rows if isinstance(row, FlowRow))
                    yield from rows if "flows" in options.tables else _without_flows(rows)
                if job.last:
                    yield from summary_rows(replace(options, capture=job.divided), job.summary, flows)
                    flows = []
                done += job.size
                if progress is not None:
                    progress(done, total)
        finally:
            for _, given in waiting:
                given.cancel()


def _without_flows(rows: list[Row]) -> Iterator[Row]:
    return (row for row in rows if not isinstance(row, FlowRow))


def _local_jobs(
    spark: SparkSession, captures: list[str], options: AnalysisOptions, keylog: str | None, cores: int
) -> list[_RowJob]:
    context = spark.sparkContext
    piles = piles_of(captures, cores, keylog)
    pieces = [pile.pieces for pile in piles]
    work: RDD[Any] = context.parallelize(pieces, max(len(piles), 1)).mapPartitions(partial(_work, options, keylog))
    return [
        _RowJob(pile.size, partial(context.runJob, work, list, [place]), pile.divided, pile.last, pile.summary)
        for place, pile in enumerate(piles)
    ]


def piles_of(captures: Iterable[str], cores: int, keylog: str | None = None) -> list[ReplayJob]:
    """Return the work of each job, in the order of the captures."""
    whole = [whole_piece(capture) for capture in captures]
    total = sum(piece.size for piece in whole)
    job_size = min(JOB_SIZE, max(total // (JOBS_OF_A_CORE * cores), SMALLEST_JOB))
    piles: list[ReplayJob] = []
    small: list[CapturePiece] = []
    for piece in whole:
        divided = divide(piece, parts_of(piece.size, total, cores), keylog, across=False)
        parts = [each for each in divided if each.part is not None]
        if not parts:
            small.append(piece)
            continue
        piles += _small_piles(small, job_size)
        small.clear()
        piles += (ReplayJob([part], piece.capture) for part in parts[:-1])
        piles.append(ReplayJob(parts[-1:], piece.capture, last=True, summary=divided[-1].summary))
    return piles + _small_piles(small, job_size)


def _small_piles(pieces: list[CapturePiece], size: int) -> list[ReplayJob]:
    return [ReplayJob(pile) for pile in in_order(pieces, size)]


def _work(options: AnalysisOptions, keylog: str | None, piles: Iterable[list[CapturePiece]]) -> Iterator[bytes]:
    for pieces in piles:
        yield from packed_pieces(pieces, options, keylog)


def _files_of(spark: SparkSession, urls: list[str], complain: Complain | None) -> list[UrlFile]:
    if complain is None:
        return find_files(spark, urls)
    found: set[UrlFile] = set()
    for url in urls:
        try:
            found.update(find_files(spark, [url]))
        except OSError as error:
            complain(str(error))
    return sorted(found)


def _url_jobs(
    spark: SparkSession, named: list[UrlFile], captures: list[str], options: AnalysisOptions, keylog: str | None
) -> list[_RowJob]:
    known = {identity(capture) for capture in captures}
    files = [file for file in named if identity(file.path.removeprefix("file:")) not in known]
    piles = in_order(files, JOB_SIZE)
    return [
        _RowJob(sum(file.size for file in pile), partial(packed_rows, spark, pile, options, keylog)) for pile in piles
    ]
