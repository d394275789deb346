"""Flows of a capture with the encrypted bytes of TLS connections replaced by the decrypted ones.

Theory of operation. The reader of flows reports when a TLS connection opens, closes and loses bytes, and the order of
its two directions; tshark returns the decrypted records, each with the packet that completed it. A record replaces the
encrypted bytes of that packet. Offsets count decrypted bytes; a gap counts as many bytes as were lost encrypted.
Records behind a gap cannot be decrypted: their bytes are reported as lost, too. A connection without decrypted records
is left unchanged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from mqbridge.captures.reading.decryption import ClearPiece
from mqbridge.captures.streams.flow_events import (
    Direction,
    Flow,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowEvent,
    FlowGap,
    FlowOpened,
)
from mqbridge.captures.streams.recognition import Recogniser, StreamKind

_Ends = tuple[tuple[str, int], tuple[str, int]]


class _ClearDirection:
    """One direction of a flow that may be decrypted."""

    __slots__ = ("broken", "highest", "lost", "lost_at", "offset", "pieces", "recogniser")

    def __init__(self) -> None:
        self.pieces: deque[tuple[ClearPiece, float]] = deque()  # records whose packets were not delivered yet
        self.highest = 0  # last packet whose encrypted bytes were delivered
        self.offset = 0  # of the next byte in clear
        self.recogniser = Recogniser()
        self.broken = False  # bytes were lost, and none was decrypted since
        self.lost = 0  # encrypted bytes since then, not reported as lost yet
        self.lost_at = (0.0, 0)  # time and packet of the first of them


class _ClearFlow:
    """One flow that may be decrypted."""

    __slots__ = ("directions", "flow", "held", "secret", "settled", "started")

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.directions = {direction: _ClearDirection() for direction in Direction}
        self.held: list[FlowEvent] = []  # until it is known what it carries
        self.settled = False
        self.started = False  # bytes in clear came
        self.secret: list[FlowData] = []  # the first encrypted bytes, delivered if nothing is decrypted

    def take(self, event: FlowEvent) -> list[FlowEvent]:
        """Take an event of the encrypted connection; return the events to deliver."""
        if isinstance(event, FlowData):
            self._take_data(event)
        elif isinstance(event, FlowGap):
            if self.started:  # else in the handshake; where it cannot be read nothing follows
                self._lose(event)
        elif isinstance(event, FlowEnd):
            self._release(event.direction, everything=True)
            self._say_lost(event.direction)
            if self.started:
                event.offset = self.directions[event.direction].offset
            self.held.append(event)
        elif isinstance(event, FlowClosed):
            for direction in Direction:
                self._release(direction, everything=True)
                self._say_lost(direction)
            return [*([] if self.started else self.secret), *self.held, event]
        return self._told()

    def passes_through(self, event: FlowEvent) -> bool:
        """Whether the connection turns out not to be TLS."""
        return not self.started and isinstance(event, FlowData) and self.flow.kind in (StreamKind.MQ, StreamKind.OTHER)

    def _take_data(self, event: FlowData) -> None:
        if not self.started and (not self.secret or self.flow.kind is StreamKind.UNKNOWN):
            self.secret.append(event)
        one = self.directions[event.direction]
        one.highest = max(one.highest, event.packet)
        if not self._release(event.direction) and one.broken:
            if not one.lost:
                one.lost_at = event.time, event.packet
            one.lost += len(event.data)

    def _lose(self, gap: FlowGap) -> None:
        self._say_lost(gap.direction.other)
        self._say_lost(gap.direction)
        one = self.directions[gap.direction]
        gap.offset = one.offset
        one.offset += gap.length
        one.broken = True
        self.held.append(gap)

    def _say_lost(self, direction: Direction) -> None:
        one = self.directions[direction]
        if one.lost:
            self.held.append(FlowGap(self.flow, direction, one.offset, one.lost, *one.lost_at))
            one.offset += one.lost
            one.lost = 0

    def _release(self, direction: Direction, everything: bool = False) -> bool:
        """Deliver the records of delivered packets; return whether there were any."""
        one, found = self.directions[direction], False
        while one.pieces and (everything or one.pieces[0][0].packet <= one.highest):
            piece, time = one.pieces.popleft()
            self._say_lost(direction.other)
            self._say_lost(direction)
            one.broken, found, self.started = False, True, True
            offset = one.offset
            one.offset += len(piece.data)
            if not self.settled:
                kind = one.recogniser.take(offset, piece.data, True)
                self.settled = kind is not StreamKind.UNKNOWN
                if self.settled:
                    self.flow.kind = kind
            self.held.append(FlowData(self.flow, direction, offset, piece.data, time, piece.packet))
        return found

    def _told(self) -> list[FlowEvent]:
        if not self.settled:
            return []
        held, self.held = self.held, []
        return held


class ClearFlows:
    """Sans-IO: filters the events of :class:`captures.streams.flows.FlowReader`, packet by packet.

    ``pieces``: decrypted bytes in the order of their packets. ``ends``: of the connections they belong to.
    """

    def __init__(self, pieces: Iterable[ClearPiece], ends: set[_Ends]) -> None:
        self._pieces = iter(pieces)
        self._next = next(self._pieces, None)
        self._ends = ends
        self._flows: dict[int, _ClearFlow] = {}
        self._by_ends: dict[_Ends, tuple[_ClearFlow, Direction]] = {}

    def receive(self, events: list[FlowEvent], packet: int, time: float) -> list[FlowEvent]:
        """Take the events of the next packet; return the events to deliver."""
        given: list[FlowEvent] = []
        while self._next is not None and self._next.packet <= packet:
            self._place(self._next, time)
            self._next = next(self._pieces, None)
        for event in events:
            if isinstance(event, FlowOpened):
                self._open(event.flow)
            clear = self._flows.get(event.flow.id)
            if clear is None or isinstance(event, FlowOpened):
                given.append(event)
            elif clear.passes_through(event):
                given += [*clear.secret, event]
                self._forget(clear)
            else:
                given += clear.take(event)
                if isinstance(event, FlowClosed):
                    self._forget(clear)
        return given

    def _open(self, flow: Flow) -> None:
        initiator, responder = flow.initiator, flow.responder
        there: _Ends = (initiator.address, initiator.port), (responder.address, responder.port)
        back: _Ends = there[1], there[0]
        if there in self._ends or back in self._ends:
            clear = self._flows[flow.id] = _ClearFlow(flow)
            self._by_ends[there] = clear, Direction.INITIATOR
            self._by_ends[back] = clear, Direction.RESPONDER

    def _forget(self, clear: _ClearFlow) -> None:
        del self._flows[clear.flow.id]
        for ends in [ends for ends, (known, _) in self._by_ends.items() if known is clear]:
            del self._by_ends[ends]

    def _place(self, piece: ClearPiece, time: float) -> None:
        found = self._by_ends.get((piece.source, piece.destination))
        if found is not None and piece.data:
            clear, direction = found
            clear.directions[direction].pieces.append((piece, time))


def ends_of(pieces: Iterable[ClearPiece]) -> set[_Ends]:
    """Return the ends of the connections that pieces belong to, in the direction of each piece."""
    return {(piece.source, piece.destination) for piece in pieces}
