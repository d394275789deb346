"""From the start of a queue manager to its first message: the pytest fixture ``mq``, and Apache Artemis.

    python bench/fixture.py            a few starts
    python bench/fixture.py --full     more of them

Tests are run by pytest in a process of its own. Each test puts a message with our client and gets it; what counts is
the time from the setup of the fixture to the message. The first test of a session starts the helper process, later
ones find a queue manager made ahead: where tests follow each other at once, as here, it is still being made. Artemis
starts on a folder that was made before, and its JMS client runs already. Rounds alternate. Beside them ``mqbridge run``
with a store in memory, from the start of its process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from java_side import JavaClient, NoJava, build
from servers import Artemis, NoServer, Ours

import mqbridge

TO_REACH = 20
TESTS = 6
"""Tests of a session."""
HOME = Path(mqbridge.__file__).parent
CONFTEST = """\
import time

import pytest


@pytest.fixture
def began():
    return time.perf_counter()
"""
TEST = """\
import json
import sys
import time

import pytest


@pytest.mark.parametrize("number", range({tests}))
def test_first_message(began, mq, number):
    with mq.connect() as connection:
        connection.put("DEV.QUEUE.1", "hello")
        assert connection.get("DEV.QUEUE.1").text == "hello"
    with open({found!r}, "a") as file:
        file.write(json.dumps(time.perf_counter() - began) + "\\n")
"""


def session() -> tuple[float, float]:
    """Seconds to the first message of the first test, and median of the others."""
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        found = Path(folder) / "found"
        (Path(folder) / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (Path(folder) / "test_start.py").write_text(TEST.format(tests=TESTS, found=str(found)), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, folder]
        environment = os.environ | {"PYTHONPATH": str(HOME)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        took = [json.loads(line) for line in found.read_text().splitlines()]
    return took[0], statistics.median(took[1:])


def command() -> float:
    """Seconds from the start of `mqbridge run` to its first message."""
    began = time.perf_counter()
    server = Ours("", "--store", "memory")
    try:
        with mqbridge.connect(f"mq://127.0.0.1:{server.port}/?channel=DEV.APP.SVRCONN") as connection:
            connection.put("DEV.QUEUE.1", "hello")
            assert connection.get("DEV.QUEUE.1") is not None
        return time.perf_counter() - began
    finally:
        server.close()


class Broker:
    """Artemis, which is started again and again, and its client."""

    def __init__(self) -> None:
        self._server = Artemis()
        self._client = JavaClient("artemis", self._server.port)
        self._message()

    def start(self) -> float:
        """Seconds from its start to the first message."""
        self._server.stop()
        began = time.perf_counter()
        self._server.run()
        self._message()
        return time.perf_counter() - began

    def _message(self) -> None:
        self._client.round("flow", "BENCH.START", 1, 64, 0, 1)

    def close(self) -> None:
        """End both."""
        self._client.close()
        self._server.close()


def artemis() -> Broker | None:
    """Artemis, unless it cannot be had."""
    try:
        build()
        return Broker()
    except (NoJava, NoServer) as error:
        print(f"  without Artemis: {error}")
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more starts")
    options = parser.parse_args()
    rounds = 10 if options.full else 3
    broker = artemis()
    sessions, runs, starts = [], [], []
    try:
        for _ in range(rounds):
            sessions.append(session())
            runs.append(command())
            if broker is not None:
                starts.append(broker.start())
    finally:
        if broker is not None:
            broker.close()
    first, later = (statistics.median(values) for values in zip(*sessions, strict=True))
    print(f"from the start to the first message, median of {rounds} rounds")
    print(f"  fixture mq, first test of a session  {first * 1e3:7.0f} ms")
    print(f"  fixture mq, from the second test on  {later * 1e3:7.0f} ms    to reach: under 100")
    print(f"  mqbridge run, store in memory        {statistics.median(runs) * 1e3:7.0f} ms")
    if starts:
        start = statistics.median(starts)
        ratios = f"{start / later:.0f} times the fixture's, to reach: {TO_REACH}; {start / first:.1f} times the first's"
        print(f"  Artemis                              {start * 1e3:7.0f} ms    {ratios}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
