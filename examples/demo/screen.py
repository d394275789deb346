"""What a demo shows: lines that tell what happens, progress bars below them, the table at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table


class Screen:
    """Writes to standard output; the bars move only on a terminal. ``bars``: what each counts, and how far."""

    def __init__(self, bars: Mapping[str, int]) -> None:
        self.console = Console(highlight=False)
        if not self.console.is_terminal:
            self.console.width = 120
        self._began = time.monotonic()
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        self._progress = Progress(*columns, console=self.console)
        width = max(map(len, bars))
        self._bars = {name: self._progress.add_task(f"{name:<{width}} ", total=total) for name, total in bars.items()}

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
        for bar, count in zip(self._bars.values(), counts, strict=True):
            self._progress.update(bar, completed=count)

    def expect(self, bar: str, total: int) -> None:
        """It is known now how far a bar goes."""
        self._progress.update(self._bars[bar], total=total)

    def say(self, text: str) -> None:
        """A line without a time."""
        self.console.print(text)

    def tell(self, text: str) -> None:
        """Something has happened: a line with the seconds since the start."""
        self.console.print(f"[dim]{self.elapsed:6.1f} s[/dim]  {text}")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> None:
        """The figures at the end: words to the left, numbers to the right."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        rows = list(rows)
        for column, value in zip(columns, rows[0], strict=True):
            if isinstance(value, str):
                table.add_column(column, no_wrap=True)
            else:
                table.add_column(column, justify="right", min_width=max(map(len, column.split())))
        for row in rows:
            table.add_row(*(value if isinstance(value, str) else f"{value:,}" for value in row))
        self.console.print(table)
