"""Endpoint strings opened: TCP and Unix sockets, and those that systemd hands over."""

from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from typing import Any, Final

from twisted.internet import tcp, unix
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IReactorUNIX
from twisted.python.failure import Failure
from zope.interface import implementer

KINDS: Final = ("tcp", "tcp6", "unix", "systemd")
"""Kinds of endpoints that are opened. Others of Twisted, `ssl` first, wait for TLS to be built."""
PROBE_TIMEOUT: Final = 1.0
"""Seconds in which somebody who listens on a socket takes a connection."""


def require_kind(description: str) -> None:
    """Raises `ValueError` unless an endpoint string is of one of `KINDS`."""
    kind = description.partition(":")[0]
    if kind not in KINDS:
        raise ValueError(f"endpoints are {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {kind!r}; there is no TLS yet")


def open_endpoint(reactor: Any, description: str, factory: Any) -> Deferred[Any]:
    """Listens on an endpoint string, as Twisted reads it; a Deferred of the port.

    Raises `ValueError` and what Twisted raises for a string that is none; the Deferred fails with `CannotListenError`.
    """
    require_kind(description)
    opened: Any = _UnixReactor(reactor) if description.startswith("unix:") else reactor
    return serverFromString(opened, description).listen(factory)


class UnixPort(unix.Port):
    """A listening Unix socket. One whose file is gone is closed as well as any other."""

    def connectionLost(self, reason: Failure) -> None:
        """The port is to be closed."""
        try:
            super().connectionLost(reason)
        except FileNotFoundError:
            tcp.Port.connectionLost(self, reason)


@implementer(IReactorUNIX)
class _UnixReactor:
    """Opens Unix sockets without Twisted's lock file beside them: that names a process id, which another process may
    have got since. What a dead process left is found by `clear_socket`."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor

    def listenUNIX(
        self, address: Any, factory: Any, backlog: int = 50, mode: int = 0o666, wantPID: bool = False
    ) -> Any:
        """Listens on a path."""
        path = os.fsdecode(address)
        try:
            clear_socket(Path(path))
        except OSError as error:
            raise CannotListenError(None, path, error) from error
        port = UnixPort(os.fsencode(path), factory, backlog, mode, self._reactor)
        port.startListening()
        return port

    def connectUNIX(self, address: Any, factory: Any, timeout: float = 30, checkPID: bool = False) -> Any:
        """Nothing is connected here."""
        raise NotImplementedError


def clear_socket(path: Path) -> None:
    """Removes a socket on which nobody listens, and the lock that earlier releases left beside it. Raises `OSError`,
    whose text says what is in the way."""
    if path.exists():
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise FileExistsError(errno.EEXIST, "there is a file of that name; remove it or configure another")
        if _answers(path):
            raise OSError(errno.EADDRINUSE, "another process listens there; configure another endpoint")
        path.unlink()
    lock = path.with_name(f"{path.name}.lock")
    if lock.is_symlink():
        lock.unlink()


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(PROBE_TIMEOUT)
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True
