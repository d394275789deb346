"""A request, or a unit of work that requests share, as a program: a session whose outcomes are awaited."""

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
    """A program at the queue manager for one request, or for those of one unit of work. It makes one call at a time.

    ``application``: who puts and gets; for a unit of work, its current program. ``checked``: it has the authorities of
    its user; otherwise all, as have administrators and readers.
    """

    def __init__(self, manager: QueueManager, driver: Driver, application: Application, *, checked: bool) -> None:
        self._driver = driver
        options = ConnectOptions(application=application, program=self, inside=True, checked=checked)
        self._session = Session(manager, options, driver.now())
        self._tag = 0
        self._awaited: Deferred[Outcome] | None = None

    def used_by(self, application: Application) -> None:
        """Set the current user."""
        self._session.application = application

    @property
    def tag(self) -> int:
        """Return a tag for the next request."""
        self._tag += 1
        return self._tag

    async def ask(self, request: Request) -> Any:
        """Make a call and await its outcome. Raises `MQError` if it fails."""
        outcome = self.submit(request)
        if outcome is None:
            outcome = await self.outcome()
        if isinstance(outcome, Failed):
            raise outcome.error()
        return outcome

    def submit(self, request: Request) -> Outcome | None:
        """Make a call. Returns its outcome; None if it must be awaited with `outcome`."""
        return self._session.submit(request, self._driver.now())

    def outcome(self) -> Deferred[Outcome]:
        """The outcome of the pending call."""
        awaited = self._awaited = Deferred()
        self._driver.pump()
        return awaited

    def call(self, request: Request) -> Any:
        """Make a call that completes at once, or whose outcome does not matter. Raises `MQError`."""
        outcome = self.submit(request)
        if isinstance(outcome, Failed):
            raise outcome.error()
        return outcome

    def completed(self, _now: float) -> None:
        """Take outcomes that have arrived; only the awaited one matters."""
        for tag, outcome in self._session.completions():
            if tag == self._tag and self._awaited is not None:
                awaited, self._awaited = self._awaited, None
                awaited.callback(outcome)

    def left(self) -> None:
        """The client has disconnected: a waiting get fails with 2009."""
        if self._awaited is not None:
            of = self._tag
            self._session.submit(Cancel(0, of, MQRC.CONNECTION_BROKEN), self._driver.now())
            self._driver.pump()

    def connection_stopped(self, now: float) -> None:
        """Disconnect the program."""
        self._session.lost(now)

    def end(self) -> None:
        """Disconnect the program; uncommitted work is backed out."""
        self._session.lost(self._driver.now())
        self._driver.pump()
