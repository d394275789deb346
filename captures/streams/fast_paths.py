"""Directions of connections whose packets may be read by the quick reader, :mod:`captures.streams.ordinary`."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.flow_events import Direction, Flow
from mqbridge.captures.streams.flow_watch import FlowWatch
from mqbridge.captures.streams.reassembly import StreamReassembly
from mqbridge.captures.streams.recognition import StreamKind

_DIRECTIONS: Final = (Direction.INITIATOR, Direction.RESPONDER)


class FastPath:
    """One direction of a connection, for the quick reader.

    ``next_sequence``: the number that continues it, -1 if data must go to the careful reader. ``other``: the fast path
    of the other direction. ``wanted``: whether its packets are delivered. ``taken``: state of whoever takes the data.
    """

    __slots__ = (
        "connection",
        "destination",
        "direction",
        "flow",
        "key",
        "next_sequence",
        "other",
        "partner",
        "source",
        "stream",
        "taken",
        "wanted",
    )

    def __init__(self, connection: TcpConnection, side: int, key: bytes, wanted: bool) -> None:
        self.connection = connection
        self.flow: Flow = connection.flow
        self.direction = _DIRECTIONS[side]
        ends = self.flow.initiator, self.flow.responder
        self.source, self.destination = ends[side], ends[1 - side]
        self.key = key
        self.stream: StreamReassembly = connection.streams[side]
        self.partner: StreamReassembly = connection.streams[1 - side]
        self.next_sequence = -1
        self.other: FastPath = self
        self.wanted = wanted
        self.taken: Any = None


class FastPaths:
    """Fast paths by addresses and ports as they stand in packets.

    ``first``: number of the first packet of the current chunk. ``seen``: connections with packets in it. ``touched``:
    the connection of the last packet that went to the careful reader, None until there is one.
    """

    __slots__ = ("_watch", "by_key", "first", "seen", "touched")

    def __init__(self, watch: FlowWatch) -> None:
        self._watch = watch
        self.by_key: dict[bytes, FastPath] = {}
        self.first = 0
        self.seen: list[TcpConnection] = []
        self.touched: TcpConnection | None = None

    def touch(self, connection: TcpConnection) -> None:
        """Note a packet of a connection that goes to the careful reader."""
        self.touched = connection
        if connection.last_packet < self.first:
            self.seen.append(connection)

    def judge(self, connection: TcpConnection) -> None:
        """Allow or forbid both directions of a connection."""
        streams = connection.streams
        if (
            connection.closed
            or connection.closing is not None
            or streams[0].waiting
            or streams[1].waiting
            or connection.order is not None
        ):
            self.forbid(connection)
            return
        if connection.fast_paths is None:
            connection.fast_paths = self._make_fast_paths(connection)
        hellos, unknown = connection.hellos, connection.flow.kind is StreamKind.UNKNOWN
        for fast_path in connection.fast_paths:
            following = fast_path.stream.next_sequence
            if unknown or (hellos is not None and not hellos.is_done(fast_path.direction)):
                following = None
            if fast_path.partner.next_sequence is None:  # the careful reader checks acknowledgements
                following = None
            fast_path.next_sequence = -1 if following is None else following
            self.by_key[fast_path.key] = fast_path

    def _make_fast_paths(self, connection: TcpConnection) -> tuple[FastPath, ...]:
        source, source_port, destination, destination_port = connection.key
        side = connection.side
        ports = source_port.to_bytes(2, "big"), destination_port.to_bytes(2, "big")
        there = source + destination + ports[0] + ports[1]
        back = destination + source + ports[1] + ports[0]
        if there == back:
            return ()  # sender and receiver cannot be told apart
        wanted = self._watch.wants(connection)
        fast_path, other = FastPath(connection, side, there, wanted), FastPath(connection, 1 - side, back, wanted)
        fast_path.other, other.other = other, fast_path
        return fast_path, other

    def forbid(self, connection: TcpConnection) -> None:
        """Forbid both directions of a connection."""
        fast_paths: tuple[FastPath, ...] = connection.fast_paths or ()
        for fast_path in fast_paths:
            if self.by_key.get(fast_path.key) is fast_path:
                del self.by_key[fast_path.key]
