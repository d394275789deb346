"""Conversations of a capture for replay, one for each MQ connection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.captures.capture_files import CaptureSegments, Source, read_segments
from mqbridge.captures.streams.flow_events import Endpoint, Flow
from mqbridge.captures.streams.recognition import StreamKind
from mqbridge.captures.streams.segments import SegmentFault
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import Segment

MAX_RECORDED: Final = 256 << 20
"""Maximum number of bytes of segments kept of one capture."""


@dataclass(slots=True)
class Step:
    """One segment. ``number``: in its connection, from 1, over both directions. ``time``: seconds since the first
    segment."""

    number: int
    direction: Direction
    time: float
    segment: Segment


@dataclass(slots=True)
class RecordedFlow:
    """One connection.

    ``start``: time of its first segment, ``end``: of its last packet, seconds since the epoch. ``lost``: number of
    bytes that the capture lacks or that are no segments.
    """

    number: int
    initiator: Endpoint
    responder: Endpoint
    start: float = 0.0
    end: float = 0.0
    steps: list[Step] = field(default_factory=list)
    lost: int = 0
    encrypted: bool = False

    @property
    def unplayable(self) -> str:
        """Why it cannot be played, one clause; empty if it can."""
        if self.encrypted:
            return "TLS cannot be read"
        first = next((step for step in self.steps if step.direction is Direction.INITIATOR), None)
        if first is None:
            return "nothing that its initiator said is in the capture"
        if first.segment.type != SegmentType.INITIAL_DATA:
            return "its beginning is not in the capture"
        return ""


class TooMuchToPlayError(ValueError):
    """A capture contains more segments than are kept."""


def recorded_flows(source: Source, keylog: str | None = None) -> tuple[list[RecordedFlow], CaptureSegments]:
    """Return the connections of a capture in the order of their first packets, and its reader with errors and counts.

    ``keylog``: keys of TLS connections, as for :func:`captures.read_segments`. Raises ``OSError`` for a file that
    cannot be opened and :class:`TooMuchToPlayError` beyond :data:`MAX_RECORDED`.
    """
    reading = read_segments(source, keylog)
    found: dict[int, RecordedFlow] = {}
    ends: dict[int, Flow] = {}
    kept = 0
    for item in reading:
        flow = found.get(item.flow.id)
        if flow is None:
            flow = found[item.flow.id] = _begin(item.flow, item.time)
            ends[item.flow.id] = item.flow
        if isinstance(item, SegmentFault):
            flow.lost += item.length
            flow.encrypted |= item.flow.kind is StreamKind.TLS
            continue
        kept += item.segment.length
        if kept > MAX_RECORDED:
            raise TooMuchToPlayError(f"more than {MAX_RECORDED >> 20} MiB of segments")
        number = len(flow.steps) + 1
        flow.steps.append(Step(number, item.direction, item.time - flow.start, item.segment))
    for number, flow in found.items():
        flow.end = ends[number].end_time
    return [found[number] for number in sorted(found)], reading


def _begin(flow: Flow, start: float) -> RecordedFlow:
    return RecordedFlow(flow.id, flow.initiator, flow.responder, start)
