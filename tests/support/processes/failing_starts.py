"""Pytest plugin: starts of ``mqbridge run`` that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.processes.forked_starts import ForkedStarts
from support.processes.running_service import LOCAL_LISTENER, START_LIMIT, clean_environment


class FailingStarts:
    """Starts what must not start, in processes that are forked."""

    def __init__(self, starts: ForkedStarts) -> None:
        self._starts = starts

    def start(self, folder: Path, *options: str) -> tuple[int, str]:
        """Run a queue manager in a folder, with options of the command. Returns its status and its log."""
        arguments = ["--data", str(folder / "data"), "--qmgr", "EARTH", "--listen", LOCAL_LISTENER, *options]
        process = self._starts.launch(folder, arguments, clean_environment())
        try:
            return process.wait(START_LIMIT), (folder / "log").read_text(encoding="utf-8", errors="replace")
        finally:
            process.kill()  # what did start, against expectation


@pytest.fixture(scope="session")
def failing_starts(forked_starts: ForkedStarts) -> FailingStarts:
    """Return what starts queue managers that must not start."""
    return FailingStarts(forked_starts)
