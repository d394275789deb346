"""A line between two queue managers that can be cut: a TCP proxy that keeps a capture of what passes."""

from __future__ import annotations

import contextlib
import enum
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from wire_watch import Batches, ConnectionWatch

from mqbridge.captures import Direction, Endpoint
from mqbridge.captures.recording.recorder import ConnectionRecorder, Recorder

READ_SIZE = 65536
SHORT = 200
"""Bytes that may be less than a message."""
LOCAL = "127.0.0.1"
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that makes a close a cut: what was not sent yet is thrown away."""


class Cut(enum.Enum):
    """Where a line is cut."""

    ANYWHERE = "somewhere in a message"
    QUESTION = "before the question whether a batch has arrived got through"
    ANSWER = "before the answer that a batch has arrived got through"


class Capture:
    """Keeps what passes on all lines: the first segments of every connection in one pcap file, everything in another.

    What takes everything may be a pipe; when nobody reads it any more, it gets no more.
    """

    def __init__(self, first: BinaryIO, first_segments: int, everything: BinaryIO) -> None:
        self.lock = threading.Lock()
        self._first = Recorder(first, first_segments=first_segments)
        self._everything = Recorder(everything)

    def connection(self, initiator: Endpoint, responder: Endpoint) -> Record:
        """Begins the record of a connection; what is recorded is recorded under the lock."""
        with self.lock:
            now = time.time()
            return Record([each.connect(initiator, responder, now) for each in (self._first, self._everything)])


class Record:
    """One connection in both captures."""

    def __init__(self, records: list[ConnectionRecorder]) -> None:
        self._records = records

    @property
    def closed(self) -> bool:
        """Whether both ends have closed it."""
        return self._records[0].closed

    def send(self, direction: Direction, data: bytes) -> None:
        """Bytes of one end."""
        self._tell(lambda record: record.send(direction, data, time.time()))

    def close(self, direction: Direction) -> None:
        """One end has said everything."""
        self._tell(lambda record: record.close(direction, time.time()))

    def reset(self, direction: Direction) -> None:
        """It was broken off."""
        self._tell(lambda record: record.reset(direction, time.time()))

    def _tell(self, tell: Callable[[ConnectionRecorder], None]) -> None:
        tell(self._records[0])
        for record in self._records[1:]:
            try:
                tell(record)
            except OSError:  # nobody reads it any more
                del self._records[1:]


class Line:
    """Passes on what the sender of one channel and the receiver at the other end say.

    ``target`` gives the port that the far queue manager listens on, None while it is dead. ``capture`` keeps the
    beginning of every connection. ``was_cut`` is told of every cut.
    """

    def __init__(
        self,
        channel: str,
        target: Callable[[], int | None],
        capture: Capture,
        was_cut: Callable[[str, Cut], None] = lambda *_: None,
    ) -> None:
        self.channel = channel
        self.batches = Batches()
        self.capture = capture
        self.was_cut = was_cut
        self.planned: Cut | None = None
        self.cuts = 0
        self._target = target
        self._connections: set[Connection] = set()
        self._listener = socket.create_server((LOCAL, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name=channel, daemon=True).start()

    def cut(self, where: Cut) -> None:
        """Cuts as soon as it comes to that."""
        self.planned = where

    def close(self) -> None:
        """Ends the line and its connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._connections):
            connection.end()

    def gone(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            port = self._target()
            try:
                if port is None:
                    raise ConnectionRefusedError
                far = socket.create_connection((LOCAL, port))
            except OSError:
                near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                near.close()
                continue
            connection = Connection(self, near, far)
            self._connections.add(connection)
            connection.start()


class Connection:
    """One connection through a line: a thread for each direction."""

    def __init__(self, line: Line, near: socket.socket, far: socket.socket) -> None:
        self._line = line
        self._sockets = {Direction.INITIATOR: near, Direction.RESPONDER: far}
        self._watch = ConnectionWatch(line.batches)
        self._ended = False
        self._lock = line.capture.lock
        for each in self._sockets.values():
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._record = line.capture.connection(Endpoint(*near.getpeername()), Endpoint(*far.getpeername()))

    def start(self) -> None:
        """Begins to pass on."""
        for direction in Direction:
            threading.Thread(target=self._pass_on, args=(direction,), name=str(direction), daemon=True).start()

    def cut(self, where: Cut) -> None:
        """Cuts both ends; what is on its way is lost."""
        if self.end():
            self._line.cuts += 1
            self._line.was_cut(self._line.channel, where)

    def end(self, direction: Direction = Direction.INITIATOR) -> bool:
        """Breaks off; False when it was ended before."""
        with self._lock:
            if self._ended:
                return False
            self._ended = True
            self._record.reset(direction)
        for each in self._sockets.values():
            with contextlib.suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._line.gone(self)
        return True

    def _pass_on(self, direction: Direction) -> None:
        initiator = direction is Direction.INITIATOR
        source = self._sockets[direction]
        target = self._sockets[Direction.RESPONDER if initiator else Direction.INITIATOR]
        fatal = Cut.QUESTION if initiator else Cut.ANSWER
        try:
            while data := source.recv(READ_SIZE):
                where = None
                with self._lock:
                    planned = self._line.planned
                    if planned is Cut.ANYWHERE and len(data) > SHORT:
                        where, data = planned, data[: len(data) // 2]
                    if self._watch.sees(direction, data) and planned is fatal:
                        where, data = planned, b""
                    self._record.send(direction, data)
                target.sendall(data)
                if where is not None:
                    self._line.planned = None
                    self.cut(where)
                    return
            self._half_close(direction, target)
        except OSError:
            self.end(direction)

    def _half_close(self, direction: Direction, target: socket.socket) -> None:
        """One end has said all it had to say; the other may have more."""
        with self._lock:
            self._record.close(direction)
            both = self._record.closed
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
        if both:
            self.end(direction)
