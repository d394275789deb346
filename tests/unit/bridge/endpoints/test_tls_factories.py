"""Any protocol inside TLS: accepting, connecting, and responses over HTTP that wait until they are taken."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint
from twisted.internet.error import ConnectionRefusedError as Refused
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, Request

from mqbridge.bridge.admin.response_stream import ResponseStream
from mqbridge.bridge.endpoints.tls_factories import TlsServerFactory, connect_tls
from mqbridge.bridge.endpoints.tls_sessions import NoTls
from mqbridge.bridge.tls import TlsContexts, TlsError
from support.channels.socket_partner import PATIENCE, SocketListener
from support.processes.ports import free_port
from support.processes.reactor_thread import ReactorThread
from support.tls.endpoints import Estate, tls_socket
from support.tls.sessions import offer, repository

MIB = 1 << 20
LONG = 16 * MIB
"""More than the system takes ahead for a connection."""


class Echo(Protocol):
    """Says everything again, and notes its end."""

    def __init__(self) -> None:
        self.got = b""
        self.reason: Failure | None = None

    def dataReceived(self, data: bytes) -> None:
        self.got += data
        self.transport.write(data)  # type: ignore[union-attr]

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        self.reason = reason


class Silent(Echo):
    """Says one word."""

    def connectionMade(self) -> None:
        self.transport.write(b"hello")  # type: ignore[union-attr]

    def dataReceived(self, data: bytes) -> None:
        self.got += data


class Doors:
    """A reactor, and the keys of both ends."""

    def __init__(self, folder: Path) -> None:
        self.estate = Estate(folder)
        self.server: TlsContexts = self.estate.contexts()
        self.client: TlsContexts = repository(folder / "client", self.estate.authority)
        self.thread = ReactorThread()
        self.reactor = self.thread.reactor
        self.made: list[Any] = []
        self._ports: list[Any] = []

    def kept(self, protocol: Callable[[], Any]) -> Factory:
        """A factory whose protocols are in ``made``."""

        def make() -> Any:
            self.made.append(protocol())
            return self.made[-1]

        return Factory.forProtocol(make)

    def open(self, upper: Any, make_session: Any = None, **options: Any) -> int:
        """Listen for connections inside TLS; the port."""
        factory: Any = TlsServerFactory(
            self.reactor, upper, make_session or (lambda: self.server.serve(offer())), **options
        )
        return self.listen(factory)

    def listen(self, factory: Any) -> int:
        port = self.thread.call(TCP4ServerEndpoint(self.reactor, 0, interface="127.0.0.1").listen, factory)
        self._ports.append(port)
        return int(port.getHost().port)

    def call(self, port: int, timeout: float = PATIENCE, make_session: Any = None) -> Deferred[Any]:
        """Begin to connect."""
        endpoint = TCP4ClientEndpoint(self.reactor, "127.0.0.1", port)
        session = make_session or (lambda: self.client.call(offer()))
        started: list[Deferred[Any]] = []

        def start() -> None:
            started.append(connect_tls(self.reactor, endpoint, self.kept(Silent), session, timeout))
            started[0].addErrback(lambda failure: failure)

        self.thread.call(start)
        return started[0]

    def outcome(self, connecting: Deferred[Any]) -> Any:
        """What connecting comes to."""
        return self.thread.call(lambda: connecting)

    def close(self) -> None:
        for port in self._ports:
            self.thread.call(port.stopListening)
        for protocol in self.made:
            self.thread.call(lambda end=protocol: end.transport and end.transport.abortConnection())
        self.thread.stop()


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    made = Doors(tmp_path)
    yield made
    made.close()


def test_two_protocols_speak_inside_tls(doors: Doors) -> None:
    port = doors.open(doors.kept(Echo))
    client = doors.outcome(doors.call(port))
    doors.thread.until(lambda: client.got, "the echo")
    server = doors.made[0]
    assert (client.got, server.got) == (b"hello", b"hello")
    assert client.transport.agreed.cipher_spec == server.transport.agreed.cipher_spec
    doors.thread.call(client.transport.loseConnection)
    doors.thread.until(lambda: None not in (client.reason, server.reason), "both ends")
    assert "cleanly" in client.reason.getErrorMessage()
    assert "cleanly" in server.reason.getErrorMessage()


def test_the_upper_factory_starts_and_stops_with_the_listener(doors: Doors) -> None:
    told = []
    upper = doors.kept(Echo)
    upper.startFactory, upper.stopFactory = lambda: told.append("start"), lambda: told.append("stop")  # type: ignore[method-assign]
    factory: Any = TlsServerFactory(doors.reactor, upper, lambda: doors.server.serve(offer()))
    port = doors.thread.call(TCP4ServerEndpoint(doors.reactor, 0, interface="127.0.0.1").listen, factory)
    assert told == ["start"]
    doors.thread.call(port.stopListening)
    assert told == ["start", "stop"]


@pytest.mark.parametrize("first", [b"", b"\x16", b"GET / HTTP/1.1\r\n"])
def test_each_kind_of_first_bytes_ends_without_a_plain_answer(doors: Doors, first: bytes) -> None:
    port = doors.open(doors.kept(Silent), timeout=0.3)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as plain:
        plain.sendall(first)
        seen = b""
        with suppress(ConnectionResetError):
            while piece := plain.recv(65536):
                seen += piece
    doors.thread.until(lambda: doors.made and doors.made[0].reason is not None, "the end")
    assert b"hello" not in seen
    if first.startswith(b"GET"):
        assert "speaks HTTP" in doors.made[0].reason.getErrorMessage()
        assert seen == b""


def test_a_listener_that_has_lost_its_certificate_answers_with_an_alert(doors: Doors) -> None:
    port = doors.open(doors.kept(Silent), lambda: NoTls().call(offer()))
    with pytest.raises(ssl.SSLError, match=r"(?i)handshake.failure"):
        tls_socket(port, doors.estate.client())
    doors.thread.until(lambda: doors.made[0].reason is not None, "the end")
    assert isinstance(doors.made[0].reason.value, TlsError)


def test_a_factory_that_makes_nothing_closes_the_connection(doors: Doors) -> None:
    upper = doors.kept(Echo)
    upper.buildProtocol = lambda addr: None  # type: ignore[method-assign]
    port = doors.open(upper)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as plain:
        assert plain.recv(1) == b""


def test_an_attempt_fails_with_what_connecting_raises(doors: Doors) -> None:
    with pytest.raises(Refused):
        doors.outcome(doors.call(free_port()))


def test_an_attempt_without_a_session_does_not_connect(doors: Doors) -> None:
    with SocketListener() as listener:
        with pytest.raises(TlsError):
            doors.outcome(doors.call(listener.port, make_session=lambda: NoTls().call(offer())))
        listener.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_an_attempt_fails_with_the_error_of_tls(doors: Doors, tmp_path: Path) -> None:
    others = Estate(tmp_path / "others", "O=Others,CN=Authority").contexts()
    port = doors.open(doors.kept(Echo), lambda: others.serve(offer()))
    with pytest.raises(TlsError, match="authority"):
        doors.outcome(doors.call(port))


def test_an_attempt_is_limited_in_time(doors: Doors) -> None:
    with SocketListener() as listener:
        connecting = doors.call(listener.port, timeout=0.2)
        plain, _ = listener.socket.accept()
        with plain:
            with pytest.raises(ConnectTimeout, match="TLS was not agreed"):
                doors.outcome(connecting)
            plain.settimeout(PATIENCE)
            with suppress(ConnectionResetError):
                while plain.recv(65536):
                    pass


@pytest.mark.parametrize("reached", [False, True])
def test_an_attempt_can_be_cancelled(doors: Doors, reached: bool) -> None:
    with SocketListener() as listener:
        connecting = doors.call(listener.port)
        if reached:
            plain, _ = listener.socket.accept()
            plain.settimeout(PATIENCE)
            plain.recv(1)
        doors.thread.call(connecting.cancel)
        with pytest.raises(CancelledError):
            doors.outcome(connecting)
        if reached:
            with suppress(ConnectionResetError):
                while plain.recv(65536):
                    pass
            plain.close()


# Responses over HTTP


class LongAnswer(Request):
    """Answers at length, and notes when everything was taken."""

    taken: list[bool]

    def process(self) -> None:
        Deferred.fromCoroutine(self._answer())

    async def _answer(self) -> None:
        stream = ResponseStream(SimpleNamespace(request=self, gone=False))
        for _ in range(LONG // MIB):
            stream.write(bytes(MIB))
        self.taken.append(await stream.taken())
        stream.finish()


def http_factory(doors: Doors, taken: list[bool]) -> HTTPFactory:
    class Answer(LongAnswer):
        pass

    class Channel(HTTPChannel):
        requestFactory = Answer

    Answer.taken = taken
    factory: HTTPFactory = HTTPFactory(reactor=doors.reactor)
    factory.protocol = Channel  # type: ignore[assignment]
    factory.log = lambda request: None  # type: ignore[method-assign]
    factory.startFactory = factory.stopFactory = lambda: None  # type: ignore[method-assign]
    return factory


@pytest.mark.parametrize("end", ["read", "RST"])
@pytest.mark.parametrize("tls", [False, True])
def test_a_response_waits_until_the_kernel_has_taken_it(doors: Doors, tls: bool, end: str) -> None:
    taken: list[bool] = []
    factory = http_factory(doors, taken)
    port = doors.open(factory) if tls else doors.listen(factory)
    plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
    client = doors.estate.client().wrap_socket(plain) if tls else plain
    with client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert client.recv(1) == b"H"
        doors.thread.settled(lambda: len(taken))
        assert taken == []
        if end == "read":
            length = 1
            while piece := client.recv(MIB):
                length += len(piece)
            assert length > LONG
        else:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    doors.thread.until(lambda: taken, "the answer's end")
    assert taken == [end == "read"]
