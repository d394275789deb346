"""Both directions of a connection told in the order in which they were said, where a capture does not show it.

Theory of operation. A packet acknowledges what its sender had received: bytes of it come after those bytes of the other
direction. Mostly a capture shows packets in such an order. Where it lost some, or has them late, a direction waits
behind the hole and would come long after the answers to it. So while something of a connection is missing each piece
waits until what its packet acknowledged was told. What does not come within :data:`PATIENCE` further packets of the
connection counts as lost by the capture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from mqbridge.captures.streams.reassembly import (
    GAP_PATIENCE,
    MAX_PENDING_SEGMENTS,
    MAX_WINDOW,
    MissingBytes,
    Reassembled,
    StreamPiece,
    StreamReassembly,
)

#: Packets of the connection after which acknowledged bytes that nobody has seen count as lost.
PATIENCE: Final = GAP_PATIENCE

#: Bytes that may wait for the other direction; more are told as they come.
MAX_HELD: Final = 16 << 20

#: Packets whose acknowledgements are kept: more than may wait in the two directions.
MAX_NOTED: Final = 2 * MAX_PENDING_SEGMENTS


class _Held(NamedTuple):
    """``acknowledgement``: number up to which bytes of the other direction come first, None where nothing has to;
    ``since``: how many packets of the connection had gone by."""

    item: StreamPiece | MissingBytes
    acknowledgement: int | None
    since: int


class CausalOrder:
    """Puts what both directions give into one order; pairs hold the initiator's part first.

    Made for a connection when something of it is missing, before the packet is taken that shows it.
    """

    __slots__ = ("_acknowledgements", "_bytes", "_held", "_packets", "_streams", "_told")

    def __init__(self, streams: tuple[StreamReassembly, StreamReassembly]) -> None:
        self._streams = streams
        self._acknowledgements: dict[int, int] = {}  # by packet
        self._held: tuple[deque[_Held], deque[_Held]] = deque(), deque()
        self._told = [stream.next_offset for stream in streams]
        self._packets = 0
        self._bytes = 0

    @property
    def settled(self) -> bool:
        """Whether nothing waits in either direction: the order is that of the capture again."""
        return not any(self._held) and not any(stream.waiting for stream in self._streams)

    def holds(self, side: int) -> bool:
        """Whether something of a direction is still to be told."""
        return bool(self._held[side])

    def note(self, packet: int, acknowledgement: int) -> None:
        """A packet with data has acknowledged so much of the other direction."""
        self._acknowledgements[packet] = acknowledgement
        if len(self._acknowledgements) > MAX_NOTED:  # copies are noted, and never given
            del self._acknowledgements[next(iter(self._acknowledgements))]

    def add(self, side: int, given: Reassembled) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Take what a direction gives; give what may be told, each with its direction."""
        for item in given:
            number = self._acknowledgements.pop(item.number, None) if isinstance(item, StreamPiece) else None
            self._held[side].append(_Held(item, number, self._packets))
            self._bytes += _size(item)
        yield from self._release()
        while self._bytes > MAX_HELD and any(self._held):
            yield from self._force()

    def tick(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Another packet of the connection went by."""
        self._packets += 1
        while any(held and self._packets - held[0].since >= PATIENCE for held in self._held):
            yield from self._force()

    def flush(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Nothing more comes: give all that waits."""
        yield from self._release()
        while any(self._held):
            yield from self._force()

    def _release(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Give what may be told. A hole comes as late as it can: what it is the answer to stands in front of it."""
        while True:
            side = self._next()
            if side is None:
                return
            self._split_hole(side)
            yield side, self._take(side)

    def _next(self) -> int | None:
        """The direction that goes on, if one can."""
        holes = []
        for side, held in enumerate(self._held):
            if held and isinstance(held[0].item, MissingBytes):
                holes.append(side)
            elif held and self._needed(side) <= self._told[1 - side]:
                return side
        # Of two holes that comes first which something of the other direction answers.
        return next((side for side in holes if self._wanted(side) > 0), holes[0] if holes else None)

    def _split_hole(self, side: int) -> None:
        """Of a hole only so much comes now as the other direction waits for: the rest may be the answer to that."""
        held = self._held[side]
        item = held[0].item
        if isinstance(item, MissingBytes) and 0 < (first := self._wanted(side)) < item.length:
            rest = item._replace(offset=item.offset + first, length=item.length - first)
            held[0] = held[0]._replace(item=item._replace(length=first))
            held.insert(1, held[0]._replace(item=rest))

    def _wanted(self, side: int) -> int:
        """Bytes of a direction, from the hole on that it comes to next, that what the other says next acknowledges."""
        other = 1 - side
        said = next((held for held in self._held[other] if isinstance(held.item, StreamPiece)), None)
        return 0 if said is None else self._needed_by(other, said) - self._held[side][0].item.offset

    def _needed(self, side: int) -> int:
        """Bytes of the other direction that come before the first that a direction holds."""
        return self._needed_by(side, self._held[side][0])

    def _needed_by(self, side: int, held: _Held) -> int:
        number, other = held.acknowledgement, self._streams[1 - side]
        if number is None:
            return 0
        if not other.started and other.waiting:
            return MAX_WINDOW  # not known before the first bytes of the other one are
        return acknowledged_offset(other, number)

    def _take(self, side: int) -> StreamPiece | MissingBytes:
        item = self._held[side].popleft().item
        self._told[side] = item.offset + (item.length if isinstance(item, MissingBytes) else len(item.data))
        self._bytes -= _size(item)
        return item

    def _force(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Go on without what is waited for: it is lost, or acknowledged by a packet that makes no sense."""
        side = min((side for side in (0, 1) if self._held[side]), key=lambda side: self._held[side][0].item.number)
        head, other = self._held[side][0], 1 - side
        lost = (
            ()
            if self._held[other]
            else self._streams[other].give_up(self._needed(side), head.item.time, head.item.number)
        )
        if lost:
            yield from self.add(other, lost)
        else:
            yield side, self._take(side)
            yield from self._release()


def acknowledged_offset(stream: StreamReassembly, acknowledgement: int) -> int:
    """Up to which offset of a direction an acknowledgement number says that bytes came."""
    far = stream.distance(acknowledgement)
    if far is None or not stream.started or abs(far) > MAX_WINDOW:
        return 0
    offset = stream.next_offset + far
    if stream.end_offset is not None:
        return min(offset, stream.end_offset)
    return offset if far != 1 else stream.next_offset  # one more may be a FIN that the capture lost


def _size(item: StreamPiece | MissingBytes) -> int:
    return len(item.data) if isinstance(item, StreamPiece) else 0
