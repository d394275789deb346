"""Two machines joined in memory, with a clock of their own, whose bytes become a made conversation."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Final

from mqbridge.captures.generate.conversation import MadeConversation
from mqbridge.protocol.direction import Direction

#: Seconds that bytes travel from one end to the other.
LATENCY: Final = 0.000_2
#: Number of times that bytes are carried before a conversation counts as stuck.
MOST_TURNS: Final = 1_000_000


class MachineRun:
    """Base of the runs of channels and clients. ``now``: time of the clock, seconds since the epoch."""

    def __init__(self, random: Random, now: float) -> None:
        self.random = random
        self.now = now
        self.conversation = MadeConversation(begun=now)

    def machine(self, direction: Direction) -> Any:
        """Return the machine of an end."""
        raise NotImplementedError

    def act(self, direction: Direction, events: Iterable[Any]) -> None:
        """Do what the agent of an end does on events of its machine."""
        raise NotImplementedError

    def pump(self) -> None:
        """Carry bytes until neither end has any. Raises ``RuntimeError`` if that never happens."""
        for _ in range(MOST_TURNS):
            moved = False
            for direction in Direction:
                data = _drained(self.machine(direction))
                if data:
                    self.conversation.say(direction, data, self.now)
                    self.now += LATENCY
                    there = direction.other
                    self.act(there, self.machine(there).link.receive_data(data, self.now))
                    moved = True
            if not moved:
                return
        raise RuntimeError("a made conversation never comes to rest")

    def let_pass(self, seconds: float) -> None:
        """Let time pass at both ends, with their timers."""
        end = self.now + seconds
        while True:
            self.pump()
            dues = [self.machine(direction).link.next_timeout() for direction in Direction]
            due = min((due for due in dues if due is not None), default=end + 1)
            if due > end:
                break
            self.now = max(self.now, due)
            for direction in Direction:
                self.act(direction, self.machine(direction).link.timeout(self.now))
        self.now = max(self.now, end)


def _drained(machine: Any) -> bytes:
    """Return everything that a machine has to send."""
    pieces: list[bytes] = []
    while part := machine.link.wire.take():
        pieces += part
    return b"".join(pieces)
