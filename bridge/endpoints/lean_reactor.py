"""Twisted's epoll reactor with less work a turn: for processes that run a queue manager alone.

Twisted enters a logging context for every event and checks each descriptor before it is read. Here an event of a
descriptor that can only be read is one call; everything else goes Twisted's way. `bench/loop.py` measures both beside
each other. An epoll of our own inside Twisted's, as one reader of any reactor, is dearer than Twisted alone: it takes a
system call more a turn.
"""

from __future__ import annotations

import errno
import os
import select
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from twisted.internet.epollreactor import EPollReactor
from twisted.internet.main import installReactor
from twisted.logger import Logger
from twisted.python import log as context

LATEST: Final = 0.001
"""Seconds after which `LeanReactor.before_sleep` is called at the latest, however busy the loop is."""
AT_ONCE: Final = 0.000_02
"""Seconds within which a poll that had nothing to wait for returns: more may have come since."""
_READ: Final = select.EPOLLIN
_log = Logger()


class LeanReactor(EPollReactor):
    """The reactor. ``spin``: seconds for which it polls before it sleeps, while events come.

    ``before_sleep``: called when nothing is left to do, and each `LATEST` while there is. ``at_work``: each
    says whether a thread works, which a poll would have wait for the interpreter. ``seconds`` is the monotonic clock.
    """

    def __init__(self, spin: float = 0.0, seconds: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.before_sleep: list[Callable[[], None]] = []
        self.at_work: list[Callable[[], bool]] = []
        self._spin = spin
        self._flowing = self._pressed = False
        self._asleep = True  # until the first turn
        self._call_at = 0.0
        super().__init__()

    def mainLoop(self) -> None:
        """Take turns until the reactor is stopped."""
        while self._started:
            try:
                self.turn()
            except BaseException:
                _log.failure("Unexpected error in main loop")
        _log.info("Main loop terminated.")

    def turn(self) -> None:
        """Make the calls that are due, then dispatch events, and wait for them if there are none."""
        self.runUntilCurrent()
        found = self._pressed and self.running and self.doPoll(0)
        now = self.seconds()
        if found and now < self._call_at:
            return
        self._call_at = now + LATEST
        for call in self.before_sleep:
            call()
        if not found and not (self._spin and self._flowing and self.running and self._found_awake()):
            self._sleep()

    def _found_awake(self) -> bool:
        """Poll without sleeping until there is something to do, at most for ``spin``; returns whether there is."""
        if any(works() for works in self.at_work):
            return False
        due, now = self.timeout(), self.seconds()
        until = now + (self._spin if due is None else min(self._spin, due))
        while now < until:
            if self.threadCallQueue or self.doPoll(0):
                return True
            now = self.seconds()
        return False

    def _sleep(self) -> None:
        """Wait for events or the next timed call."""
        timeout = self.timeout() if self.running else 0
        self._asleep = True
        if self.threadCallQueue:  # its thread may have seen us awake
            timeout = 0
        began = self.seconds()
        events = self._events(timeout)
        self._asleep = False
        self._flowing = bool(events)
        self._pressed = self._flowing and self.seconds() < began + AT_ONCE
        self._dispatch(events)

    def wakeUp(self) -> None:
        """End the sleep, from any thread. What has been queued for a reactor that is awake needs no wake-up."""
        if self._asleep:
            self._asleep = False
            super().wakeUp()

    def doPoll(self, timeout: float | None) -> bool:
        """Wait for events, at most ``timeout`` seconds, and dispatch them; returns whether there were any."""
        events = self._events(timeout)
        self._pressed = bool(events)
        self._dispatch(events)
        return self._pressed

    def _events(self, timeout: float | None) -> list[tuple[int, int]]:
        try:
            return self._poller.poll(-1 if timeout is None else timeout, max(len(self._selectables), 1))
        except OSError as error:
            if error.errno == errno.EINTR:
                return []
            raise

    def _dispatch(self, events: list[tuple[int, int]]) -> None:
        selectables = self._selectables
        for number, event in events:
            selectable = selectables.get(number)
            if selectable is None:  # closed by an event before
                continue
            if event == _READ:
                self._read(selectable)
            else:
                context.callWithLogger(selectable, self._doReadOrWrite, selectable, number, event)

    doIteration = doPoll

    def _read(self, selectable: Any) -> None:
        """Have a descriptor read; an exception ends that one alone."""
        try:
            why = selectable.doRead()
        except BaseException as error:
            context.callWithLogger(selectable, context.err)
            why = error
        if why:
            self._disconnectSelectable(selectable, why, True)


def install_lean_reactor(spin: float = 0.0) -> None:
    """Install it as the reactor of this process. ``spin``: seconds. A reactor that is installed already stays; on
    systems without epoll Twisted chooses its own."""
    if hasattr(select, "epoll") and "twisted.internet.reactor" not in sys.modules:
        installReactor(LeanReactor(spin))


def cores() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
