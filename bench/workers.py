"""Two queue managers of a bench: start them, send them commands, sample their memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

ANSWER_LIMIT = 300.0
"""Seconds that a worker may take for an answer; then it is killed, and the bench fails."""
WATCH_INTERVAL = 0.004
"""Seconds between two samples of the memory of a process."""


def memory(pid: int) -> dict[str, int]:
    """RssAnon, VmRSS and VmHWM of a process, in bytes; nothing when it is gone."""
    found = {}
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return found
    for line in lines:
        key, _, value = line.partition(":")
        if key in ("RssAnon", "VmRSS", "VmHWM"):
            found[key] = int(value.split()[0]) * 1024
    return found


class MemoryWatch:
    """Sampler of RssAnon of processes, given by name and id, every few milliseconds. ``peaks``: bytes by name."""

    def __init__(self, **pids: int) -> None:
        self._pids = pids
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.before = {name: memory(pid).get("RssAnon", 0) for name, pid in pids.items()}
        self.peaks = dict(self.before)
        self.high_water: dict[str, int] = {}

    def _run(self) -> None:
        while not self._stop.wait(WATCH_INTERVAL):
            self._look()

    def _look(self) -> None:
        for name, pid in self._pids.items():
            found = memory(pid)
            self.peaks[name] = max(self.peaks[name], found.get("RssAnon", 0))
            self.high_water[name] = found.get("VmHWM", 0)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._look()


class Worker:
    """A `channel_worker` process, or another ``script``: `ask` sends a command and waits for its answer."""

    def __init__(
        self,
        role: str,
        folder: Path,
        port: int,
        pairs: int,
        attributes: dict[str, Any],
        script: str = "channel_worker.py",
    ) -> None:
        command = [sys.executable, str(Path(__file__).with_name(script))]
        given = [f"{name}={value}" for name, value in attributes.items()]
        self.process = subprocess.Popen(
            [*command, role, str(folder), str(port), str(pairs), *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.hello = self.read()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        guard = threading.Timer(ANSWER_LIMIT, self.process.kill)
        guard.start()
        try:
            line = self.process.stdout.readline()
        finally:
            guard.cancel()
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
    """A sending and a receiving queue manager with ``pairs`` channels between them, of these attributes."""

    def __init__(self, pairs: int = 1, **attributes: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mqbridge-bench-")
        folder = Path(self._folder.name)
        self.receiver = Worker("receive", folder / "receive", 0, pairs, attributes)
        self.sender = Worker("send", folder / "send", self.receiver.hello["port"], pairs, attributes)
        self.arrived = 0

    def __enter__(self) -> Pair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sender.end()
        self.receiver.end()
        self._folder.cleanup()
