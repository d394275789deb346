"""Steps that follow each other, perhaps at once: one after the other instead of one inside the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Steps:
    """Runs steps; one that is added by a step runs when that one has returned."""

    __slots__ = ("_running", "_steps")

    def __init__(self) -> None:
        self._steps: deque[Callable[[], None]] = deque()
        self._running = False

    def go(self, step: Callable[[], None]) -> None:
        """Run a step, now or after the one that runs."""
        self._steps.append(step)
        if self._running:
            return
        self._running = True
        try:
            while self._steps:
                self._steps.popleft()()
        finally:
            self._running = False
            self._steps.clear()
