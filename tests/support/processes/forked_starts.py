"""Pytest plugin: ``mqbridge run`` in processes forked by one that has imported everything, which is most of a start."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import json, os, resource, signal, sys
import mqbridge.__main__, mqbridge.bridge.service, mqbridge.bridge.service.everyplace
import twisted.internet.epollreactor
from mqbridge.bridge.cli import cli

assert "twisted.internet.reactor" not in sys.modules  # each process needs one of its own

def become(request):
    for number, name in (0, os.devnull), (1, "output"), (2, "log"):
        path = name if number == 0 else os.path.join(request["folder"], name)
        file = os.open(path, os.O_RDWR if number == 0 else os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["descriptors"] is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["descriptors"],) * 2)
    sys.path[0] = os.getcwd()
    sys.argv = [mqbridge.__main__.__file__, "run", *request["arguments"]]
    mqbridge.main()

for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    if "ended" in request:
        answer = os.waitstatus_to_exitcode(os.waitpid(request["ended"], 0)[1])
    else:
        answer = os.fork()
        if answer == 0:
            become(request)
            raise SystemExit
    print(answer, flush=True)
os.killpg(0, signal.SIGKILL)  # whoever asked is gone without a word
"""


class ForkedProcess:
    """A process that was forked: what tests use of `subprocess.Popen`."""

    def __init__(self, starts: ForkedStarts, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._starts = starts
        self._handle: int | None = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._look(0)

    def wait(self, timeout: float) -> int:
        """Wait for the end; raises `subprocess.TimeoutExpired`."""
        status = self._look(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("mqbridge run", timeout)
        return status

    def _look(self, seconds: float) -> int | None:
        if self._handle is not None and select.select([self._handle], [], [], seconds)[0]:
            os.close(self._handle)
            self._handle = None
            self.returncode = self._starts.ask({"ended": self.pid})
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkedStarts:
    """The process that forks; it is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def launch(
        self, folder: Path, arguments: list[str], environment: dict[str, str], descriptors: int | None = None
    ) -> ForkedProcess:
        """Run a queue manager with a folder as its own; it adds to ``output`` and ``log`` in there."""
        request = {"arguments": arguments, "environment": environment, "descriptors": descriptors}
        return ForkedProcess(self, self.ask({"folder": str(folder.absolute()), **request}))

    def ask(self, request: dict[str, Any]) -> int:
        """Send a request and return its answer: a process id, or an exit status."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process, and those that it has forked."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            with self._process:
                pass


@pytest.fixture(scope="session")
def forked_starts() -> Iterator[ForkedStarts]:
    """Return what starts queue managers quickly."""
    starts = ForkedStarts()
    yield starts
    starts.close()
