"""A line of a gateway that calls over HTTP: each frame is a POST, its answer the body of the answer (E-302, E-303).

A question that may wait at the other end has a connection of its own, so that it holds up nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from mqbridge.bridge.endpoints.transports import LINGER
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.frames import FrameReader, Kind
from mqbridge.protocol.everyplace.http_answers import Answer
from mqbridge.protocol.everyplace.http_requests import WAIT, HttpRequests

from .carrier import LineCarrier
from .http_posts import Connect, HttpPosts

TIMEOUT: Final = 30.0
"""Seconds that one exchange may take."""


class Called(Protocol):
    """The endpoint, as a line over HTTP sees it."""

    reactor: Any

    def received(self, line: CallingLine, data: bytes) -> None:
        """Pass bytes to a line."""
        ...

    def cut(self, line: CallingLine) -> None:
        """The transport of a line is gone."""
        ...

    def broken(self, line: CallingLine, error: EveryplaceError) -> None:
        """The line cannot go on."""
        ...


class HttpCaller:
    """``begin``: makes the line, over the transport of the first connection; it may raise `EveryplaceError`."""

    def __init__(
        self,
        host: Called,
        connect: Connect,
        requests: HttpRequests,
        begin: Callable[[LineCarrier, Any], CallingLine],
    ) -> None:
        self._host = host
        self._begin = begin
        self._requests = requests
        self._line: CallingLine | None = None
        self._channel = ""
        self._reader = FrameReader()
        self._closing = False
        self._timer: Any = None
        self._posts, self._questions = (
            HttpPosts(host.reactor, connect, requests, wait, lambda: self._channel, self._answered, self._failed)
            for wait in (TIMEOUT, WAIT)
        )

    def open(self) -> Any:
        """Connect, and begin. Returns a Deferred, which fails with what connecting raises."""
        return self._posts.open().addCallback(self._opened)

    def _opened(self, transport: Any) -> None:
        try:
            self._line = self._begin(self, transport)
        except EveryplaceError:  # which the network knows
            self._close()
            return
        self.flush()

    def flush(self) -> None:
        """See `LineCarrier.flush`."""
        line = self._line
        if line is None or self._closing:
            return
        for frame in self._reader.receive(line.take()):
            (self._questions if frame.kind is Kind.PULL else self._posts).post(frame.encode())
        if line.ended:
            self._closing = True
            self._timer = self._host.reactor.callLater(LINGER, self._close)
            self._end_when_idle()

    def abort(self) -> None:
        """See `LineCarrier.abort`."""
        self._close()

    def _answered(self, answer: Answer) -> None:
        line = self._line
        if line is None:
            return
        try:
            self._channel = self._requests.channel_of(answer) or self._channel
        except EveryplaceError as error:
            self._failed(error)
            return
        if answer.body and not self._closing:
            self._host.received(line, answer.body)
        self._end_when_idle()

    def _end_when_idle(self) -> None:
        if self._closing and self._posts.idle:
            self._close()

    def _failed(self, error: EveryplaceError) -> None:
        line = self._line
        if line is not None and not self._closing:
            self._line = None
            self._host.broken(line, error)
        self._close()

    def _close(self) -> None:
        line, self._line = self._line, None
        self._closing = True
        for each in (self._posts, self._questions):
            each.close()
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()
        if line is not None:
            self._host.cut(line)
