"""Start-up time of the pytest fixture ``mq`` to its first message, beside the start of Apache Artemis.

    python bench/fixture.py            a few starts
    python bench/fixture.py --full     more

``first``: with the start of the helper process, as for the first test of a session. ``next``: every further test. Ours
puts and gets a message over a client connection; Artemis only has to open its port, on an existing instance. The target
is twenty times faster than Artemis, and less than 100 ms from the second test on.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure
from java_side import NoJava, build
from servers import Artemis, NoServer

import mqbridge
from mqbridge import pytest_plugin

QUEUE = "DEV.QUEUE.1"
TARGET = 20
LIMIT = 100
"""Milliseconds."""


def first_message(helper: pytest_plugin.Helper) -> None:
    """Start a fresh queue manager, put a message and get it."""
    manager = pytest_plugin.TestQueueManager(helper)
    with mqbridge.connect(manager.url) as qm:
        qm.put(QUEUE, "first")
        assert qm.get(QUEUE, wait=5) is not None
    manager.close()


def ours(starts: int) -> tuple[float, float]:
    """Median seconds of the first test of a session, and of the later ones."""
    first, later = [], []
    for _ in range(starts):
        began = time.perf_counter()
        helper = pytest_plugin.Helper()
        first_message(helper)
        first.append(time.perf_counter() - began)
        for _ in range(10):
            began = time.perf_counter()
            first_message(helper)
            later.append(time.perf_counter() - began)
        helper.close()
    return statistics.median(first), statistics.median(later)


def artemis(starts: int) -> float | None:
    """Median seconds from the start of its process to an open port; None if it is not available."""
    try:
        build()
        broker = Artemis()
    except (NoJava, NoServer) as reason:
        print(f"no Artemis: {reason}")
        return None
    seconds = []
    try:
        for _ in range(starts):
            broker.process.terminate()
            broker.process.wait()
            began = time.perf_counter()
            broker.run()
            seconds.append(time.perf_counter() - began)
    finally:
        broker.close()
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    starts = 5 if parser.parse_args().full else 2
    mqbridge.Message("warm up the imports")
    first, later = ours(starts)
    other = artemis(starts)
    print(f"start to first message, median of {starts} sessions")
    for name, seconds in (("first", first), ("next", later)):
        times = "" if other is None else f"   {other / seconds:6.0f} times faster than the start of Artemis"
        print(f"  fixture, {name:5}  {seconds * 1000:8.0f} ms{times}")
    if other is not None:
        print(f"  Artemis         {other * 1000:8.0f} ms until its port is open")
        figure("fixture mq, next test", "start of Artemis", [other / later], least=TARGET)
    figure("fixture mq, next test", "", [later * 1000], least=LIMIT, unit="ms", lower=True)


if __name__ == "__main__":
    main()
