"""Whatever the way of the packets does to a connection, its segments are the same; and what a capture lost is said."""

from __future__ import annotations

import random
import struct
from itertools import count, pairwise

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures import (
    CapturedSegment,
    Direction,
    FlowClosed,
    FlowData,
    FlowEvent,
    FlowGap,
    FlowReader,
    Packet,
    SegmentCutter,
    SegmentFault,
)
from mqbridge.captures.reading.link_layers import ACK, FIN, PSH
from support.captures.files import Wire
from support.captures.vectors import thesis

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
FIRST = st.sampled_from([0, 1000, 0x7FFFFF00, 0xFFFFFF00, 0xFFFFFFFF])
SOURCES = st.builds(random.Random, st.integers(0, 1 << 40))
SEGMENTS = st.lists(st.sampled_from([thesis(1), thesis(3), thesis(4), thesis(6)]), min_size=1, max_size=6)


def play(packets: list[Packet]) -> list[FlowEvent]:
    reader = FlowReader()
    events = [event for packet in packets for event in reader.receive_packet(packet)]
    return events + reader.finish()


def cut(events: list[FlowEvent]) -> list[CapturedSegment | SegmentFault]:
    cutter = SegmentCutter()
    return [item for event in events for item in cutter.receive_event(event)]


def fragments(packet: Packet, size: int) -> list[Packet]:
    """The packet in IP fragments of ``size`` bytes (a multiple of 8), all with its number."""
    head, body = packet.data[:20], packet.data[20:]
    parts = []
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        more = 0x2000 if start + size < len(body) else 0
        identification = packet.number
        changed = struct.pack(">HHH", 20 + len(piece), identification, more | start // 8)
        data = head[:2] + changed + head[8:] + piece
        parts.append(packet._replace(data=data, original_length=len(data)))
    return parts


class Conversation:
    """Packets of one connection: each end sends its bytes, cut and repeated as a source of chance will have it."""

    def __init__(self, sent: dict[str, bytes], first: int, source: random.Random) -> None:
        self.wire = Wire()
        self.source = source
        self.packets = self.wire.handshake(client_first=first, server_first=first // 2)
        starts = {"c": first + 1, "s": first // 2 + 1}
        places = {"c": 0, "s": 0}
        while any(places[end] < len(sent[end]) for end in "cs"):
            end = source.choice("cs")
            other = "s" if end == "c" else "c"
            data, place = sent[end], places[end]
            # An overlapping retransmission begins before what was sent last.
            begin = max(0, place - source.choice((0, 0, 0, 1, 40, 700)))
            stop = min(len(data), place + source.choice((1, 7, 100, 500, 1400)))
            acknowledgement = starts[other] + places[other]
            self.packets.append(
                self.wire.packet(end, ACK | PSH, starts[end] + begin, acknowledgement, data[begin:stop])
            )
            places[end] = max(place, stop)
            if source.random() < 0.1:  # a keep-alive: the byte before the next, which the other has
                repeated = data[places[end] - 1 : places[end]] if source.random() < 0.5 else b""
                self.packets.append(
                    self.wire.packet(end, ACK, starts[end] + places[end] - 1, acknowledgement, repeated)
                )
        for end, other in ("cs", "sc"):  # half-close: one end closes after the other
            last = starts[end] + len(sent[end])
            self.packets.append(self.wire.packet(end, FIN | ACK, last, starts[other] + len(sent[other])))

    def disturbed(self, window: int) -> list[Packet]:
        """Some packets in fragments, some twice, all of them out of order by up to ``window`` places."""
        source = self.source
        parts = [
            part
            for packet in self.packets
            for part in (fragments(packet, 8 * source.randint(3, 90)) if source.random() < 0.3 else [packet])
        ]
        doubled = [part for part in parts for _ in range(source.choice((1, 1, 2)))]
        order = sorted(range(len(doubled)), key=lambda place: place + source.random() * window)
        numbers = count(1)
        return [doubled[place]._replace(number=next(numbers)) for place in order]


@given(SEGMENTS, SEGMENTS, FIRST, st.integers(1, 9), SOURCES)
def test_segmentation_disorder_copies_and_fragments_give_the_same_segments(
    asked: list[bytes], answered: list[bytes], first: int, window: int, source: random.Random
) -> None:
    sent = {"c": b"".join(asked), "s": b"".join(answered)}
    events = play(Conversation(sent, first, source).disturbed(window))
    found: dict[Direction, list[bytes]] = {IN: [], OUT: []}
    offsets = dict.fromkeys(Direction, 0)
    for item in cut(events):
        assert isinstance(item, CapturedSegment), item
        assert item.offset == offsets[item.direction]
        offsets[item.direction] += len(item.data)
        found[item.direction].append(item.data)
    assert found == {IN: asked, OUT: answered}
    assert len({event.flow.id for event in events}) == 1
    assert len([event for event in events if isinstance(event, FlowClosed)]) == 1


@given(SEGMENTS, FIRST, st.integers(40, 700), SOURCES)
def test_every_byte_that_a_snap_length_cut_off_is_said(
    asked: list[bytes], first: int, snap_length: int, source: random.Random
) -> None:
    sent = {"c": b"".join(asked), "s": b""}
    packets = [packet._replace(data=packet.data[:snap_length]) for packet in Conversation(sent, first, source).packets]
    place = 0
    for event in play(packets):
        if isinstance(event, FlowData):
            assert event.offset == place
            assert event.data == sent["c"][place : place + len(event.data)]
            place += len(event.data)
        elif isinstance(event, FlowGap):
            assert event.offset == place
            place += event.length
    assert place == len(sent["c"])


@given(SEGMENTS, FIRST, st.integers(3, 60), SOURCES)
def test_from_any_packet_on_the_segments_that_follow_are_found(
    asked: list[bytes], first: int, begin: int, source: random.Random
) -> None:
    sent = {"c": b"".join([*asked, thesis(3)]), "s": b""}
    conversation = Conversation(sent, first, source)
    packets = conversation.packets[begin:]
    events = play(packets)
    given_data = [event for event in events if isinstance(event, FlowData)]
    if not given_data:
        return
    numbered = {packet.number: int.from_bytes(packet.data[24:28], "big") for packet in packets}
    lowest = (numbered[given_data[0].packet] - first - 1) % (1 << 32)
    assert lowest <= (numbered[min(event.packet for event in given_data)] - first - 1) % (1 << 32)
    ends = [0, *(sum(map(len, asked[:number])) for number in range(1, len(asked) + 1)), len(sent["c"])]
    whole = [sent["c"][start:end] for start, end in pairwise(ends) if start >= lowest]
    items = cut(events)
    assert [item.data for item in items if isinstance(item, CapturedSegment)] == whole
    passed = sum(item.length for item in items if isinstance(item, SegmentFault))
    assert passed == (len(sent["c"]) - lowest - sum(map(len, whole)) if whole else 0)
