"""Where messages for a response come from: taken off a queue in a unit of work, or browsed along a cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.queue_manager import Cursor, GetOptions, Handle, MQError, RetrievedMessage, UnitOfWork, Waiter
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQRC

from .exchange import Exchange
from .units import RestUnit

if TYPE_CHECKING:
    from .context import AdminContext

_WAIT_IN: Final = 1000.0
_ALWAYS: Final = int(MQGMO.FAIL_IF_QUIESCING | MQGMO.PROPERTIES_FORCE_MQRFH2)
"""Those who look at a message see all its headers, whatever PROPCTL says."""


def selection(exchange: Exchange, bits: int) -> GetOptions:
    """MQGMO and MQMO of a request: ``messageId`` and ``correlationId`` select. Raises `RestError`."""
    options = GetOptions(options=bits | _ALWAYS, application=exchange.application)
    message, correlation = exchange.identifier("messageId"), exchange.identifier("correlationId")
    if message is not None:
        options.match |= int(MQMO.MATCH_MSG_ID)
        options.msg_id = message
    if correlation is not None:
        options.match |= int(MQMO.MATCH_CORREL_ID)
        options.correl_id = correlation
    return options


class MessageSource:
    """Messages of one queue for one request: that of its path unless ``queue`` names another. `close` ends the use of
    the queue. Raises `MQError`."""

    access = int(MQOO.BROWSE)

    def __init__(self, exchange: Exchange, options: GetOptions, queue: str = "") -> None:
        self.exchange = exchange
        self.context: AdminContext = exchange.context
        self.options = options
        self.queue = queue or exchange.names["queue"]
        self.handle: Handle = self.context.manager.open(
            self.queue,
            options=self.access | int(MQOO.FAIL_IF_QUIESCING),
            owner=self,
            now=self.context.now(),
            selection_string="" if queue else exchange.query.get("selector", ""),
        )
        options.selection = self.handle.selection
        self._waiter: Waiter | None = None
        self._woken: Deferred[int] | None = None
        exchange.on_left = self._client_left

    def fetch(self) -> RetrievedMessage | None:
        """The next message, None where there is none now."""
        raise NotImplementedError

    async def fetch_or_wait(self, milliseconds: int) -> RetrievedMessage | None:
        """The next message; waits for one. None when the time is over, or the client has left."""
        until = self.context.now() + milliseconds / _WAIT_IN
        while True:
            got = self.fetch()
            if got is not None or not milliseconds or self.exchange.gone:
                return got
            reason = await self._wait(until)
            if reason in (MQRC.NO_MSG_AVAILABLE, MQRC.CONNECTION_BROKEN):
                return None
            if reason:
                raise MQError(reason, self.queue)

    def _wait(self, until: float) -> Deferred[int]:
        woken: Deferred[int] = Deferred()
        self._woken = woken
        self._waiter = Waiter(self, self.options, until)
        try:
            self.context.manager.wait(self.handle.target, self._waiter, self.context.now())
        except BaseException:
            self._waiter = self._woken = None
            raise
        self.context.pump()
        return woken

    def woken(self, _waiter: Waiter, reason: int, _now: float) -> None:
        """A message may be there (0), or the wait is over for a reason."""
        self._over(reason)

    def _over(self, reason: int) -> None:
        woken, self._woken = self._woken, None
        self._waiter = None
        if woken is not None:
            woken.callback(reason)

    def _client_left(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None:
            self.context.manager.cancel_wait(waiter)
            self._over(int(MQRC.CONNECTION_BROKEN))

    def close(self) -> None:
        """Ends the use of the queue."""
        if not self.handle.closed:
            self.context.manager.close(self.handle, 0, self.context.now())


class Browsing(MessageSource):
    """Looks at messages and leaves them, from the first on."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange, selection(exchange, int(MQGMO.BROWSE_NEXT)))
        self.cursor = Cursor()

    def fetch(self) -> RetrievedMessage | None:
        """The next behind the cursor."""
        return self.context.manager.browse(self.handle.target, self.cursor, self.options, self.context.now())


class Taking(MessageSource):
    """Takes messages in a unit of work: that of the request's header, or one of its own in ``own``."""

    access = int(MQOO.INPUT_AS_Q_DEF | MQOO.BROWSE)

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange, selection(exchange, int(MQGMO.SYNCPOINT)))
        self.unit: RestUnit | None = None
        self.own: UnitOfWork | None = None
        name = exchange.header("mqbridge-unit")
        try:
            if name is not None:
                self.unit = exchange.unit = self.context.units.use(name)
            else:
                self.own = self.context.manager.begin(self)
        except BaseException:
            self.close()
            raise

    def first(self) -> RetrievedMessage | None:
        """The message that `fetch` would take, left where it is."""
        options = GetOptions(
            options=int(MQGMO.BROWSE_FIRST | MQGMO.FAIL_IF_QUIESCING),
            match=self.options.match,
            msg_id=self.options.msg_id,
            correl_id=self.options.correl_id,
            selection=self.options.selection,
        )
        return self.context.manager.browse(self.handle.target, Cursor(), options, self.context.now())

    def fetch(self) -> RetrievedMessage | None:
        """Takes the next message."""
        manager, now = self.context.manager, self.context.now()
        if self.unit is None or not self.unit.separate:
            work = self.own if self.unit is None else self.unit.parts[0]
            return manager.get(self.handle.target, self.options, work, now)
        work = manager.begin(self.unit)
        got = manager.get(self.handle.target, self.options, work, now)
        if got is not None:
            self.unit.parts.append(work)
        return got

    async def commit(self) -> None:
        """Commits the request's own unit, if it has one. Raises `MQError`."""
        own, self.own = self.own, None
        if own is not None:
            await self.context.commit(own)

    def close(self) -> None:
        """Ends the use of the queue; what was taken and not committed in the request's own unit goes back."""
        own, self.own = self.own, None
        if own is not None:
            self.context.backout(own)
        super().close()
