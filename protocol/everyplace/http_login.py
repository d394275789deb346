"""Users and passwords of HTTP servers and proxies (E-483 to E-488)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from .endpoints import parse_endpoint
from .errors import Code, EveryplaceError

SERVER: Final = 401
PROXY: Final = 407
_HEADERS: Final = {SERVER: "Authorization", PROXY: "Proxy-Authorization"}
_PROXY_PORT: Final = 3128

Ask = Callable[[str], "tuple[str, str] | None"]
"""Asks a person for user and password of what the text names; None if they cancel (E-485)."""


class Values(Protocol):
    """Properties of adapters."""

    def get(self, name: str, /) -> str:
        """Return a property, empty without."""
        ...


class Place(Protocol):
    """Where a connection leads; its text is for errors. ``ask``: None where nobody is there."""

    @property
    def host(self) -> str:
        """Name or address."""
        ...

    @property
    def port(self) -> int:
        """Its port."""
        ...

    @property
    def path(self) -> str:
        """The path of requests, empty for the usual one."""
        ...

    @property
    def properties(self) -> Values:
        """Proxy, user and the like."""
        ...

    @property
    def ask(self) -> Ask | None:
        """Asks for credentials."""
        ...


class Proxy:
    """A proxy of the property ``proxy``: ``http://host:port``, with ``user:password@`` if it wants to know."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url if "//" in url else f"//{url}")
        if parts.scheme not in ("", "http") or not parts.hostname:
            text = "the property 'proxy' is no address such as http://proxy:3128"
            raise EveryplaceError(Code.ADAPTER_MISSING_REMOTE_ADDRESS, text)
        self.host, self.port = parse_endpoint(parts.netloc.rpartition("@")[2], _PROXY_PORT)
        self.user, self.password = unquote(parts.username or ""), unquote(parts.password or "")


class Login:
    """What one server or proxy is told about who asks.

    ``kind``: `SERVER` or `PROXY`. ``safe``: whether the way to it is inside TLS; elsewhere the property
    ``clear_passwords`` must allow it (E-488). With a person to ask, they are asked before the first request, and again
    when they are refused; without one, the user goes with each request, or after a first challenge if the property
    ``wait_for_challenge`` says so (E-487).
    """

    def __init__(self, kind: int, place: Place, user: str, password: str, *, safe: bool) -> None:
        self._kind = kind
        self._place = place
        self._user, self._password = user, password
        self._safe = safe or place.properties.get("clear_passwords") not in ("", "0", "no")
        self._shown = not place.properties.get("wait_for_challenge")
        self._refused = False

    def headers(self) -> dict[str, str]:
        """Return the header to send, if there is one. Raises `EveryplaceError` AUTHENTICATE, STOPPED."""
        if not self._user and self._kind == SERVER and self._place.ask is not None:
            self._ask()
        if not self._user or not self._shown:
            return {}
        if not self._safe:
            text = f"{self._place}: a password is sent inside TLS only; use https, or set the property clear_passwords"
            raise EveryplaceError(Code.AUTHENTICATE, text)
        token = base64.b64encode(f"{self._user}:{self._password}".encode()).decode("ascii")
        self._refused = True  # until an answer says that it is not
        return {_HEADERS[self._kind]: f"Basic {token}"}

    def accepted(self) -> None:
        """The user is the right one."""
        self._refused = False

    def challenged(self) -> None:
        """The other end has asked who this is. Returns if the request can be repeated with another header.

        Raises `EveryplaceError` AUTHENTICATE, STOPPED.
        """
        if self._user and not self._shown:
            self._shown = True
            return
        if self._place.ask is not None:
            self._ask()
            return
        end = "the proxy" if self._kind == PROXY else "the server"
        why = f"does not accept user {self._user!r}" if self._refused else "wants a user and password"
        raise EveryplaceError(Code.AUTHENTICATE, f"{self._place}: {end} {why} (HTTP {self._kind})")

    def _ask(self) -> None:
        assert self._place.ask is not None
        found = self._place.ask(f"{'Proxy of ' if self._kind == PROXY else ''}{self._place}")
        if found is None:
            self._user = ""
            raise EveryplaceError(Code.STOPPED, f"{self._place}: no user and password were given")
        self._user, self._password = found
        self._shown = True
