"""Reassembly of one direction of a TCP connection from a capture.

Theory of operation. A byte of the stream is identified by its *offset*: 0 is the first byte after the SYN, or, if the
capture starts in the middle, the first byte that was kept. Offsets do not wrap and include lost bytes. Segments that
continue the stream are returned at once; segments beyond a gap wait. A gap is filled by reordered or retransmitted
segments; it is given up, and reported as :class:`Missing`,

* when the partner has acknowledged the bytes (so the capture lost them) and :data:`GAP_PATIENCE` further packets of the
  connection did not contain them,
* when more than :data:`MAX_PENDING_BYTES` or :data:`MAX_PENDING_SEGMENTS` wait behind it,
* when the stream ends.

Bytes captured twice (retransmissions, overlaps, captures that contain every packet twice) count once, the first time. A
keep-alive repeats an old byte and returns nothing. Without a SYN the first :data:`START_PATIENCE` packets are held to
find the lowest sequence number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

#: Modulus of sequence numbers.
SEQUENCE_MODULUS: Final = 1 << 32

#: The largest TCP window (RFC 7323): a sequence number further away belongs to something else.
MAX_WINDOW: Final = 1 << 30

#: Bytes of one direction that may wait behind a gap.
MAX_PENDING_BYTES = 16 << 20

#: Segments of one direction that may wait behind a gap.
MAX_PENDING_SEGMENTS = 16_384

#: Bytes that may wait in all streams of a capture.
MAX_PENDING_TOTAL = 256 << 20

#: Packets of the connection after which an acknowledged gap counts as lost by the capture.
GAP_PATIENCE = 128

#: Packets of the connection held to find the beginning of a stream without a captured SYN.
START_PATIENCE = 8

_HALF: Final = 1 << 31
_offset: Final = attrgetter("offset")


class StreamPiece(NamedTuple):
    """Bytes of the stream from one packet, with its ``number`` and ``time``."""

    offset: int
    data: bytes
    time: float
    number: int


class MissingBytes(NamedTuple):
    """``length`` missing bytes of the stream. ``number``, ``time``: of the packet that showed it."""

    offset: int
    length: int
    time: float
    number: int


Reassembled = Sequence[StreamPiece | MissingBytes]


class PendingBudget:
    """Number of bytes waiting in all streams of a capture.

    ``exceeded``: whether ``used`` once exceeded ``limit``, so that the events of one flow depend on others.
    """

    __slots__ = ("exceeded", "limit", "used")

    def __init__(self, limit: int = MAX_PENDING_TOTAL) -> None:
        self.limit = limit
        self.used = 0
        self.exceeded = False

    def add(self, length: int) -> None:
        """Count bytes that start to wait."""
        self.used += length
        self.exceeded |= self.used > self.limit


class StreamReassembly:
    """One direction of a connection: segments in any order in, pieces and missing bytes in order out.

    ``next_offset``: offset of the first byte not returned yet. ``end_offset``: offset of the FIN, None before one was
    seen. ``from_syn``: whether offset 0 is the true beginning of the stream. ``acknowledged``: the partner's latest
    acknowledgement number, set by the caller. ``first_acknowledged``: that of its first packet with data while nothing
    of this direction was captured. ``strays``: number of segments too far away to belong here.
    """

    __slots__ = (
        "_base",
        "_budget",
        "_cut_end",
        "_holding",
        "_patience",
        "_pending",
        "_pending_bytes",
        "_stray_end",
        "acknowledged",
        "end_offset",
        "first_acknowledged",
        "from_syn",
        "next_offset",
        "strays",
    )

    def __init__(self, budget: PendingBudget | None = None) -> None:
        self.next_offset = 0
        self.end_offset: int | None = None
        self.from_syn = False
        self.acknowledged: int | None = None
        self.first_acknowledged: int | None = None
        self.strays = 0
        self._base: int | None = None  # sequence number of offset 0
        self._holding = False  # the base is a first guess, nothing was given yet
        self._patience = 0
        self._pending: list[StreamPiece] = []  # sorted by offset; below 0 only while holding
        self._pending_bytes = 0
        self._budget = budget if budget is not None else PendingBudget()
        self._stray_end: int | None = None
        self._cut_end = 0  # up to here there are bytes that the capture cut off packets

    @property
    def started(self) -> bool:
        """Whether offset 0 is settled."""
        return self._base is not None and not self._holding

    @property
    def waiting(self) -> bool:
        """Whether segments wait behind a gap, or for the beginning of the stream."""
        return bool(self._pending)

    @property
    def ended(self) -> bool:
        """Whether everything up to the FIN was returned."""
        return self.end_offset is not None and self.next_offset >= self.end_offset and not self._holding

    @property
    def next_sequence(self) -> int | None:
        """Sequence number that continues the stream at once; None if another could as well, or none can."""
        if self._base is None or self._holding or self._pending or self.end_offset is not None:
            return None
        return (self._base + self.next_offset) % SEQUENCE_MODULUS

    def distance(self, sequence: int) -> int | None:
        """Return the distance of a sequence number behind (+) or before (-) the next byte; None before a first byte."""
        if self._base is None:
            return None
        far = (sequence - self._base - self.next_offset) % SEQUENCE_MODULUS
        return far - SEQUENCE_MODULUS if far >= _HALF else far

    def begin(self, sequence: int) -> Reassembled:
        """Set the sequence number of the first byte, given by a SYN; no effect on a started stream."""
        if self.started:
            return ()
        shift = 0 if self._base is None else -(self.distance(sequence) or 0)
        self._base = sequence % SEQUENCE_MODULUS
        self.from_syn = True
        return self._settle(shift)

    def add(self, sequence: int, data: bytes, length: int, time: float, number: int) -> Reassembled:
        """Take the payload of a segment; ``length``: its length on the wire, if the capture truncated ``data``."""
        if self._base is None:
            if self._is_keep_alive(sequence, length):
                return ()
            self._base = sequence
            self._holding = True
            self._patience = START_PATIENCE
        far = (sequence - self._base - self.next_offset) % SEQUENCE_MODULUS
        if not far and not self._pending and not self._holding:
            offset = self.next_offset
            self.next_offset = offset + length
            if len(data) == length:
                return (StreamPiece(offset, data, time, number),)
            kept = offset + len(data)
            missing = MissingBytes(kept, length - len(data), time, number)
            return (StreamPiece(offset, data, time, number), missing) if data else (missing,)
        if far >= _HALF:
            far -= SEQUENCE_MODULUS
        if abs(far) > MAX_WINDOW:
            return self._stray(sequence, data, length, time, number)
        offset = self.next_offset + far
        if len(data) < length:
            self._cut_end = max(self._cut_end, offset + length)
        return self._add_out_of_order(StreamPiece(offset, data, time, number))

    def notice(self, acknowledgement: int) -> None:
        """Note an acknowledgement of the partner, sent with data; a stream of which nothing was captured begins at the
        first one when the number increases."""
        if self._base is None:
            if self.first_acknowledged is None:
                self.first_acknowledged = acknowledgement
            # One more may be a lost FIN.
            elif 1 < (acknowledgement - self.first_acknowledged) % SEQUENCE_MODULUS <= MAX_WINDOW:
                self._base = self.first_acknowledged

    def finish_at(self, sequence: int) -> None:
        """Note a FIN; ``sequence``: number of the byte that would follow the last one."""
        far = self.distance(sequence)
        if far is None:
            self._base, far = sequence, 0
            self._holding, self._patience = True, START_PATIENCE
        if self.end_offset is None and abs(far) <= MAX_WINDOW:
            self.end_offset = self.next_offset + far

    def tick(self) -> Reassembled:
        """Count another packet of the connection; to be called while :attr:`waiting`."""
        if self._holding:
            self._patience -= 1
            return self._start_at_lowest() if self._patience <= 0 else ()
        if self._pending and self._is_acknowledged(self._pending[0].offset):
            self._patience -= 1
            if self._patience <= 0:
                return self._give_up_hole()
        return ()

    def give_up(self, offset: int, time: float, number: int) -> Reassembled:
        """Stop waiting for bytes up to ``offset``, which were acknowledged: return what waits behind the first gap, or,
        if nothing waits, all of them as missing."""
        if self._pending:
            return self._give_up_hole()
        if offset <= self.next_offset or self._holding:
            return ()
        missing = MissingBytes(self.next_offset, offset - self.next_offset, time, number)
        self.next_offset = offset
        return (missing,)

    def flush(self, time: float, number: int) -> Reassembled:
        """End the stream: return everything that waits, and what is missing in between and at the end."""
        given: list[StreamPiece | MissingBytes] = list(self._start_at_lowest()) if self._holding else []
        while self._pending:
            given += self._give_up_hole()
        end = self.end_offset
        if end is None and self.acknowledged is not None:
            far = self.distance(self.acknowledged)
            # One more than what was given may be a FIN that the capture lost.
            if far is not None and 1 < far <= MAX_WINDOW:
                end = self.next_offset + far
        if end is None:
            end = self._cut_end
        if end > self.next_offset:
            given.append(MissingBytes(self.next_offset, end - self.next_offset, time, number))
            self.next_offset = end
        return given

    def _is_keep_alive(self, sequence: int, length: int) -> bool:
        return length <= 1 and self.acknowledged == (sequence + 1) % SEQUENCE_MODULUS

    def _is_acknowledged(self, offset: int) -> bool:
        if self.acknowledged is None:
            return False
        far = self.distance(self.acknowledged)
        return far is not None and MAX_WINDOW >= far >= offset - self.next_offset

    def _add_out_of_order(self, piece: StreamPiece) -> Reassembled:
        end = piece.offset + len(piece.data)
        pending = self._pending
        place = bisect_right(pending, piece.offset, key=_offset)
        if place and pending[place - 1].offset + len(pending[place - 1].data) >= end:
            return ()  # waits already
        if not self._holding and end <= self.next_offset:
            return ()  # given already
        if not piece.data:
            return ()
        if not pending and not self._holding:
            self._patience = GAP_PATIENCE
        pending.insert(place, piece)
        self._pending_bytes += len(piece.data)
        self._budget.add(len(piece.data))
        given: list[StreamPiece | MissingBytes] = [] if self._holding else list(self._release())
        while pending and self._is_over_limits():
            given += self._start_at_lowest() if self._holding else self._give_up_hole()
        return given

    def _is_over_limits(self) -> bool:
        return (
            self._pending_bytes > MAX_PENDING_BYTES
            or len(self._pending) > MAX_PENDING_SEGMENTS
            or self._budget.used > self._budget.limit
        )

    def _start_at_lowest(self) -> Reassembled:
        lowest = self._pending[0].offset if self._pending else 0
        assert self._base is not None
        self._base = (self._base + lowest) % SEQUENCE_MODULUS
        return self._settle(-lowest)

    def _settle(self, shift: int) -> Reassembled:
        """End holding; the offsets of waiting pieces move by ``shift``."""
        self._holding = False
        if self.end_offset is not None:
            self.end_offset += shift
        self._cut_end += shift
        self._pending = [piece._replace(offset=piece.offset + shift) for piece in self._pending]
        return self._release()

    def _release(self) -> list[StreamPiece]:
        """Return the pieces that continue the stream."""
        given = []
        taken = 0
        following = self.next_offset
        for piece in self._pending:
            offset, data, time, number = piece
            if offset > following:
                break
            taken += 1
            self._pending_bytes -= len(data)
            self._budget.used -= len(data)
            end = offset + len(data)
            if end > following:
                fresh = data[following - offset :] if offset < following else data
                given.append(StreamPiece(following, fresh, time, number))
                following = end
        if taken:
            del self._pending[:taken]
            self._patience = GAP_PATIENCE
            self.next_offset = following
        return given

    def _give_up_hole(self) -> Reassembled:
        first = self._pending[0]
        missing = MissingBytes(self.next_offset, first.offset - self.next_offset, first.time, first.number)
        self.next_offset = first.offset
        return [missing, *self._release()]

    def _stray(self, sequence: int, data: bytes, length: int, time: float, number: int) -> Reassembled:
        """Accept a far-off segment only if a second one continues it: then the capture lost gigabytes."""
        self.strays += 1
        follows = sequence == self._stray_end
        self._stray_end = (sequence + length) % SEQUENCE_MODULUS
        if not follows or not length:
            return ()
        self._stray_end = None
        given = list(self.flush(time, number))
        assert self._base is not None
        lost = (sequence - self._base - self.next_offset) % SEQUENCE_MODULUS
        given.append(MissingBytes(self.next_offset, lost, time, number))
        self.next_offset += lost
        self.end_offset = None
        return [*given, *self.add(sequence, data, length, time, number)]
