"""Opening endpoint strings: TCP and Unix sockets, and sockets passed by systemd."""

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
"""Supported kinds of endpoint strings. Others of Twisted, such as `ssl`, have a TLS of their own, which is not used."""
BACKLOG: Final = 500
"""Connections that may wait to be accepted."""
PROBE_TIMEOUT: Final = 1.0
"""Seconds within which a live listener accepts a connection."""


def require_kind(description: str) -> None:
    """Raise `ValueError` unless the kind of an endpoint string is in `KINDS`."""
    kind = description.partition(":")[0]
    if kind not in KINDS:
        kinds = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
        raise ValueError(f"endpoints are {kinds}, not {kind!r}; channels ask for TLS by SSLCIPH, on the same port")


def with_backlog(description: str) -> str:
    """Return a TCP endpoint string with `BACKLOG` if it names none; others as they are."""
    if description.startswith("tcp") and "backlog=" not in description:
        return f"{description}:backlog={BACKLOG}"
    return description


def open_endpoint(reactor: Any, description: str, factory: Any) -> Deferred[Any]:
    """Listen on a Twisted endpoint string. Returns a Deferred of the port.

    Raises `ValueError`, and what Twisted raises for an invalid string; the Deferred fails with `CannotListenError`.
    """
    require_kind(description)
    opened: Any = _UnixReactor(reactor) if description.startswith("unix:") else reactor
    return serverFromString(opened, description).listen(factory)


class UnixPort(unix.Port):
    """A listening Unix socket that can be closed after its file was removed."""

    def connectionLost(self, reason: Failure) -> None:
        """Close the port."""
        try:
            super().connectionLost(reason)
        except FileNotFoundError:
            tcp.Port.connectionLost(self, reason)


@implementer(IReactorUNIX)
class _UnixReactor:
    """A reactor interface for Unix sockets without Twisted's lock file.

    The lock file names a process id, which another process may have got since; `clear_socket` removes what a dead
    process has left.
    """

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor

    def listenUNIX(
        self, address: Any, factory: Any, backlog: int = 50, mode: int = 0o666, wantPID: bool = False
    ) -> Any:
        """Listen on a path."""
        path = os.fsdecode(address)
        try:
            clear_socket(Path(path))
        except OSError as error:
            raise CannotListenError(None, path, error) from error
        port = UnixPort(os.fsencode(path), factory, backlog, mode, self._reactor)
        port.startListening()
        return port

    def connectUNIX(self, address: Any, factory: Any, timeout: float = 30, checkPID: bool = False) -> Any:
        """Not supported."""
        raise NotImplementedError


def clear_socket(path: Path) -> None:
    """Remove a socket on which nobody listens, and the lock file that earlier releases left beside it.

    Raises `OSError` whose text tells what is in the way.
    """
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
