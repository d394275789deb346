"""Reader of a capture file's segment headers as columns; bodies of ordinary packets are neither read nor kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from mqbridge.captures.capture_files import Source, opened
from mqbridge.captures.columns.segment_columns import FIELDS, ROW, SegmentColumns, row_of
from mqbridge.captures.errors import CaptureError
from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.link_layers import NotRead
from mqbridge.captures.streams.fast_paths import FastPath
from mqbridge.captures.streams.flow_events import FlowEvent
from mqbridge.captures.streams.ordinary import Ordinary, OrdinaryFlowReader
from mqbridge.captures.streams.ordinary_cutter import Held, OrdinaryCutter, Place, Words
from mqbridge.captures.streams.segments import CapturedSegment, SegmentFault

#: Minimum number of segments of a batch. Most chunks of a file contain more; larger batches do not fit into the
#: processor's cache and cost a fifth more time.
BATCH_LENGTH = 256


class ColumnCutter:
    """Cuts steps into rows of headers; ``values`` and ``faults`` grow.

    It is the sink of its cutter (:class:`captures.streams.ordinary_cutter.Sink`).
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.faults: list[SegmentFault] = []
        self._cutter = OrdinaryCutter(self)

    @property
    def segments(self) -> int:
        """Number of segments since the last :meth:`take_rows`."""
        return len(self.values) // len(ROW)

    def take_rows(self) -> tuple[list[Any], list[SegmentFault]]:
        """Return and forget the rows, one value after the other, and the faults."""
        taken = self.values, self.faults
        self.values, self.faults = [], []
        return taken

    def receive(self, buffer: bytes, ordinary: list[Ordinary], events: Iterable[FlowEvent]) -> None:
        """Take a step: ordinary packets of the chunk ``buffer``, and the events behind them."""
        self._cutter.receive(buffer, ordinary)
        for event in events:
            self.take_data(event)

    def take_data(self, event: FlowEvent) -> None:
        """Take an event of any kind."""
        for item in self._cutter.receive_event(event):
            if isinstance(item, CapturedSegment):
                self.values += row_of(item)
            else:
                self.faults.append(item)

    def owner_of(self, fast_path: FastPath) -> None:
        """Return None: directions have no owner."""

    def take(self, fast_path: FastPath, owner: None, words: Words, place: Place, last_packet: int, held: Held) -> None:
        """Take no segment: headers go to ``values``."""


class CaptureColumns:
    """Batches of the MQ segments of a pcap or pcapng file (compressed too), to be iterated once.

    The segments are those that :func:`captures.read_segments` gives, in the same order, without their bodies.
    Afterwards ``error`` says why reading stopped early (None: it did not); ``packets``, ``bytes_read`` and ``unread``
    count what was read. No content makes it raise; a path that cannot be opened raises ``OSError`` when the iteration
    begins.
    """

    def __init__(self, source: Source, fields: tuple[str, ...]) -> None:
        self._source = source
        self._fields = fields
        self._flows = OrdinaryFlowReader()
        self.error: CaptureError | None = None
        self.packets = 0
        self.bytes_read = 0

    @property
    def unread(self) -> Counter[NotRead]:
        """Packets that gave no TCP segment, by reason."""
        return self._flows.unread

    def __iter__(self) -> Iterator[SegmentColumns]:
        with opened(self._source) as file:
            chunks, flows, cutter = ChunkReader(file), self._flows, ColumnCutter()
            for chunk in chunks:
                for ordinary, events in flows.receive_records(chunk.buffer, chunk.records, chunk.first):
                    cutter.receive(chunk.buffer, ordinary, events)
                self.bytes_read = chunks.bytes_read
                if cutter.segments >= BATCH_LENGTH:
                    yield SegmentColumns(*cutter.take_rows(), self._fields)
            self.error, self.packets, self.bytes_read = chunks.error, chunks.packets, chunks.bytes_read
            cutter.receive(b"", [], flows.finish())
            if cutter.segments or cutter.faults:
                yield SegmentColumns(*cutter.take_rows(), self._fields)


def read_segment_columns(source: Source, fields: Iterable[str] | None = None) -> CaptureColumns:
    """Return the headers of all MQ segments of a capture as batches of columns.

    ``fields``: names out of :data:`FIELDS`, all of them by default; raises ``ValueError`` for another.
    """
    chosen = FIELDS if fields is None else tuple(fields)
    if unknown := sorted(set(chosen) - set(FIELDS)):
        raise ValueError(f"no such columns: {', '.join(unknown)}")
    return CaptureColumns(source, chosen)
