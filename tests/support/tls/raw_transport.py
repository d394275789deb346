"""A socket's transport without a socket, for what stands between it and a protocol."""

from __future__ import annotations

from typing import Any

from twisted.internet.error import ConnectionAborted, ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure


class RawTransport(StringTransport):
    """Twisted's StringTransport with what those of sockets have besides: the kernel takes ``room`` bytes at once, and
    what is written beyond that when `kernel_takes` is called. ``happened``: closings, in order."""

    def __init__(self, room: int = 1 << 30) -> None:
        super().__init__()
        self.room = room
        self.queued = bytearray()
        self.happened: list[str] = []
        self.protocol: Any = None

    def writeSomeData(self, data: bytes) -> int | Exception:
        assert not self.queued, "overtaken"
        if self.room < 0:
            return ConnectionResetError()
        part = data[: self.room]
        self.room -= len(part)
        super().write(part)
        return len(part)

    def write(self, data: bytes) -> None:
        self.queued += data

    def taken(self) -> bytes:
        """What the kernel has taken since the last call."""
        found = self.value()
        self.clear()
        return found

    def kernel_takes(self, room: int = 1 << 30) -> None:
        """The kernel takes everything, and ``room`` bytes more later; then a producer may write, or the socket is
        closed."""
        super().write(bytes(self.queued))
        self.queued.clear()
        self.room = room
        if self.producer is not None:
            self.producer.resumeProducing()
        elif self.disconnecting:
            self.lost()

    def lost(self, reason: BaseException | None = None) -> None:
        """The socket is closed."""
        producer, self.producer = self.producer, None
        if producer is not None:
            producer.stopProducing()
        self.connected = False
        self.protocol.connectionLost(Failure(reason or ConnectionDone()))

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        super().registerProducer(producer, streaming)
        if not streaming:
            producer.resumeProducing()

    def loseConnection(self) -> None:
        self.happened.append("closed")
        super().loseConnection()

    def loseWriteConnection(self) -> None:
        self.happened.append("half closed")

    def abortConnection(self) -> None:
        self.happened.append("aborted")

    def aborts(self) -> None:
        """The reactor comes to an abort."""
        assert self.happened[-1] == "aborted"
        self.lost(ConnectionAborted())
