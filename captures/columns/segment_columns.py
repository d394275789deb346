"""A batch of segments as columns, and the names of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from captures.streams.flow_events import Direction
from captures.streams.segments import CapturedSegment, SegmentFault
from protocol.segment import LITTLE_ENDIAN, TAILS

#: What is kept of a segment, one value after the other; ``tail`` holds the last words of the header as bytes.
ROW: Final = (
    "flow",
    "direction",
    "time",
    "packet",
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
    "tail",
    "last_packet",
)
_WIDTH: Final = len(ROW)
_PLACES: Final = {name: place for place, name in enumerate(ROW) if name not in ("flow", "tail")}


class SegmentColumns:
    """A batch of segments in the order in which they became whole; ``len()`` says how many.

    ``columns[name]`` is a list with a value for each; ``name`` is one of :data:`FIELDS`. ``fields``: those that were
    asked for. ``faults``: what could not be read as segments meanwhile.
    """

    __slots__ = ("_values", "faults", "fields")

    def __init__(self, values: list[Any], faults: list[SegmentFault], fields: tuple[str, ...]) -> None:
        self._values = values  # of one row after the other, as ROW says
        self.faults = faults
        self.fields = fields

    def __len__(self) -> int:
        return len(self._values) // _WIDTH

    def __getitem__(self, name: str) -> list[Any]:
        place = _PLACES.get(name)
        return _DERIVED[name](self._values) if place is None else self._values[place::_WIDTH]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The segments one by one, each with the values of ``fields`` in their order."""
        return zip(*(self[name] for name in self.fields), strict=True)


def row_of(captured: CapturedSegment) -> tuple[Any, ...]:
    """What is kept of a segment that the careful way gave."""
    segment = captured.segment
    return (
        captured.flow,
        captured.direction,
        captured.time,
        captured.packet,
        captured.offset,
        segment.struc_id,
        segment.length,
        segment.conversation_id,
        segment.request_id,
        segment.byte_order,
        segment.type,
        segment.flags1,
        segment.flags2,
        segment.luwid,
        segment.tail,
        captured.last_packet,
    )


def _sources(values: list[Any]) -> list[Any]:
    ways = zip(values[::_WIDTH], values[1::_WIDTH], strict=True)
    return [flow.initiator if direction is Direction.INITIATOR else flow.responder for flow, direction in ways]


def _destinations(values: list[Any]) -> list[Any]:
    ways = zip(values[::_WIDTH], values[1::_WIDTH], strict=True)
    return [flow.responder if direction is Direction.INITIATOR else flow.initiator for flow, direction in ways]


def _of_tail(place: int) -> Callable[[list[Any]], list[Any]]:
    def column(values: list[Any]) -> list[Any]:
        orders, tails = values[_PLACES["byte_order"] :: _WIDTH], values[ROW.index("tail") :: _WIDTH]
        if orders.count(LITTLE_ENDIAN) == len(orders):  # of nearly every batch
            return [words[place] for words in TAILS[LITTLE_ENDIAN].iter_unpack(b"".join(tails))]
        return [TAILS[order].unpack(tail)[place] for order, tail in zip(orders, tails, strict=True)]

    return column


_DERIVED: Final[dict[str, Callable[[list[Any]], list[Any]]]] = {
    "flow": lambda values: [flow.id for flow in values[::_WIDTH]],
    "source": _sources,
    "destination": _destinations,
    "encoding": _of_tail(0),
    "ccsid": _of_tail(1),
    "reserved": _of_tail(2),
}

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
