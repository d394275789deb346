"""What each request works with: the queue manager, its commands, and the driver."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.queue_manager import Application, QueueManager
from mqbridge.bridge.queue_manager.mqsc import Commands

from .program import RestProgram
from .units import Units


class AdminContext:
    """The admin endpoint's view of one queue manager. ``units``: those opened by requests."""

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
        """Perform the effects of calls to the queue manager."""
        self.driver.pump()

    async def work(self, units: int) -> None:
        """Count work done, in units of turns; waits for the next turn when this one is over."""
        turns = self.manager.turns
        turns.left -= units
        if turns.left <= 0:
            turn: Deferred[float] = Deferred()
            turns.again(turn.callback, self.now())
            self.pump()
            await turn

    def program(self, application: Application) -> RestProgram:
        """Return a program for one request, which must end it."""
        return RestProgram(self.manager, self.driver, application)
