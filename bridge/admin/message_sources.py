"""Sources of messages for a response: got in a unit of work, or browsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.queue_manager import MQError, RetrievedMessage
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome
from mqbridge.bridge.queue_manager.calls.requests import Close, Commit, Get, Open, SeparateUnit, Wanted
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQRC

from .exchange import RestExchange
from .units import RestUnit

if TYPE_CHECKING:
    from .context import AdminContext

_NONE: Final = (int(MQRC.NO_MSG_AVAILABLE), int(MQRC.CONNECTION_BROKEN))
"""Reasons that mean no message rather than an error: none arrived in time, or the client has disconnected."""
_ALWAYS: Final = int(MQGMO.FAIL_IF_QUIESCING | MQGMO.PROPERTIES_FORCE_MQRFH2)
"""Options of every get: browsers see all headers, whatever PROPCTL says."""
_BROWSE_FIRST: Final = int(MQGMO.BROWSE_FIRST | MQGMO.FAIL_IF_QUIESCING)
_BROWSE_NEXT: Final = int(MQGMO.BROWSE_NEXT)
_SYNCPOINT: Final = int(MQGMO.SYNCPOINT)
_WAIT: Final = int(MQGMO.WAIT)
_BY_MSG_ID: Final = int(MQMO.MATCH_MSG_ID)
_BY_CORREL_ID: Final = int(MQMO.MATCH_CORREL_ID)
_QUIESCING: Final = int(MQOO.FAIL_IF_QUIESCING)


def selection(exchange: RestExchange, bits: int) -> Wanted:
    """MQGMO and MQMO options of a request: ``messageId`` and ``correlationId`` select. Raises `RestError`."""
    wanted = Wanted(bits | _ALWAYS)
    message, correlation = exchange.identifier("messageId"), exchange.identifier("correlationId")
    if message is not None:
        wanted = wanted._replace(match=wanted.match | _BY_MSG_ID, msg_id=message)
    if correlation is not None:
        wanted = wanted._replace(match=wanted.match | _BY_CORREL_ID, correl_id=correlation)
    return wanted


class MessageSource:
    """Messages of one queue for one request: the queue of its path, or ``queue``. `close` closes the queue. Raises
    `MQError`."""

    access = int(MQOO.BROWSE)

    def __init__(self, exchange: RestExchange, wanted: Wanted, queue: str = "", unit: RestUnit | None = None) -> None:
        self.exchange = exchange
        self.context: AdminContext = exchange.context
        self.wanted = wanted
        self.unit = unit
        self.program = exchange.program() if unit is None else unit.program
        try:
            self.hobj: int = self.program.call(
                Open(
                    self.program.tag,
                    queue or exchange.names["queue"],
                    "",
                    self.access | _QUIESCING,
                    selection_string="" if queue else exchange.query.get("selector", ""),
                )
            ).hobj
        except MQError:
            if self.unit is None:
                self.program.end()
            raise
        exchange.on_left = self.program.left

    async def fetch_or_wait(self, milliseconds: int) -> RetrievedMessage | None:
        """Return the next message, waiting for one. None when the time is over or the client has disconnected."""
        if not milliseconds or self.exchange.gone:
            return await self.fetch()
        wanted = self.wanted._replace(options=self.wanted.options | _WAIT)
        return self.message_of(self._ask(wanted, milliseconds) or await self.outcome())

    async def fetch(self) -> RetrievedMessage | None:
        """Return the next message, or None."""
        return self.message_of(self.ask() or await self.outcome())

    def ask(self) -> Outcome | None:
        """Request the next message. Returns the outcome; None if it must be awaited with `outcome`."""
        return self._ask(self.wanted)

    def outcome(self) -> Deferred[Outcome]:
        """The outcome of the last request."""
        return self.program.outcome()

    def message_of(self, outcome: Outcome) -> RetrievedMessage | None:
        """The message in an outcome, or None. Raises `MQError`."""
        if isinstance(outcome, RetrievedMessage):
            return outcome
        assert isinstance(outcome, Failed)
        if outcome.reason in _NONE:
            return None
        raise outcome.error()

    def _ask(self, wanted: Wanted, milliseconds: int = 0) -> Outcome | None:
        program = self.program
        return program.submit(Get(program.tag, self.hobj, wanted, milliseconds))

    def close(self) -> None:
        """Close the queue."""
        if self.unit is None:
            self.program.end()
        else:
            self.program.call(Close(self.program.tag, self.hobj, 0))
            self.context.pump()


class Browsing(MessageSource):
    """Messages browsed from the first on."""

    def __init__(self, exchange: RestExchange) -> None:
        super().__init__(exchange, selection(exchange, _BROWSE_NEXT))


class GetsInUnit(MessageSource):
    """Messages got in a unit of work: the one named by the request's header, or a separate one."""

    access = int(MQOO.INPUT_AS_Q_DEF | MQOO.BROWSE)

    def __init__(self, exchange: RestExchange) -> None:
        wanted = selection(exchange, _SYNCPOINT)
        super().__init__(exchange, wanted, unit=exchange.use_unit())

    async def first(self) -> RetrievedMessage | None:
        """Browse the message that `fetch` would get."""
        wanted = self.wanted._replace(options=_BROWSE_FIRST)
        return super().message_of(self._ask(wanted) or await self.outcome())

    def message_of(self, outcome: Outcome) -> RetrievedMessage | None:
        """The message got."""
        got = super().message_of(outcome)
        if got is not None and self.unit is not None and self.unit.separate:
            self.unit.tokens.append(got.token)
            self.program.call(SeparateUnit(self.program.tag, got.token))
        return got

    async def commit(self) -> None:
        """Commit the request's own unit, if any; without it `close` backs the unit out. Raises `MQError`."""
        if self.unit is None:
            await self.program.ask(Commit(self.program.tag))
