"""A batch of segments as columns, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from mqbridge.captures.streams.flow_events import Direction, Flow
from mqbridge.captures.streams.segments import CapturedSegment, SegmentFault
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.segment import TAILS

#: What is kept of a segment, one value after the other. ``way``: of the direction, with its flow and its two ends;
#: ``tail`` holds the last words of the header as bytes.
ROW: Final = (
    "way",
    "time",
    "packet",
    "offset",
    "last_packet",
    "conversation_id",
    "request_id",
    "struc_id",
    "seg_length",
    "byte_order",
    "segment_type",
    "control_flags1",
    "control_flags2",
    "luwid",
    "tail",
)
_WIDTH: Final = len(ROW)
_PLACES: Final = {name: place for place, name in enumerate(ROW) if name not in ("way", "tail")}


class SegmentColumns:
    """A batch of segments in the order in which they became whole; ``len()`` says how many.

    ``columns[name]`` is a list with a value for each; ``name`` is one of :data:`FIELDS`. ``fields``: those that were
    asked for. ``faults``: what could not be read as segments meanwhile.
    """

    __slots__ = ("_tails", "_values", "faults", "fields")

    def __init__(self, values: list[Any], faults: list[SegmentFault], fields: tuple[str, ...]) -> None:
        self._values = values  # of one row after the other, as ROW says
        self._tails: dict[str, list[Any]] = {}
        self.faults = faults
        self.fields = fields

    def __len__(self) -> int:
        return len(self._values) // _WIDTH

    def __getitem__(self, name: str) -> list[Any]:
        if (place := _PLACES.get(name)) is not None:
            return self._values[place::_WIDTH]
        if name in _TAIL:
            if not self._tails:
                self._tails = self._read_tails()
            return self._tails[name]
        return _DERIVED[name](self._values)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the segments one by one, each with the values of ``fields`` in order."""
        return zip(*(self[name] for name in self.fields), strict=True)

    def _read_tails(self) -> dict[str, list[Any]]:
        orders, tails = self["byte_order"], self._values[ROW.index("tail") :: _WIDTH]
        words: Iterable[tuple[int, ...]]
        if orders.count(ByteOrder.LITTLE) == len(orders):  # of nearly every batch
            words = TAILS[ByteOrder.LITTLE].iter_unpack(b"".join(tails))
        else:
            words = (TAILS[order].unpack(tail) for order, tail in zip(orders, tails, strict=True))
        columns = zip(*words, strict=True) if tails else ((), (), ())
        return {name: list(column) for name, column in zip(_TAIL, columns, strict=True)}


class _FlowDirection:
    """Direction of a flow: what :class:`captures.streams.ordinary.WireSharedConversation` says of it."""

    __slots__ = ("destination", "direction", "flow", "source")

    def __init__(self, flow: Flow, direction: Direction) -> None:
        self.flow = flow
        self.direction = direction
        ends = flow.initiator, flow.responder
        self.source, self.destination = ends if direction is Direction.INITIATOR else ends[::-1]


def row_of(captured: CapturedSegment) -> tuple[Any, ...]:
    """Return the values kept of a segment from the careful reader."""
    segment = captured.segment
    return (
        _FlowDirection(captured.flow, captured.direction),
        captured.time,
        captured.packet,
        captured.offset,
        captured.last_packet,
        segment.conversation_id,
        segment.request_id,
        segment.struc_id,
        segment.length,
        segment.byte_order,
        segment.type,
        segment.flags1,
        segment.flags2,
        segment.luwid,
        segment.tail,
    )


_DERIVED: Final[dict[str, Callable[[list[Any]], list[Any]]]] = {
    "flow": lambda values: [way.flow.id for way in values[::_WIDTH]],
    "direction": lambda values: [way.direction for way in values[::_WIDTH]],
    "source": lambda values: [way.source for way in values[::_WIDTH]],
    "destination": lambda values: [way.destination for way in values[::_WIDTH]],
}
_TAIL: Final = ("encoding", "ccsid", "reserved")

FIELDS: Final = (
    "flow",
    "source",
    "destination",
    "direction",
    "time",
    "packet",
    "last_packet",
    "offset",
    "struc_id",
    "seg_length",
    "conversation_id",
    "request_id",
    "byte_order",
    "segment_type",
    "control_flags1",
    "control_flags2",
    "luwid",
    "encoding",
    "ccsid",
    "reserved",
)
"""Names of the columns, mq-wire.md 2. ``flow``: number of the connection; ``source`` and ``destination``: its ends,
with address and port; ``direction`` says which of them opened it. ``time``, ``packet``: of the packet with the first
byte; ``last_packet``: of the one that made the segment whole. ``offset``: of the first byte in its direction. The rest
are the words of the header as :class:`protocol.segment.Segment` has them, ids that a header lacks are 0."""
