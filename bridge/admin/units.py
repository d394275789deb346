"""Units of work that several requests share: opened by one, used by others, ended by the last or by a timeout."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.security import Mechanism, WebRole, WebUser
from mqbridge.protocol.constants import MQRC

from .errors import CONFLICT, NOT_FOUND, UNAVAILABLE, RestError
from .program import RestProgram

IDLE_LIMIT: Final = 30.0
"""Seconds after the last request until a unit is backed out; no limit for one that ends with its connection."""
MAX_UNITS: Final = 1000
"""Maximum number of open units."""
MAX_FOR_USER: Final = 100
"""The same for one user at an endpoint for users."""
_ID_BYTES: Final = 16


@dataclass(slots=True, eq=False)
class RestUnit:
    """A unit of work with a name.

    ``program``: the program whose unit it is. ``user``: who may use it. ``tokens``: of the messages that a
    ``separate`` unit has got, in order. ``channel``: the connection with which it ends, if requested. ``busy``: a
    request is using it.
    """

    id: str
    program: RestProgram
    user: WebUser
    separate: bool = False
    channel: Any = None
    tokens: list[bytes] = field(default_factory=list)
    busy: bool = False
    doomed: bool = False
    timer: Any = None


class Units:
    """All units opened by requests."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._open: dict[str, RestUnit] = {}

    def __len__(self) -> int:
        return len(self._open)

    def open(self, program: RestProgram, user: WebUser, *, separate: bool = False, channel: Any = None) -> RestUnit:
        """Open a unit for a program without uncommitted work. Raises `RestError` if there are too many."""
        limit, found = MAX_UNITS, len(self._open)
        if user.mechanism is not Mechanism.NONE and found < MAX_UNITS:
            limit, found = MAX_FOR_USER, sum(unit.user.name == user.name for unit in self._open.values())
        if found >= limit:
            program.end()
            raise RestError(UNAVAILABLE, f"{limit} units of work are open", reason=MQRC.HANDLE_NOT_AVAILABLE)
        unit = RestUnit(secrets.token_hex(_ID_BYTES), program, user, separate, channel)
        self._open[unit.id] = unit
        self._wait(unit)
        return unit

    def use(self, name: str, user: WebUser) -> RestUnit:
        """Reserve a unit for a request, which must `release` it. Raises `RestError` if it is in use, unknown, or of
        another user; also if the user has another role since."""
        unit = self._open.get(name)
        if unit is None or _holder(unit.user) != _holder(user):
            raise RestError(
                NOT_FOUND,
                "there is no such unit of work; it has ended, or was backed out after "
                f"{IDLE_LIMIT:g} seconds without a request",
                reason=MQRC.BACKED_OUT,
            )
        if unit.busy:
            raise RestError(CONFLICT, "another request is using the unit of work", reason=MQRC.CALL_IN_PROGRESS)
        unit.busy = True
        self._stop_waiting(unit)
        return unit

    def release(self, unit: RestUnit) -> None:
        """A request no longer uses a unit."""
        unit.busy = False
        if unit.doomed:
            self.backout(unit)
        elif unit.id in self._open:
            self._wait(unit)

    def close(self, unit: RestUnit) -> None:
        """Remove a unit that was committed or backed out."""
        self._stop_waiting(unit)
        self._open.pop(unit.id, None)

    def backout(self, unit: RestUnit) -> None:
        """Back out a unit and remove it."""
        self.close(unit)
        unit.program.end()

    def connection_lost(self, channel: Any) -> None:
        """A connection is closed: back out the units that end with it."""
        for unit in [unit for unit in self._open.values() if unit.channel is channel]:
            self._schedule_backout(unit)

    def backout_all(self) -> None:
        """The queue manager ends: back out all units. Those in use are backed out when their request ends."""
        for unit in list(self._open.values()):
            self._schedule_backout(unit)

    def _schedule_backout(self, unit: RestUnit) -> None:
        if unit.busy:
            unit.doomed = True
        else:
            self.backout(unit)

    def holds(self, channel: Any) -> bool:
        """Whether an open unit ends with this connection."""
        return any(unit.channel is channel for unit in self._open.values())

    def _wait(self, unit: RestUnit) -> None:
        if unit.channel is not None:  # its client may be slow, but is there
            return
        unit.timer = self._driver.reactor.callLater(IDLE_LIMIT, self.backout, unit)

    @staticmethod
    def _stop_waiting(unit: RestUnit) -> None:
        timer, unit.timer = unit.timer, None
        if timer is not None and timer.active():
            timer.cancel()


def _holder(user: WebUser) -> tuple[str, WebRole]:
    """Who may use a unit; on a socket for the operator everybody who can open it."""
    return "" if user.mechanism is Mechanism.NONE else user.name, user.role
