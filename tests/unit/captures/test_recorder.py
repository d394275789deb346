"""Bytes to packets: what the recorder writes is a valid capture of a valid conversation."""

from __future__ import annotations

import io

import dpkt
import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6

from mqbridge.captures import (
    CapturedSegment,
    Direction,
    Endpoint,
    FlowClosed,
    FlowData,
    NotRead,
    Packet,
    PacketReader,
    Recorder,
    TcpSegment,
    read_flows,
    read_segments,
    read_tcp,
)
from mqbridge.captures.reading.link_layers import ACK, FIN, PSH, RST, SYN
from mqbridge.captures.recording.recorder import ACKNOWLEDGE_AFTER, MAX_SEGMENT_SIZE, PcapWriter
from support.captures.files import CLIENT, SERVER, record
from support.captures.vectors import thesis

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
V6 = {"client": Endpoint("2001:db8::1", 1061), "server": Endpoint("2001:db8::2", 1414)}


def packets_of(capture: bytes) -> list[Packet]:
    reader = PacketReader(io.BytesIO(capture))
    packets = list(reader)
    assert reader.error is None
    return packets


def segments_of(capture: bytes) -> list[TcpSegment]:
    found = [read_tcp(packet.link_type, packet.data) for packet in packets_of(capture)]
    assert not [segment for segment in found if isinstance(segment, NotRead)]
    return found  # type: ignore[return-value]


def test_a_pcap_as_dpkt_reads_it() -> None:
    file = io.BytesIO()
    writer = PcapWriter(file, link_type=1)
    writer.write(b"frame", 1_757_764_107.123456)
    writer.write(b"cut", 2.9999999, 9)
    assert writer.packets == 2
    file.seek(0)
    reader = dpkt.pcap.Reader(file)
    assert reader.datalink() == 1
    assert [(round(time, 6), data) for time, data in reader] == [(1_757_764_107.123456, b"frame"), (3.0, b"cut")]
    assert packets_of(file.getvalue())[1].original_length == 9


def test_the_conversation_has_its_handshake_numbers_and_close() -> None:
    segments = segments_of(record((IN, b"ask"), (OUT, b"answer")))
    client, server = 1000, 500_001_000
    assert [(segment.flags, segment.sequence, segment.acknowledgement, segment.payload) for segment in segments] == [
        (SYN, client, 0, b""),
        (SYN | ACK, server, client + 1, b""),
        (ACK, client + 1, server + 1, b""),
        (ACK | PSH, client + 1, server + 1, b"ask"),
        (ACK | PSH, server + 1, client + 4, b"answer"),
        (FIN | ACK, client + 4, server + 7, b""),
        (ACK, server + 7, client + 5, b""),
        (FIN | ACK, server + 7, client + 5, b""),
        (ACK, client + 5, server + 8, b""),
    ]
    assert {segment.source_port for segment in segments} == {1061, 1414}


@pytest.mark.parametrize("ends", [{}, V6], ids=["IPv4", "IPv6"])
def test_checksums_are_those_of_scapy(ends: dict[str, Endpoint]) -> None:
    # The last two pieces end in a sum of 0xFFFF and in an odd byte.
    sent = [b"ask", b"", b"\xff" * 1000, bytes(7), thesis(3), *[bytes([n]) for n in range(256)]]
    for packet in packets_of(record(*[(IN, data) for data in sent], **ends)):
        theirs = (IPv6 if ends else IP)(packet.data)
        sum_in_packet = theirs[TCP].chksum
        del theirs[TCP].chksum
        if not ends:
            del theirs.chksum
        rebuilt = bytes(theirs)
        assert rebuilt == packet.data
        assert type(theirs)(rebuilt)[TCP].chksum == sum_in_packet


def test_long_writes_are_cut_and_acknowledged() -> None:
    data = bytes(range(256)) * 1024
    segments = segments_of(record((IN, data)))
    assert b"".join(segment.payload for segment in segments) == data
    assert max(segment.length for segment in segments) == MAX_SEGMENT_SIZE
    silent = 0
    for segment in segments:
        silent = silent + segment.length if segment.source_port == CLIENT.port else 0
        assert silent < ACKNOWLEDGE_AFTER + MAX_SEGMENT_SIZE
    small = segments_of(record((IN, data[:100]), segment_size=7))
    assert max(segment.length for segment in small) == 7


@pytest.mark.parametrize("size", [0, MAX_SEGMENT_SIZE + 1])
def test_a_segment_size_that_does_not_fit(size: int) -> None:
    with pytest.raises(ValueError, match="segment size"):
        Recorder(io.BytesIO(), segment_size=size)


def test_ends_of_different_families_are_refused() -> None:
    with pytest.raises(ValueError, match="different families"):
        Recorder(io.BytesIO()).connect(CLIENT, V6["server"], 0.0)


