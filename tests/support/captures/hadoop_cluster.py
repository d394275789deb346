"""A file system of Hadoop's on loopback, which holds some captures: what Spark reads by ``hdfs://``."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.processes import java_programs

PROJECT = Path(__file__).parents[2] / "interop" / "hdfs"
START_LIMIT = 240
"""Seconds: several on a quiet machine, very many more on a loaded one."""


@contextmanager
def hadoop_cluster(folder: Path, files: Iterable[Path]) -> Iterator[str]:
    """Gives the URL of the folder in which the files lie; the cluster keeps its blocks in ``folder``.

    The test is skipped where Java, Maven or Hadoop cannot be had.
    """
    java_programs.build(PROJECT)
    command = [*java_programs.java(PROJECT), "mqbridge.hdfs.Cluster", str(folder / "blocks"), *map(str, files)]
    with (
        (folder / "cluster.log").open("wb") as log,
        subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        limit = threading.Timer(START_LIMIT, process.kill)
        limit.start()
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            limit.cancel()
            if not url:
                pytest.fail(f"the cluster did not start:\n{(folder / 'cluster.log').read_text()[-4000:]}")
            yield f"{url}/captures"
        finally:
            limit.cancel()
            process.kill()
