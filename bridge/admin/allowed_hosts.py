"""Host names by which the admin endpoint may be reached, as a protection against DNS rebinding.

A browser sends the host name of a page's URL as Host, and of the page that asks as Origin. Who makes a host name of his
own resolve to our address can make neither of them one of ours. Our addresses cannot be redirected, so all loopback
addresses, and the one at which the connection came in, are allowed.
"""

from __future__ import annotations

import socket
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from mqbridge.bridge.admin.errors import FORBIDDEN, RestError

LOCAL_NAME: Final = "localhost"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Authority:
    """Host and port of a header. ``port``: None if not written."""

    host: str
    port: int | None

    def leads_to(self, other: Authority, default: int | None) -> bool:
        """Whether both are the same host and port. ``default``: the port of one without."""
        return self.host == other.host and (self.port or default) == (other.port or default)


class AllowedHosts:
    """The host names of an admin endpoint. ``hosts``: configured beside its own. ``origins``: of pages that may use
    it."""

    def __init__(self, hosts: Iterable[str] = (), origins: Container[str] = ()) -> None:
        self._origins = origins
        self._configured = frozenset(map(_plain, hosts))
        self._names = self._configured | {LOCAL_NAME, _plain(socket.gethostname())}

    def check(self, hosts: Sequence[str], origins: Sequence[str], address: Any) -> None:
        """Raise `RestError` unless each Host and Origin of a request is allowed.

        ``address``: Twisted address at which the connection came in.
        """
        own = _plain(getattr(address, "host", "") or "")
        found = [_authority(each) for each in hosts]
        if len(found) > 1 or not all(each is not None and self._is_ours(each.host, own) for each in found):
            raise _refused("Host", hosts)
        host = found[0] if found else None
        if len(origins) > 1 or not all(self._admits(each, host) for each in origins):
            raise _refused("Origin", origins)

    def _is_ours(self, host: str, own: str) -> bool:
        return host in self._names or host == own or _is_loopback(host)

    def _admits(self, origin: str, host: Authority | None) -> bool:
        """Whether an origin is allowed: a configured one, the same host and port as the request's, or a configured
        host."""
        if origin in self._origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        found = _authority(parts.netloc) if parts.scheme in _DEFAULT_PORTS else None
        if found is None:
            return False
        return found.host in self._configured or (
            host is not None and found.leads_to(host, _DEFAULT_PORTS[parts.scheme])
        )


def _refused(header: str, values: Sequence[str]) -> RestError:
    return RestError(
        FORBIDDEN,
        f"{header} {', '.join(values)[:100]!r} is no name of this endpoint",
        action="use its address or localhost, or name the host under hosts in the configuration",
    )


@lru_cache(maxsize=64)
def _authority(text: str) -> Authority | None:
    """Parse ``host:port``; None if it is not valid."""
    try:
        parts = urlsplit(f"//{text.strip()}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if host is None or "@" in text or parts.path:
        return None
    return Authority(_plain(host), port)


@lru_cache(maxsize=64)
def _plain(host: str) -> str:
    """Return a host name in lower case without trailing period, or an address in canonical form."""
    host = host.lower().removesuffix(".")
    try:
        return str(ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        return host


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
