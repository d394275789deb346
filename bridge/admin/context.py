"""What each request works with: the queue manager, its commands, and the driver."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.queue_manager import Application, MQError, QueueManager
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.security import Denial, check_connect
from mqbridge.protocol.constants import MQRC, MQRQ

from .authentication import Authentication
from .program import RestProgram
from .units import Units


class AdminContext:
    """The view of one queue manager that a REST endpoint has.

    ``authentication``: its users; None where everybody is the operator. ``units``: those opened by requests.
    """

    def __init__(
        self,
        manager: QueueManager,
        commands: Commands,
        driver: Driver,
        authentication: Authentication | None = None,
    ) -> None:
        self.manager = manager
        self.commands = commands
        self.driver = driver
        self.authentication = authentication
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

    def program(self, application: Application, *, checked: bool) -> RestProgram:
        """Return a program for one request, which must end it. ``checked``: with the authorities of its user alone.
        Raises `MQError` 2035 if that user may not connect."""
        if checked:
            self.require_connect(application.user)
        return RestProgram(self.manager, self.driver, application, checked=checked)

    def require_connect(self, user: str) -> None:
        """Raise `MQError` 2035, with a line in the log, unless a user may connect to the queue manager."""
        denial = check_connect(self.manager.security.authorities, user)
        if denial is not None:
            self.report(denial, MQRQ.CONN_NOT_AUTHORIZED)
            raise MQError(MQRC.NOT_AUTHORIZED, str(denial))

    def report(self, denial: Denial, qualifier: int) -> None:
        """Log what a user was refused, and put the event. ``qualifier``: MQRQ."""
        self.driver.log(*denial.log)
        self.manager.events.denied(qualifier, denial.user, self.now())
