"""The end of a queue manager: in order, then by force, within a time limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.listeners import Listeners
from mqbridge.bridge.endpoints.service_programs import ServicePrograms
from mqbridge.protocol.constants import MQMODE

from .rest_doors import RestDoors

FORCE_WAIT: Final = 5.0
"""Seconds for the last commits and bytes after force; then the process ends without them."""


class Stop:
    """Quiesces, forces after a time, and calls ``closed`` once nothing is open or being written."""

    def __init__(
        self,
        driver: Driver,
        listeners: Listeners,
        doors: RestDoors,
        programs: ServicePrograms | None,
        closed: Callable[[], None],
    ) -> None:
        self._driver = driver
        self._listeners = listeners
        self._doors = doors
        self._programs = programs
        self._closed: Callable[[], None] | None = closed
        self._timer: Any = None
        self._forced = False

    def begin(self, wait: float) -> None:
        """Refuse new work; running work may finish within ``wait`` seconds."""
        driver = self._driver
        self._listeners.close_all()
        driver.gateway.manager.quiesce()
        driver.gateway.stop_all(MQMODE.QUIESCE, driver.now())
        self._timer = driver.reactor.callLater(wait, self.force)
        self._doors.quiesce(self._check)
        if self._programs is not None:
            self._programs.quiesce(self._check)
        driver.pump()
        self._check()

    def force(self) -> None:
        """End everything now; only commits in progress are awaited."""
        if self._forced or self._closed is None:
            return
        self._forced = True
        if self._timer.active():
            self._timer.cancel()
        driver = self._driver
        self._timer = driver.reactor.callLater(FORCE_WAIT, self._end)
        self._doors.force()
        if self._programs is not None:
            self._programs.kill()
        driver.gateway.stop_all(MQMODE.FORCE, driver.now())
        driver.pump()
        self._check()

    def _check(self) -> None:
        if self._closed is None:
            return
        if self._driver.quiet and self._doors.quiet and (self._programs is None or self._programs.quiet):
            self._end()
        else:
            self._driver.idle_waiters.append(self._check)

    def _end(self) -> None:
        closed, self._closed = self._closed, None
        if closed is None:
            return
        if self._timer.active():
            self._timer.cancel()
        closed()
