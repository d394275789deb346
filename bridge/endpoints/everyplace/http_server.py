"""The HTTP listener: the adapters http and https at the end that is called (mqe.md 15, E-300 to E-307).

POST to one path; anything else is refused by a status of HTTP, never by half a frame. Behind a web server this is what
IBM's servlet was.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final, cast

from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, Request

from mqbridge.bridge.endpoints.arrivals import Arrivals
from mqbridge.bridge.endpoints.transports import socket_transport
from mqbridge.protocol.everyplace.http_answers import MAX_ANSWER as MAX_BODY
from mqbridge.protocol.everyplace.http_requests import CHANNEL

from .carrier import EveryplaceHost
from .http_lines import OK, HttpLine, HttpLines
from .peers import peer_of

IDLE: Final = 60.0
"""Seconds that a connection may be idle between requests, or within an incomplete one."""
NOT_FOUND, METHOD_NOT_ALLOWED, LENGTH_REQUIRED, TOO_LARGE = 404, 405, 411, 413
_CONTENT_TYPE: Final = b"application/octet-stream"
_REASONS: Final = {
    OK: b"OK",
    400: b"Bad Request",
    403: b"Forbidden",
    NOT_FOUND: b"Not Found",
    METHOD_NOT_ALLOWED: b"Method Not Allowed",
    410: b"Gone",
    LENGTH_REQUIRED: b"Length Required",
    TOO_LARGE: b"Content Too Large",
    503: b"Service Unavailable",
}


class FrameRequest(Request):
    """One request."""

    _size = 0
    _refusal = 0
    _refused = False
    _line: HttpLine | None = None
    _answered = False

    def gotLength(self, length: int | None) -> None:
        """The headers have arrived. ``length``: of the body, None for chunks."""
        self.content = BytesIO()
        channel = cast("FrameChannel", self.channel)
        method, path = channel._command, channel._path.partition(b"?")[0]
        self.notifyFinish().addErrback(self._left)
        if path != channel.factory.path:
            self._refusal = NOT_FOUND
        elif method != b"POST":
            self._refusal = METHOD_NOT_ALLOWED
        elif not length and length is not None:
            self._refusal = LENGTH_REQUIRED
        elif length is not None and length > MAX_BODY:
            self._close(TOO_LARGE)

    def handleContentChunk(self, data: bytes) -> None:
        """A part of the body has arrived."""
        self._size += len(data)
        if self._size > MAX_BODY:
            self._close(TOO_LARGE)
        elif not self._refusal:
            self.content.write(data)

    def _close(self, status: int) -> None:
        """Refuse a request that need not come to its end."""
        if self._refused:
            return
        self._refused = True
        transport: Any = cast("Any", self.channel).transport
        head = b"HTTP/1.1 %d %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % (status, _REASONS[status])
        transport.write(head)
        transport.loseConnection()

    def has_line(self, lines: HttpLines) -> bool:
        """Whether it names a line that there is."""
        named = self.requestHeaders.getRawHeaders(CHANNEL)
        return named is not None and named[0] in lines

    def process(self) -> None:
        """The request is complete."""
        if self._refused:
            return
        if self._refusal:
            if self._refusal == METHOD_NOT_ALLOWED:
                self.responseHeaders.setRawHeaders(b"Allow", [b"POST"])
            self.answer(self._refusal, b"")
            return
        channel = cast("FrameChannel", self.channel)
        named = self.requestHeaders.getRawHeaders(CHANNEL) or [""]
        if len(named) > 1:
            self.answer(400, b"two channels are named")
            return
        lines = channel.factory.lines
        line = lines.post(named[0], peer_of(channel.transport, lines.binding), self.content.getvalue(), self)
        if not self._answered:
            self._line = line

    def answer(self, status: int, body: bytes, channel: str = "") -> None:
        """See `FrameAnswer`."""
        self._answered = True
        self._line = None
        self.setResponseCode(status, _REASONS[status])
        headers = self.responseHeaders
        headers.setRawHeaders(b"Content-Length", [b"%d" % len(body)])
        headers.setRawHeaders(b"Content-Type", [_CONTENT_TYPE if status == OK else b"text/plain"])
        headers.setRawHeaders(b"Cache-Control", [b"no-store"])
        if channel:
            headers.setRawHeaders(CHANNEL.encode(), [channel.encode()])
        self.write(body)
        self.finish()

    def _left(self, _: Failure) -> None:
        """The requester has disconnected before the response was complete."""
        line, self._line = self._line, None
        if line is not None:
            self._answered = True
            line.leaves(self)


class FrameChannel(HTTPChannel):
    """One connection."""

    requestFactory = FrameRequest
    factory: FrameFactory
    _command = b""
    _path = b""

    def connectionMade(self) -> None:
        """A client has connected."""
        super().connectionMade()
        host, transport = self.factory.host, cast("Any", self.transport)
        host.stalled.watch(self, socket_transport(transport))
        if host.descriptor_guard.admits(transport):
            self.factory.arrivals.arrived(self)
        else:
            self.abort()

    def dataReceived(self, data: bytes) -> None:
        """Bytes have come."""
        self.factory.arrivals.spoke(self)
        super().dataReceived(data)

    @property
    def peer(self) -> str:
        """The client, for the log."""
        return f"HTTP client {getattr(cast('Any', self.transport).getPeer(), 'host', '')}".rstrip()

    def resetTimeout(self) -> None:
        """Something was received. Who has no line yet has `IDLE` for a whole request, however slowly it comes."""
        request = self.requests[-1] if self.requests else None
        if request is not None and request.has_line(self.factory.lines):
            super().resetTimeout()

    def flush(self) -> None:
        """Do nothing: answers are written as they come."""

    def abort(self) -> None:
        """See `LineCarrier.abort`."""
        cast("Any", self.transport).abortConnection()

    def give_up(self) -> None:
        """Abort the connection: the client does not read."""
        self.abort()

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        """The client has disconnected."""
        super().connectionLost(reason)
        self.factory.host.stalled.ends(self)
        self.factory.arrivals.left(self)


class FrameFactory(HTTPFactory):
    """An HTTP listener. ``path``: of requests."""

    protocol = FrameChannel  # type: ignore[assignment]
    noisy = False

    def __init__(self, host: EveryplaceHost, path: str, lines: HttpLines, arrivals: Arrivals) -> None:
        super().__init__(timeout=IDLE, reactor=host.reactor)
        self.host = host
        self.path = path.encode("ascii")
        self.lines = lines
        self.arrivals = arrivals

    def startFactory(self) -> None:
        """Start no access log and no clock for it."""

    def stopFactory(self) -> None:
        """Nothing to close."""

    def log(self, request: Request) -> None:
        """Write no access log."""
