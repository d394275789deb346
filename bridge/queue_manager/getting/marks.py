"""Browse marks on messages (mqi.md 11.3).

A mark refers to the row of its message. A message that was got and backed out has another row, with a higher
BackoutCount, so its mark no longer holds; gets need not look for marks. Marks of messages that are gone are removed
from time to time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES
from mqbridge.mappings.moment import Time

_CLEAN_AT: Final = 1024
"""Number of marks up to which those of messages that are gone are not removed."""

Find = Callable[[bytes], "bytes | None"]
"""The row now at a position (eight bytes)."""


class HandleMarks:
    """Messages marked for one handle: until it is closed, the message is got, or the mark is removed."""

    __slots__ = ("_clean_at", "_marked")

    def __init__(self) -> None:
        self._marked: dict[bytes, bytes] = {}
        self._clean_at = _CLEAN_AT

    def __len__(self) -> int:
        return len(self._marked)

    def __contains__(self, row: bytes) -> bool:
        return self._marked.get(row[:POSITION_BYTES]) == row

    def add(self, row: bytes, find: Find) -> None:
        """Mark a message."""
        self._marked[row[:POSITION_BYTES]] = row
        if len(self._marked) > self._clean_at:
            self._marked = {position: each for position, each in self._marked.items() if find(position) == each}
            self._clean_at = max(_CLEAN_AT, 2 * len(self._marked))

    def discard(self, row: bytes) -> None:
        """Remove a mark, if there is one."""
        self._marked.pop(row[:POSITION_BYTES], None)


class CoOpMarks:
    """Messages marked for all cooperating handles of a queue; these marks also expire after MARKINT."""

    __slots__ = ("_marked",)

    def __init__(self) -> None:
        self._marked: dict[bytes, tuple[bytes, float]] = {}

    def __len__(self) -> int:
        return len(self._marked)

    def __contains__(self, row: bytes) -> bool:
        found = self._marked.get(row[:POSITION_BYTES])
        return found is not None and found[0] == row

    def add(self, row: bytes, until: float) -> None:
        """Mark a message until a time, in seconds since the epoch (infinity for MARKINT(NOLIMIT))."""
        self.discard(row)
        self._marked[row[:POSITION_BYTES]] = (row, until)

    def discard(self, row: bytes) -> bool:
        """Remove a mark; False if there is none."""
        return self._marked.pop(row[:POSITION_BYTES], None) is not None

    def expire(self, now: Time, find: Find) -> list[bytes]:
        """End expired marks. Returns the rows of their messages that are still on the queue.

        Marks are kept in order of creation, assuming that MARKINT has not been altered in between.
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
        """When the oldest mark expires."""
        return next((until for _, until in self._marked.values()), None)

    def rows(self) -> list[bytes]:
        """All marked rows."""
        return [row for row, _ in self._marked.values()]
