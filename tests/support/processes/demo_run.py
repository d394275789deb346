"""A demo as its users run it: what it says, what it starts, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from support.processes.running_service import clean_environment, wait_for

LIMIT = 100.0
"""Seconds that a small run may take; alone on a machine it takes six, or fifteen with a broker in Java."""


class DemoRun:
    """One run; its temporary files are in a folder of its own, ``temporary``, whose path must be short."""

    def __init__(self, program: Path, folder: Path, temporary: Path, *options: str) -> None:
        self.temporary = temporary
        self._output = folder / "output"
        self._errors = folder / "errors"
        environment = {**clean_environment(), "TMPDIR": str(self.temporary), "PYTHONUNBUFFERED": "1"}
        with self._output.open("wb") as output, self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(program), *options],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._output.read_text("utf-8")

    @property
    def errors(self) -> str:
        return self._errors.read_text("utf-8")

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def comes_to(self, words: str) -> None:
        """Wait until it says so."""
        wait_for(words, lambda: words in self.output or self.process.poll() is not None, LIMIT)
        assert words in self.output, self.errors

    def ends(self) -> int:
        return self.process.wait(LIMIT)

    def left_behind(self) -> list[str]:
        """Temporary files that are still there."""
        return os.listdir(self.temporary)

    def close(self) -> None:
        """After a test that has failed: nothing of it goes on."""
        if self.process.poll() is None:
            children = self.children()
            for process in (psutil.Process(self.process.pid), *children):
                process.kill()
            self.process.wait(LIMIT)

    def interrupt(self) -> None:
        """Ctrl-C: everything ends, in order, and nothing is left behind."""
        children = self.children()
        assert children
        self.process.send_signal(signal.SIGINT)
        assert self.ends() == 130, self.errors
        _, alive = psutil.wait_procs(children, timeout=30)  # one that was killed may still be going
        assert alive == []
        assert "Traceback" not in self.errors
        assert self.left_behind() == []


RunDemo = Callable[..., DemoRun]


@pytest.fixture
def run_demo(tmp_path: Path) -> Iterator[RunDemo]:
    """Run a demo: its program and options."""
    started: list[DemoRun] = []

    # Not in tmp_path: sockets in there would have paths that are too long, and be put elsewhere.
    with tempfile.TemporaryDirectory(prefix="demo-") as temporary:

        def run(program: Path, *options: str) -> DemoRun:
            started.append(DemoRun(program, tmp_path, Path(temporary), *options))
            return started[0]

        yield run
        for demo in started:
            demo.close()
