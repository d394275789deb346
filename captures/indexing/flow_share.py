"""A share of a capture's flows: its reader reads the whole file, like all others, and keeps its own flows.

Readers of all packets distinguish flows alike: numbers, ends, evictions and losses are those of the file, so that
shares need no index and can start at once. Distinguishing flows costs about a tenth of the analysis of MQ; for many
shares an index (:mod:`captures.indexing.capture_index`) is cheaper.
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

#: Number of connections, the heaviest, assigned to shares by weight; the others are assigned by their ends.
MAX_PLACED = 4096


@dataclass(slots=True, eq=False)
class FlowShare:
    """Some flows of a capture, read by one process while others read the rest; can be pickled.

    ``number`` of ``count``, from 0. ``weight``: expected cost among the shares of the file. ``placed``: number of the
    share of a connection by its ends; connections that are not in it are divided evenly.
    """

    path: str
    number: int
    count: int
    weight: int
    placed: dict[bytes, int]

    def read(self) -> CaptureFlows:
        """Return the flows of this share, as :func:`captures.read_flows` returns them.

        Attributes about the file (``error``, ``packets``, ``unread`` …) are the same for all shares.
        """
        return CaptureFlows(self.path, reader=OrdinaryFlowReader(watch=ShareWatch(self)))

    def has(self, ends: bytes) -> bool:
        """Whether connections between these ends (:func:`captures.indexing.sampling.ends_of`) belong to this share."""
        placed = self.placed.get(ends)
        return (crc32(ends) % self.count if placed is None else placed) == self.number


def share_flows(path: str | PathLike[str], count: int) -> list[FlowShare]:
    """Divide the flows of a capture into ``count`` shares of similar cost, without reading all of it.

    Every flow belongs to one share, whatever happens to the file meanwhile. Raises ``OSError`` if the file cannot be
    read, ``ValueError`` for a count below 1.
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
    """Selects the flows of a share."""

    def __init__(self, share: FlowShare) -> None:
        super().__init__()
        self._share = share
        self._own: set[int] = set()

    def opened(self, connection: TcpConnection, segment: TcpSegment, before: TcpConnection | None) -> None:
        """Note a flow of the share."""
        if self._share.has(ends_of(segment)):
            self._own.add(connection.flow.id)

    def wants(self, connection: TcpConnection) -> bool:
        """Return whether a connection belongs to the share."""
        return connection.flow.id in self._own

    def wanted(self, events: list[FlowEvent]) -> list[FlowEvent]:
        """Return the events of the share."""
        flows = self._own
        own = [event for event in events if event.flow.id in flows]
        flows.difference_update(event.flow.id for event in own if isinstance(event, FlowClosed))
        return own
