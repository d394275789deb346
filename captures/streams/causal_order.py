"""Order of the two directions of a connection, where the capture does not show it.

Theory of operation. A packet acknowledges what its sender had received: its bytes come after those bytes of the other
direction. Captures mostly show packets in this order. If packets are missing or late, one direction waits at the gap,
and its bytes would come long after the replies to them. While anything of a connection is missing, each piece therefore
waits until everything its packet acknowledged was delivered. What does not arrive within :data:`PATIENCE` further
packets of the connection counts as lost by the capture.
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

#: Packets of the connection after which acknowledged bytes that were not captured count as lost.
PATIENCE: Final = GAP_PATIENCE

#: Bytes that may wait for the other direction; further ones are delivered as they come.
MAX_HELD: Final = 16 << 20

#: Packets whose acknowledgements are kept: more than may wait in the two directions.
MAX_NOTED: Final = 2 * MAX_PENDING_SEGMENTS


class _Held(NamedTuple):
    """A waiting item.

    ``acknowledgement``: number up to which bytes of the other direction come first, or None. ``since``: number of
    packets of the connection before it.
    """

    item: StreamPiece | MissingBytes
    acknowledgement: int | None
    since: int


class CausalOrder:
    """Merges the output of both directions into one order; the initiator's part comes first in pairs.

    Create it when something of a connection is missing, before the packet that shows it is taken.
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
        """Whether nothing waits in either direction, so that the order of the capture applies again."""
        return not any(self._held) and not any(stream.waiting for stream in self._streams)

    def holds(self, side: int) -> bool:
        """Whether a direction has items that were not delivered yet."""
        return bool(self._held[side])

    def note(self, packet: int, acknowledgement: int) -> None:
        """Note the acknowledgement number of a packet with data."""
        self._acknowledgements[packet] = acknowledgement
        if len(self._acknowledgements) > MAX_NOTED:  # copies are noted, and never given
            del self._acknowledgements[next(iter(self._acknowledgements))]

    def add(self, side: int, given: Reassembled) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Take the output of a direction; yield what may be delivered, with its side."""
        for item in given:
            number = self._acknowledgements.pop(item.number, None) if isinstance(item, StreamPiece) else None
            self._held[side].append(_Held(item, number, self._packets))
            self._bytes += _size(item)
        yield from self._release()
        while self._bytes > MAX_HELD and any(self._held):
            yield from self._force()

    def tick(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Count another packet of the connection."""
        self._packets += 1
        while any(held and self._packets - held[0].since >= PATIENCE for held in self._held):
            yield from self._force()

    def flush(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Yield everything that waits: no more packets follow."""
        yield from self._release()
        while any(self._held):
            yield from self._force()

    def _release(self) -> Iterator[tuple[int, StreamPiece | MissingBytes]]:
        """Yield what may be delivered. A gap comes as late as possible, behind what it replies to."""
        while True:
            side = self._next()
            if side is None:
                return
            self._split_hole(side)
            yield side, self._take(side)

    def _next(self) -> int | None:
        """Return the side that can continue, or None."""
        holes = []
        for side, held in enumerate(self._held):
            if held and isinstance(held[0].item, MissingBytes):
                holes.append(side)
            elif held and self._needed(side) <= self._told[1 - side]:
                return side
        # Of two gaps the one that the other direction replies to comes first.
        return next((side for side in holes if self._wanted(side) > 0), holes[0] if holes else None)

    def _split_hole(self, side: int) -> None:
        """Split a gap at what the other direction waits for: the rest may be the reply to that."""
        held = self._held[side]
        item = held[0].item
        if isinstance(item, MissingBytes) and 0 < (first := self._wanted(side)) < item.length:
            rest = item._replace(offset=item.offset + first, length=item.length - first)
            held[0] = held[0]._replace(item=item._replace(length=first))
            held.insert(1, held[0]._replace(item=rest))

    def _wanted(self, side: int) -> int:
        """Return the number of bytes from the side's next gap that the other direction's next piece acknowledges."""
        other = 1 - side
        said = next((held for held in self._held[other] if isinstance(held.item, StreamPiece)), None)
        return 0 if said is None else self._needed_by(other, said) - self._held[side][0].item.offset

    def _needed(self, side: int) -> int:
        """Return the offset in the other direction that comes before the first item of a side."""
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
        """Continue without the missing bytes: they are lost, or a packet acknowledges nonsense."""
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
    """Return the offset of a direction up to which an acknowledgement number confirms bytes."""
    far = stream.distance(acknowledgement)
    if far is None or not stream.started or abs(far) > MAX_WINDOW:
        return 0
    offset = stream.next_offset + far
    if stream.end_offset is not None:
        return min(offset, stream.end_offset)
    return offset if far != 1 else stream.next_offset  # one more may be a FIN that the capture lost


def _size(item: StreamPiece | MissingBytes) -> int:
    return len(item.data) if isinstance(item, StreamPiece) else 0
