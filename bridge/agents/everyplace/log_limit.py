"""How often the log tells of the same name: strangers choose what happens, and how often."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.moment import Time

INTERVAL: Final = 60.0
"""Seconds for which lines of a name are counted."""
MAX_NAMES: Final = 1_000
"""Most names that are remembered; then all are forgotten."""


class LogLimit:
    """``most``: lines of one name within `INTERVAL`."""

    __slots__ = ("_counts", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[str, tuple[float, int]] = {}

    def admits(self, name: str, now: Time) -> bool:
        """Count a line; returns whether it is to be written."""
        since, count = self._counts.get(name, (now, 0))
        if now - since >= INTERVAL:
            since, count = now, 0
        if name not in self._counts and len(self._counts) >= MAX_NAMES:
            self._counts.clear()
        self._counts[name] = since, count + 1
        return count < self._most
