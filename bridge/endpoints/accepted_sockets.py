"""Reading and writing of accepted TCP sockets with fewer calls; all else is Twisted's transport."""

from __future__ import annotations

import errno
from typing import Any, Final

from twisted.internet import tcp
from twisted.internet.main import CONNECTION_DONE, CONNECTION_LOST

READ_SIZE: Final = 64 * 1024
"""Bytes read with one call."""
WRITE_SIZE: Final = tcp.Server.SEND_LIMIT
"""Bytes offered to the kernel with one call."""
_FULL: Final = (errno.EAGAIN, errno.ENOBUFS)


class AcceptedSocket(tcp.Server):
    """The transport of an accepted socket. It never speaks TLS itself: that is `TlsTransport` above it."""

    def doRead(self) -> Exception | None:
        """Pass on what has arrived. Returns why the connection has ended, if it has."""
        try:
            data = self.socket.recv(READ_SIZE)
        except BlockingIOError:
            return None
        except OSError:
            return CONNECTION_LOST
        if not data:
            return CONNECTION_DONE
        self.protocol.dataReceived(data)
        return None

    def writeSomeData(self, data: Any) -> int | Exception:
        """Write as much as the kernel takes now. Returns the number of bytes, or why the connection is lost."""
        try:
            return int(self.socket.send(data if len(data) <= WRITE_SIZE else memoryview(data)[:WRITE_SIZE]))
        except OSError as error:
            return 0 if error.errno in _FULL else CONNECTION_LOST


def read_by_ourselves(port: Any) -> None:
    """Have a listening TCP port make `AcceptedSocket` of what it accepts; other ports keep their transports."""
    if getattr(port, "transport", None) is tcp.Server:
        port.transport = AcceptedSocket
