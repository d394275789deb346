"""One request, from its headers to its response: who makes it, which handler gets its body, and what errors become."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any, Final, Protocol, cast
from urllib.parse import parse_qsl

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import Request

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.security import Mechanism, WebRole, WebUser
from mqbridge.bridge.store.interface import StoreError, StoreFull
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError

from .authentication import wrong_password
from .context import AdminContext
from .cross_origin import CrossOrigin, Preflight
from .errors import BAD_REQUEST, SERVER_ERROR, TOO_LARGE, UNAVAILABLE, RestError, from_mq_error
from .exchange import NOBODY, RestExchange
from .handlers import Handler
from .password_checks import PasswordCheck
from .routes import FindRoute, Maker

MAX_QUERY: Final = 100
"""Maximum number of query parameters."""
MAX_HELD: Final = 256 << 10
"""Bytes of a body that are held while the password is checked: the connection is not read meanwhile."""
MAX_UNKNOWN: Final = 1 << 20
"""Bytes of a body after which a connection is closed whose user is not known."""

_log = Logger()


class Endpoint(Protocol):
    """The endpoint of a request. ``find_route``: what it offers; ``active``: requests in progress; ``quiescing``: new
    ones are refused."""

    context: AdminContext
    cross_origin: CrossOrigin
    find_route: FindRoute
    active: set[AdminRequest]
    quiescing: bool

    def admit(self, exchange: RestExchange) -> None:
        """Check Host and Origin. Raises `RestError`."""
        ...

    def done(self, request: AdminRequest) -> None:
        """A request has ended."""
        ...


class Connection(Protocol):
    """The connection of a request."""

    @property
    def factory(self) -> Endpoint:
        """The endpoint."""
        ...

    @property
    def user(self) -> str:
        """Name of the user of the process at the other end of a Unix socket, blank if unknown."""
        ...

    def pause(self) -> None:
        """Read nothing until `resume`."""
        ...

    def resume(self) -> None:
        """Read again."""
        ...

    def give_up(self) -> None:
        """Abort the connection."""
        ...

    def resetTimeout(self) -> None:
        """Give the client more time, if it is known."""
        ...


class AdminRequest(Request):
    """One request. Its handler is selected when the headers have arrived and the user is known, and gets the body as it
    arrives."""

    _exchange: RestExchange | None = None
    _handler: Handler | None = None
    _failure: Exception | None = None
    _running = False
    _check: PasswordCheck | None = None
    _known: Deferred[None] | None = None
    _body_size = 0

    def gotLength(self, length: int | None) -> None:
        """The headers have arrived. ``length``: of the body, None if unknown."""
        self.content = BytesIO()
        self._held: list[bytes] = []
        self._guard(self._begin)

    def handleContentChunk(self, data: bytes) -> None:
        """A part of the body has arrived; it is discarded if the request has failed."""
        self._body_size += len(data)
        if self._check is not None:
            self._hold(data)
        elif self._failure is None:
            if self._handler is not None:
                self._guard(self._handler.write, data)
        elif self._body_size > MAX_UNKNOWN and not self.is_of_known_user:
            self._admin.give_up()

    def _hold(self, data: bytes) -> None:
        """Keep a part of the body until the user is known."""
        if self._failure is not None:
            return
        self._held.append(data)
        if self._body_size > MAX_HELD:
            self._held.clear()
            self._failure = RestError(TOO_LARGE, "the body is too long for a user who is not known yet")

    def _guard(self, action: Callable[..., None], *arguments: Any) -> None:
        try:
            action(*arguments)
        except Exception as error:
            self._failure = error
            self._abandon()

    @property
    def is_of_known_user(self) -> bool:
        """Whether it is known who makes it."""
        return self._exchange is not None and self._exchange.user is not NOBODY

    @property
    def _admin(self) -> Connection:
        return cast("Connection", self.channel)

    def _begin(self) -> None:
        channel: Any = self.channel
        method = channel._command.decode("latin-1")
        self.method = channel._command
        path, _, query = channel._path.decode("latin-1").partition("?")
        self._exchange = exchange = RestExchange(self, self._admin.factory.context, method, {}, {})
        self.notifyFinish().addErrback(self._lost)
        self._admin.factory.admit(exchange)
        if query:
            try:
                exchange.query = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_QUERY))
            except ValueError as error:
                raise RestError(BAD_REQUEST, "too many query parameters") from error
        make = self._route(exchange, path)
        if getattr(make, "anonymous", False):
            self._accept(exchange, make)
        else:
            self._identify(exchange, make)

    def _route(self, exchange: RestExchange, path: str) -> Maker | RestError:
        """Return what makes the handler, or the error if there is none: who is not known does not learn what there
        is."""
        if self._admin.factory.cross_origin.asks(exchange):
            return Preflight
        try:
            make, exchange.names = self._admin.factory.find_route(exchange.method, path)
        except RestError as error:
            return error
        exchange.version = int(exchange.names.get("version", "2"))
        return make

    def _identify(self, exchange: RestExchange, make: Maker | RestError) -> None:
        """Find out who makes the request, then accept it."""
        authentication = exchange.context.authentication
        if authentication is None:
            exchange.user = WebUser(self._admin.user, WebRole.ADMINISTRATOR)
        else:
            found = authentication.identify(exchange.presented())
            if not isinstance(found, WebUser):
                name, check = found
                if not check.result.called:
                    self._check, self._known = check, Deferred()
                    self._admin.pause()
                check.result.addCallback(self._checked, exchange, name, make)
                return
            exchange.user = found
        self._accept(exchange, make)

    def _checked(self, right: bool, exchange: RestExchange, name: str, make: Maker | RestError) -> None:
        """The password was checked."""
        self._check = None
        if self._failure is None:
            self._guard(self._proceed, right, exchange, name, make)
        self._held.clear()
        known, self._known = self._known, None
        if known is not None:
            if not self._running:
                self._admin.resume()
            known.callback(None)

    def _proceed(self, right: bool, exchange: RestExchange, name: str, make: Maker | RestError) -> None:
        authentication = exchange.context.authentication
        if not right or authentication is None:
            raise wrong_password()
        exchange.user = authentication.user(name, Mechanism.BASIC)
        self._accept(exchange, make)
        assert self._handler is not None
        for data in self._held:
            self._handler.write(data)

    def _accept(self, exchange: RestExchange, make: Maker | RestError) -> None:
        """Make the handler of a request whose user is known. Raises `RestError`."""
        self._admin.resetTimeout()
        if isinstance(make, RestError):
            raise make
        if self._admin.factory.quiescing:
            raise RestError(UNAVAILABLE, "the queue manager is ending", reason=MQRC.Q_MGR_QUIESCING)
        handler = make(exchange)
        if handler.changes:
            exchange.require_token()
        if not (handler.anonymous or handler.any_role):
            exchange.require_role(whole=handler.whole)
        exchange.require_queue_manager(reaches_others=handler.reaches_others)
        self._handler = handler
        handler.begin()

    def process(self) -> None:
        """The request is complete."""
        self._running = True
        self._admin.factory.active.add(self)
        if self._known is not None:  # so that we notice when the client leaves
            self._admin.resume()
        Deferred.fromCoroutine(self._run()).addErrback(self._broken)

    async def _run(self) -> None:
        exchange = self._exchange
        assert exchange is not None
        factory = self._admin.factory
        try:
            if self._known is not None:
                await self._known
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
        if self._check is not None:
            self._check.leave()
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
