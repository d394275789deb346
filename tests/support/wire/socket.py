"""A blocking socket for a `wire.program.WireProgram`."""

from __future__ import annotations

import socket
from collections import deque
from typing import Any, TypeVar

from mqbridge.protocol.framing import Segment, SegmentReader
from support.wire.program import Exchange, Gone, WireProgram

T = TypeVar("T")
PATIENCE = 60.0
LONGEST_SEGMENT = 1 << 20


class SocketLine:
    """One connection to a listener on this machine. Raises `Gone` or `OSError` where it breaks."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = SegmentReader(LONGEST_SEGMENT)
        self._came: deque[Segment] = deque()

    def perform(self, call: Exchange[T]) -> T:
        """What a call gives."""
        try:
            data = next(call)
            while True:
                if data:
                    self.socket.sendall(data)
                data = call.send(self.next())
        except StopIteration as end:
            result: T = end.value
            return result

    def next(self) -> Segment:
        while not self._came:
            data = self.socket.recv(1 << 16)
            if not data:
                raise Gone("the connection has ended")
            self._came.extend(self._reader.feed(data))
        return self._came.popleft()

    def close(self) -> None:
        self.socket.close()


def enter(port: int, **values: Any) -> tuple[SocketLine, WireProgram]:
    """A program connects."""
    line, program = SocketLine(port), WireProgram(**values)
    try:
        line.perform(program.connect())
    except BaseException:
        line.close()
        raise
    return line, program
