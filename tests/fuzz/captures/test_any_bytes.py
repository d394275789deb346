"""No bytes make a reader raise, hang, or keep more than it was given."""

from __future__ import annotations

import io
from time import process_time

import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from mqbridge.captures import (
    CapturedSegment,
    CaptureError,
    Direction,
    FlowData,
    FlowReader,
    NotRead,
    Packet,
    PacketReader,
    SegmentCutter,
    SegmentFault,
    TcpSegment,
    read_segments,
    read_tcp,
)
from mqbridge.captures.reading.fragments import MAX_DATAGRAM_LENGTH, Fragment, FragmentReassembly
from mqbridge.captures.reading.link_layers import ACK, FIN, PSH, SYN
from mqbridge.captures.reading.zstd_frames import begins_zstd
from mqbridge.captures.streams.causal_order import MAX_NOTED
from mqbridge.protocol.tls_hello import MAX_HELLO_LENGTH, HelloReader, begins_with_records
from support.captures.files import JMS_CAPTURE, Wire, enhanced, interface, pcap, record, section
from support.captures.vectors import thesis

# Of a packet of IP version 6, behind a header of hop-by-hop options; and of one of version 4.
FRAGMENTS = [
    *[
        bytes.fromhex("6000000000")
        + bytes([24, 0, 64])
        + bytes(32)
        + bytes([44, 0] + [0] * 6)
        + bytes([6, 0, *place])
        + bytes(12)
        for place in ((0, 1, 0, 0, 0, 7), (0, 8, 0, 0, 0, 7))
    ],
    *[bytes([0x45, 0, 0, 36, 0, 9, *place, 64, 6, 0, 0]) + bytes(8) + bytes(16) for place in ((0x20, 0), (0, 2))],
]
TLS_HELLO = (
    bytes.fromhex("16030100500100004c0303")
    + bytes(32)
    + bytes.fromhex("000002c030010000210000000b0009000006612e622e6364")
)

CORPUS = [
    record((Direction.INITIATOR, thesis(1)), (Direction.RESPONDER, thesis(2)), (Direction.INITIATOR, thesis(3))),
    JMS_CAPTURE.read_bytes()[:3000],
    section() + interface(101, tsresol=b"\xff") + enhanced(b"E" + bytes(60), 1 << 63) + section(">"),
    pcap(bytes(60), b"E" * 60, order=">"),
    zstandard.ZstdCompressor(write_checksum=True).compress(record((Direction.INITIATOR, thesis(3))) * 3),
    pcap(*FRAGMENTS, *reversed(FRAGMENTS), link_type=101),
    record((Direction.INITIATOR, TLS_HELLO), (Direction.RESPONDER, TLS_HELLO)),
]


def mutate(whole: bytes, changes: list[tuple[int, bytes]]) -> bytes:
    changed = bytearray(whole)
    for place, value in changes:
        place %= len(changed) + 1
        changed[place : place + len(value)] = value
    return bytes(changed)


CHANGES = st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=9)), max_size=12)
FILES = st.one_of(st.binary(max_size=500), st.builds(mutate, st.sampled_from(CORPUS), CHANGES))


@given(FILES)
def test_any_file_gives_packets_and_an_error_value(data: bytes) -> None:
    reader = PacketReader(io.BytesIO(data))
    packets = list(reader)
    assert reader.packets == len(packets)
    assert reader.error is None or isinstance(reader.error, CaptureError)
    if data[:2] != b"\x1f\x8b" and not begins_zstd(data):
        assert sum(len(packet.data) for packet in packets) <= len(data)
        assert reader.bytes_read <= len(data)


@given(FILES)
def test_any_file_gives_segments_and_faults(data: bytes) -> None:
    capture = read_segments(io.BytesIO(data))
    found = list(capture)
    assert sum(1 for _ in found) <= len(data) * 1000
    assert capture.flows.error is None or isinstance(capture.flows.error, CaptureError)


@given(
    st.sampled_from([0, 1, 12, 101, 108, 113, 228, 229, 276, 999]),
    st.binary(max_size=120),
    st.none() | st.integers(0, 1 << 32),
)
@example(101, b"E\0\0\0" + bytes(5) + b"\6" + bytes(22) + b"\x50" + bytes(7), 1 << 32)
def test_any_packet_gives_a_segment_or_a_reason(link_type: int, data: bytes, length: int | None) -> None:
    got = read_tcp(link_type, data, length)
    assert isinstance(got, NotRead) or (isinstance(got, TcpSegment) and len(got.payload) <= got.length)


PLACES = st.tuples(st.integers(0, 3), st.integers(0, 0x1FFF), st.booleans(), st.binary(max_size=70), st.integers(0, 90))


@given(st.lists(PLACES, max_size=60))
def test_any_fragments_stay_within_the_limits(places: list[tuple[int, int, bool, bytes, int]]) -> None:
    reassembly = FragmentReassembly()
    for number, (identification, offset, more, data, cut) in enumerate(places):
        length = len(data) + cut
        part = Fragment(4, b"aaaa", b"bbbb", identification, 6, 8 * offset, more, data, length)
        whole = reassembly.add(part, number)
        assert whole is None or len(whole.data) <= whole.length <= MAX_DATAGRAM_LENGTH
        assert reassembly._bytes == sum(len(kept.buffer) for kept in reassembly._datagrams.values())
        assert 0 <= reassembly.unread <= number + 1


@given(st.sampled_from([0, 1, 101, 113, 276]), st.lists(st.binary(max_size=90), max_size=12), CHANGES)
def test_any_packets_give_flows_of_events(
    link_type: int, packets: list[bytes], changes: list[tuple[int, bytes]]
) -> None:
    reader = FlowReader()
    for number, data in enumerate([*packets, *(mutate(data, changes) for data in FRAGMENTS)], 1):
        reader.receive_packet(Packet(number, 1.0, link_type, data, len(data) + number))
    reader.finish()
    assert reader.packets == len(packets) + len(FRAGMENTS)
    assert reader.budget.used == 0


