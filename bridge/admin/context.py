"""What every request works with: the queue manager, its commands, the driver that performs what comes of a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from twisted.internet.defer import Deferred

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.queue_manager import MQError, QueueManager, UnitOfWork
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.queue_manager.units_of_work import Then

from .units import Units


class AdminContext:
    """One queue manager as the admin endpoint sees it. ``units`` are those that requests have opened."""

    def __init__(self, manager: QueueManager, commands: Commands, driver: Driver) -> None:
        self.manager = manager
        self.commands = commands
        self.driver = driver
        self.units = Units(manager, driver)

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.manager.name

    def now(self) -> float:
        """Seconds since the epoch."""
        return self.driver.now()

    def pump(self) -> None:
        """Performs what has come of calls to the queue manager."""
        self.driver.pump()

    async def work(self, units: int) -> None:
        """Counts units of work that were done; waits for another turn where this one is over."""
        turns = self.manager.turns
        turns.left -= units
        if turns.left <= 0:
            turn: Deferred[float] = Deferred()
            turns.again(turn.callback, self.now())
            self.pump()
            await turn

    async def stored(self, call: Callable[[Then], None]) -> None:
        """Makes a call that takes a continuation and waits for it; raises the `MQError` that it is given."""
        error = await self._outcome(call)
        if error is not None:
            raise error

    def _outcome(self, call: Callable[[Then], None]) -> Awaitable[MQError | None]:
        outcome: Deferred[MQError | None] = Deferred()
        call(outcome.callback)
        self.pump()
        return outcome

    async def commit(self, *units: UnitOfWork) -> None:
        """Commits units of work, all handed to the store together; raises the first `MQError` after all have ended."""
        outcomes = []
        for unit in units:
            outcome: Deferred[MQError | None] = Deferred()
            self.manager.commit(unit, self.now(), outcome.callback)
            outcomes.append(outcome)
        self.pump()
        errors = [error for error in [await outcome for outcome in outcomes] if error is not None]
        if errors:
            raise errors[0]

    def backout(self, unit: UnitOfWork) -> None:
        """Backs a unit of work out."""
        self.manager.backout(unit, self.now())
        self.pump()
