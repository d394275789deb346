"""A progress bar on standard error if that is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self


class Progress:
    """A progress bar of ``total`` steps (None: unknown). Rich is imported only if it is shown."""

    def __init__(self, what: str, total: int | None, *, shown: bool) -> None:
        self._what = what
        self._total = total
        self._wanted = shown and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None
        self._done = 0

    def __enter__(self) -> Self:
        if self._wanted:
            self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self) -> None:
        """Start to show the bar."""
        if self._bar is None and sys.stderr.isatty():
            self._open()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._what, total=self._total, completed=self._done)
        self._bar.start()

    def advance(self, number: int) -> None:
        """Count ``number`` more as done."""
        self._done += number
        if self._bar is not None:
            self._bar.advance(self._task, number)
