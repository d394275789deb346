"""Sampling of a capture for heavy connections, at a few hundred positions of the file.

A position can be anywhere in the file, so the next record has to be found there: bytes that are plausible as a record
header, followed by more plausible records. The result serves only to divide work evenly, so wrong guesses are harmless.
Files without a sample (compressed ones) are divided without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from heapq import heapreplace
from itertools import islice
from os import PathLike
from typing import BinaryIO, Final

from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.link_layers import NotRead, TcpSegment, read_tcp
from mqbridge.captures.reading.records import MAX_PACKET_LENGTH, Layout, PcapLayout, PcapngLayout, Record
from mqbridge.captures.reading.unpacking import is_packed
from mqbridge.captures.streams.recognition import find_segment
from mqbridge.protocol.constants import ByteOrder

#: Maximum number of positions sampled.
PLACES: Final = 256

#: Bytes read at a position; LONG_LOOK if they contain no whole records, until that failed MOST_IN_VAIN times.
LOOK: Final = 1 << 14
LONG_LOOK: Final = 1 << 18
MOST_IN_VAIN: Final = 16

#: Number of consecutive plausible records required, and of candidates tried at one position.
BELIEVED: Final = 4
TRIES: Final = 16

#: Cost of a packet besides its bytes, in bytes: more if its segments are cut and judged.
MQ_PACKET_WEIGHT: Final = 1000
OTHER_PACKET_WEIGHT: Final = 100

_GOLDEN: Final = 0.6180339887498949  # spreads positions without a period
_DAY: Final = 86_400.0
_HOUR: Final = 3_600.0

#: Record headers with two lengths of less than 64 KiB, neither 0; %b: the first byte of the time, or that and the next.
_HEADERS: Final = {
    ByteOrder.LITTLE: rb"(?s)(?=...[%b].{4}(?!\0\0)..\0\0(?!\0\0)..\0\0)",
    ByteOrder.BIG: rb"(?s)(?=[%b].{7}\0\0(?!\0\0)..\0\0(?!\0\0)..)",
}
#: Enhanced packet blocks of less than a MiB.
_BLOCKS: Final = {
    ByteOrder.LITTLE: rb"(?s)(?=\x06\0\0\0..[\0-\x0f]\0)",
    ByteOrder.BIG: rb"(?s)(?=\0\0\0\x06\0[\0-\x0f]..)",
}
_ALIGNED: Final = 4


class _Weight:
    """Sample of a connection: number of packets, their weight if they are MQ, and whether some are."""

    __slots__ = ("is_mq", "packets", "weight")

    def __init__(self) -> None:
        self.packets = 0
        self.weight = 0
        self.is_mq = False


def ends_of(segment: TcpSegment) -> bytes:
    """Return addresses and ports of a connection, the same for both directions."""
    there = segment.source + segment.source_port.to_bytes(2, "big")
    back = segment.destination + segment.destination_port.to_bytes(2, "big")
    return there + back if there < back else back + there


def spread(weights: Iterable[int], count: int) -> Iterator[int]:
    """Yield the number of the least loaded of ``count`` bins, from 0, for each weight; best with the heaviest first."""
    loads = [(0, number) for number in range(count)]
    for weight in weights:
        load, number = loads[0]
        yield number
        heapreplace(loads, (load + weight, number))


def sample_weights(path: str | PathLike[str]) -> dict[bytes, int]:
    """Return the weights of the connections sampled, by :func:`ends_of`; empty if no sample can be taken.

    Deterministic. Raises ``OSError`` if the file cannot be read.
    """
    seen: dict[bytes, _Weight] = {}
    with open(path, "rb") as file:
        for buffer, records in _samples(file):
            for _, kind, start, stop, original in records:
                segment = read_tcp(kind, buffer[start:stop], original)
                if not isinstance(segment, NotRead):
                    _weigh(seen, segment)
    return {
        ends: weight.weight if weight.is_mq else weight.packets * OTHER_PACKET_WEIGHT for ends, weight in seen.items()
    }


def _weigh(seen: dict[bytes, _Weight], segment: TcpSegment) -> None:
    ends = ends_of(segment)
    weight = seen.get(ends)
    if weight is None:
        weight = seen[ends] = _Weight()
    weight.packets += 1
    weight.weight += segment.length + MQ_PACKET_WEIGHT if segment.length else OTHER_PACKET_WEIGHT
    weight.is_mq = weight.is_mq or find_segment(segment.payload) >= 0


def _samples(file: BinaryIO) -> Iterator[tuple[bytes, list[Record]]]:
    """Yield records at positions distributed over a file."""
    size = file.seek(0, 2)
    file.seek(0)
    if is_packed(file.read(4)):
        return
    file.seek(0)
    first = next(iter(ChunkReader(file)), None)
    if first is None:
        return
    layout, time = first.layout.copy(), first.records[0][0]
    file.seek(first.offset)
    layout.scan(file.read(first.length), 0, [])  # learns the interfaces
    beginning, step = _beginning(layout, time)
    places, in_vain = min(PLACES, -(-size // LOOK)), 0
    apart = (size - first.offset) / places
    for place in range(places):
        offset = first.offset + int((place + place * _GOLDEN % 1) * apart) // _ALIGNED * _ALIGNED
        for length in (LOOK, LONG_LOOK) if in_vain < MOST_IN_VAIN else (LOOK,):
            file.seek(offset)
            buffer = file.read(length)
            starts = (found.start() for found in beginning.finditer(buffer))
            records = _records(buffer, (start for start in starts if start % step == 0), layout, time)
            if records:
                yield buffer, records
                break
        else:
            in_vain += 1


def _beginning(layout: Layout, time: float) -> tuple[re.Pattern[bytes], int]:
    """Return the pattern of the beginning of a record, and its alignment in bytes."""
    if isinstance(layout, PcapngLayout):
        return re.compile(_BLOCKS[layout.order]), _ALIGNED
    order = layout.order if isinstance(layout, PcapLayout) else ByteOrder.LITTLE
    first = int(time) >> 24 & 0xFF
    return re.compile(_HEADERS[order] % re.escape(bytes((first, min(first + 1, 0xFF))))), 1


def _records(buffer: bytes, starts: Iterable[int], layout: Layout, time: float) -> list[Record]:
    """Return the records behind the first plausible of some positions in a buffer."""
    for start in islice(starts, TRIES):
        records: list[Record] = []
        layout.copy().scan(buffer, start, records)
        if len(records) >= BELIEVED and _make_sense(records[:BELIEVED], time):
            return records
    return []


def _make_sense(records: list[Record], time: float) -> bool:
    """Whether records can be consecutive; ``time``: of the first packet of the capture."""
    before = records[0][0]
    if before < time - _DAY:
        return False
    for now, _, start, stop, original in records:
        if abs(now - before) > _HOUR or not 0 < stop - start <= original <= MAX_PACKET_LENGTH:
            return False
        before = now
    return True
