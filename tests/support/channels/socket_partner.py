"""A partner of a channel on a plain blocking socket; what it says is built by :mod:`channels.playbook`."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import Segment, SegmentReader
from support.channels.playbook import Sent, initial_data

PATIENCE = 60.0
_NO_LINGER = struct.pack("ii", 1, 0)


class SocketPartner:
    """One connection, from the partner's side."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.socket.settimeout(PATIENCE)
        self._reader = SegmentReader(1 << 20)
        self._segments: Iterator[Segment] = iter(())

    def __enter__(self) -> SocketPartner:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *segments: bytes) -> None:
        self.socket.sendall(b"".join(segments))

    def send_what_is_taken(self, stream: bytes | memoryview, quiet: float = 0.5) -> int:
        """Sends until nobody takes more for ``quiet`` seconds; how many bytes were taken."""
        self.socket.settimeout(quiet)
        sent = 0
        try:
            while sent < len(stream):
                sent += self.socket.send(memoryview(stream)[sent : sent + 65536])
        except TimeoutError:
            pass
        finally:
            self.socket.settimeout(PATIENCE)
        return sent

    def next(self) -> Sent | None:
        """The next segment; None at the end of the stream. A broken connection raises ``ConnectionError``."""
        while True:
            for one in self._segments:
                return Sent(SegmentType(one.type), one.flags1, one.luwid, one.body, one.length, one.order, one.ccsid)
            data = self.socket.recv(65536)
            if not data:
                return None
            self._segments = self._reader.feed(data)

    def expect(self, kind: SegmentType) -> Sent:
        """The next segment, which must be of this type."""
        sent = self.next()
        assert sent is not None, "the connection has ended"
        assert sent.type == kind, f"{sent.type} instead of {kind}"
        return sent

    def is_silent(self, seconds: float = 0.1) -> bool:
        """Whether nothing comes for so long."""
        self.socket.settimeout(seconds)
        try:
            self.next()
        except TimeoutError:
            return True
        else:
            return False
        finally:
            self.socket.settimeout(PATIENCE)

    def reset(self) -> None:
        """Breaks the connection off."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.socket.close()


def call(
    place: int | Path, *, start: bool = True, small_buffers: bool = False, channel: str = "VENUS.TO.MARS"
) -> SocketPartner:
    """Connects to a listener, by its port or its Unix socket; with ``start`` the channel is started as its sender
    does."""
    connection = socket.socket(socket.AF_INET if isinstance(place, int) else socket.AF_UNIX)
    if small_buffers:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    partner = SocketPartner(connection)
    try:
        connection.connect(("127.0.0.1", place) if isinstance(place, int) else str(place))
    except OSError:
        connection.close()
        raise
    if start:
        partner.send(initial_data(channel_name=channel))
        assert partner.expect(SegmentType.INITIAL_DATA).flags == 0
    return partner


class SocketListener:
    """Where our sender connects to."""

    def __init__(self, port: int = 0, *, small_buffers: bool = False) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if small_buffers:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind(("127.0.0.1", port))
        self.socket.listen()
        self.socket.settimeout(PATIENCE)
        self.port: int = self.socket.getsockname()[1]

    def __enter__(self) -> SocketListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    @property
    def name(self) -> str:
        """As CONNAME has it."""
        return f"127.0.0.1({self.port})"

    def accept(self, *, start: bool = True, channel: str = "MARS.TO.VENUS") -> SocketPartner:
        """The next connection; with ``start`` the channel is agreed upon as its receiver does."""
        connection, _ = self.socket.accept()
        partner = SocketPartner(connection)
        if start:
            partner.expect(SegmentType.INITIAL_DATA)
            partner.send(initial_data(flags=0, channel_name=channel))
        return partner
