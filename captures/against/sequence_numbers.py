"""Translation of a recorded sender's sequence numbers to those that a live receiver expects (channels.md 5.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.captures.against.agreement import number_in
from mqbridge.captures.differential import WireField, fields_of, segments_of
from mqbridge.captures.differential.recorded_flows import Step
from mqbridge.protocol.channel.sequence import HIGHEST_NUMBER, number_after
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import Segment

_NUMBERED: Final = {
    SegmentType.MESSAGE_DATA: "MSH.SequenceNumber",
    SegmentType.RESET_DATA: "RESET.SequenceNumber",
}


class Renumbering:
    """Shifts the numbers of a conversation so that its first message has the number ``first``; None leaves them
    unchanged."""

    def __init__(self, steps: Iterable[Step], first: int | None) -> None:
        self.recorded_first = 0
        self._wrap = HIGHEST_NUMBER
        for step in steps:
            kind = step.segment.type
            if kind == SegmentType.INITIAL_DATA and step.direction is Direction.INITIATOR:
                self._wrap = number_in(step.segment, "ID.SequenceWrap") or HIGHEST_NUMBER
            elif kind == SegmentType.MESSAGE_DATA:
                self.recorded_first = number_in(step.segment, "MSH.SequenceNumber")
                break
        self._shift = first - self.recorded_first if first is not None and self.recorded_first else 0

    def as_played(self, segment: Segment) -> Segment:
        """Return a segment of the recorded initiator with its number shifted."""
        return self._moved(segment, self._shift)

    def as_recorded(self, segment: Segment) -> Segment:
        """Return a segment of the live endpoint with its number shifted back."""
        return self._moved(segment, -self._shift)

    def advice(self, expected: int | None) -> str:
        """Return what to do if a receiver expects another message."""
        played = number_after(self.recorded_first, self._shift, self._wrap)
        there = f", it expects {expected}" if expected else ""
        return (
            f"the endpoint refuses message sequence number {played}{there}: "
            f"RESET CHANNEL SEQNUM there, or --sequence N here"
        )

    def _moved(self, segment: Segment, shift: int) -> Segment:
        key = _NUMBERED.get(SegmentType(segment.type)) if shift else None
        if key is None:
            return segment
        found: WireField | None = next((one for one in fields_of(segment) if one.key == key), None)
        if found is None:
            return segment
        data = bytearray(segment.data)
        data[found.place] = number_after(found.value, shift, self._wrap).to_bytes(found.size, segment.order.endian)
        (changed,) = segments_of(bytes(data))
        return changed
