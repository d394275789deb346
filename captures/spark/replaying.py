"""Folders, many files and URLs for ``mqbridge replay``: the rows of the plain way, made by the workers of Spark.

Each task is a job of its own, and a few of them run at a time: so rows come while others are still being made, in the
order of the captures, and the driver never holds more than those few tasks gave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple

from attrs import evolve
from pyspark import RDD
from pyspark.sql import SparkSession

from captures.analysis import AnalysisOptions
from captures.spark.paths import find_captures, is_url
from captures.spark.planning import Piece, in_order, whole_piece
from captures.spark.sessions import session
from captures.spark.url_files import find_files, packed_rows
from captures.spark.working import pack_rows, piece_rows, unpack_rows
from captures.tables import Row

JOB_SIZE: Final = 16 << 20
"""Bytes of captures that one job reads; captures that are larger and are not split are one job each."""
URL_MEMORY: Final = "2g"
"""Of a session in this process that reads URLs: Java holds whole files there."""

Progress = Callable[[int, int], None]
"""Told how many bytes of captures are done, and how many there are."""

Packed = list[bytes]


class _Job(NamedTuple):
    size: int
    run: Callable[[], Packed]


def replay_paths(
    paths: Iterable[str],
    options: AnalysisOptions,
    master: str | None = None,
    progress: Progress | None = None,
    *,
    keylog: str | None = None,
    spark: SparkSession | None = None,
) -> Iterator[Row]:
    """Rows of all captures that ``paths`` name: files, folders, patterns, URLs of any file system that Spark knows.

    ``options.capture`` is not used: each row names its own. ``master``: where Spark runs, on this machine when not
    given; ``spark``: a session that is there already. The session that is made here ends with the iteration. Raises
    ``FileNotFoundError`` for a path at which there is nothing, ``FileTooLargeError`` for a URL of more than 2 GB.
    """
    paths = list(paths)
    local = find_captures(path for path in paths if not is_url(path))
    urls = [path for path in paths if is_url(path)]
    running = spark or (session(master, memory=URL_MEMORY) if urls else session(master))
    try:
        jobs = _local_jobs(running, local, options, keylog)
        jobs += _url_jobs(running, urls, options) if urls else []
        yield from _run(jobs, running.sparkContext.defaultParallelism, progress)
    finally:
        if spark is None:
            running.stop()


def _run(jobs: list[_Job], at_once: int, progress: Progress | None) -> Iterator[Row]:
    total, done = sum(job.size for job in jobs), 0
    waiting: deque[tuple[_Job, Future[Packed]]] = deque()
    left = iter(jobs)
    with ThreadPoolExecutor(at_once, thread_name_prefix="replay") as pool:
        try:
            while True:
                while len(waiting) < 2 * at_once and (job := next(left, None)) is not None:
                    waiting.append((job, pool.submit(job.run)))
                if not waiting:
                    return
                job, given = waiting.popleft()
                for packed in given.result():
                    yield from unpack_rows(packed)
                done += job.size
                if progress is not None:
                    progress(done, total)
        finally:
            for _, given in waiting:
                given.cancel()


def _local_jobs(spark: SparkSession, captures: list[str], options: AnalysisOptions, keylog: str | None) -> list[_Job]:
    piles = in_order(map(whole_piece, captures), JOB_SIZE)
    context = spark.sparkContext
    work: RDD[Any] = context.parallelize(piles, max(len(piles), 1)).mapPartitions(partial(_work, options, keylog))
    return [
        _Job(sum(piece.size for piece in pile), partial(context.runJob, work, list, [place]))
        for place, pile in enumerate(piles)
    ]


def _work(options: AnalysisOptions, keylog: str | None, piles: Iterable[list[Piece]]) -> Iterator[bytes]:
    """In a worker: captures in, packed rows out."""
    for pile in piles:
        for piece in pile:
            yield from pack_rows(piece_rows(piece, evolve(options, capture=piece.capture), keylog), options.tables)


def _url_jobs(spark: SparkSession, urls: list[str], options: AnalysisOptions) -> list[_Job]:
    piles = in_order(find_files(spark, urls), JOB_SIZE)
    return [_Job(sum(file.size for file in pile), partial(packed_rows, spark, pile, options)) for pile in piles]
