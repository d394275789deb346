"""Flows of a capture in which the bytes of decrypted TLS connections stand in place of the encrypted ones.

Theory of operation. The reader of flows tells of a TLS connection when it opens, closes and loses bytes; tshark tells
the records in clear, each with the packet that made it whole. The two are joined by packet and ends. Offsets count
bytes in clear; a hole counts as many bytes as were lost encrypted. A connection of which nothing could be decrypted
stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from captures.reading.decryption import ClearPiece
from captures.streams.flow_events import (
    Direction,
    Flow,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowEvent,
    FlowGap,
    FlowOpened,
)
from captures.streams.recognition import Recogniser, StreamKind

_Ends = tuple[tuple[str, int], tuple[str, int]]


class _ClearFlow:
    """What is known of one flow that may be decrypted."""

    __slots__ = ("flow", "held", "offsets", "recognisers", "secret", "settled", "started")

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.offsets = dict.fromkeys(Direction, 0)
        self.recognisers = {direction: Recogniser() for direction in Direction}
        self.held: list[FlowEvent] = []  # until it is known what it carries
        self.settled = False
        self.started = False  # bytes in clear came
        self.secret: list[FlowData] = []  # the first encrypted bytes, to tell where nothing is decrypted


class ClearFlows:
    """Sans-IO: the events of :class:`captures.streams.flows.FlowReader` go through, packet by packet.

    ``pieces``: bytes in clear, in the order of their packets; ``ends``: of the connections that they belong to.
    """

    def __init__(self, pieces: Iterable[ClearPiece], ends: set[_Ends]) -> None:
        self._pieces = iter(pieces)
        self._next = next(self._pieces, None)
        self._ends = ends
        self._flows: dict[int, _ClearFlow] = {}
        self._by_ends: dict[_Ends, tuple[_ClearFlow, Direction]] = {}

    def receive(self, events: list[FlowEvent], packet: int, time: float) -> list[FlowEvent]:
        """Take the events of the next packet; give those that others are to see."""
        given: list[FlowEvent] = []
        while self._next is not None and self._next.packet <= packet:
            given += self._place(self._next, packet, time)
            self._next = next(self._pieces, None)
        for event in events:
            if isinstance(event, FlowOpened):
                self._open(event.flow)
            clear = self._flows.get(event.flow.id)
            if clear is None or isinstance(event, FlowOpened):
                given.append(event)
            else:
                given += self._take(clear, event)
        return given

    def _open(self, flow: Flow) -> None:
        initiator, responder = flow.initiator, flow.responder
        there: _Ends = (initiator.address, initiator.port), (responder.address, responder.port)
        back: _Ends = there[1], there[0]
        if there in self._ends or back in self._ends:
            clear = self._flows[flow.id] = _ClearFlow(flow)
            self._by_ends[there] = clear, Direction.INITIATOR
            self._by_ends[back] = clear, Direction.RESPONDER

    def _take(self, clear: _ClearFlow, event: FlowEvent) -> list[FlowEvent]:
        if isinstance(event, FlowData):
            if not clear.secret or clear.flow.kind is not StreamKind.TLS:
                clear.secret.append(event)
            if not clear.started and clear.flow.kind in (StreamKind.MQ, StreamKind.OTHER):  # no TLS: it goes through
                del self._flows[clear.flow.id]
                return [*clear.secret]
            return []
        if isinstance(event, FlowGap):
            if not clear.started:
                return []  # the handshake; where it cannot be read nothing follows
            event.offset = clear.offsets[event.direction]
            clear.offsets[event.direction] += event.length
        elif isinstance(event, FlowEnd) and clear.started:
            event.offset = clear.offsets[event.direction]
        if not isinstance(event, FlowClosed):
            return self._told(clear, event)
        del self._flows[clear.flow.id]
        for ends in [ends for ends, (known, _) in self._by_ends.items() if known is clear]:
            del self._by_ends[ends]
        return [*clear.held, event] if clear.started else [*clear.secret, *clear.held, event]

    def _place(self, piece: ClearPiece, packet: int, time: float) -> list[FlowEvent]:
        found = self._by_ends.get((piece.source, piece.destination))
        if found is None or not piece.data:
            return []
        clear, direction = found
        offset = clear.offsets[direction]
        clear.offsets[direction] = offset + len(piece.data)
        clear.started = True
        if not clear.settled:
            kind = clear.recognisers[direction].take(offset, piece.data, True)
            clear.settled = kind is not StreamKind.UNKNOWN
            if clear.settled:
                clear.flow.kind = kind
        return self._told(clear, FlowData(clear.flow, direction, offset, piece.data, time, packet))

    def _told(self, clear: _ClearFlow, event: FlowEvent) -> list[FlowEvent]:
        clear.held.append(event)
        if not clear.settled:
            return []
        held, clear.held = clear.held, []
        return held


def ends_of(pieces: Iterable[ClearPiece]) -> set[_Ends]:
    """The ends of the connections that pieces belong to, in the direction of each piece."""
    return {(piece.source, piece.destination) for piece in pieces}
