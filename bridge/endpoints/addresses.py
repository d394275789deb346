"""Where a channel connects to and from: CONNAME and LOCLADDR (channels.md 3)."""

from __future__ import annotations

import re
from typing import Any

from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint

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
