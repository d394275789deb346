"""The HTTP server: connections. `request` has what happens to requests on them."""

from __future__ import annotations

import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Final, cast

from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, Request

from mqbridge.bridge.endpoints.addresses import host_and_port
from mqbridge.bridge.endpoints.transports import socket_transport
from mqbridge.bridge.security import address_key
from mqbridge.bridge.tls import TlsError

from .allowed_hosts import AllowedHosts
from .context import AdminContext
from .cross_origin import CrossOrigin
from .errors import RestError
from .exchange import RestExchange
from .request import AdminRequest
from .routes import FindRoute, find_route

IDLE_TIMEOUT: Final = 60.0
"""Seconds that a connection may be idle, between requests or within an incomplete one."""
MAX_CONNECTIONS: Final = 1000
"""Maximum number of connections; more are closed at once."""
MAX_FOR_ADDRESS: Final = 100
"""The same for one address (the first 64 bits of an IPv6 address) at an endpoint for users."""
_CREDENTIALS: Final = struct.Struct("3i")
"""SO_PEERCRED: process, user and group ids."""


class AdminChannel(HTTPChannel):
    """One connection."""

    requestFactory = AdminRequest
    factory: AdminFactory
    _command = b""
    _path = b""
    _paused = False

    def connectionMade(self) -> None:
        """A client has connected."""
        super().connectionMade()
        admitted = self.factory.arrived(self)
        self.factory.context.driver.stalled.watch(self, socket_transport(self.transport))
        if not admitted:
            self.transport.abortConnection()  # type: ignore[union-attr]

    @property
    def peer(self) -> str:
        """The client, for the log."""
        return f"REST client {getattr(cast('Any', self.transport).getPeer(), 'host', '')}".rstrip()

    @cached_property
    def user(self) -> str:
        """Name of the user of the process at the other end of a Unix socket; blank if unknown, and on TCP."""
        import pwd

        transport = self.transport
        handle = transport.getHandle() if hasattr(transport, "getHandle") else None
        if handle is None or handle.family != socket.AF_UNIX:
            return ""
        try:
            raw = handle.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            return pwd.getpwuid(_CREDENTIALS.unpack(raw)[1]).pw_name
        except (OSError, KeyError, AttributeError):
            return ""

    def pause(self) -> None:
        """Read nothing until `resume`, since it is not known yet who sends."""
        self._paused = True
        cast("Any", self._networkProducer).pauseProducing()

    def resume(self) -> None:
        """Read again."""
        self._paused = False
        cast("Any", self._networkProducer).resumeProducing()

    def give_up(self) -> None:
        """Abort the connection: the client does not read, or sends too much."""
        self.transport.abortConnection()  # type: ignore[union-attr]

    def resetTimeout(self) -> None:
        """Something was received. At an endpoint for users only those who are known get more time for it: others have
        `IDLE_TIMEOUT` for a whole request, however slowly they send it."""
        if self.factory.context.authentication is None or (self.requests and self.requests[-1].is_of_known_user):
            super().resetTimeout()

    def timeoutConnection(self) -> None:
        """The client was idle for too long: disconnect it, unless it waits for us or a unit of work ends with its
        connection."""
        if self._paused or self.factory.context.units.holds(self):
            self.setTimeout(IDLE_TIMEOUT)
        else:
            super().timeoutConnection()

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        """The client has disconnected."""
        super().connectionLost(reason)
        if reason.check(TlsError):
            self.factory.context.driver.log("AMQ5093", (self.peer, str(reason.value)))
        self.factory.context.driver.stalled.ends(self)
        self.factory.context.units.connection_lost(self)
        self.factory.left(self)


class AdminFactory(HTTPFactory):
    """The admin endpoint of one queue manager.

    `quiesce` refuses new requests, closes connections after sending what waits, and calls back whenever one is closed;
    `force` aborts all. ``hosts``: host names by which it is reached beside its own; ``origins``: of pages that may use
    it. ``find_route``: what it offers.
    """

    protocol = AdminChannel  # type: ignore[assignment]
    noisy = False

    def __init__(
        self,
        context: AdminContext,
        reactor: Any,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        find_route: FindRoute = find_route,
    ) -> None:
        super().__init__(timeout=IDLE_TIMEOUT, reactor=reactor)
        self.context = context
        self.find_route = find_route
        self.cross_origin = CrossOrigin(origins)
        self._names = AllowedHosts(hosts, self.cross_origin.origins)
        self.channels: set[AdminChannel] = set()
        self.active: set[AdminRequest] = set()
        self._by_address: Counter[str] = Counter()
        self.quiescing = False
        self._on_end: Callable[[], None] | None = None

    def startFactory(self) -> None:
        """Start no access log and no clock for it."""

    def stopFactory(self) -> None:
        """Nothing to close."""

    def log(self, request: Request) -> None:
        """Write no access log."""

    def admit(self, exchange: RestExchange) -> None:
        """Check Host and Origin of a request; if not allowed, tell the operator and raise `RestError`."""
        transport = exchange.request.transport
        try:
            self._names.check(exchange.headers("host"), exchange.headers("origin"), transport.getHost())
        except RestError as error:
            self.context.driver.log("AMQ5042", (getattr(transport.getPeer(), "host", "the Unix socket"), str(error)))
            raise
        exchange.standing_headers.update(self.cross_origin.headers_for(exchange))

    def done(self, request: AdminRequest) -> None:
        """A request has ended."""
        self.active.discard(request)
        self.context.pump()
        if self.quiescing:
            self._close_idle()
            self._notify()

    def arrived(self, channel: AdminChannel) -> bool:
        """A connection is open. Returns whether it may stay."""
        guard, transport = self.context.driver.descriptor_guard, channel.transport
        self.channels.add(channel)
        if self.context.authentication is None:
            return len(self.channels) <= MAX_CONNECTIONS and guard.admits_operator(transport)
        address = self._address(channel)
        self._by_address[address] += 1
        return (
            len(self.channels) <= MAX_CONNECTIONS
            and self._by_address[address] <= MAX_FOR_ADDRESS
            and guard.admits(transport)
        )

    def left(self, channel: AdminChannel) -> None:
        """A connection is closed."""
        self.channels.discard(channel)
        address = self._address(channel)
        self._by_address[address] -= 1
        if self._by_address[address] <= 0:
            del self._by_address[address]
        self._notify()

    @staticmethod
    def _address(channel: AdminChannel) -> str:
        return address_key(host_and_port(cast("Any", channel.transport).getPeer())[0])

    def _notify(self) -> None:
        if self._on_end is not None:
            self._on_end()

    @property
    def quiet(self) -> bool:
        """Whether no request is in progress and all responses have been taken."""
        return not self.active and not self.channels

    def quiesce(self, on_end: Callable[[], None]) -> None:
        """Refuse new requests; ``on_end`` is called whenever a request or connection has ended."""
        self.quiescing = True
        self._on_end = on_end
        self.context.units.backout_all()
        self._close_idle()

    def _close_idle(self) -> None:
        """Close connections without a request, after sending what waits."""
        busy = {request.channel for request in self.active}
        for channel in self.channels - busy:
            channel.loseConnection()

    def force(self) -> None:
        """Abort all connections; open units are backed out."""
        self.quiescing = True
        for channel in list(self.channels):
            channel.transport.abortConnection()  # type: ignore[union-attr]
        self.context.units.backout_all()
