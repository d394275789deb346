"""Marks that browsers leave on messages (mqi.md 11.3).

A mark remembers the row that it was made on. A message that was got and backed out has another row, its BackoutCount
being higher, so its mark is gone without anybody having looked for it: getting a message costs nothing for marks.
Marks of messages that are gone are forgotten now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES

_CLEAN_AT: Final = 1024
"""Marks below which those of messages that are gone are not looked for."""

Find = Callable[[bytes], "bytes | None"]
"""The row now at a position (eight bytes)."""


class HandleMarks:
    """Messages marked for one handle: until it is closed, the message is got, or the mark is taken back."""

    __slots__ = ("_clean_at", "_marked")

    def __init__(self) -> None:
        self._marked: dict[bytes, bytes] = {}
        self._clean_at = _CLEAN_AT

    def __len__(self) -> int:
        return len(self._marked)

    def __contains__(self, row: bytes) -> bool:
        return self._marked.get(row[:POSITION_BYTES]) == row

    def add(self, row: bytes, find: Find) -> None:
        """Marks a message."""
        self._marked[row[:POSITION_BYTES]] = row
        if len(self._marked) > self._clean_at:
            self._marked = {position: each for position, each in self._marked.items() if find(position) == each}
            self._clean_at = max(_CLEAN_AT, 2 * len(self._marked))

    def discard(self, row: bytes) -> None:
        """Takes a mark back; nothing if there is none."""
        self._marked.pop(row[:POSITION_BYTES], None)


class CoOpMarks:
    """Messages marked for all handles of a queue that cooperate: besides, until a time (MARKINT) has passed."""

    __slots__ = ("_marked",)

    def __init__(self) -> None:
        self._marked: dict[bytes, tuple[bytes, float]] = {}

    def __len__(self) -> int:
        return len(self._marked)

    def __contains__(self, row: bytes) -> bool:
        found = self._marked.get(row[:POSITION_BYTES])
        return found is not None and found[0] == row

    def add(self, row: bytes, until: float) -> None:
        """Marks a message until a time, in seconds since the epoch (infinity for MARKINT(NOLIMIT))."""
        self.discard(row)
        self._marked[row[:POSITION_BYTES]] = (row, until)

    def discard(self, row: bytes) -> bool:
        """Takes a mark back; False if there is none."""
        return self._marked.pop(row[:POSITION_BYTES], None) is not None

    def expire(self, now: float, find: Find) -> list[bytes]:
        """Ends the marks whose time has come; gives the messages that are still there and are free now.

        Marks are kept in the order in which they were made; MARKINT is the same for all unless it was altered between.
        """
        freed = []
        while self._marked:
            position, (row, until) = next(iter(self._marked.items()))
            if until > now and find(position) == row:
                break
            del self._marked[position]
            if until <= now and find(position) == row:
                freed.append(row)
        return freed

    def next_end(self) -> float | None:
        """When the oldest mark ends."""
        return next((until for _, until in self._marked.values()), None)

    def rows(self) -> list[bytes]:
        """All marked rows."""
        return [row for row, _ in self._marked.values()]
