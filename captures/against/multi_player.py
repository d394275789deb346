"""Several recorded connections played together: what they say keeps the order that it had in the recording.

Nothing is said on one connection before all that was said and answered earlier on the others, so a message is there
when somebody gets it, and a connection stays open as long as it did. No answer is waited for longer than its own
connection waits.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from heapq import nsmallest
from typing import Final

from mqbridge.captures.against.player import Player

MAX_TOGETHER: Final = 500
"""Connections that are open at a time; others wait until one ends, whatever the recording had."""


class MultiPlayer:
    """The players of a capture. ``running``: those whose connection is open; ``connected``: how many were."""

    def __init__(self, players: Iterable[Player]) -> None:
        self._waiting = deque(sorted(players, key=lambda player: player.flow.start))
        self.running: list[Player] = []
        self.connected = 0

    @property
    def waits(self) -> bool:
        """Whether some were not connected yet."""
        return bool(self._waiting)

    def next_to_connect(self) -> Player | None:
        """A player whose connection is to be opened now, and then started; None until others have come further."""
        if not self._waiting or len(self.running) >= MAX_TOGETHER:
            return None
        if self._waiting[0].flow.start > min((player.comes_next for player in self.running), default=math.inf):
            return None
        player = self._waiting.popleft()
        self.running.append(player)
        self.connected += 1
        return player

    def advance(self, now: float) -> list[Player]:
        """Let everybody say what may be said by now; returns those that have ended."""
        moved = True
        while moved:
            moved = False
            # What comes next only moves on, so a moment that is out of date holds somebody back, and never lets go.
            first, second = self._earliest()
            for player in self.running:
                before = player.comes_next
                player.gate = second if before == first else first
                player.advance(now)
                moved = moved or player.comes_next != before
        ended = [player for player in self.running if player.closed]
        self.running = [player for player in self.running if not player.closed]
        return ended

    def _earliest(self) -> tuple[float, float]:
        """The two earliest moments at which somebody, or the next to connect, goes on; the same one twice if two
        share it."""
        moments = [player.comes_next for player in self.running]
        if self._waiting and len(self.running) < MAX_TOGETHER:
            moments.append(self._waiting[0].flow.start)
        first, second, *_ = [*nsmallest(2, moments), math.inf, math.inf]
        return first, second
