"""Accepted sockets: bytes in both directions, ends and resets, as Twisted's transports have them."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from twisted.internet import tcp
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.accepted_sockets import AcceptedSocket, read_by_ourselves
from support.processes.reactor_thread import PATIENCE, ReactorThread

TIMES = 40
"""How often an answer repeats what has come: more than a socket takes at once."""
BODY = bytes(range(256)) * 100


class Repeating(Protocol):
    """Answers with what it gets, `TIMES` over; fails for one word. ``ended``: why."""

    made: list[Repeating]

    def __init__(self) -> None:
        self.made.append(self)
        self.kind: type | None = None
        self.ended: BaseException | None = None

    def connectionMade(self) -> None:
        self.kind = type(self.transport)

    def dataReceived(self, data: bytes) -> None:
        if data == b"fail":
            raise ValueError("of one connection")
        transport: Any = self.transport
        answer = data * TIMES
        taken = transport.writeSomeData(answer)
        transport.write(answer[taken if isinstance(taken, int) else 0 :])

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.ended = reason.value


class Door:
    """A port in a reactor's thread."""

    def __init__(self, thread: ReactorThread, transport: type) -> None:
        self.thread = thread
        Repeating.made = []
        factory = Factory.forProtocol(Repeating)
        factory.noisy = False
        self.port = thread.call(thread.reactor.listenTCP, 0, factory, interface="127.0.0.1")
        if transport is AcceptedSocket:
            read_by_ourselves(self.port)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port.getHost().port), PATIENCE)

    def ended(self) -> Any:
        return self.thread.until(lambda: Repeating.made and Repeating.made[0].ended, "the end")


@pytest.fixture(params=[AcceptedSocket, tcp.Server])
def door(request: pytest.FixtureRequest) -> Iterator[Door]:
    """The same door with our transports and with those of Twisted."""
    thread = ReactorThread()
    door = Door(thread, request.param)
    yield door
    thread.call(door.port.stopListening)
    thread.stop()
    assert [each.kind for each in Repeating.made if each.kind is not request.param] == []


def receive(client: socket.socket, length: int) -> bytes:
    got = bytearray()
    while len(got) < length and (data := client.recv(1 << 16)):
        got += data
    return bytes(got)


def test_bytes_come_and_go_and_the_end_is_told(door: Door) -> None:
    with door.connect() as client:
        client.sendall(b"ab")
        assert receive(client, 2 * TIMES) == b"ab" * TIMES
        client.sendall(BODY)
        assert len(receive(client, TIMES * len(BODY))) == TIMES * len(BODY)
    assert isinstance(door.ended(), ConnectionDone)


def test_a_reset_is_told(door: Door) -> None:
    client = door.connect()
    client.sendall(b"a")
    receive(client, TIMES)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    assert isinstance(door.ended(), ConnectionLost)


def test_writing_to_a_lost_connection_is_told(door: Door) -> None:
    client = door.connect()
    client.sendall(b"a")
    receive(client, TIMES)
    transport: Any = Repeating.made[0].transport
    door.thread.call(transport.stopReading)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    lost = door.thread.until(lambda: isinstance(transport.writeSomeData(b"more"), ConnectionLost))
    assert lost
    door.thread.call(transport.abortConnection)


def test_an_exception_ends_one_connection_alone(door: Door) -> None:
    with door.connect() as failing, door.connect() as other:
        other.sendall(b"a")
        assert receive(other, TIMES) == b"a" * TIMES
        failing.sendall(b"fail")
        assert receive(failing, 1) == b""
        other.sendall(b"b")
        assert receive(other, TIMES) == b"b" * TIMES
    assert [each for each in Repeating.made if isinstance(each.ended, ValueError)]


def test_a_port_of_another_kind_keeps_its_transport() -> None:
    class Port:
        transport = Repeating

    port = Port()
    read_by_ourselves(port)
    assert port.transport is Repeating
