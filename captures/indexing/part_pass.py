"""The pass that reads the flows of a part: the reader of flows, told by the index what depends on other flows.

What a connection is depends on other connections in three ways only: its number, who called whom where the capture
has not its beginning (other connections of a port tell which end listens), and when it was forgotten because there
were too many. The index has all three.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from mqbridge.captures.indexing.indexed_flow import IndexedFlow
from mqbridge.captures.reading.link_layers import NotRead, TcpSegment
from mqbridge.captures.streams.connection import Connection
from mqbridge.captures.streams.flow_events import CloseReason, FlowEvent
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader


class PartPass(OrdinaryFlowReader):
    """Gives the events of some flows out of chunks that hold packets of others too."""

    def __init__(self, flows: Iterable[IndexedFlow]) -> None:
        chosen = list(flows)
        own = set()
        for flow in chosen:
            half = len(flow.key) // 2
            one, other = flow.key[:half], flow.key[half:]
            own.add(one[:-2] + other[:-2] + one[-2:] + other[-2:])
            own.add(other[:-2] + one[:-2] + other[-2:] + one[-2:])
        super().__init__(own)
        self._openings = {flow.first_packet: flow for flow in chosen}
        self._evictions = deque(sorted((flow.evicted_at, flow.id) for flow in chosen if flow.evicted_at))
        self._to_evict: dict[int, Connection | None] = {flow: None for _, flow in self._evictions}

    def _receive(self, number: int, time: float, segment: TcpSegment | NotRead | None) -> list[FlowEvent]:
        self._evict_before(number)
        return super()._receive(number, time, segment)

    def finish(self) -> list[FlowEvent]:
        """The part is over: give what still waits and close every flow."""
        if self._evictions:
            self._evict_before(self._evictions[-1][0] + 1)
        return super().finish()

    def _receive_segment(self, segment: TcpSegment) -> None:
        if self._is_own(segment):
            super()._receive_segment(segment)

    def _receive_syn(self, segment: TcpSegment) -> None:
        if self._is_own(segment):
            super()._receive_syn(segment)

    def _is_own(self, segment: TcpSegment) -> bool:
        ports = segment.source_port.to_bytes(2, "big") + segment.destination_port.to_bytes(2, "big")
        return self.own is not None and segment.source + segment.destination + ports in self.own

    def _open(self, segment: TcpSegment) -> tuple[Connection, int]:
        flow = self._openings[self._packet]
        self._flows = flow.id - 1
        connection, side = super()._open(segment)
        if flow.id in self._to_evict:
            self._to_evict[flow.id] = connection
        return connection, side

    def _side(self, _segment: TcpSegment) -> int:
        return self._openings[self._packet].first_sender

    def _evict(self) -> None:
        self._evict_before(self._packet + 1)

    def _evict_before(self, packet: int) -> None:
        while self._evictions and self._evictions[0][0] < packet:
            connection = self._to_evict.pop(self._evictions.popleft()[1])
            if connection is not None:
                self._close(connection, CloseReason.EVICTED)
                self._forget(connection)

    def _quiet_until(self) -> int:
        quiet = super()._quiet_until()
        return min(quiet, self._evictions[0][0]) if self._evictions else quiet
