"""The columns of a capture file: the way in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from mqbridge.captures.capture_files import Source, opened
from mqbridge.captures.columns.column_cutter import ColumnCutter
from mqbridge.captures.columns.segment_columns import FIELDS, SegmentColumns
from mqbridge.captures.errors import CaptureError
from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.link_layers import NotRead
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader

#: Segments that are worth a batch. Nearly every chunk of a file gives more; larger batches, which no longer fit into
#: the processor's cache, cost a fifth more time.
BATCH_LENGTH = 256


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
                    cutter.receive_ordinary(chunk.buffer, ordinary)
                    cutter.receive_events(events)
                self.bytes_read = chunks.bytes_read
                if cutter.segments >= BATCH_LENGTH:
                    yield SegmentColumns(*cutter.take_rows(), self._fields)
            self.error, self.packets, self.bytes_read = chunks.error, chunks.packets, chunks.bytes_read
            cutter.receive_events(flows.finish())
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
