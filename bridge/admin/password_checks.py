"""Checks of passwords for requests, in the same order and with the same delays as those for clients.

A wrong password is answered after FAILDLAY of the AUTHINFO object that CONNAUTH names.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.protocol.constants import MQRQ


class PasswordCheck:
    """The check of one user and password. ``result`` fires once with whether they are right.

    Call `leave` when the client has gone; the result is then False.
    """

    def __init__(self, driver: Driver, user: str, password: str, address: str) -> None:
        self.result: Deferred[bool] = Deferred()
        self._driver = driver
        self._timer: Any = None
        self._answered = False
        manager = driver.gateway.manager
        self._events = manager.events
        self._fail_delay = manager.security.connection_check().fail_delay
        self._authenticator = manager.security.authenticator
        self._passwords = driver.gateway.channel_manager.passwords
        now = driver.now()
        self._attempt = self._authenticator.begin(user, password, address, now)
        if self._attempt.outcome is None:
            self._timer = driver.reactor.callLater(max(self._attempt.not_before - now, 0.0), self._look)
        else:
            self._decided(now)

    def _look(self) -> None:
        self._timer = None
        self._passwords.check(self._attempt, self._checked, self._driver.now())
        self._driver.pump()

    def _checked(self, matched: bool | None, now: float) -> None:
        """Take the outcome of the check, which counts even if the client has gone; None: it was not made."""
        if matched is None:
            self._authenticator.turn_away(self._attempt)
        else:
            self._authenticator.finish(self._attempt, matched, now)
        self._decided(now)

    def _decided(self, now: float) -> None:
        for amq, inserts in self._attempt.log:
            self._driver.log(amq, inserts)
        if self._attempt.outcome:
            self._answer(True)
            return
        self._events.denied(MQRQ.CSP_NOT_AUTHORIZED, self._attempt.user, now)
        if not self._answered:
            self._timer = self._driver.reactor.callLater(self._fail_delay, self._answer, False)

    def _answer(self, right: bool) -> None:
        self._timer = None
        if not self._answered:
            self._answered = True
            self.result.callback(right)

    def leave(self) -> None:
        """The client has gone: a check that has not begun is not made."""
        if self._answered:
            return
        if self._timer is not None:
            self._timer.cancel()
        if self._attempt.outcome is None and self._passwords.drop(self._attempt):
            self._authenticator.leave(self._attempt)
        self._answer(False)
