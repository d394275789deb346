"""What two ends send to each other, segment by segment, before it is divided into packets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.segment import SHARED_HEADERS, Segment
from mqbridge.protocol.states import Member

#: Longest segment that a made conversation holds.
MAX_SEGMENT = 1 << 24


class End(Member):
    """End of the connection under a conversation."""

    CLOSED = "both ends close"
    RESET = "reset"
    OPEN = "the capture stops first"


@dataclass(slots=True)
class MadeSegment:
    """One segment. ``time``: seconds since the epoch. ``marked``: whether the finding of a case belongs here."""

    direction: Direction
    data: bytes
    time: float
    marked: bool = False

    @property
    def segment(self) -> Segment:
        """The parsed segment. Raises ``FramingError`` for other bytes."""
        return next(iter(SegmentReader(MAX_SEGMENT).feed(self.data)))

    @property
    def type(self) -> int:
        """Segment type, -1 for bytes that are no segment."""
        at = 17 if self.data[:4] in SHARED_HEADERS else 9
        return self.data[at] if len(self.data) > at else -1


@dataclass(slots=True)
class MadeConversation:
    """Segments in the order of time.

    ``closer``: the end that closes or resets; ``ended``: when. ``messages``, ``batches``: number of whole messages and
    of confirmed batches. ``end_marked``: whether the finding of a case belongs to the end of the connection.
    """

    lines: list[MadeSegment] = field(default_factory=list)
    begun: float = 0.0
    ended: float = 0.0
    closer: Direction = Direction.INITIATOR
    end: End = End.CLOSED
    messages: int = 0
    batches: int = 0
    end_marked: bool = False

    def say(self, direction: Direction, data: bytes, time: float) -> None:
        """Add bytes, divided into segments; an incomplete segment comes last."""
        reader = SegmentReader(MAX_SEGMENT)
        for segment in reader.feed(data):
            self.lines.append(MadeSegment(direction, segment.data, time))
        if reader.rest:
            self.lines.append(MadeSegment(direction, reader.rest, time))

    # Changes; each returns the conversation, so that they can be chained.

    def find(self, segment_type: int, direction: Direction | None = None, nth: int = 0) -> int:
        """Return the place of the ``nth`` segment (from 0, negative from the end) of a type. Raises ``LookupError`` if
        there is none."""
        places = [
            place
            for place, line in enumerate(self.lines)
            if line.type == segment_type and (direction is None or line.direction is direction)
        ]
        try:
            return places[nth]
        except IndexError:
            raise LookupError(f"no segment number {nth} of type {segment_type:#x}") from None

    def change(self, place: int, edit: Callable[[bytes], bytes], *, mark: bool = True) -> MadeConversation:
        """Replace the bytes of a segment."""
        line = self.lines[place]
        self.lines[place] = replace(line, data=edit(line.data), marked=mark or line.marked)
        return self

    def patch(self, place: int, offset: int, data: bytes, *, mark: bool = True) -> MadeConversation:
        """Replace bytes in a segment, from ``offset`` on (negative: from its end)."""

        def edit(old: bytes) -> bytes:
            at = offset if offset >= 0 else len(old) + offset
            return old[:at] + data + old[at + len(data) :]

        return self.change(place, edit, mark=mark)

    def insert(self, place: int, direction: Direction, data: bytes, *, mark: bool = True) -> MadeConversation:
        """Insert a segment before ``place``, at the time of the one before it."""
        time = self.lines[place - 1].time if place else self.begun
        self.lines.insert(place, MadeSegment(direction, data, time, mark))
        return self

    def remove(self, *places: int) -> MadeConversation:
        """Remove segments."""
        for place in sorted(places, reverse=True):
            del self.lines[place]
        return self

    def stop_after(self, place: int, end: End = End.OPEN, closer: Direction | None = None) -> MadeConversation:
        """Remove everything behind a segment, and end the connection in this way."""
        del self.lines[place + 1 :]
        self.end = end
        self.closer = closer or self.closer
        self.ended = self.lines[-1].time + 0.001 if self.lines else self.begun
        return self

    def delay(self, place: int, seconds: float) -> MadeConversation:
        """Delay a segment and everything behind it."""
        for line in self.lines[place:]:
            line.time += seconds
        self.ended += seconds
        return self

    def mark(self, place: int) -> MadeConversation:
        """Mark a segment as the place of the finding."""
        self.lines[place].marked = True
        return self

    def mark_end(self) -> MadeConversation:
        """Mark the end of the connection as the place of the finding."""
        self.end_marked = True
        return self


@dataclass(slots=True)
class MadeConnection:
    """A conversation between two ends."""

    initiator: Endpoint
    responder: Endpoint
    conversation: MadeConversation

    @property
    def length(self) -> int:
        """Number of bytes that both ends send."""
        return sum(len(line.data) for line in self.conversation.lines)
