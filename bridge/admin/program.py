"""A request, or a unit of work that requests share, as a program: its session, whose outcomes are awaited."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.queue_manager import Application, QueueManager
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome
from mqbridge.bridge.queue_manager.calls.requests import Cancel, Request
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.protocol.constants import MQRC


class RestProgram:
    """A program at the queue manager for one request, or for those of a unit of work. It makes one call at a time.

    ``application``: who puts and gets; of a unit of work, who uses it now. The program has every authority, as whoever
    reaches the admin endpoint has.
    """

    def __init__(self, manager: QueueManager, driver: Driver, application: Application) -> None:
        self._driver = driver
        options = ConnectOptions(application=application, program=self, inside=True)
        self._session = Session(manager, options, driver.now())
        self._tag = 0
        self._awaited: Deferred[Outcome] | None = None

    def used_by(self, application: Application) -> None:
        """Says who uses it now."""
        self._session.application = application

    @property
    def tag(self) -> int:
        """A tag for the next request."""
        self._tag += 1
        return self._tag

    async def ask(self, request: Request) -> Any:
        """Makes a call and waits for its outcome. Raises `MQError` for one that has failed."""
        outcome = self.submit(request)
        if outcome is None:
            outcome = await self.outcome()
        if isinstance(outcome, Failed):
            raise outcome.error()
        return outcome

    def submit(self, request: Request) -> Outcome | None:
        """Makes a call: its outcome, None where `outcome` is to be waited for."""
        return self._session.submit(request, self._driver.now())

    def outcome(self) -> Deferred[Outcome]:
        """The outcome of the last call, which has none yet."""
        awaited = self._awaited = Deferred()
        self._driver.pump()
        return awaited

    def tell(self, request: Request) -> Any:
        """Makes a call that has its outcome at once, or one whose outcome does not matter. Raises `MQError`."""
        outcome = self.submit(request)
        if isinstance(outcome, Failed):
            raise outcome.error()
        return outcome

    def completed(self, _now: float) -> None:
        """An outcome has come that is waited for; others do not matter."""
        for tag, outcome in self._session.completions():
            if tag == self._tag and self._awaited is not None:
                awaited, self._awaited = self._awaited, None
                awaited.callback(outcome)

    def left(self) -> None:
        """The client has left: a get that waits fails with 2009."""
        if self._awaited is not None:
            of = self._tag
            self._session.submit(Cancel(0, of, int(MQRC.CONNECTION_BROKEN)), self._driver.now())
            self._driver.pump()

    def break_off(self, now: float) -> None:
        """Ends the program."""
        self._session.lost(now)

    def end(self) -> None:
        """Ends the program; what it has not committed is backed out."""
        self._session.lost(self._driver.now())
        self._driver.pump()
