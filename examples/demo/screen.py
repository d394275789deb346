"""What the demo shows: lines that tell what happens, progress bars below them, the table at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence

from audit import COLUMNS, Way
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table


class Screen:
    """Writes to standard output; the bars move only on a terminal."""

    def __init__(self, messages: int) -> None:
        self.console = Console(highlight=False)
        if not self.console.is_terminal:
            self.console.width = 120
        self._began = time.monotonic()
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        self._progress = Progress(*columns, console=self.console)
        names = "put at EARTH", "answered at SATURN", "answers back at EARTH"
        self._bars = [self._progress.add_task(f"{name:<22}", total=messages) for name in names]

    def start(self) -> None:
        """Shows the bars."""
        self._began = time.monotonic()
        self._progress.start()

    def stop(self) -> None:
        """The bars stay as they are."""
        self._progress.stop()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def move(self, *counts: int) -> None:
        """Moves the bars."""
        for bar, count in zip(self._bars, counts, strict=True):
            self._progress.update(bar, completed=count)

    def say(self, text: str) -> None:
        """A line without a time."""
        self.console.print(text)

    def tell(self, text: str) -> None:
        """Something has happened: a line with the seconds since the start."""
        self.console.print(f"[dim]{self.elapsed:6.1f} s[/dim]  {text}")

    def table(self, rows: Sequence[Way]) -> None:
        """The figures of the contract."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("direction", no_wrap=True)
        for column in COLUMNS:
            table.add_column(column, justify="right", min_width=max(map(len, column.split())))
        for row in rows:
            table.add_row(row.name, *(f"{figure:,}" for figure in row.figures))
        self.console.print(table)
