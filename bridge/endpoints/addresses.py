"""Socket addresses: CONNAME and LOCLADDR of channels (channels.md 3), and both ends of a socket."""

from __future__ import annotations

import re
from typing import Any, Final

from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint

LOCAL: Final = "127.0.0.1"
"""Address used for an end without one, which is a Unix socket: its peer is on this machine."""
_LOCAL = re.compile(r"^\s*(?P<host>[^()\s,]*)\s*(?:\(\s*(?P<low>\d{1,5})\s*(?:,\s*\d{1,5}\s*)?\))?\s*$")


def local_address(text: str) -> tuple[str, int] | None:
    """Parse LOCLADDR. Returns (host, port) to bind to, with the lowest port of a range; None if blank or not valid."""
    match = _LOCAL.match(text)
    if not text.strip() or match is None:
        return None
    return match["host"], int(match["low"] or 0)


def client_endpoint(reactor: Any, host: str, port: int, *, timeout: float, local: tuple[str, int] | None) -> Any:
    """Return the Twisted endpoint of one address.

    A numeric address is used as it is. A host name is looked up, and its addresses are tried in parallel, which takes
    about 0.3 seconds even if all refuse at once.
    """
    if isIPAddress(host):
        return TCP4ClientEndpoint(reactor, host, port, timeout=timeout, bindAddress=local)
    if isIPv6Address(host):
        return TCP6ClientEndpoint(reactor, host, port, timeout=timeout, bindAddress=local)
    return HostnameEndpoint(reactor, host, port, timeout=timeout, bindAddress=local)


def host_and_port(address: Any) -> tuple[str, int]:
    """Return host and port of a Twisted address; ``("127.0.0.1", 0)`` for a Unix socket."""
    return (address.host, address.port) if is_tcp(address) else (LOCAL, 0)


def is_tcp(address: Any) -> bool:
    """Whether a Twisted address is one of TCP, not of a Unix socket."""
    return hasattr(address, "port")


def can(transport: Any, method: str) -> bool:
    """Whether the class of a transport itself has a method.

    A transport that wraps another, such as TLS, delegates what its class lacks, bypassing its encryption.
    """
    return hasattr(type(transport), method)


def send_at_once(transport: Any) -> None:
    """Set options of a TCP socket: TCP_NODELAY and keep-alive."""
    if is_tcp(transport.getHost()) and can(transport, "setTcpNoDelay"):
        transport.setTcpNoDelay(True)
        transport.setTcpKeepAlive(True)
