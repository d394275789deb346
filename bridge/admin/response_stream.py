"""A streamed response with back-pressure."""

from __future__ import annotations

from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from mqbridge.bridge.endpoints.transports import pause_until_taken


class AnsweredExchange(Protocol):
    """The exchange that a response belongs to. ``gone``: the client has disconnected."""

    @property
    def request(self) -> Any:
        """Twisted's request."""

    @property
    def gone(self) -> bool:
        """Whether the client has disconnected."""


@implementer(IPushProducer)
class ResponseStream:
    """The body of a response. Call `write`, then `drained`, for each part, and `taken` before anything becomes final.

    After the client has disconnected nothing waits, and ``exchange.gone`` is true.
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
        """Write bytes to the transport."""
        if data and not self._lost:
            self._request.write(data)

    async def drained(self) -> None:
        """Wait until the transport wants more."""
        while self._paused and not self._lost:
            self._waiting = Deferred()
            await self._waiting

    async def taken(self) -> bool:
        """Wait until the kernel has taken all bytes; False if the client has disconnected."""
        if self._lost:
            return False
        self._request.write(b"")  # sends the headers if nothing else has
        pause_until_taken(self._request.transport)
        await self.drained()
        return not self._lost

    def finish(self) -> None:
        """End the response."""
        if not self._lost:
            self._request.unregisterProducer()
            self._request.finish()

    def abort(self) -> None:
        """Abort the connection, so that the client cannot take a partial response for a complete one."""
        if not self._lost:
            self._request.unregisterProducer()
            self._request.transport.abortConnection()

    # What the transport calls

    def pauseProducing(self) -> None:
        """The transport's buffer is full."""
        self._paused = True

    def resumeProducing(self) -> None:
        """The kernel has taken the transport's buffer."""
        self._paused = False
        self._resume()

    def stopProducing(self) -> None:
        """The connection is closed."""
        self._gone = True
        self._resume()

    def _resume(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)
