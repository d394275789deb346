"""Commands that a user would type, and the processes of the devices."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from letters import Letter
from processes import await_end

HERE: Final = Path(__file__).parent
PATIENCE: Final = 60.0
"""Seconds that a command may take."""


class CommandFailed(Exception):
    """A command has ended with another status than 0."""


def mqbridge(folder: Path, *arguments: str) -> str:
    """Run ``mqbridge`` in a folder and return what it prints. Raises `CommandFailed`."""
    return _command(folder, "mqbridge", *arguments)


def mqe(folder: Path, *arguments: str) -> str:
    """Run the devices' program in a folder and return what it prints. Raises `CommandFailed`."""
    return _command(folder, "mqbridge.everyplace", *arguments)


def _command(folder: Path, module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise CommandFailed(f"{module} {' '.join(arguments[:3])}: {done.stderr or done.stdout}")
    return done.stdout


class DeviceProgram:
    """``device.py``, started, killed and ended. ``put``, ``arrived``: what it has said last of its messages."""

    def __init__(self, name: str, folder: Path, address: str, count: int) -> None:
        self.name = name
        self.put = self.arrived = 0
        self._folder = folder
        self._arguments = [f"{name}.mqe", address, str(count)]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it."""
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(HERE / "device.py"), *self._arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                text=True,
            )
        threading.Thread(target=self._follow, args=(self._process,), daemon=True).start()

    def _follow(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.endswith("\n"):
                found = json.loads(line)
                self.put, self.arrived = found["put"], found["arrived"]

    @property
    def ended(self) -> int | None:
        """Its exit status; None while it runs."""
        return None if self._process is None else self._process.poll()

    def kill(self) -> None:
        """SIGKILL: it has no chance to tidy up."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def interrupt(self) -> None:
        """Ask it to end."""
        if self._process is not None and self.ended is None:
            self._process.send_signal(signal.SIGINT)

    def wait(self) -> None:
        """Wait for its end; by force if it does not come."""
        if self._process is not None:
            await_end(self._process)

    def report(self) -> list[Letter]:
        """Return the messages on its queue, in order; it must have ended."""
        done = subprocess.run(
            [sys.executable, str(HERE / "device.py"), self._arguments[0], "--report"],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            raise CommandFailed(f"the report of {self.name}: {done.stderr}")
        return [Letter(*json.loads(line)) for line in done.stdout.splitlines()]
