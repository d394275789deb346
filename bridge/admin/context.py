"""What every request works with: the queue manager, its commands, the driver that performs what comes of a call."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.queue_manager import Application, QueueManager
from mqbridge.bridge.queue_manager.mqsc import Commands

from .program import RestProgram
from .units import Units


class AdminContext:
    """One queue manager as the admin endpoint sees it. ``units`` are those that requests have opened."""

    def __init__(self, manager: QueueManager, commands: Commands, driver: Driver) -> None:
        self.manager = manager
        self.commands = commands
        self.driver = driver
        self.units = Units(driver)

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

    def program(self, application: Application) -> RestProgram:
        """A program for one request, which ends it."""
        return RestProgram(self.manager, self.driver, application)
