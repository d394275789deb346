"""Requests of a gateway that calls over HTTP: one after the other, on a connection that is kept if it can be."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from twisted.internet import protocol
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.addresses import send_at_once
from mqbridge.bridge.tls import TlsError
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.http_answers import Answer, AnswerReader
from mqbridge.protocol.everyplace.http_requests import MAX_TRIES, HttpRequests

Connect = Callable[[Factory], "Deferred[Any]"]


class HttpPosts:
    """Requests over one connection at a time.

    ``wait``: seconds for an answer. ``channel``: returns the id of the line. ``answered``: gets answers. ``failed``: is
    told once why no more come.
    """

    def __init__(
        self,
        reactor: Any,
        connect: Connect,
        requests: HttpRequests,
        wait: float,
        channel: Callable[[], str],
        answered: Callable[[Answer], None],
        failed: Callable[[EveryplaceError], None],
    ) -> None:
        self._reactor = reactor
        self._connect = connect
        self._requests = requests
        self._wait = wait
        self._channel = channel
        self._answered = answered
        self._failed = failed
        self._waiting: deque[bytes] = deque()
        self._sent: bytes | None = None
        self._tries = 0
        self._kept: _Kept | None = None
        self._connecting: Deferred[Any] | None = None
        self._timer: Any = None
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether nothing is asked."""
        return self._sent is None and not self._waiting

    def open(self) -> Deferred[Any]:
        """Connect. Returns a Deferred of the transport; it fails with what connecting raises."""
        return self._dial().addCallback(lambda kept: kept.transport)

    def post(self, frame: bytes) -> None:
        """Send a frame when those before it are answered."""
        self._waiting.append(frame)
        self._go_on()

    def close(self) -> None:
        """End all; nothing is told any more."""
        self._closed = True
        self._waiting.clear()
        self._end_timer()
        connecting, self._connecting = self._connecting, None
        if connecting is not None:
            connecting.cancel()
        self._drop()

    def _go_on(self) -> None:
        if self._sent is None and self._waiting and not self._closed:
            self._sent, self._tries = self._waiting.popleft(), 0
            self._send()

    def _send(self) -> None:
        if self._kept is None:
            self._dial().addCallbacks(lambda _: self._send(), self._not_connected)
            return
        if self._closed or self._sent is None:
            return
        self._tries += 1
        try:
            if self._tries > MAX_TRIES:
                raise self._requests.too_often()
            request = self._requests.post(self._sent, self._channel())
        except EveryplaceError as error:
            self._fail(error)
            return
        self._timer = self._reactor.callLater(self._wait, self._silent)
        self._kept.ask(request)

    def _silent(self) -> None:
        self._timer = None
        self._fail(EveryplaceError(Code.ADAPTER_EXCEPTION, f"nothing came within {self._wait:.0f} s"))

    def _dial(self) -> Deferred[Any]:
        factory = Factory.forProtocol(lambda: _Kept(self))
        factory.noisy = False
        self._connecting = self._connect(factory)
        return self._connecting.addBoth(self._dialled)

    def _dialled(self, outcome: Any) -> Any:
        self._connecting = None
        if isinstance(outcome, _Kept):
            self._kept = outcome
            if self._closed:
                self._drop()
        return outcome

    def _not_connected(self, failure: Failure) -> None:
        self._fail(as_everyplace(failure))

    def answer(self, answer: Answer) -> None:
        """An answer has come."""
        self._end_timer()
        if not self._requests.keeps(answer):
            self._drop()
        try:
            done = self._requests.answered(answer)
        except EveryplaceError as error:
            self._fail(error)
            return
        if not done:
            self._send()
            return
        self._sent = None
        self._answered(answer)
        self._go_on()

    def lost(self, kept: _Kept, error: EveryplaceError) -> None:
        """A connection is closed; while something is asked, that is a failure."""
        if kept is self._kept:
            self._kept = None
            if self._timer is not None:
                self._fail(error)

    def _fail(self, error: EveryplaceError) -> None:
        if not self._closed:
            self.close()
            self._failed(error)

    def _drop(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.abort()

    def _end_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()


class _Kept(protocol.Protocol):
    """One connection."""

    def __init__(self, posts: HttpPosts) -> None:
        self._posts = posts
        self._reader: AnswerReader | None = None

    def connectionMade(self) -> None:
        """It is there."""
        send_at_once(self.transport)

    def ask(self, request: bytes) -> None:
        """Send a request."""
        self._reader = AnswerReader()
        self.transport.write(request)  # type: ignore[union-attr]

    def dataReceived(self, data: bytes) -> None:
        """A part of an answer has come, or what nobody has asked for."""
        self._read(data)

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """It is closed, which may be the end of an answer."""
        if self._reader is not None:
            self._read(b"")
        self._posts.lost(self, EveryplaceError(Code.ADAPTER_EXCEPTION, reason.getErrorMessage()))

    def _read(self, data: bytes) -> None:
        reader = self._reader
        if reader is None:
            self.abort()
            return
        try:
            answer = reader.receive(data)
        except EveryplaceError as error:
            self._reader = None
            self._posts.lost(self, error)
            self.abort()
            return
        if answer is not None:
            self._reader = None
            self._posts.answer(answer)

    def abort(self) -> None:
        """Close it."""
        self._reader = None
        self.transport.abortConnection()  # type: ignore[union-attr]


def as_everyplace(failure: Failure) -> EveryplaceError:
    """Return what has failed as an error of Everyplace."""
    if isinstance(failure.value, EveryplaceError):
        return failure.value
    code = Code.AUTHENTICATE if failure.check(TlsError) else Code.ADAPTER_EXCEPTION
    return EveryplaceError(code, failure.getErrorMessage())