@given(st.lists(st.tuples(st.sampled_from(Direction), st.binary(max_size=60)), max_size=20), CHANGES)
def test_any_bytes_are_taken_for_hellos(
    pieces: list[tuple[Direction, bytes]], changes: list[tuple[int, bytes]]
) -> None:
    reader = HelloReader()
    offsets = dict.fromkeys(Direction, 0)
    for direction, data in [(Direction.INITIATOR, mutate(TLS_HELLO, changes)), *pieces]:
        reader.take(direction, offsets[direction], data)
        offsets[direction] += len(data)
        assert sum(map(len, reader._heads.values())) < 2 * MAX_HELLO_LENGTH
    assert isinstance(reader.hello.server_name, str)
    begins_with_records(TLS_HELLO + b"".join(data for _, data in pieces))


STEPS = st.lists(
    st.tuples(
        st.sampled_from("cs"),
        st.integers(0, 63),
        st.sampled_from([0, 1000, 1001, 1005, 5000, 5001, 1 << 30, 1 << 31, (1 << 31) + 1001, (1 << 32) - 1]),
        st.sampled_from([0, 1001, 1005, 5001, 1 << 31]),
        st.sampled_from([b"", b"T", b"TSH ", thesis(4), thesis(3), b"\x16\x03\x01\x00"]),
    ),
    max_size=40,
)


@given(STEPS, st.booleans())
@example([("s", FIN, 5000, 0, b"TSH "), ("c", FIN, 0, 0, b""), ("c", SYN | PSH | ACK, 0, 5001, b"T")], False)
def test_any_conversation_keeps_the_order_of_events(
    steps: list[tuple[str, int, int, int, bytes]], handshake: bool
) -> None:
    wire = Wire()
    packets = wire.handshake() if handshake else []
    packets += [wire.packet(side, flags, sequence, ack, data) for side, flags, sequence, ack, data in steps]
    reader = FlowReader()
    events = [event for packet in packets for event in reader.receive_packet(packet)] + reader.finish()
    state: dict[int, str] = {}
    ends: dict[tuple[int, Direction], int] = {}
    for event in events:
        name = type(event).__name__
        assert (event.flow.id in state) == (name != "FlowOpened")
        assert state.get(event.flow.id) != "FlowClosed"
        state[event.flow.id] = name
        if name in ("FlowData", "FlowGap"):
            key = event.flow.id, event.direction
            assert event.offset == ends.get(key, 0)
            ends[key] = event.offset + (len(event.data) if isinstance(event, FlowData) else event.length)
    assert set(state.values()) <= {"FlowClosed"}
    assert reader.budget.used == 0


def test_a_hostile_flow_is_bounded_in_memory_and_time() -> None:
    wire = Wire()
    reader = FlowReader()
    for packet in wire.handshake():
        reader.receive_packet(packet)
    given_bytes = 0
    for number in range(40_000):  # every second byte is missing, and nothing is acknowledged
        packet = wire.packet("c", ACK, 1002 + 2 * number, 5001, b"x")
        given_bytes += sum(len(event.data) for event in reader.receive_packet(packet) if isinstance(event, FlowData))
        assert reader.budget.used <= 16_384
    assert given_bytes == 40_000 - 16_384
    assert isinstance(packet, Packet)


NOISE = st.lists(st.sampled_from([thesis(4), thesis(1), b"x", b"TSH ", thesis(4)[:9], thesis(3)[:200]]), max_size=60)


@given(NOISE, st.integers(1, 5))
def test_noise_is_passed_over_the_same_however_long_the_packets_are(noise: list[bytes], times: int) -> None:
    data = b"".join(noise) * times * 10
    found = []
    for size in (65_000, 5000, 700):
        items = list(read_segments(io.BytesIO(record((Direction.INITIATOR, data), segment_size=size))))
        whole = [(item.offset, item.data) for item in items if isinstance(item, CapturedSegment)]
        passed = sum(item.length for item in items if isinstance(item, SegmentFault))
        assert not items or passed + sum(len(segment) for _, segment in whole) == len(data)
        found.append(whole)
    assert found[0] == found[1] == found[2]


def test_a_hostile_packet_is_read_in_time_that_its_length_bounds() -> None:
    wire = Wire()
    reader, cutter = FlowReader(), SegmentCutter()
    events = [event for packet in wire.handshake() for event in reader.receive_packet(packet)]
    noise = (thesis(4) + b"x") * 30_000  # each byte of noise is a fault
    packet = wire.packet("c", ACK, 1001, 5001)
    data = packet.data[:2] + b"\0\0" + packet.data[4:] + noise  # a packet still to be cut
    events += reader.receive_packet(packet._replace(data=data, original_length=len(data)))
    begin = process_time()
    found = [item for event in [*events, *reader.finish()] for item in cutter.receive_event(event)]
    assert process_time() - begin < 30
    assert len(found) == 60_000


def test_copies_behind_a_hole_are_bounded_in_memory() -> None:
    wire = Wire()
    reader = FlowReader()
    for packet in wire.handshake():
        reader.receive_packet(packet)
    for _ in range(3 * MAX_NOTED // 2):
        reader.receive_packet(wire.packet("c", ACK, 1005, 5001, b"copy"))
    ((connection, _), _) = reader.connections.values()
    assert connection.order is not None
    assert len(connection.order._acknowledgements) == MAX_NOTED
    assert reader.budget.used == 4
