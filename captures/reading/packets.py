"""Packets of a capture file: pcap and pcapng, plain, gzip or zstd, by plain ``struct``.

A cut or damaged file yields its complete packets, and ``PacketReader.error`` afterwards says what is wrong. File
formats are in :mod:`captures.reading.records`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from mqbridge.captures.errors import CaptureError
from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.records import PCAP_MAGICS, PCAPNG_MAGIC
from mqbridge.captures.reading.unpacking import is_packed


class Packet(NamedTuple):
    """One captured packet.

    ``number``: from 1, as tshark's frame.number. ``time``: seconds since the epoch, UTC (simple packet blocks have none
    and take that of the packet before). ``link_type``: LINKTYPE number of the beginning of ``data``.
    ``original_length``: length in bytes on the wire, more than ``len(data)`` if the packet was truncated.
    """

    number: int
    time: float
    link_type: int
    data: bytes
    original_length: int


def is_capture(head: bytes) -> bool:
    """Whether a file that begins with these 4 or more bytes may be a capture, compressed or not."""
    return is_packed(head) or head[:4] in PCAP_MAGICS or head[:4] == PCAPNG_MAGIC


class PacketReader:
    """Iterator of the :class:`Packet` values of a binary file object; no content makes it raise.

    Afterwards ``error`` is None if the file was complete, else a :class:`~captures.errors.CaptureError` (unknown kind,
    cut, damaged); ``packets`` and ``bytes_read`` (unpacked, in chunks of about 256 KiB) are counts. One pass only: the
    file is read once and not kept.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._chunks = ChunkReader(file)
        self.packets = 0

    @property
    def error(self) -> CaptureError | None:
        """Why reading stopped early, or None."""
        return self._chunks.error

    @property
    def bytes_read(self) -> int:
        """Number of unpacked file bytes used so far."""
        return self._chunks.bytes_read

    def __iter__(self) -> Iterator[Packet]:
        new = Packet._make
        for buffer, records, first, _, _, _ in self._chunks:
            for number, (time, link_type, start, stop, original) in enumerate(records, first):
                self.packets = number
                yield new((number, time, link_type, buffer[start:stop], original))
