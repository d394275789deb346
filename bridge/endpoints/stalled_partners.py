"""Connections whose sockets take nothing: since when, and who is told when that becomes long."""

from __future__ import annotations

import fcntl
import struct
import termios
from collections.abc import Callable
from typing import Any, Final, Protocol

from mqbridge.bridge.endpoints.addresses import can

OFTEN: Final = 0.05
SELDOM: Final = 10.0
"""Seconds between two looks, at least and at most."""
_WRITE: Final = "writeSomeData"
"""How a transport of Twisted writes to its socket; it tells how many bytes were taken."""


class StalledPartner(Protocol):
    """A connection whose partner is to read what is written."""

    transport: Any

    @property
    def peer(self) -> str:
        """Who the partner is, for the log."""
        ...

    def give_up(self) -> None:
        """Ends the connection at once."""
        ...


class StalledPartners:
    """Those that have stopped, by the reactor's clock.

    ``look(reader, seconds)`` is called for each now and then; it gives the seconds until it may be of interest again.
    """

    def __init__(self, reactor: Any, look: Callable[[StalledPartner, float], float]) -> None:
        self._reactor = reactor
        self._look = look
        self._since: dict[StalledPartner, tuple[float, int]] = {}
        self._timer: Any = None

    def watch(self, reader: StalledPartner, transport: Any) -> None:
        """Has it noticed from now on what the socket of a transport takes, if it is one that tells; once is enough."""
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
        """Watches a transport no more."""
        vars(transport).pop(_WRITE, None)

    def begins(self, reader: StalledPartner) -> None:
        """A socket does not take all that there is."""
        if reader not in self._since:
            self._since[reader] = self._reactor.seconds(), _queued(reader)
        if self._timer is None:
            self._again(0.0)

    def ends(self, reader: StalledPartner) -> None:
        """It has taken everything, or is gone."""
        self._since.pop(reader, None)

    def stop(self) -> None:
        """Looks no more."""
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
    """Bytes that the system keeps for the partner, as far as it tells."""
    if not can(reader.transport, "fileno"):
        return 0
    try:
        return int(struct.unpack("i", fcntl.ioctl(reader.transport.fileno(), termios.TIOCOUTQ, bytes(4)))[0])
    except (OSError, ValueError, AttributeError):
        return 0
