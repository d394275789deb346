"""The limit of open files and sockets: connections must leave a reserve of file descriptors for the store.

The system assigns the lowest free number. So the number of a new socket tells how many are in use at least.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.endpoints.addresses import can

RESERVE: Final = 128
"""Descriptors reserved for the store, logs and captures; operators may use half of them."""
MOST: Final = 1 << 20
"""Number of descriptors to request if the system has no limit."""
LOOK_AGAIN: Final = 0.5
"""Seconds between checks whether connections can be accepted again."""


def raise_limit() -> None:
    """Raise this process's limit of open files to the maximum that the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class DescriptorGuard:
    """A guard that stops listening while too many descriptors are in use, and resumes later.

    ``ports``: listening ports of channels. ``log`` logs operator messages.
    """

    def __init__(self, reactor: Any, log: Callable[[str, tuple[str | int, ...]], None]) -> None:
        self._reactor = reactor
        self._log = log
        self.ports: list[Any] = []
        self.limit = self.reserve = 0
        self._timer: Any = None
        self._measure()

    def _measure(self) -> None:
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.limit = MOST if soft == resource.RLIM_INFINITY else soft
        self.reserve = min(RESERVE, self.limit // 4)

    def room(self) -> int:
        """Number of connections that can be opened beside what is open now."""
        self._measure()
        return max(self.limit - self.reserve - self._lowest_free(), 0)

    def _lowest_free(self) -> int:
        try:
            handle = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return self.limit
        os.close(handle)
        return handle

    def admits(self, transport: Any) -> bool:
        """Whether a new connection may stay; if not, no more are accepted for now."""
        if self._number(transport) < self.limit - self.reserve:
            return True
        self._pause()
        return False

    def admits_operator(self, transport: Any) -> bool:
        """The same for the admin endpoint, which may use half of the reserve."""
        return self._number(transport) < self.limit - self.reserve // 2

    def _number(self, transport: Any) -> int:
        return int(transport.fileno()) if can(transport, "fileno") else self._lowest_free()

    def _pause(self) -> None:
        if self._timer is not None:
            return
        self._log("AMQ5052", (self.limit - self.reserve, self.limit))
        for port in self.ports:
            port.stopReading()
        self._timer = self._reactor.callLater(LOOK_AGAIN, self._look)

    def _look(self) -> None:
        if self.room() <= self.reserve // 4:
            self._timer = self._reactor.callLater(LOOK_AGAIN, self._look)
            return
        self._timer = None
        self._log("AMQ5053", ())
        for port in self.ports:
            port.startReading()

    def stop(self) -> None:
        """Stop checking."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