def test_sequence_numbers_wrap() -> None:
    data = b"x" * (1 << 20)
    file = io.BytesIO()
    connection = Recorder(file).connect(CLIENT, SERVER, 1.0)
    connection._ends[IN].sequence = 0xFFFFFFFF - 1000
    connection.send(IN, data, 2.0)
    segments = segments_of(file.getvalue())
    assert segments[-1].sequence < 1 << 20
    assert sum(segment.length for segment in segments) == len(data)


def test_nothing_follows_a_close_or_a_reset() -> None:
    file = io.BytesIO()
    connection = Recorder(file).connect(CLIENT, SERVER, 1.0)
    connection.close(IN, 2.0)
    connection.close(IN, 2.0)
    connection.send(IN, b"late", 3.0)
    connection.send(OUT, b"the other half is open", 4.0)
    assert not connection.closed
    connection.reset(OUT, 5.0)
    assert connection.closed
    written = len(file.getvalue())
    for direction in Direction:
        connection.send(direction, b"late", 6.0)
        connection.close(direction, 7.0)
        connection.reset(direction, 8.0)
    assert len(file.getvalue()) == written
    segments = segments_of(file.getvalue())
    assert segments[-1].flags == RST | ACK
    assert b"".join(segment.payload for segment in segments) == b"the other half is open"


def test_several_connections_in_one_file() -> None:
    file = io.BytesIO()
    recorder = Recorder(file)
    connections = [recorder.connect(Endpoint("10.0.0.1", port), SERVER, 1.0) for port in (5000, 5001)]
    for turn in range(3):
        for number, connection in enumerate(connections):
            connection.send(IN, b"TSH %d%d" % (number, turn), 2.0)
    file.seek(0)
    found: dict[str, bytes] = {}
    for event in read_flows(file):
        if isinstance(event, FlowData):
            found[str(event.flow.initiator)] = found.get(str(event.flow.initiator), b"") + event.data
    assert found == {"10.0.0.1:5000": b"TSH 00TSH 01TSH 02", "10.0.0.1:5001": b"TSH 10TSH 11TSH 12"}


def test_ports_used_again_make_connections_of_their_own() -> None:
    file = io.BytesIO()
    recorder = Recorder(file)
    for turn in range(3):
        connection = recorder.connect(CLIENT, SERVER, 1.0 + turn)
        connection.send(IN, b"TSH %d" % turn, 1.5 + turn)
    file.seek(0)
    found = [(event.flow.id, event.data) for event in read_flows(file) if isinstance(event, FlowData)]
    assert found == [(1, b"TSH 0"), (2, b"TSH 1"), (3, b"TSH 2")]


@pytest.mark.spec("mq-wire.md 7.9")
@pytest.mark.parametrize("ends", [{}, V6], ids=["IPv4", "IPv6"])
@pytest.mark.parametrize("size", [1, 7, 28, 1460, MAX_SEGMENT_SIZE])
def test_captured_segments_come_back(ends: dict[str, Endpoint], size: int) -> None:
    numbers = (1, 2, 3, 4, 5, 6)
    directions = [OUT if number == 2 else IN for number in numbers]
    sent = [(direction, thesis(number)) for direction, number in zip(directions, numbers, strict=True)]
    found = list(read_segments(io.BytesIO(record(*sent, segment_size=size, **ends))))
    assert all(isinstance(item, CapturedSegment) for item in found)
    assert [(item.direction, item.data) for item in found] == sent
    assert [item.time for item in found] == [2.0 + count for count in range(6)]
    assert [item.offset for item in found] == [0, 0, 132, 612, 640, 772]


@pytest.mark.parametrize("cut", [1, 5, 8, 100, 2000])
@pytest.mark.parametrize("keep", [0, 1, 2, 3, 4, 9])
def test_only_the_first_segments_are_kept(keep: int, cut: int) -> None:
    sent = [(IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3) + thesis(3)), (OUT, thesis(4)), (IN, thesis(4))]
    whole = [(IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3)), (IN, thesis(3)), (OUT, thesis(4)), (IN, thesis(4))]
    pieces = [(direction, data[at : at + cut]) for direction, data in sent for at in range(0, len(data), cut)]
    capture = record(*pieces, first_segments=keep)
    assert [(item.direction, item.data) for item in read_segments(io.BytesIO(capture))] == whole[:keep]
    assert isinstance(list(read_flows(io.BytesIO(capture)))[-1], FlowClosed)


def test_a_segment_begun_is_kept_whole_while_others_are_refused() -> None:
    message = thesis(3)
    capture = record((IN, message[:100]), (OUT, thesis(2)), (IN, message[100:] + message), first_segments=1)
    assert [item.data for item in read_segments(io.BytesIO(capture))] == [message]


def test_bytes_that_are_no_segments_count_as_one() -> None:
    capture = record((IN, b"GET / HTTP/1.1\r\n"), (IN, b"more"), (OUT, thesis(2)), first_segments=1)
    segments = segments_of(capture)
    assert b"".join(segment.payload for segment in segments) == b"GET / HTTP/1.1\r\nmore"
