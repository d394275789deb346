"""Part of an indexed capture: some of its flows, read from the unchanged file.

A connection depends on other connections in three ways: its number, which end is the initiator if the capture lacks
its beginning (other connections of a port show which end listens), and when it was evicted because there were too many.
The index has all three, and :class:`PartWatch` tells them to the reader of flows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mqbridge.captures.capture_files import read_flows
from mqbridge.captures.indexing.indexed_flow import Block, IndexedFlow
from mqbridge.captures.reading.link_layers import TcpSegment
from mqbridge.captures.reading.records import Record
from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.flow_events import FlowEvent
from mqbridge.captures.streams.flow_watch import FlowTable, FlowWatch
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader, Step, data_of


@dataclass(slots=True, eq=False)
class CapturePart:
    """Flows of a capture that are read together; can be pickled and read by another process with access to the file.

    ``path``: of the file. ``number``: from 0. ``flows``: of the part. ``blocks``: to read of the file, None for all.
    ``weight``: expected cost, in bytes of ordinary traffic. ``keylog``: path of a key log file.
    """

    path: str
    number: int
    flows: list[IndexedFlow]
    blocks: list[Block] | None
    weight: int
    keylog: str | None = None

    def events(self) -> Iterator[FlowEvent]:
        """Yield the events of :func:`captures.read_flows` for each flow of the part.

        Events of different flows can come in another order. Raises ``OSError`` if the file cannot be opened; bytes that
        it no longer has count as lost.
        """
        for buffer, ordinary, events in self.steps():
            yield from data_of(buffer, ordinary)
            yield from events

    def steps(self) -> Iterator[Step]:
        """Yield the same as steps, in which ordinary packets are not copied into events."""
        if self.blocks is None:
            yield from read_flows(self.path, self.keylog).steps()
            return
        reader = part_reader(self.flows)
        with open(self.path, "rb") as file:
            for offset, length, first, layout in self.blocks:
                file.seek(offset)
                buffer, records = file.read(length), list[Record]()
                layout.copy().scan(buffer, 0, records)
                for ordinary, events in reader.receive_records(buffer, records, first):
                    yield buffer, ordinary, events
        yield b"", [], reader.finish()


def part_reader(flows: Iterable[IndexedFlow]) -> OrdinaryFlowReader:
    """Return a reader of some flows from chunks that also contain packets of others."""
    chosen = list(flows)
    own = set()
    for flow in chosen:
        half = len(flow.key) // 2
        one, other = flow.key[:half], flow.key[half:]
        own.add(one[:-2] + other[:-2] + one[-2:] + other[-2:])
        own.add(other[:-2] + one[:-2] + other[-2:] + one[-2:])
    return OrdinaryFlowReader(own, PartWatch(chosen, own))


class PartWatch(FlowWatch):
    """Decides about flows as recorded in the index. ``own``: their addresses and ports as they stand in packets."""

    def __init__(self, flows: list[IndexedFlow], own: set[bytes]) -> None:
        super().__init__()
        self._own = own
        self._openings = {flow.first_packet: flow for flow in flows}
        self._evictions = deque(sorted((flow.evicted_at, flow.id) for flow in flows if flow.evicted_at))
        self._to_evict: dict[int, TcpConnection | None] = {flow: None for _, flow in self._evictions}

    def receiving(self, table: FlowTable, number: int) -> None:
        """Evict flows evicted before this packet."""
        self._evict_before(table, number)

    def finishing(self, table: FlowTable) -> None:
        """Evict the remaining flows to be evicted."""
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
        """Return the side recorded in the index."""
        return self._openings[table.packet].first_sender

    def opened(self, connection: TcpConnection, segment: TcpSegment, before: TcpConnection | None) -> None:
        """Note a flow that is to be evicted."""
        if connection.flow.id in self._to_evict:
            self._to_evict[connection.flow.id] = connection

    def crowded(self, table: FlowTable) -> None:
        """Evict the flows evicted at this packet."""
        self._evict_before(table, table.packet + 1)

    def quiet_until(self, packet: int) -> int:
        """Return at most the packet of the next eviction."""
        return min(packet, self._evictions[0][0]) if self._evictions else packet

    def _evict_before(self, table: FlowTable, packet: int) -> None:
        while self._evictions and self._evictions[0][0] < packet:
            connection = self._to_evict.pop(self._evictions.popleft()[1])
            if connection is not None:
                table.evict(connection)
