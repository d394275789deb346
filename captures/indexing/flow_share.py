"""A share of a capture's flows: who has one reads the whole file as every other does, and keeps its own flows only.

Readers that see all packets tell flows apart alike: numbers, ends, what was forgotten and what was lost are those of
the file, so shares need no index and can begin at once. Telling flows apart costs about a tenth of what the analysis of
MQ does; where there are many shares an index (:mod:`captures.indexing.capture_index`) makes less work.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from zlib import crc32

from mqbridge.captures.capture_files import CaptureFlows
from mqbridge.captures.indexing.sampling import ends_of, sample_weights, spread
from mqbridge.captures.reading.link_layers import TcpSegment
from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.flow_events import FlowClosed, FlowEvent
from mqbridge.captures.streams.flow_watch import FlowWatch
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader

#: Connections that are given to shares by their weight, the heaviest; others by their ends alone.
MAX_PLACED = 4096


@dataclass(slots=True, eq=False)
class FlowShare:
    """Some flows of a capture, to be read by one process while others read the rest; can be pickled.

    ``number`` of ``count``, from 0. ``weight``: what it is expected to cost, among ``count`` shares of the same file.
    ``placed``: number of the share that has a connection, by its ends; all that are not in it are divided evenly.
    """

    path: str
    number: int
    count: int
    weight: int
    placed: dict[bytes, int]

    def read(self) -> CaptureFlows:
        """Events of the flows of this share, those that :func:`captures.read_flows` gives for them.

        What is said of the file (``error``, ``packets``, ``unread`` …) is the same for all shares.
        """
        return CaptureFlows(self.path, reader=OrdinaryFlowReader(watch=ShareWatch(self)))

    def has(self, ends: bytes) -> bool:
        """Whether connections between these ends (:func:`captures.indexing.sampling.ends_of`) are of this share."""
        placed = self.placed.get(ends)
        return (crc32(ends) % self.count if placed is None else placed) == self.number


def share_flows(path: str | PathLike[str], count: int) -> list[FlowShare]:
    """Divide the flows of a capture into ``count`` shares that cost about the same, without reading all of it.

    Every flow is of one share, whatever becomes of the file meanwhile. Raises ``OSError`` when the file cannot be read,
    ``ValueError`` for a count below 1.
    """
    if count < 1:
        raise ValueError(f"a capture cannot be divided into {count} shares")
    weights = sample_weights(path) if count > 1 else {}
    heaviest = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:MAX_PLACED]
    placed: dict[bytes, int] = {}
    loads = [0] * count
    for (ends, weight), number in zip(heaviest, spread((weight for _, weight in heaviest), count), strict=True):
        placed[ends] = number
        loads[number] += weight
    return [FlowShare(fspath(path), number, count, load, placed) for number, load in enumerate(loads)]


class ShareWatch(FlowWatch):
    """Has the flows of a share told, of all that are read."""

    def __init__(self, share: FlowShare) -> None:
        super().__init__()
        self._share = share
        self._own: set[int] = set()

    def opened(self, connection: TcpConnection, segment: TcpSegment, before: TcpConnection | None) -> None:
        """Note a flow of the share."""
        if self._share.has(ends_of(segment)):
            self._own.add(connection.flow.id)

    def wants(self, connection: TcpConnection) -> bool:
        """Return whether a connection is of the share."""
        return connection.flow.id in self._own

    def told(self, events: list[FlowEvent]) -> list[FlowEvent]:
        """Return the events of the share."""
        flows = self._own
        own = [event for event in events if event.flow.id in flows]
        flows.difference_update(event.flow.id for event in own if isinstance(event, FlowClosed))
        return own
