"""What is written goes to the socket at once; long messages neither nest calls nor keep other connections waiting."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.task import Clock

from mqbridge.bridge.endpoints.channel_protocol import TURN, WRITE_SIZE, ChannelProtocol
from mqbridge.bridge.endpoints.stalled_partners import StalledPartners
from mqbridge.bridge.endpoints.tap import NullTap

PIECES = 2000
"""Writes of a message; more than calls may nest."""


class Transport:
    """Takes up to ``room`` bytes at once, and what is written then when the reactor comes to it."""

    def __init__(self, room: int) -> None:
        self.room = self.left = room
        self.waiting = self.taken = 0
        self.producer: Any = None

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        assert not streaming
        self.producer = producer
        producer.resumeProducing()

    def getPeer(self) -> Any:
        return SimpleNamespace(host="127.0.0.1", port=1414)

    getHost = getPeer

    def setTcpNoDelay(self, on: bool) -> None: ...

    def setTcpKeepAlive(self, on: bool) -> None: ...

    def writeSomeData(self, data: bytes) -> int | Exception:
        assert not self.waiting, "overtaken"
        if self.room < 0:
            return ConnectionResetError()
        part = min(len(data), self.left)
        self.left -= part
        self.taken += part
        return part

    def write(self, data: bytes) -> None:
        self.waiting += len(data)

    def reactor_comes(self) -> None:
        self.taken += self.waiting
        self.waiting, self.left = 0, self.room
        self.producer.resumeProducing()


class Connection:
    """Has a long message to send."""

    def __init__(self) -> None:
        self.left = PIECES
        self.wants_to_send = self.paused = self.reads_while_stalled = False

    def data_to_send(self, limit: int) -> list[bytes]:
        self.left -= 1
        return [bytes(limit)] if self.left >= 0 else []

    def stalls(self) -> None: ...

    def writable(self, now: float) -> None: ...

    def lost(self, now: float) -> None: ...


def connected(room: int = 0, transport: Any = None) -> tuple[ChannelProtocol, Any, Clock]:
    clock, connection, transport = Clock(), Connection(), transport or Transport(room)
    stalled = StalledPartners(Clock(), lambda reader, seconds: 60.0)
    driver = SimpleNamespace(
        protocols={},
        now=clock.seconds,
        pump=lambda: None,
        tap=NullTap(),
        reactor=clock,
        stalled=stalled,
        descriptor_guard=SimpleNamespace(admits=lambda transport: True),
    )
    protocol = ChannelProtocol(driver, lambda *_: connection, called=True)  # type: ignore[arg-type]
    protocol.makeConnection(transport)  # type: ignore[arg-type]
    return protocol, transport, clock


def test_a_long_message_goes_out_in_turns_of_the_reactor() -> None:
    _, transport, clock = connected(room=1 << 40)
    assert transport.taken == TURN
    others: list[int] = []

    def other() -> None:
        others.append(transport.taken)
        if clock.getDelayedCalls():
            clock.callLater(0, other)

    clock.callLater(0, other)
    clock.advance(0)
    assert transport.taken == PIECES * WRITE_SIZE
    assert max(later - earlier for earlier, later in pairwise(others)) <= TURN


@pytest.mark.parametrize("room", [0, 1, WRITE_SIZE, 3 * WRITE_SIZE + 7])
def test_what_the_socket_does_not_take_waits_for_it(room: int) -> None:
    protocol, transport, clock = connected(room)
    protocol.flush(0.0)
    rounds = 0
    while transport.waiting or clock.getDelayedCalls():
        protocol.flush(0.0)
        clock.advance(0)
        if transport.waiting:
            transport.reactor_comes()
        rounds += 1
    assert transport.taken == PIECES * WRITE_SIZE
    assert rounds > 100


class Wrapping:
    """A transport around another, as that of TLS is: what its class has not comes from the one inside."""

    def __init__(self, inside: Transport) -> None:
        self.inside = inside
        self.written = b""
        self.closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def getPeer(self) -> Any:
        return self.inside.getPeer()

    getHost = getPeer

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        self.inside.producer = producer

    def unregisterProducer(self) -> None: ...

    def write(self, data: bytes) -> None:
        self.written += data

    def loseConnection(self) -> None:
        self.closed = True

    abortConnection = loseConnection


def test_nothing_goes_past_a_transport_that_wraps_another() -> None:
    """Its socket would take readable what TLS is to encrypt."""
    inside = Transport(room=1 << 40)
    for name in ("setTcpNoDelay", "setTcpKeepAlive", "writeSomeData"):
        setattr(inside, name, lambda *_, name=name: pytest.fail(f"{name} of the socket was called"))
    wrapping = Wrapping(inside)
    protocol, _, clock = connected(transport=wrapping)
    for _ in range(3):
        inside.producer.resumeProducing()
        clock.advance(0)
    assert len(wrapping.written) == 3 * WRITE_SIZE
    protocol.close(abort=False)
    assert wrapping.closed


def test_the_end_of_the_connection_ends_the_turns() -> None:
    protocol, _, clock = connected(room=1 << 40)
    assert clock.getDelayedCalls()
    protocol.connectionLost()
    assert not clock.getDelayedCalls()


def test_a_connection_that_is_lost_is_left_to_the_reactor() -> None:
    _, transport, _ = connected(room=-1)
    assert transport.waiting == WRITE_SIZE


def test_no_bytes_are_no_end() -> None:
    protocol, _, _ = connected()
    protocol.connection.conversation = None  # type: ignore[assignment, union-attr]  # nothing is asked of it
    protocol.dataReceived(b"")
    assert protocol.connection is not None
