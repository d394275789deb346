"""Starts two queue managers for a bench and talks to them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any


class Worker:
    """A `channel_worker` process: `ask` sends a command and waits for its answer."""

    def __init__(self, role: str, folder: Path, port: int, pairs: int, speed: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name("channel_worker.py"))]
        self.process = subprocess.Popen(
            [*command, role, str(folder), str(port), str(pairs), speed],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.hello = self.read()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker ended with status {self.process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found

    def tell(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command: str) -> dict[str, Any]:
        self.tell(command)
        return self.read()

    def end(self) -> None:
        if self.process.poll() is None:
            self.tell("end")
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class Pair:
    """A sending and a receiving queue manager with ``pairs`` channels between them."""

    def __init__(self, pairs: int = 1, speed: str = "FAST") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mqbridge-bench-")
        folder = Path(self._folder.name)
        self.receiver = Worker("receive", folder / "receive", 0, pairs, speed)
        self.sender = Worker("send", folder / "send", self.receiver.hello["port"], pairs, speed)
        self.arrived = 0

    def __enter__(self) -> Pair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sender.end()
        self.receiver.end()
        self._folder.cleanup()
