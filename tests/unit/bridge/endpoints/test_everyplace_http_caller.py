"""A line of a gateway that calls over HTTP: requests in order, answers in pieces, and what ends it."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.everyplace.http_caller import TIMEOUT, HttpCaller
from mqbridge.bridge.endpoints.everyplace.places import Values
from mqbridge.bridge.endpoints.everyplace.tunnels import Tunnels
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.http_requests import WAIT, HttpRequests


class Place(NamedTuple):
    host: str
    port: int
    path: str
    properties: Values
    ask: None = None


class Wire(StringTransport):
    """A connection whose end is seen by its protocol."""

    protocol: Any = None

    def abortConnection(self) -> None:
        self.disconnected = True

    def setTcpNoDelay(self, on: bool) -> None: ...

    def setTcpKeepAlive(self, on: bool) -> None: ...

    def said(self) -> bytes:
        found = self.value()
        self.clear()
        return found


class Line:
    """A line with output. ``ended``: it closes."""

    def __init__(self) -> None:
        self.out = b""
        self.ended = False

    def take(self) -> bytes:
        found, self.out = self.out, b""
        return found


class Scene:
    """HttpCaller between a line and transports."""

    def __init__(self) -> None:
        self.reactor = Clock()
        self.line = Line()
        self.wires: list[Wire] = []
        self.got: list[bytes] = []
        self.cuts = 0
        self.errors: list[EveryplaceError] = []
        requests = HttpRequests(Place("zen", 8081, "", Values({})), secured=False)
        self.caller = HttpCaller(
            cast("Any", self), self.connect, requests, lambda carrier, transport: cast("Any", self.line)
        )

    def connect(self, factory: Any) -> Deferred[Any]:
        protocol = factory.buildProtocol(None)
        self.wires.append(Wire())
        self.wires[-1].protocol = protocol
        protocol.makeConnection(self.wires[-1])
        return succeed(protocol)

    def received(self, line: object, data: bytes) -> None:
        self.got.append(data)

    def cut(self, line: object) -> None:
        self.cuts += 1

    def broken(self, line: object, error: EveryplaceError) -> None:
        self.errors.append(error)

    def send(self, *frames: Frame) -> None:
        self.line.out += b"".join(each.encode() for each in frames)
        self.caller.flush()

    def answer(self, data: bytes, wire: int = 0) -> None:
        self.wires[wire].protocol.dataReceived(data)


@pytest.fixture
def scene() -> Scene:
    found = Scene()
    found.caller.open()
    return found


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


HELLO, PROOF, PULL, CLOSE = (
    Frame(kind, number + 1) for number, kind in enumerate((Kind.HELLO, Kind.PROOF, Kind.PULL, Kind.CLOSE))
)
READY = Frame(Kind.READY, 1).encode()


@pytest.mark.spec("E-302", "E-303", "E-304")
def test_a_frame_goes_when_the_one_before_is_answered_and_a_pull_by_itself(scene: Scene) -> None:
    scene.send(HELLO, PROOF)
    first = scene.wires[0].said()
    assert first.endswith(HELLO.encode())
    assert b"MQe-Channel" not in first
    whole = response(READY, "MQe-Channel: a1")
    for each in (whole[:10], whole[10:-3], whole[-3:]):
        assert scene.got == []
        scene.answer(each)
    assert scene.got == [READY]
    second = scene.wires[0].said()
    assert b"MQe-Channel: a1\r\n" in second
    assert second.endswith(PROOF.encode())
    scene.send(PULL)
    assert scene.wires[1].said().endswith(PULL.encode())
    scene.reactor.advance(TIMEOUT - 1)
    scene.answer(response(READY))
    scene.reactor.advance(WAIT - TIMEOUT)
    assert scene.errors == []
    scene.answer(response(b""), wire=1)
    assert scene.got == [READY, READY]


@pytest.mark.spec("E-304")
def test_a_connection_that_is_not_kept_is_made_anew(scene: Scene) -> None:
    scene.send(HELLO)
    scene.answer(response(READY, "Connection: close"))
    assert scene.wires[0].disconnected
    scene.send(PROOF)
    assert scene.wires[1].said().endswith(PROOF.encode())
    scene.answer(response(READY), wire=1)
    scene.wires[1].protocol.connectionLost(Failure(ConnectionDone()))
    scene.send(PROOF)
    assert scene.wires[2].said().endswith(PROOF.encode())
    assert scene.errors == []


@pytest.mark.spec("E-484", "E-571")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (response(b"", status="401 No"), Code.AUTHENTICATE),
        (response(b"", status="410 Gone"), Code.ADAPTER_EXCEPTION),
        (b"SSH-2.0\r\n\r\n", Code.DATA),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", Code.TOO_LONG),
        (response(READY, f"MQe-Channel: {'x' * 201}"), Code.CHNL_ID),
        (None, Code.ADAPTER_EXCEPTION),
    ],
)
def test_what_ends_a_line_is_told_once(scene: Scene, data: bytes | None, code: Code) -> None:
    scene.send(HELLO, PROOF)
    if data is None:
        scene.reactor.advance(TIMEOUT)
    else:
        scene.answer(data)
    assert [each.code for each in scene.errors] == [code]
    assert scene.got == []
    assert scene.wires[0].disconnected
    assert scene.cuts == 0
    assert not scene.reactor.getDelayedCalls()


def test_a_connection_that_is_cut_within_an_answer_ends_the_line(scene: Scene) -> None:
    scene.send(HELLO)
    scene.answer(response(READY)[:-1])
    scene.wires[0].protocol.connectionLost(Failure(ConnectionDone()))
    assert [each.code for each in scene.errors] == [Code.ADAPTER_EXCEPTION]


def test_the_last_frame_is_sent_and_everything_is_given_back(scene: Scene) -> None:
    scene.send(PULL)
    scene.line.ended = True
    scene.send(CLOSE)
    assert scene.wires[0].said().endswith(CLOSE.encode())
    assert scene.cuts == 0
    scene.answer(response(b""))
    assert scene.cuts == 1
    assert all(each.disconnected for each in scene.wires)
    assert not scene.reactor.getDelayedCalls()
    scene.caller.abort()
    assert scene.cuts == 1


def test_an_end_that_does_not_answer_the_last_frame_is_not_waited_for(scene: Scene) -> None:
    scene.line.ended = True
    scene.send(CLOSE)
    scene.reactor.advance(TIMEOUT)
    assert (scene.cuts, scene.errors) == (1, [])


class Proxies:
    """A Twisted endpoint of a proxy."""

    def __init__(self) -> None:
        self.wires: list[Wire] = []
        self.error: Exception | None = None

    def connect(self, factory: Any) -> Deferred[Any]:
        if self.error is not None:
            return fail(self.error)
        protocol = factory.buildProtocol(None)
        self.wires.append(Wire())
        self.wires[-1].protocol = protocol
        protocol.makeConnection(self.wires[-1])
        return succeed(protocol)


class Upper:
    """What goes through a tunnel."""

    transport: Any = None

    def makeConnection(self, transport: object) -> None:
        self.transport = transport

    def buildProtocol(self, address: object) -> Upper:
        return self


def tunnel(proxies: Proxies, **values: str) -> tuple[Upper, list[Any]]:
    upper: Upper = Upper()
    requests = HttpRequests(Place("zen", 8081, "", Values({"proxy": "proxy"} | values)), secured=True)
    found: list[Any] = []
    Tunnels(proxies, requests).connect(upper).addBoth(found.append)
    return upper, found


@pytest.mark.spec("E-308", "E-487")
def test_a_tunnel_is_handed_over_when_the_proxy_has_made_it() -> None:
    proxies = Proxies()
    upper, found = tunnel(proxies, proxy="http://sun:light@proxy", clear_passwords="yes", wait_for_challenge="yes")
    assert proxies.wires[0].said().startswith(b"CONNECT zen:8081 HTTP/1.1\r\n")
    proxies.wires[0].protocol.dataReceived(response(b"who?", status="407 Who"))
    assert proxies.wires[0].disconnected
    assert b"Proxy-Authorization: Basic" in proxies.wires[1].said()
    proxies.wires[1].protocol.dataReceived(b"HTTP/1.1 200 Yes\r\n")
    assert found == []
    proxies.wires[1].protocol.dataReceived(b"\r\n")
    assert found == [upper]
    assert upper.transport is proxies.wires[1]
    assert proxies.wires[1].protocol is upper


@pytest.mark.spec("E-484")
def test_a_proxy_that_makes_no_tunnel() -> None:
    for data, code in (
        (b"HTTP/1.0 407 Who\r\n\r\n", Code.AUTHENTICATE),
        (b"HTTP/1.0 503 No\r\n\r\n", Code.ADAPTER_EXCEPTION),
    ):
        proxies = Proxies()
        _, found = tunnel(proxies)
        proxies.wires[0].protocol.dataReceived(data)
        proxies.wires[0].protocol.connectionLost(Failure(ConnectionDone()))
        assert [each.value.code for each in found] == [code]
    proxies = Proxies()
    proxies.error = OSError("no route")
    _, found = tunnel(proxies)
    assert [type(each.value) for each in found] == [OSError]
