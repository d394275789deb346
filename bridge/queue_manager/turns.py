"""Work in turns: what a program has made large is done in pieces, and everybody else has a turn in between.

Work is counted in units, not in time, so that it is the same on every machine and in every test; a unit is about a
tenth of a microsecond of an ordinary processor. A turn has `UNITS_IN_A_TURN` of them for all works together. What fits
into the turn in which it is asked for is done at once; everything else goes on in further turns, one work after the
other, until it has ended. The host gives a turn with `timeout`, at once when `next_timeout` says so.

Works are generators that yield the units which they have spent since they last did, and are sent the time. Between two
pieces anything may have changed: what a work holds on to it must look at again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable
from typing import TypeAlias

UNITS_IN_A_TURN = 30_000
"""About three milliseconds, so that a turn is below twenty on a machine that is several times slower."""

Steps: TypeAlias = Generator[int, float, None]
"""A work: yields units spent, is sent the time in seconds since the epoch."""
Call: TypeAlias = Callable[[float], None]


class Turns:
    """The works of one queue manager that are going on. ``left``: units that the present turn has left; who finds none
    gives way."""

    __slots__ = ("_calls", "_due", "_given", "_orders", "left")

    def __init__(self) -> None:
        self.left = UNITS_IN_A_TURN
        self._calls: deque[Call] = deque()
        self._orders: dict[Hashable, deque[Steps]] = {}
        self._due = 0.0
        self._given = False

    def renew(self) -> None:
        """The host had a turn of its own: what is asked for next may be done at once again. A turn that is being given
        is not made longer: those who go on in it may pump the host."""
        if not self._given:
            self.left = UNITS_IN_A_TURN

    def again(self, call: Call, now: float) -> None:
        """Has somebody called when it is his turn, with the time."""
        if not self._calls:
            self._due = now
        self._calls.append(call)

    def begin(self, steps: Steps, now: float, order: Hashable = None) -> None:
        """Does a work: at once as far as the turn allows, the rest in further turns. Those of one ``order`` follow one
        another."""
        if order is not None:
            before = self._orders.get(order)
            if before is not None:
                before.append(steps)
                return
            self._orders[order] = deque()
        next(steps)
        self._go_on(steps, order, now)

    def busy(self, order: Hashable) -> bool:
        """Whether a work of this order is going on."""
        return order in self._orders

    def _go_on(self, steps: Steps, order: Hashable, now: float) -> None:
        try:
            while self.left > 0:
                spent = steps.send(now)  # it may have counted work of its own besides
                self.left -= spent
        except StopIteration:
            self._ended(order, now)
        except BaseException:
            self._ended(order, now)
            raise
        else:
            self.again(lambda at: self._go_on(steps, order, at), now)

    def _ended(self, order: Hashable, now: float) -> None:
        waiting = self._orders.get(order)
        if waiting is None:
            return
        if not waiting:
            del self._orders[order]
            return
        steps = waiting.popleft()
        next(steps)
        self.again(lambda at: self._go_on(steps, order, at), now)

    def next_timeout(self) -> float | None:
        """When `timeout` is to be called: at once while works are going on."""
        return self._due if self._calls else None

    def timeout(self, now: float) -> None:
        """Gives a turn to the works that are going on."""
        self.left = UNITS_IN_A_TURN
        self._given = True
        try:
            while self._calls and self.left > 0:
                self._calls.popleft()(now)
        finally:
            self._given = False
        self._due = now
