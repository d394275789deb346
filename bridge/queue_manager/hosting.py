"""What the host of a queue manager does: commits, effects, timeouts."""

from __future__ import annotations

from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.moment import Moment

from .committing import committed
from .core import Core
from .effects import Effect
from .getting.marking import end_waited_for_marks, next_mark_end
from .getting.waiting import end_timed_out, next_wait_end
from .queues.expiry import SCAN_INTERVAL, next_deadline, scan
from .turns import Turns
from .units_of_work import PendingCommit


class Hosted:
    """The side of a queue manager that its host drives; see :mod:`bridge.queue_manager.manager`."""

    def __init__(self, core: Core, now: float) -> None:
        self._core = core
        self._next_scan = now

    def at(self, now: float) -> None:
        """Tells the time, by which dates that are waited for are reckoned."""
        self._core.ahead = now.date - now if isinstance(now, Moment) else 0.0

    @property
    def turns(self) -> Turns:
        """Works that are done in pieces."""
        return self._core.turns

    def take_commits(self) -> list[PendingCommit]:
        """Transactions for the store since the last call, in order."""
        self._core.turns.renew()
        commits, self._core.commits = self._core.commits, []
        return commits

    @property
    def has_more(self) -> bool:
        """Whether there are transactions or effects that nobody has taken."""
        return bool(self._core.commits or self._core.effects)

    def committed(self, pending: PendingCommit, error: StoreError | None, now: float) -> None:
        """Tells the outcome of a transaction, in the order in which they were taken."""
        committed(self._core, pending, error, now)

    def take_effects(self) -> list[Effect]:
        """Effects since the last call, in order."""
        effects, self._core.effects = self._core.effects, []
        return effects

    def next_timeout(self) -> float | None:
        """When `timeout` is to be called: works go on, a wait, a message or a mark ends, a delayed message is
        due."""
        core = self._core
        earliest = _earlier(next_wait_end(core), core.turns.next_timeout())
        deadline = next_deadline(core)
        if deadline is not None:
            earliest = _earlier(earliest, max(deadline - core.ahead, self._next_scan))
        for timer in core.timers:
            earliest = _earlier(earliest, timer.next_timeout())
        return _earlier(earliest, next_mark_end(core))

    def timeout(self, now: float) -> None:
        """Gives works that go on a turn, ends waits whose time is up, lets delayed messages go on, discards expired
        messages."""
        self._core.turns.timeout(now)
        end_timed_out(self._core, now)
        end_waited_for_marks(self._core, now)
        for timer in self._core.timers:
            timer.timeout(now)
        if now >= self._next_scan:
            scan(self._core, now)
            self._next_scan = now + SCAN_INTERVAL


def _earlier(first: float | None, second: float | None) -> float | None:
    if first is None or second is None:
        return first if second is None else second
    return first if first < second else second
