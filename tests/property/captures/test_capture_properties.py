"""What holds for every capture: the same bytes however they were cut, shuffled, doubled; a prefix of a cut file."""

from __future__ import annotations

import gzip
import io
import random
from itertools import pairwise

import zstandard
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures import (
    CapturedSegment,
    Direction,
    FlowData,
    FlowEvent,
    FlowGap,
    FlowOpened,
    FlowReader,
    Packet,
    PacketReader,
    SegmentCutter,
    SegmentFault,
    StreamKind,
    read_flows,
    read_segments,
)
from mqbridge.captures.reading.link_layers import ACK, FIN
from mqbridge.captures.streams.reassembly import GAP_PATIENCE, MissingBytes, StreamPiece, StreamReassembly
from support.captures.files import Wire, enhanced, interface, record, section
from support.captures.vectors import thesis

IN, OUT = Direction.INITIATOR, Direction.RESPONDER

SEGMENTS = st.lists(st.sampled_from([thesis(1), thesis(3), thesis(4), thesis(6)]), min_size=1, max_size=8)
FIRST = st.sampled_from([0, 1000, 0x7FFFFF00, 0xFFFFFF00, 0xFFFFFFFF])


def play(packets: list[Packet]) -> list[FlowEvent]:
    reader = FlowReader()
    events = [event for packet in packets for event in reader.receive_packet(packet)]
    return events + reader.finish()


def bytes_of(events: list[FlowEvent], direction: Direction) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, FlowData) and event.direction is direction)


def packets_of(data: bytes, cuts: list[int], first: int) -> list[Packet]:
    """One connection whose client sends ``data``, cut at these places, and closes."""
    wire = Wire()
    packets = wire.handshake(client_first=first)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        packets.append(wire.packet("c", ACK, first + 1 + start, 5001, data[start:end]))
    packets.append(wire.packet("c", ACK | FIN, first + 1 + len(data), 5001))
    return packets


@given(SEGMENTS, st.lists(st.integers(0, 1 << 16), max_size=40), FIRST, st.randoms(use_true_random=False))
def test_any_cut_order_and_doubling_gives_the_same_bytes(
    segments: list[bytes], cuts: list[int], first: int, source: random.Random
) -> None:
    data = b"".join(segments)
    packets = packets_of(data, cuts, first)
    # Reordered within a window of seven packets; some twice.
    shuffled = [packet for packet in packets for _ in range(source.choice((1, 1, 2)))]
    order = sorted(range(len(shuffled)), key=lambda place: place + source.random() * 7)
    events = play([shuffled[place] for place in order])
    assert bytes_of(events, IN) == data
    assert not [event for event in events if isinstance(event, FlowGap)]
    assert len([event for event in events if isinstance(event, FlowOpened)]) == 1


@given(st.binary(min_size=1, max_size=400), FIRST, st.data())
def test_overlapping_retransmissions_give_every_byte_once(data: bytes, first: int, choose: st.DataObject) -> None:
    stream = StreamReassembly()
    stream.begin(first)
    given_bytes = bytearray()
    ranges = st.tuples(st.integers(0, len(data)), st.integers(0, len(data)))
    pieces = choose.draw(st.lists(ranges, max_size=30))
    for number, (one, other) in enumerate([*pieces, (0, len(data))]):
        start, end = sorted((one, other))
        for item in stream.add((first + start) % (1 << 32), data[start:end], end - start, 0.0, number):
            assert isinstance(item, StreamPiece)
            assert item.offset == len(given_bytes)
            given_bytes += item.data
    assert given_bytes == data
    assert not stream.waiting


