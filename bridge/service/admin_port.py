"""The Unix socket of the admin endpoint, which is ours as long as the data folder is."""

from __future__ import annotations

import os
from typing import Any

from twisted.internet import tcp, unix
from twisted.python.failure import Failure


class AdminPort(unix.Port):
    """A listening Unix socket without Twisted's lock file beside it: that names a process id, which another process may
    have got since, and the lock of the data folder tells already whose it is.

    A socket whose file is gone is closed as well as any other.
    """

    def connectionLost(self, reason: Failure) -> None:
        """The port is to be closed."""
        try:
            super().connectionLost(reason)
        except FileNotFoundError:
            tcp.Port.connectionLost(self, reason)


async def listen_unix(reactor: Any, path: str, options: list[str], factory: Any) -> AdminPort:
    """Listens on a socket; ``options`` are those of an endpoint string. Raises `CannotListenError`, `ValueError`."""
    given = dict(option.split("=", 1) for option in options)
    given.pop("lockfile", None)
    mode, backlog = int(given.pop("mode", "666"), 8), int(given.pop("backlog", "50"))
    if given:
        raise ValueError(f"no such option: {next(iter(given))}")
    port = AdminPort(os.fsencode(path), factory, backlog, mode, reactor)
    port.startListening()
    return port
