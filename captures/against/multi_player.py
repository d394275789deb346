"""Concurrent replay of several recorded connections in their recorded order.

Nothing is sent on one connection before everything earlier was sent and answered on the others, so that a message
exists when it is got, and a connection stays open as long as it did. No answer is awaited for longer than its own
connection's time limit.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from heapq import nsmallest
from typing import Final

from mqbridge.captures.against.player import Player

MAX_TOGETHER: Final = 500
"""Maximum number of open connections; others wait until one ends, whatever the recording had."""


class MultiPlayer:
    """The players of a capture. ``running``: those with an open connection. ``connected``: number of connections so
    far."""

    def __init__(self, players: Iterable[Player]) -> None:
        self._waiting = deque(sorted(players, key=lambda player: player.flow.start))
        self.running: list[Player] = []
        self.connected = 0

    @property
    def waits(self) -> bool:
        """Return whether some players are not connected yet."""
        return bool(self._waiting)

    def next_to_connect(self) -> Player | None:
        """Return a player whose connection is to be opened and started now; None until others have advanced."""
        if not self._waiting or len(self.running) >= MAX_TOGETHER:
            return None
        if self._waiting[0].flow.start > min((player.comes_next for player in self.running), default=math.inf):
            return None
        player = self._waiting.popleft()
        self.running.append(player)
        self.connected += 1
        return player

    def advance(self, now: float) -> list[Player]:
        """Let all players send what is due; return those that have ended."""
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
        """Return the two earliest times at which a player, or the next to connect, continues; the same twice if two
        share it."""
        moments = [player.comes_next for player in self.running]
        if self._waiting and len(self.running) < MAX_TOGETHER:
            moments.append(self._waiting[0].flow.start)
        first, second, *_ = [*nsmallest(2, moments), math.inf, math.inf]
        return first, second
