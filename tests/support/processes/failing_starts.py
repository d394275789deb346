"""Pytest plugin: starts of ``mqbridge run`` that fail, in processes forked by one that has imported everything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.processes.running_service import LOCAL_LISTENER, START_LIMIT, clean_environment

PROGRAM = """
import json, os, sys
import mqbridge.bridge.service, mqbridge.bridge.service.everyplace
from mqbridge.bridge.cli import cli
for line in sys.stdin:
    folder, arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.dup2(os.open("output", os.O_CREAT | os.O_WRONLY, 0o600), 1)
        os.dup2(os.open("log", os.O_CREAT | os.O_WRONLY, 0o600), 2)
        cli(["run", *arguments], prog_name="mqbridge")
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class FailingStarts:
    """The process that forks; it is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, folder: Path, *options: str) -> tuple[int, str]:
        """Run a queue manager in a folder, with options of the command. Returns its status and its log."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM],
                env=clean_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        arguments = ["--data", str(folder / "data"), "--qmgr", "EARTH", "--listen", LOCAL_LISTENER, *options]
        self._process.stdin.write(json.dumps([str(folder), arguments]).encode() + b"\n")
        self._process.stdin.flush()
        # What did start, against expectation, is ended; then there is no answer.
        limit = threading.Timer(START_LIMIT, self._end)
        limit.start()
        answer = self._process.stdout.readline()
        limit.cancel()
        log = (folder / "log").read_text(encoding="utf-8", errors="replace")
        assert answer, f"it has not ended: {log}"
        return int(answer), log

    def _end(self) -> None:
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process, and those that it has forked."""
        if self._process is not None:
            self._end()
            with self._process:
                pass


@pytest.fixture(scope="session")
def failing_starts() -> Iterator[FailingStarts]:
    """Return what starts queue managers that must not start."""
    starts = FailingStarts()
    yield starts
    starts.close()
