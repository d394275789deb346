"""Content of an index: blocks of the file, and flows."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mqbridge.captures.reading.records import Layout
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.captures.streams.recognition import StreamKind


class Block(NamedTuple):
    """Consecutive whole records, about a MiB of the file.

    ``offset``, ``length``: in bytes of the file. ``first``: number of the first packet. ``layout``: of the records.
    """

    offset: int
    length: int
    first: int
    layout: Layout


class BlockSet:
    """Numbers of blocks, added in order; kept as runs, so that a flow in every block takes a few bytes."""

    __slots__ = ("_runs",)

    def __init__(self) -> None:
        self._runs = array("L")  # first of a run, behind its last, first of the next …

    def add(self, block: int) -> None:
        """Add the last block, or one behind it."""
        runs = self._runs
        if runs and runs[-1] == block:
            runs[-1] = block + 1
        elif not runs or runs[-1] < block:
            runs.extend((block, block + 1))

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield the first number of each run, and the number behind its last."""
        runs = iter(self._runs)
        return zip(runs, runs, strict=True)

    def __iter__(self) -> Iterator[int]:
        for first, behind in self.runs():
            yield from range(first, behind)

    def __len__(self) -> int:
        return sum(self._runs[1::2]) - sum(self._runs[::2])


@dataclass(slots=True, eq=False)
class IndexedFlow:
    """One connection of an indexed capture.

    ``id``, ``initiator``, ``responder``, ``first_packet``, ``packets``, ``start_time``, ``end_time``, ``from_syn`` and
    ``kind``: as in :class:`captures.Flow`. ``bytes``: of both directions, including lost ones. ``blocks``: of the file
    with its packets. ``key``: addresses and ports, the same for all connections between two ports. ``first_sender``:
    sender of its first packet, 0 for the initiator, 1 for the responder. ``evicted_at``: packet at which it was evicted
    because too many flows were open, or 0.
    """

    id: int
    initiator: Endpoint
    responder: Endpoint
    first_packet: int
    start_time: float
    key: bytes
    first_sender: int
    from_syn: bool
    end_time: float = 0.0
    packets: int = 0
    bytes: int = 0
    kind: StreamKind = StreamKind.UNKNOWN
    evicted_at: int = 0
    blocks: BlockSet = field(default_factory=BlockSet)
