"""What functions print, as lines for the log: bounded in length and number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MAX_LINE: Final = 500
"""Longest line in bytes; the rest of a longer one is left out."""
MAX_LINES: Final = 100
"""Lines told in `WINDOW`; those behind them are counted."""
WINDOW: Final = 60.0
"""Seconds."""


class UserOutput:
    """Cuts output into lines and passes them to ``say``, `MAX_LINES` a minute. ``clock``: seconds, steadily."""

    __slots__ = ("_clock", "_left_out", "_line", "_lines", "_say", "_since")

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._say = say
        self._clock = clock
        self._line = b""
        self._since = clock()
        self._lines = 0
        self._left_out = 0

    def feed(self, data: bytes) -> None:
        """Take output."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            if not self._room():
                self._left_out += data.count(b"\n", start)
                self._line = data[data.rfind(b"\n") + 1 :][:MAX_LINE]
                return
            self._tell((self._line + data[start : min(end, start + MAX_LINE)])[:MAX_LINE])
            self._line = b""
            start = end + 1
        self._line = (self._line + data[start : start + MAX_LINE])[:MAX_LINE]

    def end(self) -> None:
        """Tell the last line, which has no end, and how many were left out."""
        if self._line and self._room():
            self._tell(self._line)
        self._line = b""
        self._tell_left_out()

    def _room(self) -> bool:
        now = self._clock()
        if now - self._since >= WINDOW:
            self._since, self._lines = now, 0
            self._tell_left_out()
        return self._lines < MAX_LINES

    def _tell(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if text:
            self._lines += 1
            self._say(text)

    def _tell_left_out(self) -> None:
        if self._left_out:
            self._say(f"({self._left_out} lines left out)")
            self._left_out = 0
