"""Lines that have something for their transports."""

from __future__ import annotations

from typing import Protocol


class Line(Protocol):
    """One end of a connection as its transport drives it. ``ended``: it is to be closed after what `take` gives."""

    ended: bool

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes have come."""
        ...

    def take(self) -> bytes:
        """Return the bytes to send."""
        ...

    def cut(self, now: float) -> None:
        """The transport is gone."""
        ...


class Outgoing:
    """Lines with output, or that have ended, in the order in which they got it."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines: dict[Line, None] = {}

    def add(self, line: Line) -> None:
        """It has output, or has ended."""
        self._lines[line] = None

    def take(self) -> list[Line]:
        """Return them, each once."""
        lines, self._lines = list(self._lines), {}
        return lines
