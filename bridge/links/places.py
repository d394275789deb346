"""Where a provider is: the endpoint of a link, and whether what is said to it can be overheard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from twisted.internet import endpoints

from mqbridge.bridge.endpoints.addresses import client_endpoint
from mqbridge.bridge.security import is_loopback

CONNECT_TIMEOUT: Final = 30.0
"""Seconds within which a connection must be established, TLS included."""
_ESCAPED: Final = re.compile(r"\\(.)")
_LAST_COLON: Final = re.compile(r"(?<!\\):(?=[^:]*\Z)")
_MAX_PORT: Final = 65535


class Place(NamedTuple):
    """A TCP address, or the ``path`` of a Unix socket."""

    host: str = ""
    port: int = 0
    path: Path | None = None

    @property
    def on_this_machine(self) -> bool:
        """Whether only programs of this machine can overhear what is said."""
        return self.path is not None or is_loopback(self.host)

    @property
    def shown(self) -> str:
        """The place for logs, as CONNAME shows one."""
        return f"{self.host}({self.port})" if self.path is None else str(self.path)

    def endpoint(self, reactor: Any) -> Any:
        """Twisted's endpoint."""
        if self.path is not None:
            unix: Any = endpoints.UNIXClientEndpoint
            return unix(reactor, str(self.path), timeout=CONNECT_TIMEOUT)
        return client_endpoint(reactor, self.host, self.port, timeout=CONNECT_TIMEOUT, local=None)


def read_place(description: str) -> Place:
    """Read ``tcp:HOST:PORT`` or ``unix:PATH``, with colons escaped by backslashes. Raises `ValueError`."""
    kind, _, rest = description.partition(":")
    if kind == "unix" and rest:
        return Place(path=Path(_ESCAPED.sub(r"\1", rest)))
    host, *port = _LAST_COLON.split(rest)
    if kind != "tcp" or not host or not port or not port[0].isdecimal() or not 0 < int(port[0]) <= _MAX_PORT:
        raise ValueError(f"{description!r} is no endpoint to connect to")
    return Place(_ESCAPED.sub(r"\1", host), int(port[0]))
