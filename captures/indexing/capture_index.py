"""Index of a capture: its flows and their blocks of the file; division into parts.

The index is made in one pass that cuts no segments and keeps no bytes of flows. For each flow it has the blocks of
about a MiB with packets of it, not the packets; a part reads the blocks of its flows and skips the packets of others.
All connections between the same two ports are kept together, because the boundary between them is found when they are
read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from operator import attrgetter
from os import PathLike, fspath
from typing import Final, NamedTuple

from mqbridge.captures.errors import CaptureError
from mqbridge.captures.indexing.capture_part import CapturePart
from mqbridge.captures.indexing.index_pass import IndexPass
from mqbridge.captures.indexing.indexed_flow import Block, BlockSet, IndexedFlow
from mqbridge.captures.indexing.sampling import MQ_PACKET_WEIGHT, OTHER_PACKET_WEIGHT, spread
from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.link_layers import NotRead
from mqbridge.captures.reading.unpacking import is_packed
from mqbridge.captures.streams.recognition import StreamKind

#: Minimum length of a block in bytes; a chunk can exceed it.
BLOCK_LENGTH = 1 << 20

#: Cost of skipping a byte of a block.
BLOCK_BYTE_WEIGHT: Final = 0.1


class _Group(NamedTuple):
    """Flows that stay together."""

    weight: int
    flows: list[IndexedFlow]


class CaptureIndex:
    """Index of a capture.

    ``flows``: :class:`IndexedFlow` values by number. ``blocks``: of the file. ``shared``: numbers of the blocks that
    every part reads. ``packets``, ``unread``, ``error``, ``bytes_read``: as in :class:`captures.CaptureFlows`.
    ``divisible``: whether there can be several parts: not for compressed files, which can be read only from the
    beginning, not if TLS is decrypted, and not if so many bytes waited in all flows that they influenced each other.
    """

    def __init__(self, path: str, keylog: str | None = None) -> None:
        self.path = path
        self.keylog = keylog
        self.flows: dict[int, IndexedFlow] = {}
        self.blocks: list[Block] = []
        self.shared = BlockSet()
        self.packets = 0
        self.bytes_read = 0
        self.unread: Counter[NotRead] = Counter()
        self.error: CaptureError | None = None
        self.divisible = False

    def partitions(self, count: int) -> list[CapturePart]:
        """Divide the flows into at most ``count`` parts of similar cost, at least one.

        Raises ``ValueError`` for a count below 1.
        """
        if count < 1:
            raise ValueError(f"a capture cannot be divided into {count} parts")
        groups = self._groups()
        if count == 1 or not self.divisible or len(groups) < 2:
            weight = sum(group.weight for group in groups)
            return [CapturePart(self.path, 0, list(self.flows.values()), None, weight, self.keylog)]
        divisions = [_by_weight(groups, count), _by_place(groups, count)]
        best = min(divisions, key=lambda division: max(map(self._cost, division)))
        return [self.part(flows, number) for number, flows in enumerate(best)]

    def part(self, flows: list[IndexedFlow], number: int = 0) -> CapturePart:
        """Return the part of these flows, which reads their blocks only."""
        blocks = [self.blocks[block] for block in self._blocks_of(flows)]
        return CapturePart(self.path, number, flows, blocks, self._cost(flows))

    def _groups(self) -> list[_Group]:
        """Return the flows grouped by their two ports, in the order of their first packets."""
        by_key: dict[bytes, list[IndexedFlow]] = {}
        for flow in self.flows.values():
            by_key.setdefault(flow.key, []).append(flow)
        return [_Group(sum(map(_weight, flows)), flows) for flows in by_key.values()]

    def _blocks_of(self, flows: Iterable[IndexedFlow]) -> list[int]:
        wanted = bytearray(len(self.blocks))
        for blocks in (self.shared, *(flow.blocks for flow in flows)):
            for first, behind in blocks.runs():
                wanted[first:behind] = b"\1" * (behind - first)
        return [number for number, is_wanted in enumerate(wanted) if is_wanted]

    def _cost(self, flows: list[IndexedFlow]) -> int:
        read = sum(self.blocks[number].length for number in self._blocks_of(flows))
        return sum(map(_weight, flows)) + int(read * BLOCK_BYTE_WEIGHT)


def index_capture(
    path: str | PathLike[str],
    keylog: str | PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> CaptureIndex:
    """Read a capture once and return its index.

    ``keylog``: key log file with which its parts decrypt TLS. ``progress``: called with the bytes read so far, about
    every MiB. Memory grows with the number of flows, by less than a KiB for most, not with packets. Raises ``OSError``
    if the file cannot be opened; content never raises, ``error`` of the index says why reading stopped early.
    """
    index = CaptureIndex(fspath(path), None if keylog is None else fspath(keylog))
    passing = IndexPass()
    with open(path, "rb") as file:
        packed = is_packed(file.read(4))
        file.seek(0)
        chunks = ChunkReader(file)
        for chunk in chunks:
            if not index.blocks or index.blocks[-1].length >= BLOCK_LENGTH:
                index.blocks.append(Block(chunk.offset, 0, chunk.first, chunk.layout))
            last = index.blocks[-1]
            index.blocks[-1] = last._replace(length=chunk.offset + chunk.length - last.offset)
            passing.take(chunk, len(index.blocks) - 1)
            if progress is not None:
                progress(chunks.bytes_read)
    passing.end()
    index.flows, index.shared, index.unread = passing.flows, passing.shared, passing.unread
    index.packets, index.bytes_read, index.error = chunks.packets, chunks.bytes_read, chunks.error
    index.divisible = not (packed or passing.crowded or keylog is not None or chunks.key_log)
    return index


def _weight(flow: IndexedFlow) -> int:
    if flow.kind is StreamKind.MQ or flow.kind is StreamKind.UNKNOWN:
        return flow.bytes + flow.packets * MQ_PACKET_WEIGHT
    return flow.packets * OTHER_PACKET_WEIGHT


def _by_weight(groups: list[_Group], count: int) -> list[list[IndexedFlow]]:
    """Return parts of similar weight: the heaviest remaining group goes to the lightest part."""
    heaviest_first = sorted(groups, key=lambda group: -group.weight)
    parts: list[list[IndexedFlow]] = [[] for _ in range(min(count, len(groups)))]
    weights = (group.weight for group in heaviest_first)
    for group, number in zip(heaviest_first, spread(weights, len(parts)), strict=True):
        parts[number] += group.flows
    return [sorted(flows, key=attrgetter("first_packet")) for flows in parts]


def _by_place(groups: list[_Group], count: int) -> list[list[IndexedFlow]]:
    """Return consecutive parts of the file, so that each reads only some of it."""
    total = sum(group.weight for group in groups)
    parts: list[list[IndexedFlow]] = [[]]
    passed = 0
    for weight, flows in groups:
        if parts[-1] and passed * count >= total * len(parts) and len(parts) < count:
            parts.append([])
        parts[-1] += flows
        passed += weight
    return parts
