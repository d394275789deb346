"""The pass that makes an index: flows are told apart by the reader of flows itself, of which only places are kept."""

from __future__ import annotations

from mqbridge.captures.indexing.indexed_flow import BlockSet, IndexedFlow
from mqbridge.captures.indexing.sampling import ends_of
from mqbridge.captures.reading.chunks import Chunk
from mqbridge.captures.reading.link_layers import NotRead, TcpSegment
from mqbridge.captures.reading.packets import Packet
from mqbridge.captures.streams.connection import Connection
from mqbridge.captures.streams.flow_events import CloseReason
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader


class IndexPass(OrdinaryFlowReader):
    """Takes all chunks of a file; ``flows`` grows, by number. ``shared``: blocks with fragments of IP packets, which
    do not say what flow they belong to. ``crowded``: whether what waited in all flows passed a limit."""

    def __init__(self) -> None:
        super().__init__()
        self.flows: dict[int, IndexedFlow] = {}
        self.shared = BlockSet()
        self._block = 0

    @property
    def crowded(self) -> bool:
        """Whether what is told of one flow could depend on others."""
        return self._budget.exceeded

    def take(self, chunk: Chunk, block: int) -> None:
        """Take the packets of a chunk, which becomes this block."""
        self._block = block
        for _ in self.receive_records(chunk.buffer, chunk.records, chunk.first):
            pass
        for connection in self.seen:
            self.flows[connection.flow.id].blocks.add(block)

    def end(self) -> None:
        """The file is over."""
        for connection in {id(known): known for known, _ in self._connections.values()}.values():
            self._note(connection)

    def _receive_fragment(self, packet: Packet) -> TcpSegment | NotRead | None:
        self.shared.add(self._block)
        return super()._receive_fragment(packet)

    def _open(self, segment: TcpSegment) -> tuple[Connection, int]:
        ends = segment.source, segment.source_port, segment.destination, segment.destination_port
        if (known := self._connections.get(ends)) is not None:
            self._note(known[0])  # what came after it had closed
        connection, side = super()._open(segment)
        flow, key = connection.flow, ends_of(segment)
        self.flows[flow.id] = indexed = IndexedFlow(
            flow.id, flow.initiator, flow.responder, flow.first_packet, flow.start_time, key, side, flow.from_syn
        )
        indexed.blocks.add(self._block)
        return connection, side

    def _wants(self, _connection: Connection) -> bool:
        return False

    def _close(self, connection: Connection, reason: CloseReason) -> None:
        super()._close(connection, reason)
        self._note(connection)
        if reason is CloseReason.EVICTED:
            self.flows[connection.flow.id].evicted_at = self._packet

    def _note(self, connection: Connection) -> None:
        flow, indexed = connection.flow, self.flows[connection.flow.id]
        indexed.end_time, indexed.packets, indexed.kind = flow.end_time, flow.packets, flow.kind
        indexed.bytes = sum(stream.next_offset for stream in connection.streams)
