"""Addresses of sockets: where a channel connects to and from (CONNAME, LOCLADDR; channels.md 3), and its two ends."""

from __future__ import annotations

import re
from typing import Any, Final

from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint

LOCAL: Final = "127.0.0.1"
"""Address of an end without one, that of a Unix socket: who opens it is on this machine."""
_LOCAL = re.compile(r"^\s*(?P<host>[^()\s,]*)\s*(?:\(\s*(?P<low>\d{1,5})\s*(?:,\s*\d{1,5}\s*)?\))?\s*$")


def local_address(text: str) -> tuple[str, int] | None:
    """(host, port) to bind to; None for a blank LOCLADDR or one that is not understood.

    Of a range of ports the lowest is taken.
    """
    match = _LOCAL.match(text)
    if not text.strip() or match is None:
        return None
    return match["host"], int(match["low"] or 0)


def client_endpoint(reactor: Any, host: str, port: int, *, timeout: float, local: tuple[str, int] | None) -> Any:
    """The Twisted endpoint of one address.

    A number is connected to as it is. A name is looked up, and its addresses are tried side by side, which costs some
    0.3 seconds even where all of them refuse at once.
    """
    if isIPAddress(host):
        return TCP4ClientEndpoint(reactor, host, port, timeout=timeout, bindAddress=local)
    if isIPv6Address(host):
        return TCP6ClientEndpoint(reactor, host, port, timeout=timeout, bindAddress=local)
    return HostnameEndpoint(reactor, host, port, timeout=timeout, bindAddress=local)


def host_and_port(address: Any) -> tuple[str, int]:
    """Host and port of an address as Twisted gives it; ``("127.0.0.1", 0)`` of a Unix socket."""
    return (address.host, address.port) if is_tcp(address) else (LOCAL, 0)


def is_tcp(address: Any) -> bool:
    """Whether an address as Twisted gives it is that of a TCP socket, not of a Unix one."""
    return hasattr(address, "port")


def can(transport: Any, method: str) -> bool:
    """Whether the class of a transport has a method itself.

    A transport that wraps another, as that of TLS does, passes on what its class lacks, past its encryption.
    """
    return hasattr(type(transport), method)


def send_at_once(transport: Any) -> None:
    """Sets the options of a TCP socket: no waiting for more to send, and probes of a silent partner."""
    if is_tcp(transport.getHost()) and can(transport, "setTcpNoDelay"):
        transport.setTcpNoDelay(True)
        transport.setTcpKeepAlive(True)
