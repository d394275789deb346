"""Partners that take no data from their sockets: for how long, and a callback when it becomes too long."""

from __future__ import annotations

import fcntl
import struct
import termios
from collections.abc import Callable
from typing import Any, Final, Protocol

from mqbridge.bridge.endpoints.addresses import can

OFTEN: Final = 0.05
SELDOM: Final = 10.0
"""Longest interval in seconds between two calls of ``look``."""
_WRITE: Final = "writeSomeData"
"""The method with which a Twisted transport writes to its socket; it returns how many bytes were taken."""


class StalledPartner(Protocol):
    """A connection whose partner should read what is written."""

    transport: Any

    @property
    def peer(self) -> str:
        """The partner, for the log."""
        ...

    def give_up(self) -> None:
        """Close the connection at once."""
        ...


class StalledPartners:
    """The stalled partners, timed by the reactor's clock.

    ``look(partner, seconds)`` is called for each from time to time; it returns the seconds until the next call is
    useful.
    """

    def __init__(self, reactor: Any, look: Callable[[StalledPartner, float], float]) -> None:
        self._reactor = reactor
        self._look = look
        self._since: dict[StalledPartner, tuple[float, int]] = {}
        self._timer: Any = None

    def watch(self, reader: StalledPartner, transport: Any) -> None:
        """Watch what the socket of a transport takes, if the transport tells. Call once for each transport."""
        if _WRITE in vars(transport) or not can(transport, _WRITE):
            return
        write = getattr(transport, _WRITE)

        def write_some(data: bytes) -> Any:
            taken = write(data)
            if isinstance(taken, int):
                if taken:
                    self.ends(reader)
                if taken < len(data):
                    self.begins(reader)
            return taken

        setattr(transport, _WRITE, write_some)

    @staticmethod
    def leave(transport: Any) -> None:
        """Stop watching a transport."""
        vars(transport).pop(_WRITE, None)

    def begins(self, reader: StalledPartner) -> None:
        """A socket has not taken all bytes."""
        if reader not in self._since:
            self._since[reader] = self._reactor.seconds(), _queued(reader)
        if self._timer is None:
            self._again(0.0)

    def ends(self, reader: StalledPartner) -> None:
        """A socket has taken all bytes, or is closed."""
        self._since.pop(reader, None)

    def stop(self) -> None:
        """Stop calling ``look``."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _again(self, seconds: float) -> None:
        self._timer = self._reactor.callLater(min(max(seconds, OFTEN), SELDOM), self._turn)

    def _turn(self) -> None:
        self._timer = None
        now, soonest = self._reactor.seconds(), SELDOM
        for reader, (since, before) in list(self._since.items()):
            queued = _queued(reader)
            if queued < before:  # the partner reads, though not enough for more to be written
                since = now
            self._since[reader] = since, queued
            soonest = min(soonest, self._look(reader, now - since))
        if self._since and self._timer is None:
            self._again(min(soonest, SELDOM))


def _queued(reader: StalledPartner) -> int:
    """Bytes in the kernel's send buffer, as far as known."""
    if not can(reader.transport, "fileno"):
        return 0
    try:
        return int(struct.unpack("i", fcntl.ioctl(reader.transport.fileno(), termios.TIOCOUTQ, bytes(4)))[0])
    except (OSError, ValueError, AttributeError):
        return 0
