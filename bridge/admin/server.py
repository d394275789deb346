"""The HTTP server: connections and requests. Handlers implement what a request means."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable
from functools import cached_property
from io import BytesIO
from typing import Any, Final, cast
from urllib.parse import parse_qsl

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, Request

from mqbridge.bridge.admin.allowed_hosts import AllowedHosts
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.store.interface import StoreError, StoreFull
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError

from .context import AdminContext
from .errors import BAD_REQUEST, SERVER_ERROR, UNAVAILABLE, RestError, from_mq_error
from .exchange import RestExchange
from .handlers import Handler
from .routes import find_route

IDLE_TIMEOUT: Final = 60.0
"""Seconds that a connection may be idle, between requests or within an incomplete one."""
MAX_CONNECTIONS: Final = 1000
"""Maximum number of connections; more are closed at once."""
MAX_QUERY: Final = 100
"""Maximum number of query parameters."""
_CREDENTIALS: Final = struct.Struct("3i")
"""SO_PEERCRED: process, user and group ids."""

_log = Logger()


class AdminRequest(Request):
    """One request. Its handler is selected when the headers have arrived, and gets the body as it arrives."""

    _exchange: RestExchange | None = None
    _handler: Handler | None = None
    _failure: Exception | None = None
    _running = False

    def gotLength(self, length: int | None) -> None:
        """The headers have arrived. ``length``: of the body, None if unknown."""
        self.content = BytesIO()
        self._guard(self._begin)

    def handleContentChunk(self, data: bytes) -> None:
        """A part of the body has arrived; it is discarded if the request has failed."""
        if self._handler is not None and self._failure is None:
            self._guard(self._handler.write, data)

    def _guard(self, action: Callable[..., None], *arguments: Any) -> None:
        try:
            action(*arguments)
        except Exception as error:
            self._failure = error
            self._abandon()

    def _begin(self) -> None:
        channel = cast("AdminChannel", self.channel)
        factory = channel.factory
        method = channel._command.decode("latin-1")
        self.method = channel._command
        path, _, query = channel._path.decode("latin-1").partition("?")
        self._exchange = exchange = RestExchange(self, factory.context, method, {}, {})
        self.notifyFinish().addErrback(self._lost)
        factory.admit(self)
        try:
            exchange.query = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_QUERY))
        except ValueError as error:
            raise RestError(BAD_REQUEST, "too many query parameters") from error
        make, exchange.names = find_route(method, path)
        exchange.version = int(exchange.names.get("version", "2"))
        if factory.quiescing:
            raise RestError(UNAVAILABLE, "the queue manager is ending", reason=MQRC.Q_MGR_QUIESCING)
        handler = make(exchange)
        if handler.changes:
            exchange.require_token()
        exchange.require_queue_manager(reaches_others=handler.reaches_others)
        self._handler = handler
        handler.begin()

    def process(self) -> None:
        """The request is complete."""
        self._running = True
        cast("AdminChannel", self.channel).factory.active.add(self)
        Deferred.fromCoroutine(self._run()).addErrback(self._broken)

    async def _run(self) -> None:
        exchange = self._exchange
        assert exchange is not None
        factory = cast("AdminChannel", self.channel).factory
        try:
            if self._failure is not None:
                raise self._failure
            assert self._handler is not None
            await self._handler.run()
        except Exception as error:
            self._abandon()
            exchange.fail(_rest_error(error))
        finally:
            self._release()
            factory.done(self)

    def _abandon(self) -> None:
        handler, self._handler = self._handler, None
        if handler is not None:
            handler.abandon()

    def _release(self) -> None:
        if self._exchange is not None and self._exchange.unit is not None:
            self._exchange.context.units.release(self._exchange.unit)
            self._exchange.unit = None

    def _lost(self, _: Failure) -> None:
        """The client has disconnected before the response was complete."""
        exchange = self._exchange
        if exchange is None:
            return
        exchange.left()
        if not self._running:
            self._abandon()
            self._release()

    @staticmethod
    def _broken(failure: Failure) -> None:
        _log.failure("a request failed", failure)


def _rest_error(error: Exception) -> RestError:
    if isinstance(error, RestError):
        return error
    if isinstance(error, MQError):
        return from_mq_error(error)
    if isinstance(error, StoreFull):
        return RestError(SERVER_ERROR, str(error), reason=MQRC.Q_SPACE_NOT_AVAILABLE)
    if isinstance(error, MQBridgeError):
        return RestError(BAD_REQUEST, str(error), message_id="MQWB0301E")
    _log.failure("a request failed", Failure(error))
    reason = MQRC.OBJECT_DAMAGED if isinstance(error, StoreError) else MQRC.UNEXPECTED_ERROR
    return RestError(SERVER_ERROR, "an unexpected error; the log of the queue manager has it", reason=reason)


class AdminChannel(HTTPChannel):
    """One connection."""

    requestFactory = AdminRequest
    factory: AdminFactory
    _command = b""
    _path = b""

    def connectionMade(self) -> None:
        """A client has connected."""
        super().connectionMade()
        self.factory.channels.add(self)
        self.factory.context.driver.stalled.watch(self, self.transport)
        admitted = self.factory.context.driver.descriptor_guard.admits_operator(self.transport)
        if len(self.factory.channels) > MAX_CONNECTIONS or not admitted:
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

    def give_up(self) -> None:
        """Abort the connection: the client does not read."""
        self.transport.abortConnection()  # type: ignore[union-attr]

    def timeoutConnection(self) -> None:
        """The client was idle for too long: disconnect it, unless a unit of work ends with its connection."""
        if self.factory.context.units.holds(self):
            self.setTimeout(IDLE_TIMEOUT)
        else:
            super().timeoutConnection()

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        """The client has disconnected."""
        super().connectionLost(reason)
        self.factory.context.driver.stalled.ends(self)
        self.factory.context.units.connection_lost(self)
        self.factory.left(self)


class AdminFactory(HTTPFactory):
    """The admin endpoint of one queue manager.

    `quiesce` refuses new requests, closes connections after sending what waits, and calls back whenever one is closed;
    `force` aborts all. ``hosts``: host names by which it is reached beside its own.
    """

    protocol = AdminChannel  # type: ignore[assignment]
    noisy = False

    def __init__(self, context: AdminContext, reactor: Any, hosts: Iterable[str] = ()) -> None:
        super().__init__(timeout=IDLE_TIMEOUT, reactor=reactor)
        self.context = context
        self._names = AllowedHosts(hosts)
        self.channels: set[AdminChannel] = set()
        self.active: set[AdminRequest] = set()
        self.quiescing = False
        self._on_end: Callable[[], None] | None = None

    def startFactory(self) -> None:
        """Start no access log and no clock for it."""

    def stopFactory(self) -> None:
        """Nothing to close."""

    def log(self, request: Request) -> None:
        """Write no access log."""

    def admit(self, request: Request) -> None:
        """Check Host and Origin of a request; if not allowed, tell the operator and raise `RestError`."""
        headers, transport = request.requestHeaders, cast("Any", request.transport)
        hosts, origins = (
            [value.decode("latin-1") for value in headers.getRawHeaders(name, [])] for name in (b"host", b"origin")
        )
        try:
            self._names.check(hosts, origins, transport.getHost())
        except RestError as error:
            self.context.driver.log("AMQ5042", (getattr(transport.getPeer(), "host", "the Unix socket"), str(error)))
            raise

    def done(self, request: AdminRequest) -> None:
        """A request has ended."""
        self.active.discard(request)
        self.context.pump()
        if self.quiescing:
            self._close_idle()
            self._notify()

    def left(self, channel: AdminChannel) -> None:
        """A connection is closed."""
        self.channels.discard(channel)
        self._notify()

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
