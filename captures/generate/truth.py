"""Truth about a generated capture: the results of a perfect judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mqbridge.captures.generate.conversation import MAX_SEGMENT, MadeConnection
from mqbridge.captures.generate.packets import MadePacket
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import SegmentReader


class TrueSegment(NamedTuple):
    """One segment.

    ``flow``: from 1, in the order of first packets. ``offset``: in its direction. ``packet``: number of the first
    packet with its first byte, 0 for none, with its ``time``.
    """

    flow: int
    direction: Direction
    offset: int
    length: int
    type: int
    packet: int
    time: float


class TrueFlow(NamedTuple):
    """One connection. ``packets``: number of its packets. ``messages``, ``batches``: number of complete ones."""

    flow: int
    initiator: Endpoint
    responder: Endpoint
    first_packet: int
    packets: int
    segments: int
    messages: int
    batches: int


class TruePlace(NamedTuple):
    """Place of a finding: a flow, and packets ``first`` to ``last`` (both inclusive)."""

    flow: int
    first: int
    last: int


class Truth(NamedTuple):
    """All facts. ``places``: marked by a case. Segments are those of complete captures; faults that lose packets remove
    some."""

    flows: tuple[TrueFlow, ...]
    segments: tuple[TrueSegment, ...]
    places: tuple[TruePlace, ...]


class _Index:
    """First packets of bytes."""

    def __init__(self, packets: Sequence[MadePacket]) -> None:
        self.last = len(packets)
        self.numbers: dict[int, int] = {}  # flow by connection
        self.counts: dict[int, int] = {}
        self.first: dict[int, int] = {}
        self.final: dict[int, int] = {}
        self.holders: dict[tuple[int, Direction], list[tuple[int, int, int, float]]] = {}
        for number, packet in enumerate(packets, 1):
            connection = packet.connection
            if connection not in self.numbers:
                self.numbers[connection] = len(self.numbers) + 1
                self.first[connection] = number
            self.counts[connection] = self.counts.get(connection, 0) + 1
            self.final[connection] = number
            if packet.length:
                held = self.holders.setdefault((connection, packet.direction), [])
                held.append((packet.offset, packet.offset + packet.length, number, packet.time))
        for held in self.holders.values():
            held.sort(key=lambda item: (item[0], item[2]))

    def walker(self, connection: int, direction: Direction) -> _Walker:
        return _Walker(self.holders.get((connection, direction), []))


class _Walker:
    """Finds the packets of increasing offsets."""

    def __init__(self, held: list[tuple[int, int, int, float]]) -> None:
        self.held = held
        self.at = 0

    def find(self, offset: int) -> tuple[int, float]:
        held = self.held
        while self.at < len(held) and held[self.at][1] <= offset:
            self.at += 1
        if self.at < len(held) and held[self.at][0] <= offset:
            return held[self.at][2], held[self.at][3]
        return 0, 0.0


def truth_of(connections: Iterable[MadeConnection], packets: Sequence[MadePacket]) -> Truth:
    """Return the truth about connections that became these packets."""
    index = _Index(packets)
    flows: list[TrueFlow] = []
    segments: list[TrueSegment] = []
    places: list[TruePlace] = []
    for number, connection in enumerate(connections):
        if number not in index.numbers:
            continue
        flow = index.numbers[number]
        found = list(_segments_of(number, flow, connection, index))
        segments += found
        places += _places_of(number, flow, connection, index)
        conversation = connection.conversation
        flows.append(
            TrueFlow(
                flow,
                connection.initiator,
                connection.responder,
                index.first[number],
                index.counts[number],
                len(found),
                conversation.messages,
                conversation.batches,
            )
        )
    flows.sort()
    segments.sort(key=lambda segment: (segment.flow, segment.packet))
    return Truth(tuple(flows), tuple(segments), tuple(sorted(places)))


def _segments_of(number: int, flow: int, connection: MadeConnection, index: _Index) -> Iterable[TrueSegment]:
    lines = connection.conversation.lines
    for direction in Direction:
        walker = index.walker(number, direction)
        data = b"".join(line.data for line in lines if line.direction is direction)
        reader = SegmentReader(MAX_SEGMENT)
        try:
            for segment in reader.feed(data):
                offset = reader.offset - segment.length
                yield TrueSegment(flow, direction, offset, segment.length, segment.type, *walker.find(offset))
        except FramingError:
            continue  # the framing is broken by a case: the rest is ignored


def _places_of(number: int, flow: int, connection: MadeConnection, index: _Index) -> Iterable[TruePlace]:
    conversation = connection.conversation
    offsets = dict.fromkeys(Direction, 0)
    walkers = {direction: index.walker(number, direction) for direction in Direction}
    latest = 0
    for line in conversation.lines:
        offset = offsets[line.direction]
        offsets[line.direction] += len(line.data)
        walker = walkers[line.direction]
        first = walker.find(offset)[0]
        last = walker.find(max(offsets[line.direction] - 1, offset))[0]
        latest = max(latest, first)
        if line.marked:
            yield TruePlace(flow, min(first, last), max(first, last))
    if conversation.end_marked:
        yield TruePlace(flow, latest, index.last)
