"""Flows and segments of a capture file: the way in for whoever has a path or an open file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from typing import BinaryIO

from captures.errors import CaptureError
from captures.reading.link_layers import NotRead
from captures.reading.packets import PacketReader
from captures.streams.flow_events import FlowEvent
from captures.streams.flows import FlowReader
from captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault

Source = str | PathLike[str] | BinaryIO


class CaptureFlows:
    """The events of a pcap or pcapng file (gzip too), to be iterated once.

    Afterwards ``error`` says why reading stopped early (None: it did not); ``packets``, ``bytes_read`` and
    ``unread`` count what was read. No content makes it raise; a path that cannot be opened raises ``OSError`` when the
    iteration begins.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._reader = FlowReader()
        self.error: CaptureError | None = None
        self.packets = 0
        self.bytes_read = 0

    @property
    def unread(self) -> Counter[NotRead]:
        """Packets that gave no TCP segment, by reason."""
        return self._reader.unread

    def __iter__(self) -> Iterator[FlowEvent]:
        with _opened(self._source) as file:
            packets = PacketReader(file)
            receive = self._reader.receive_packet
            for packet in packets:
                yield from receive(packet)
            self.error, self.packets, self.bytes_read = packets.error, packets.packets, packets.bytes_read
            yield from self._reader.finish()


class CaptureSegments:
    """The MQ segments of a pcap or pcapng file, to be iterated once; counters as :class:`CaptureFlows` has them."""

    def __init__(self, source: Source) -> None:
        self.flows = CaptureFlows(source)

    def __iter__(self) -> Iterator[CapturedSegment | SegmentFault]:
        cutter = SegmentCutter()
        for event in self.flows:
            yield from cutter.receive_event(event)


def _opened(source: Source) -> AbstractContextManager[BinaryIO]:
    return open(source, "rb") if isinstance(source, (str, PathLike)) else nullcontext(source)


def read_flows(source: Source) -> CaptureFlows:
    """Return the flow events of a capture, given by path or as an open binary file."""
    return CaptureFlows(source)


def read_segments(source: Source) -> CaptureSegments:
    """Return the MQ segments of a capture, and what could not be read between them."""
    return CaptureSegments(source)
