"""A response written bit by bit, no faster than the client takes it."""

from __future__ import annotations

from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer


class AnsweredExchange(Protocol):
    """What a response answers. ``gone``: the client has left."""

    @property
    def request(self) -> Any:
        """The request of Twisted."""

    @property
    def gone(self) -> bool:
        """Whether the client has left."""


@implementer(IPushProducer)
class ResponseStream:
    """The body of a response. `write` then `drained` for each part; `taken` once before anything is final.

    After the client has left nothing waits any more, and ``exchange.gone`` is true.
    """

    def __init__(self, exchange: AnsweredExchange) -> None:
        self._exchange = exchange
        self._request: Any = exchange.request
        self._paused = False
        self._gone = False
        self._waiting: Deferred[None] | None = None
        if not exchange.gone:
            self._request.registerProducer(self, True)

    @property
    def _lost(self) -> bool:
        return self._gone or self._exchange.gone

    def write(self, data: bytes) -> None:
        """Hands bytes to the transport."""
        if data and not self._lost:
            self._request.write(data)

    async def drained(self) -> None:
        """Waits until the transport wants more."""
        while self._paused and not self._lost:
            self._waiting = Deferred()
            await self._waiting

    async def taken(self) -> bool:
        """Waits until the system has taken everything for the client; False if the client has left.

        The transport tells only when it holds more than it likes, so for this once it likes to hold nothing.
        """
        if self._lost:
            return False
        transport = self._request.transport
        before = transport.bufferSize
        transport.bufferSize = 0
        try:
            self._request.write(b"")  # sends the headers if nothing else has
            transport.writeSequence([b""])  # has the transport look at what it holds
        finally:
            transport.bufferSize = before
        await self.drained()
        return not self._lost

    def finish(self) -> None:
        """Ends the response."""
        if not self._lost:
            self._request.unregisterProducer()
            self._request.finish()

    def abort(self) -> None:
        """Breaks the connection, so that the client cannot take what it has for the whole."""
        if not self._lost:
            self._request.unregisterProducer()
            self._request.transport.abortConnection()

    # What the transport calls

    def pauseProducing(self) -> None:
        """The transport holds as much as it likes."""
        self._paused = True

    def resumeProducing(self) -> None:
        """The transport has given everything to the system."""
        self._paused = False
        self._go_on()

    def stopProducing(self) -> None:
        """The connection is gone."""
        self._gone = True
        self._go_on()

    def _go_on(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)
