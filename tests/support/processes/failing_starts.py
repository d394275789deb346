"""Pytest plugin: starts of ``mqbridge run`` that fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.processes.forked_starts import STARTS
from support.processes.running_service import LOCAL_LISTENER, START_LIMIT, clean_environment


class FailingStarts:
    """Starts what must not start, in processes that are forked."""

    def start(self, folder: Path, *options: str) -> tuple[int, str]:
        """Run a queue manager in a folder, with options of the command. Returns its status and its log."""
        arguments = ["run", "--data", str(folder / "data"), "--qmgr", "EARTH", "--listen", LOCAL_LISTENER, *options]
        with (folder / "log").open("ab") as log:
            process = STARTS.launch(folder, arguments, clean_environment(), stdout=subprocess.DEVNULL, stderr=log)
        try:
            return process.wait(START_LIMIT), (folder / "log").read_text(encoding="utf-8", errors="replace")
        finally:
            process.kill()  # what did start, against expectation


@pytest.fixture(scope="session")
def failing_starts() -> FailingStarts:
    """Return what starts queue managers that must not start."""
    return FailingStarts()
