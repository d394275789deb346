"""The pass that makes an index: the reader of flows distinguishes flows, and only their places are kept."""

from __future__ import annotations

from mqbridge.captures.indexing.indexed_flow import BlockSet, IndexedFlow
from mqbridge.captures.indexing.sampling import ends_of
from mqbridge.captures.reading.chunks import Chunk
from mqbridge.captures.reading.link_layers import TcpSegment
from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.flow_events import CloseReason
from mqbridge.captures.streams.flow_watch import FlowTable, FlowWatch
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader


class IndexWatch(FlowWatch):
    """Notes the flows of a file by number. ``block``: current block. ``shared``: blocks with fragments."""

    def __init__(self) -> None:
        super().__init__()
        self.flows: dict[int, IndexedFlow] = {}
        self.shared = BlockSet()
        self.block = 0

    def fragment(self) -> None:
        """Note the block."""
        self.shared.add(self.block)

    def opened(self, connection: TcpConnection, segment: TcpSegment, before: TcpConnection | None) -> None:
        """Note a flow, and late packets of the flow before it on the same ports."""
        if before is not None:
            self.note(before)
        flow, key = connection.flow, ends_of(segment)
        self.flows[flow.id] = indexed = IndexedFlow(
            flow.id,
            flow.initiator,
            flow.responder,
            flow.first_packet,
            flow.start_time,
            key,
            connection.side,
            flow.from_syn,
        )
        indexed.blocks.add(self.block)

    def wants(self, connection: TcpConnection) -> bool:
        """Return False: only places are kept."""
        return False

    def closed(self, table: FlowTable, connection: TcpConnection, reason: CloseReason) -> None:
        """Note the final state of a flow."""
        self.note(connection)
        if reason is CloseReason.EVICTED:
            self.flows[connection.flow.id].evicted_at = table.packet

    def note(self, connection: TcpConnection) -> None:
        """Note the current state of a flow."""
        flow, indexed = connection.flow, self.flows[connection.flow.id]
        indexed.end_time, indexed.packets, indexed.kind = flow.end_time, flow.packets, flow.kind
        indexed.bytes = sum(stream.next_offset for stream in connection.streams)


class IndexPass:
    """Takes all chunks of a file; ``flows`` grows, by number.

    ``shared``: blocks with IP fragments, whose flow is unknown.
    """

    def __init__(self) -> None:
        self._watch = IndexWatch()
        self._reader = OrdinaryFlowReader(watch=self._watch)
        self.flows = self._watch.flows
        self.shared = self._watch.shared
        self.unread = self._reader.unread

    @property
    def crowded(self) -> bool:
        """Whether so many bytes waited in all flows that the events of one may depend on others."""
        return self._reader.careful.budget.exceeded

    def take(self, chunk: Chunk, block: int) -> None:
        """Take the packets of a chunk in this block."""
        self._watch.block = block
        for _ in self._reader.receive_records(chunk.buffer, chunk.records, chunk.first):
            pass
        for connection in self._reader.seen:
            self.flows[connection.flow.id].blocks.add(block)

    def end(self) -> None:
        """End the file."""
        connections = self._reader.careful.connections
        self._reader.finish()
        for connection in {id(known): known for known, _ in connections.values()}.values():
            self._watch.note(connection)
