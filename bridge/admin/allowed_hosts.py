"""Names by which the admin endpoint may be reached: a page whose own name was made to lead here is refused.

A browser sends the name that its page was loaded by as Host, and as Origin where a page asks. Whoever makes a name of
his own lead to our address (DNS rebinding) cannot make either of them ours. Addresses that are ours cannot be led
elsewhere, so that every loopback address, and the one at which the connection came in, is a name of ours.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from mqbridge.bridge.admin.errors import FORBIDDEN, RestError

LOCAL_NAME: Final = "localhost"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Authority:
    """Host and port of a header. ``port``: None where none is written."""

    host: str
    port: int | None

    def leads_to(self, other: Authority, default: int | None) -> bool:
        """Whether both are the same host and port; ``default`` is the port of one that writes none."""
        return self.host == other.host and (self.port or default) == (other.port or default)


class AllowedHosts:
    """The names of one admin endpoint; ``hosts`` are those that are configured beside its own."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self._configured = frozenset(map(_plain, hosts))
        self._names = self._configured | {LOCAL_NAME, _plain(socket.gethostname())}

    def check(self, hosts: Sequence[str], origins: Sequence[str], address: Any) -> None:
        """Raises `RestError` unless each Host and Origin of a request is ours.

        ``address`` is the address at which the connection came in, as Twisted gives it.
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
        """A page may ask if it came from here, by the same name and port, or from a host that is configured."""
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
        action="use its address or localhost, or name the host under [admin] hosts in the configuration",
    )


def _authority(text: str) -> Authority | None:
    """Host and port out of ``host:port``; None where it is none."""
    try:
        parts = urlsplit(f"//{text.strip()}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if host is None or "@" in text or parts.path:
        return None
    return Authority(_plain(host), port)


def _plain(host: str) -> str:
    """A name in lower case without the period at its end; an address in its usual form."""
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
