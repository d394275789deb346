"""Recording of all connections of a queue manager as captures (``[record]`` in the configuration)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.captures.recording.capture_folder import CaptureFolder
from mqbridge.captures.recording.recorded_connection import RecordedConnection
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.protocol.direction import Direction

from .addresses import LOCAL
from .proxy import PORTS
from .tap import ConnectionEnds

TICK: Final = 1.0
"""Seconds after which recorded bytes are flushed to disk."""


class RecordingTap:
    """A tap that writes captures. `close` closes the files; nothing may be told afterwards."""

    def __init__(self, folder: CaptureFolder, reactor: Any, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._reactor = reactor
        self._clock = clock
        self._connections: dict[ConversationDriver, tuple[RecordedConnection, Direction]] = {}
        self._unnamed = 0
        self._timer = reactor.callLater(TICK, self._tick)

    def opened(self, connection: ConversationDriver, ends: ConnectionEnds) -> None:
        """A connection was opened: write its handshake."""
        own, peer = self._endpoint(ends.own), self._endpoint(ends.peer)
        pair = (peer, own) if ends.called else (own, peer)
        record = self._folder.connect(*pair, self._clock())
        self._connections[connection] = record, Direction.RESPONDER if ends.called else Direction.INITIATOR

    def received(self, connection: ConversationDriver, data: bytes) -> None:
        """Write bytes from the partner."""
        record, own = self._connections[connection]
        record.send(own.other, data, self._clock())

    def sent(self, connection: ConversationDriver, data: bytes) -> None:
        """Write bytes that we sent."""
        record, own = self._connections[connection]
        record.send(own, data, self._clock())

    def finished(self, connection: ConversationDriver) -> None:
        """We have closed our end."""
        record, own = self._connections[connection]
        record.close(own, self._clock())

    def gone(self, connection: ConversationDriver, orderly: bool) -> None:
        """Both ends are closed, or one aborted the connection."""
        record, own = self._connections.pop(connection)
        if orderly:
            record.close(own.other, self._clock())
            record.close(own, self._clock())
        else:
            record.reset(own.other, self._clock())

    def close(self) -> None:
        """Close the files; connections still open appear unfinished in them."""
        if self._timer.active():
            self._timer.cancel()
        self._folder.close()

    def _tick(self) -> None:
        self._folder.tick(self._clock())
        self._timer = self._reactor.callLater(TICK, self._tick)

    def _endpoint(self, end: tuple[str, int]) -> Endpoint:
        if end[0]:
            return Endpoint(end[0].partition("%")[0], end[1])  # a scope has no place in a packet
        self._unnamed += 1
        return Endpoint(LOCAL, self._unnamed % PORTS)
