"""Authentication of client programs: passwords are checked in a worker thread, refusals are answered with a delay.

::

    admission = ClientAdmission(host, definition, connection)
    admission.enter()                               # once for the connection: MAXINST, MAXINSTC
    admission.connect(user, credentials, application, now, then)    # for each MQCONN; then(reason, user)
    admission.next_timeout(), admission.timeout(now)
    admission.leave()                               # when the connection has ended
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from mqbridge.bridge.agents import security_events
from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.svrconn.host import ServerConnectionHost
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import Caller, Credentials, Entry, Line, LoginAttempt
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC, MQRQ

Then: TypeAlias = Callable[[int, str, Time], None]
"""Called once with 0 and the user that the program runs as, or with a reason code; and the time."""


class ClientAdmission:
    """Authentication of the programs of one client connection; see `bridge.security.Security.connect_client`."""

    __slots__ = ("_attempts", "_connection", "_definition", "_due", "_entered", "_host")

    def __init__(self, host: ServerConnectionHost, definition: Definition, connection: PartnerConnection) -> None:
        self._host = host
        self._definition = definition
        self._connection = connection
        self._entered = False
        self._attempts: set[LoginAttempt] = set()
        self._due: list[tuple[float, Callable[[Time], None]]] = []

    # Instances

    def enter(self) -> bool:
        """Count the connection. Returns whether MAXINST and MAXINSTC allow it; if not, it is logged (2025)."""
        definition = self._definition
        line = self._host.manager.security.instances.enter(
            definition.name, self._connection.address, definition.integer("MAXINST"), definition.integer("MAXINSTC")
        )
        self._entered = line is None
        self._log([] if line is None else [line])
        return self._entered

    def leave(self) -> None:
        """The connection has ended; pending callbacks are dropped."""
        self._due.clear()
        attempts, self._attempts = self._attempts, set()
        for attempt in attempts:
            if self._host.passwords.drop(attempt):
                self._host.manager.security.authenticator.leave(attempt)
        if self._entered:
            self._entered = False
            self._host.manager.security.instances.leave(self._definition.name, self._connection.address)

    # Programs

    def connect(self, user: str, credentials: Credentials | None, application: str, now: Time, then: Then) -> None:
        """Authenticate a program. ``user``: as stated in USERID_DATA."""
        tls = self._connection.tls
        caller = Caller(
            self._definition.name,
            self._connection.address,
            client=True,
            user=user,
            certificate=tls.certificate if tls is not None else None,
        )
        security = self._host.manager.security
        entry = security.connect_client(self._definition, caller, credentials, application, now)
        self._tell(entry, now)
        if entry.attempt is None or entry.reason is not None:
            self._answer(entry, now, then)
        else:
            self._attempts.add(entry.attempt)
            self._at(entry.attempt.not_before, now, partial(self._look, entry, then))

    def _look(self, entry: Entry, then: Then, now: Time) -> None:
        assert entry.attempt is not None
        self._host.passwords.check(entry.attempt, partial(self._password_checked, entry, then), now)

    def _password_checked(self, entry: Entry, then: Then, matched: bool | None, now: Time) -> None:
        """Take the result of a password check, which counts even if the client has gone."""
        assert entry.attempt is not None
        self._host.now = now
        self._attempts.discard(entry.attempt)
        security = self._host.manager.security
        if matched is None:
            security.turn_away(entry, now)
        else:
            security.proceed(entry, matched, now)
        self._tell(entry, now)
        if self._entered:
            self._answer(entry, now, then)
            self._connection.wake()

    def _answer(self, entry: Entry, now: Time, then: Then) -> None:
        reason = entry.reason
        assert reason is not None
        if reason == MQRC.NOT_AUTHORIZED:
            password = entry.attempt is not None and not entry.attempt.outcome
            qualifier = MQRQ.CSP_NOT_AUTHORIZED if password else MQRQ.CONN_NOT_AUTHORIZED
            self._host.manager.events.denied(qualifier, entry.user, now)
        self._at(entry.answer_at, now, partial(then, reason, entry.user))

    def _tell(self, entry: Entry, now: Time) -> None:
        """Write the new lines of an entry, and put events about refusals by records."""
        self._log(entry.take_log())
        security_events.blocked(self._host.manager, entry.take_blocks(), entry.caller, now)

    def _log(self, lines: list[Line]) -> None:
        for amq, inserts in lines:
            self._host.log(amq, *inserts)

    # Time

    def _at(self, due: float, now: Time, action: Callable[[Time], None]) -> None:
        if due <= now:
            action(now)
        else:
            self._due.append((due, action))

    def next_timeout(self) -> float | None:
        """Time at which `timeout` must be called."""
        return min((due for due, _ in self._due), default=None) if self._due else None

    def timeout(self, now: Time) -> None:
        """Do what is due, the earliest first."""
        due = sorted((each for each in self._due if each[0] <= now), key=lambda each: each[0])
        self._due = [each for each in self._due if each[0] > now]
        for _, action in due:
            action(now)
