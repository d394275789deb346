"""A capture file in chunks of whole records, the unit of all readers of many packets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from mqbridge.captures.errors import CaptureError, CutCaptureError, DamagedCaptureError, UnknownCaptureError
from mqbridge.captures.reading.records import (
    PCAP_HEADER_LENGTH,
    PCAP_MAGICS,
    PCAPNG_MAGIC,
    Layout,
    PcapLayout,
    PcapngLayout,
    Record,
)
from mqbridge.captures.reading.unpacking import ByteSource


class Chunk(NamedTuple):
    """Consecutive whole records of a file, about 256 KiB.

    ``buffer``: bytes in which ``records`` locate packets. ``first``: number of the first packet, from 1. ``offset``,
    ``length``: place of the records in the (unpacked) file. ``layout``: copy of the layout at the start of the chunk.
    """

    buffer: bytes
    records: list[Record]
    first: int
    offset: int
    length: int
    layout: Layout


class _End(Exception):
    """Leaves the reading loop with an error value."""

    def __init__(self, error: CaptureError) -> None:
        super().__init__(str(error))
        self.error = error


class ChunkReader:
    """Iterator of the :class:`Chunk` values of a binary file object; no content makes it raise.

    Afterwards ``error`` is None if the file was complete, else a :class:`~captures.errors.CaptureError` (unknown kind,
    cut, damaged); ``packets`` and ``bytes_read`` (unpacked) are counts. One pass only: the file is read once and not
    kept.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.error: CaptureError | None = None
        self.packets = 0
        self._scanned: Layout | None = None
        self._source = ByteSource(file)
        self._buffer = b""
        self._start = 0  # of the unread bytes in the buffer
        self._dropped = 0  # file bytes before the buffer

    @property
    def bytes_read(self) -> int:
        """Number of unpacked file bytes used so far."""
        return self._dropped + self._start

    @property
    def key_log(self) -> bytes:
        """TLS keys found in the file so far, as lines of a key log file."""
        return b"" if self._scanned is None else bytes(self._scanned.key_log)

    def __iter__(self) -> Iterator[Chunk]:
        try:
            layout = self._scanned = self._layout()
            while not self._at_end():
                before, records = layout.copy(), list[Record]()
                offset, first = self.bytes_read, self.packets + 1
                stop, needed, what, fault = layout.scan(self._buffer, self._start, records)
                self._start = stop
                self.packets += len(records)
                if records:
                    yield Chunk(self._buffer, records, first, offset, self.bytes_read - offset, before)
                if fault is not None:
                    raise self._end(DamagedCaptureError, fault)
                if stop < len(self._buffer) and not self._fill(needed):
                    raise self._end(CutCaptureError, self._source.fault or f"the file ends inside a {what}")
        except _End as end:
            self.error = end.error

    def _layout(self) -> Layout:
        self._fill(4)
        magic = self._buffer[:4]
        if magic == PCAPNG_MAGIC:
            return PcapngLayout()
        if magic not in PCAP_MAGICS:
            reason = "neither pcap nor pcapng" if magic else "an empty file"
            raise self._end(UnknownCaptureError, self._source.fault or reason)
        if not self._fill(PCAP_HEADER_LENGTH):
            raise self._end(CutCaptureError, self._source.fault or "the file ends inside a file header")
        self._start = PCAP_HEADER_LENGTH
        return PcapLayout.of_header(self._buffer[:PCAP_HEADER_LENGTH])

    def _end(self, kind: type[CaptureError], reason: str) -> _End:
        return _End(kind(self.bytes_read, self.packets, reason))

    def _fill(self, length: int) -> bool:
        """Get ``length`` unread bytes into the buffer; False if the file has fewer."""
        have = len(self._buffer) - self._start
        if have >= length:
            return True
        parts = [self._buffer[self._start :]]
        while have < length and (piece := self._source.read()):
            parts.append(piece)
            have += len(piece)
        self._dropped += self._start
        self._buffer = b"".join(parts)
        self._start = 0
        return have >= length

    def _at_end(self) -> bool:
        """Whether the file ends between two records."""
        if self._fill(1):
            return False
        if self._source.fault is not None:
            raise self._end(CutCaptureError, self._source.fault)
        return True