@given(st.binary(min_size=1, max_size=600), st.sets(st.integers(0, 59)), st.booleans())
def test_lost_packets_leave_gaps_that_fit(data: bytes, lost: set[int], acknowledged: bool) -> None:
    stream = StreamReassembly()
    stream.begin(0)
    given_items: list[StreamPiece | MissingBytes] = []
    for number, start in enumerate(range(0, len(data), 10)):
        if number not in lost:
            piece = data[start : start + 10]
            given_items += stream.add(start, piece, len(piece), 0.0, number)
    stream.finish_at(len(data))
    if acknowledged:
        stream.acknowledged = len(data)
        for _ in range(GAP_PATIENCE * len(lost)):
            given_items += stream.tick()
        assert not stream.waiting
    given_items += stream.flush(0.0, 0)
    rebuilt = bytearray()
    for item in given_items:
        assert item.offset == len(rebuilt)
        rebuilt += item.data if isinstance(item, StreamPiece) else data[item.offset : item.offset + item.length]
    assert rebuilt == data
    gaps = {
        offset // 10
        for item in given_items
        if isinstance(item, MissingBytes)
        for offset in range(item.offset, item.offset + item.length)
    }
    assert gaps == {number for number in lost if number * 10 < len(data)}


@given(SEGMENTS, st.sets(st.integers(3, 60)), st.integers(20, 900))
def test_segments_outside_of_gaps_are_all_found(segments: list[bytes], lost: set[int], size: int) -> None:
    data = b"".join(segments)
    packets = packets_of(data, list(range(0, len(data), size)), 1000)
    capture = [packet for packet in packets if packet.number - 1 not in lost or packet is packets[-1]]
    held = bytearray(len(data))
    for packet in capture:
        if packet.original_length > 40:
            start = int.from_bytes(packet.data[24:28], "big") - 1001
            held[start : start + len(packet.data) - 40] = b"\1" * (len(packet.data) - 40)
    whole, start = [], 0
    for segment in segments:
        if all(held[start : start + len(segment)]):
            whole.append((start, segment))
        start += len(segment)
    events = play(capture)
    cutter, flow, found, faults = SegmentCutter(), events[0].flow, [], 0
    for item in (item for event in events for item in cutter.receive_event(event)):
        if isinstance(item, CapturedSegment):
            found.append((item.offset, item.data))
        else:
            assert isinstance(item, SegmentFault)
            faults += item.length
    assert found == whole
    # Where no header is left nothing says that the flow carries MQ.
    assert faults == (len(data) - sum(len(segment) for _, segment in whole) if flow.kind is StreamKind.MQ else 0)


WHOLE = record((IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3) + thesis(4)))
PCAPNG = section() + interface(101) + b"".join(enhanced(packet.data, 1) for packet in PacketReader(io.BytesIO(WHOLE)))
KINDS = {
    "pcap": WHOLE,
    "pcapng": PCAPNG,
    "gzip": gzip.compress(WHOLE, mtime=0),
    "zstd": zstandard.ZstdCompressor().compress(WHOLE),
    "zstd, many frames": b"".join(
        zstandard.ZstdCompressor().compress(WHOLE[start : start + 90]) for start in range(0, len(WHOLE), 90)
    ),
}


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_cut_file_gives_a_prefix(kind: str, choose: st.DataObject) -> None:
    whole = KINDS[kind]
    everything = [
        (item.offset, item.data) for item in read_segments(io.BytesIO(whole)) if isinstance(item, CapturedSegment)
    ]
    assert len(everything) == 4
    cut = choose.draw(st.integers(0, len(whole) - 1))
    capture = read_segments(io.BytesIO(whole[:cut]))
    found = [(item.offset, item.data) for item in capture if isinstance(item, CapturedSegment)]
    assert found == everything[: len(found)]
    reader = PacketReader(io.BytesIO(whole[:cut]))
    packets = list(reader)
    assert packets == list(PacketReader(io.BytesIO(whole)))[: len(packets)]
    plain = kind in ("pcap", "pcapng", "zstd, many frames")  # may end between two records
    assert reader.error is not None or (plain and reader.bytes_read <= len(WHOLE) + len(PCAPNG))
    assert type(reader.error) is type(capture.flows.error)


@given(st.lists(st.binary(max_size=300), max_size=20), st.integers(1, 400), st.booleans())
def test_what_is_recorded_is_read(sent: list[bytes], size: int, answers: bool) -> None:
    entries = [(OUT if answers and number % 2 else IN, data) for number, data in enumerate(sent)]
    capture = read_flows(io.BytesIO(record(*entries, segment_size=size)))
    events = list(capture)
    for direction in Direction:
        assert bytes_of(events, direction) == b"".join(data for end, data in entries if end is direction)
    assert capture.error is None
