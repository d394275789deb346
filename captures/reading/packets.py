"""Packets of a capture file: pcap and pcapng, plain, gzip or zstd, by plain ``struct``.

A cut or damaged file gives the packets that were whole, then ``PacketReader.error`` says what happened. What files
can hold stands in :mod:`captures.reading.records`.
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

    ``number``: from 1, as tshark's frame.number. ``time``: seconds since the epoch, UTC (a simple packet block has
    none: the time of the packet before it). ``link_type``: LINKTYPE number that says what ``data`` begins with.
    ``original_length``: bytes on the wire; more than ``len(data)`` where the capture kept only the beginning.
    """

    number: int
    time: float
    link_type: int
    data: bytes
    original_length: int


def is_capture(head: bytes) -> bool:
    """Whether a file that begins with these 4 bytes or more is worth reading as a capture, compressed or not."""
    return is_packed(head) or head[:4] in PCAP_MAGICS or head[:4] == PCAPNG_MAGIC


class PacketReader:
    """Iterates over the :class:`Packet` of a binary file object; no content makes it raise.

    After the iteration ``error`` is None when the file was whole, else a :class:`~captures.errors.CaptureError`
    (unknown kind, cut, damaged); ``packets`` counts what was given, ``bytes_read`` the unpacked file bytes used, by
    chunks of about 256 KiB. One pass only: the file is read once and never kept.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._chunks = ChunkReader(file)
        self.packets = 0

    @property
    def error(self) -> CaptureError | None:
        """Why reading stopped early; None where it did not."""
        return self._chunks.error

    @property
    def bytes_read(self) -> int:
        """Unpacked file bytes used so far."""
        return self._chunks.bytes_read

    def __iter__(self) -> Iterator[Packet]:
        new = Packet._make
        for buffer, records, first, _, _, _ in self._chunks:
            for number, (time, link_type, start, stop, original) in enumerate(records, first):
                self.packets = number
                yield new((number, time, link_type, buffer[start:stop], original))
