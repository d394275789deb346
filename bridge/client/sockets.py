"""Opening of sockets to queue managers, plain or inside TLS."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

from mqbridge.protocol.constants import MQRC

from .errors import error_for
from .url import MQUrl

if TYPE_CHECKING:
    from .tls_socket import TlsSocket


def open_socket(url: MQUrl, timeout: float) -> socket.socket | TlsSocket:
    """Return a connected, non-blocking socket, whose TLS handshake is over if the URL demands one.

    ``timeout``: seconds for both. Raises `MQError`.
    """
    if url.tls is None:
        return _connect(url, timeout)
    from .tls import TlsCaller  # OpenSSL is loaded for those who use it

    until = time.monotonic() + timeout
    caller = TlsCaller(url)
    connected = _connect(url, timeout)
    try:
        return caller.secure(connected, until - time.monotonic())
    except BaseException:
        connected.close()
        raise


def _connect(url: MQUrl, timeout: float) -> socket.socket:
    try:
        connected = socket.create_connection((url.host, url.port), timeout)
    except (OSError, UnicodeError) as error:  # the latter for what is no name of a host
        raise error_for(MQRC.HOST_NOT_AVAILABLE, f"{url.host}({url.port}): {error}") from error
    try:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setblocking(False)
    except BaseException:
        connected.close()
        raise
    return connected
