"""The processes of a demo: queue managers and the echo program, started, killed and ended by their ids."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ANY_PORT = "tcp:0:interface=127.0.0.1"
START_PATIENCE = 30.0
"""Seconds that a queue manager may take to start."""
STOP_PATIENCE = 15.0
"""Seconds that a process may take to end when it is asked to."""


class StartFailed(Exception):
    """A process did not come up."""


class QueueManager:
    """``mqbridge run`` with a folder of its own; ``script``: its objects in MQSC. ``listen``: where it listens; any
    free port, a new one at each start, if nothing is said. ``more``: further tables of its configuration."""

    def __init__(self, name: str, folder: Path, script: str, *, listen: str = ANY_PORT, more: str = "") -> None:
        self.name = name
        self.folder = folder
        self.ready: dict[str, Any] | None = None
        """What the ready file says; None while it does not run."""
        self.log = folder / f"{name}.log"
        self._ready_file = folder / f"{name}.ready"
        self._process: subprocess.Popen[bytes] | None = None
        (folder / f"{name}.mqsc").write_text(script, "utf-8")
        (folder / f"{name}.toml").write_text(
            f'[queue_manager]\nname = "{name}"\ndata = "{name}"\nmqsc = ["{name}.mqsc"]\n'
            f'[[listener]]\nendpoint = "{listen}"\n'
            f'[log]\nformat = "json"\n{more}',
            "utf-8",
        )

    def start(self) -> None:
        """Starts the process and waits until it accepts. Raises `StartFailed`."""
        self._ready_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "mqbridge", "run", "--config", f"{self.name}.toml"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--ready-file", self._ready_file.name],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + START_PATIENCE
        while not self._ready_file.exists():
            if self._process.poll() is not None or time.monotonic() > end:
                raise StartFailed(f"{self.name} does not start:\n{self.log.read_text('utf-8')[-2000:]}")
            time.sleep(0.02)
        self.ready = json.loads(self._ready_file.read_text("utf-8"))

    @property
    def admin(self) -> str:
        """The REST endpoint."""
        assert self.ready is not None
        return str(self.ready["admin"])

    @property
    def pid(self) -> int:
        """The process."""
        assert self._process is not None
        return self._process.pid

    def port(self) -> int | None:
        """The port that it listens on; None while it does not run."""
        ready = self.ready
        return None if ready is None else int(ready["listeners"][0]["port"])

    def kill(self) -> None:
        """SIGKILL: the process has no chance to tidy up."""
        assert self._process is not None
        self.ready = None
        os.kill(self.pid, signal.SIGKILL)
        self._process.wait()

    def quiesce(self) -> None:
        """Asks the process to end in order."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def wait(self) -> None:
        """Waits for its end; by force if it does not come."""
        if self._process is not None:
            await_end(self._process)

    def logged(self, amq: str) -> list[list[Any]]:
        """The inserts of every line with this id that it has written to its log."""
        lines = [json.loads(line) for line in self.log.read_text("utf-8").splitlines() if line.startswith("{")]
        return [line["inserts"] for line in lines if line["id"].startswith(amq)]


class EchoProgram:
    """``echo.py`` at a queue manager; ends by itself when that is gone."""

    def __init__(self, admin: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "echo.py"), admin],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def counts(self) -> Iterator[int]:
        """Its count after each commit, as it says it, until it ends."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield int(line)

    @property
    def ended(self) -> int | None:
        """The exit status, None while it runs."""
        return self._process.poll()

    def stop(self) -> None:
        """Ends it."""
        if self.ended is None:
            self._process.terminate()
        await_end(self._process)


def await_end(process: subprocess.Popen[Any]) -> None:
    """Waits for the end of a process that was asked to end; by force if it does not come."""
    try:
        process.wait(STOP_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
