"""The pass that reads the flows of a part: the reader of flows, told by the index what depends on other flows.

What a connection is depends on other connections in three ways only: its number, who called whom where the capture
has not its beginning (other connections of a port tell which end listens), and when it was forgotten because there
were too many. The index has all three.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from mqbridge.captures.indexing.indexed_flow import IndexedFlow
from mqbridge.captures.reading.link_layers import TcpSegment
from mqbridge.captures.streams.connection import Connection
from mqbridge.captures.streams.flow_watch import FlowTable, FlowWatch
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader


def part_reader(flows: Iterable[IndexedFlow]) -> OrdinaryFlowReader:
    """A reader of some flows out of chunks that hold packets of others too."""
    chosen = list(flows)
    own = set()
    for flow in chosen:
        half = len(flow.key) // 2
        one, other = flow.key[:half], flow.key[half:]
        own.add(one[:-2] + other[:-2] + one[-2:] + other[-2:])
        own.add(other[:-2] + one[:-2] + other[-2:] + one[-2:])
    return OrdinaryFlowReader(own, PartWatch(chosen, own))


class PartWatch(FlowWatch):
    """Decides about flows as the index says. ``own``: their addresses and ports as they stand in packets."""

    def __init__(self, flows: list[IndexedFlow], own: set[bytes]) -> None:
        super().__init__()
        self._own = own
        self._openings = {flow.first_packet: flow for flow in flows}
        self._evictions = deque(sorted((flow.evicted_at, flow.id) for flow in flows if flow.evicted_at))
        self._to_evict: dict[int, Connection | None] = {flow: None for _, flow in self._evictions}

    def receiving(self, table: FlowTable, number: int) -> None:
        """Evict what was evicted before a packet."""
        self._evict_before(table, number)

    def finishing(self, table: FlowTable) -> None:
        """Evict what is left to be."""
        if self._evictions:
            self._evict_before(table, self._evictions[-1][0] + 1)

    def takes(self, segment: TcpSegment) -> bool:
        """Return whether a segment belongs to one of the flows."""
        ports = segment.source_port.to_bytes(2, "big") + segment.destination_port.to_bytes(2, "big")
        return segment.source + segment.destination + ports in self._own

    def number(self, table: FlowTable) -> int:
        """Return the number that the flow has in the whole capture."""
        return self._openings[table.packet].id

    def side(self, table: FlowTable, segment: TcpSegment) -> int:
        """Return what the index says."""
        return self._openings[table.packet].first_sender

    def opened(self, connection: Connection, segment: TcpSegment, before: Connection | None) -> None:
        """Note a flow that is to be evicted."""
        if connection.flow.id in self._to_evict:
            self._to_evict[connection.flow.id] = connection

    def crowded(self, table: FlowTable) -> None:
        """Evict what was evicted at this packet."""
        self._evict_before(table, table.packet + 1)

    def quiet_until(self, packet: int) -> int:
        """Return at most the packet of the next eviction."""
        return min(packet, self._evictions[0][0]) if self._evictions else packet

    def _evict_before(self, table: FlowTable, packet: int) -> None:
        while self._evictions and self._evictions[0][0] < packet:
            connection = self._to_evict.pop(self._evictions.popleft()[1])
            if connection is not None:
                table.evict(connection)
