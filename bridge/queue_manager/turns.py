"""Tasks in turns: long work is done in pieces, so that other programs are served in between.

Work is counted in units, not in time, so that it is the same on every machine and in every test; a unit is about a
tenth of a microsecond on an ordinary processor. A turn has `UNITS_IN_A_TURN` for all tasks together. What fits into the
turn in which it is requested is done at once; the rest continues in further turns, one task after the other. The host
runs a turn with `timeout`, at once when `next_timeout` says so.

A task is a generator that yields the units it has spent since its last yield, and is sent the time. Anything may have
changed between two pieces, so a task checks again what it relies on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable
from typing import TypeAlias

from mqbridge.mappings.moment import Time

UNITS_IN_A_TURN = 30_000
"""About three milliseconds; below twenty on a machine that is several times slower."""

Steps: TypeAlias = Generator[int, Time, None]
"""A task: yields units spent, is sent the time in seconds since the epoch."""
Call: TypeAlias = Callable[[Time], None]


class Turns:
    """The unfinished tasks of one queue manager. ``left``: units left in the current turn; without any, work yields."""

    __slots__ = ("_calls", "_due", "_given", "_orders", "left")

    def __init__(self) -> None:
        self.left = UNITS_IN_A_TURN
        self._calls: deque[Call] = deque()
        self._orders: dict[Hashable, deque[Steps]] = {}
        self._due = 0.0
        self._given = False

    def renew(self) -> None:
        """Start a new turn for requests of programs, unless a turn of tasks is running (these may call the host)."""
        if not self._given:
            self.left = UNITS_IN_A_TURN

    def again(self, call: Call, now: Time) -> None:
        """Schedule a call in a later turn, with the time."""
        if not self._calls:
            self._due = now
        self._calls.append(call)

    def begin(self, steps: Steps, now: Time, order: Hashable = None) -> None:
        """Begin a task: at once as far as the turn allows, the rest in further turns.

        Tasks of one ``order`` run one after the other.
        """
        if order is not None:
            before = self._orders.get(order)
            if before is not None:
                before.append(steps)
                return
            self._orders[order] = deque()
        next(steps)
        self._continue(steps, order, now)

    def busy(self, order: Hashable) -> bool:
        """Whether a task of this order is unfinished."""
        return order in self._orders

    def _continue(self, steps: Steps, order: Hashable, now: Time) -> None:
        try:
            while self.left > 0:
                spent = steps.send(now)  # it may also reduce `left` itself
                self.left -= spent
        except StopIteration:
            self._ended(order, now)
        except BaseException:
            self._ended(order, now)
            raise
        else:
            self.again(lambda at: self._continue(steps, order, at), now)

    def _ended(self, order: Hashable, now: Time) -> None:
        waiting = self._orders.get(order)
        if waiting is None:
            return
        if not waiting:
            del self._orders[order]
            return
        steps = waiting.popleft()
        next(steps)
        self.again(lambda at: self._continue(steps, order, at), now)

    def next_timeout(self) -> float | None:
        """When `timeout` is due: at once while there are unfinished tasks, else None."""
        return self._due if self._calls else None

    def timeout(self, now: Time) -> None:
        """Run the unfinished tasks for one turn."""
        self.left = UNITS_IN_A_TURN
        self._given = True
        try:
            while self._calls and self.left > 0:
                self._calls.popleft()(now)
        finally:
            self._given = False
        self._due = now
