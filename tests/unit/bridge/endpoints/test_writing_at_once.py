"""A transport that takes everything at once: long messages neither nest calls nor keep other connections waiting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from bridge.endpoints.channel_protocol import WRITE_SIZE, ChannelProtocol

PIECES = 2000
"""Writes of a message; more than calls may nest."""


class Transport:
    """Takes what is written whenever it is asked to write, and then asks its producer for more."""

    def __init__(self) -> None:
        self.waiting = self.taken = 0
        self.producer: Any = None

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        del streaming
        self.producer = producer

    def getPeer(self) -> Any:
        return SimpleNamespace(host="127.0.0.1", port=1414)

    def setTcpNoDelay(self, on: bool) -> None: ...

    def setTcpKeepAlive(self, on: bool) -> None: ...

    def write(self, data: bytes) -> None:
        self.waiting += len(data)
        self.producer.pauseProducing()

    def doWrite(self) -> None:
        self.taken += self.waiting
        self.waiting = 0
        self.producer.resumeProducing()


class Connection:
    """Has a long message to send."""

    def __init__(self) -> None:
        self.left = PIECES
        self.paused = False

    def data_to_send(self, limit: int) -> list[bytes]:
        self.left -= 1
        return [bytes(limit)] if self.left >= 0 else []

    def writable(self, now: float) -> None: ...


def test_a_long_message_goes_out_in_turns_of_the_reactor() -> None:
    connection, transport = Connection(), Transport()
    nothing = SimpleNamespace(protocols={}, now=lambda: 0.0, pump=lambda: None, sent=lambda *_: None)
    protocol = ChannelProtocol(nothing, lambda *_: connection)  # type: ignore[arg-type]
    protocol.makeConnection(transport)  # type: ignore[arg-type]
    protocol.flush()
    turns = 0
    while transport.waiting:
        before = transport.taken
        transport.doWrite()
        turns += 1
        assert transport.taken - before <= 2 * WRITE_SIZE
    assert transport.taken == PIECES * WRITE_SIZE
    assert turns > PIECES // 3
