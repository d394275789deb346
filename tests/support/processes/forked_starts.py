"""Pytest plugin: ``mqbridge`` in processes forked by one that has imported everything, which is most of a start.

`STARTS` is what forks; every test process has one, which is started when it is first needed.
"""

from __future__ import annotations

import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any, Self

from support.processes import forking_program


class ForkedProcess:
    """A process that was forked: what tests use of `subprocess.Popen`."""

    def __init__(self, starts: ForkedStarts, pid: int, streams: Sequence[IO[bytes] | None]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin, self.stdout, self.stderr = streams
        self._starts = starts
        self._handle: int | None = os.pidfd_open(pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; raises `subprocess.TimeoutExpired`."""
        status = self._look(timeout)
        if status is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return status

    def _look(self, seconds: float | None) -> int | None:
        if self._handle is not None and select.select([self._handle], [], [], seconds)[0]:
            os.close(self._handle)
            self._handle = None
            self.returncode = self._starts.ask({"ended": self.pid})
        return self.returncode

    def communicate(self, input: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Write to its input, and read its output and its errors to their ends; one that takes too long is killed."""
        with ThreadPoolExecutor(2) as pool:
            open_ones = [
                stream if stream and not stream.closed else io.BytesIO() for stream in (self.stdout, self.stderr)
            ]
            reading = [pool.submit(stream.read) for stream in open_ones]
            try:
                if self.stdin is not None and not self.stdin.closed:
                    with suppress(BrokenPipeError), self.stdin:
                        self.stdin.write(input)
                self.wait(timeout)
            finally:
                self.kill()
            output, errors = [each.result() for each in reading]
        with self:
            return output, errors

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkedStarts:
    """The process that forks; it is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asking: socket.socket | None = None
        self._lock = threading.Lock()

    def launch(
        self,
        folder: Path,
        arguments: Sequence[str],
        environment: dict[str, str],
        *,
        module: str = "mqbridge",
        descriptors: int | None = None,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.PIPE,
        stderr: int | IO[bytes] = subprocess.PIPE,
    ) -> ForkedProcess:
        """Run a module in a folder. ``descriptors``: how many files it may have open; streams as of `Popen`."""
        request = {
            "module": module,
            "folder": str(folder.absolute()),
            "arguments": arguments,
            "environment": environment,
            "descriptors": descriptors,
        }
        with ExitStack() as lent:
            pairs = [_pair(stdin, False, lent), _pair(stdout, True, lent), _pair(stderr, True, lent)]
            pid = self.ask(request, [theirs for theirs, _ in pairs])
            return ForkedProcess(self, pid, [ours for _, ours in pairs])

    def ask(self, request: dict[str, Any], streams: Sequence[int] = ()) -> int:
        """Send a request and return its answer: a process id, or an exit status."""
        with self._lock:
            if self._asking is None:
                self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with theirs:
                    self._process = subprocess.Popen(
                        [sys.executable, "-P", forking_program.__file__], stdin=theirs, start_new_session=True
                    )
            socket.send_fds(self._asking, [json.dumps(request).encode()], list(streams))
            return int(self._asking.recv(100))

    def close(self) -> None:
        """End the process, and those that it has forked."""
        if self._process is not None and self._asking is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._asking.close()
            self._process = self._asking = None


def _pair(wanted: int | IO[bytes], reads: bool, lent: ExitStack) -> tuple[int, IO[bytes] | None]:
    """The descriptor of a standard stream for the new process, and our end of its pipe, which we read or write."""
    if wanted == subprocess.PIPE:
        ends = os.pipe()
        lent.callback(os.close, ends[reads])
        return ends[reads], open(ends[not reads], "rb" if reads else "wb")
    if wanted == subprocess.DEVNULL:
        null = os.open(os.devnull, os.O_RDWR)
        lent.callback(os.close, null)
        return null, None
    return wanted if isinstance(wanted, int) else wanted.fileno(), None


STARTS = ForkedStarts()


def pytest_unconfigure() -> None:
    STARTS.close()
