"""TLS sessions with a key log file: the segments come out as they went in, with the packets that held them."""

from __future__ import annotations

import gzip
import io
import itertools
from pathlib import Path

import pytest
import zstandard

from mqbridge.captures import (
    CapturedSegment,
    CaptureSegments,
    Direction,
    Endpoint,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowOpened,
    PacketReader,
    PcapWriter,
    Recorder,
    SegmentFault,
    StreamKind,
    read_flows,
    read_segments,
)
from support.captures.files import CLIENT, SERVER, Wire, record
from support.captures.tls_sessions import Tls, TlsSession
from support.captures.vectors import thesis
from support.tshark.run import needs_tshark

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
SENT = [
    (IN, thesis(1)),
    (OUT, thesis(2)),
    *[(IN, thesis(3))] * 60,
    (IN, thesis(3)[:50]),
    (IN, thesis(3)[50:]),
    (OUT, thesis(4)),
]
SEGMENTS = [(IN, thesis(1)), (OUT, thesis(2)), *[(IN, thesis(3))] * 61, (OUT, thesis(4))]


def session(version: Tls, keylog: Path | None, sent: list[tuple[Direction, bytes]] = SENT) -> TlsSession:
    made = TlsSession(version, "mq.example.com", keylog)
    for direction, data in sent:
        made.send(direction, data)
    made.close(IN)
    made.close(OUT)
    return made


def found(capture: CaptureSegments) -> list[tuple[Direction, bytes]]:
    items = list(capture)
    assert not [item for item in items if isinstance(item, SegmentFault)]
    return [(item.direction, item.data) for item in items if isinstance(item, CapturedSegment)]


@pytest.mark.parametrize("size", [65_000, 700])
@pytest.mark.parametrize("version", Tls)
def test_a_session_is_read_with_its_keys(version: Tls, size: int, tmp_path: Path) -> None:
    keylog = tmp_path / "keys with a space.log"
    capture = tmp_path / "tls.pcap"
    capture.write_bytes(record(*session(version, keylog).wire, segment_size=size))
    assert found(read_segments(capture, keylog=keylog)) == SEGMENTS
    flows = read_flows(capture, keylog)
    events = list(flows)
    assert (flows.error, flows.decryption_error) == (None, None)
    (flow,) = [event.flow for event in events if isinstance(event, FlowOpened)]
    assert flow.kind is StreamKind.MQ
    assert flow.tls is not None
    assert flow.tls.server_name == "mq.example.com"
    times = {packet.number: packet.time for packet in PacketReader(io.BytesIO(capture.read_bytes()))}
    offsets = dict.fromkeys(Direction, 0)
    for event in events:
        if isinstance(event, FlowData):
            assert event.offset == offsets[event.direction]
            assert event.time == times[event.packet]
            offsets[event.direction] += len(event.data)
    assert [(event.direction, event.offset) for event in events if isinstance(event, FlowEnd)] == list(offsets.items())
    assert isinstance(events[-1], FlowClosed)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress], ids=["", "gzip", "zstd"])
def test_open_and_packed_captures_are_decrypted(pack, tmp_path: Path) -> None:
    keylog = tmp_path / "keys.log"
    whole = pack(record(*session(Tls.V1_3, keylog).wire))
    assert found(read_segments(io.BytesIO(whole), keylog)) == SEGMENTS


def test_other_connections_stay_as_they_are(tmp_path: Path) -> None:
    keylog = tmp_path / "keys.log"
    made = [
        session(Tls.V1_2, keylog),
        session(Tls.V1_3, None),
        session(Tls.V1_2, keylog, [(IN, b"GET / HTTP/1.1\r\n\r\n")]),
    ]
    file = io.BytesIO()
    recorder = Recorder(file)
    ends = [Endpoint("2001:db8::1", 5000 + number) for number in range(5)]
    connections = [recorder.connect(end, Endpoint("2001:db8::2", 80), 1.0) for end in ends]
    for turn in range(200):
        for number, one in enumerate(made):
            if turn < len(one.wire):
                connections[number].send(*one.wire[turn], 2.0 + turn)
        if turn < len(SENT):
            connections[3].send(*SENT[turn], 2.5 + turn)
    connections[4].send(IN, b"GET / HTTP/1.1\r\n\r\n", 500.0)
    items = list(read_segments(io.BytesIO(file.getvalue()), keylog))
    for flow in (1, 4):
        assert [
            (item.direction, item.data) for item in items if isinstance(item, CapturedSegment) and item.flow.id == flow
        ] == SEGMENTS
    assert [(item.flow.id, item.reason) for item in items if isinstance(item, SegmentFault)] == [
        (2, "TLS cannot be read")
    ]
    kinds = {event.flow.id: event.flow.kind for event in read_flows(io.BytesIO(file.getvalue()), keylog)}
    assert kinds == {1: StreamKind.MQ, 2: StreamKind.TLS, 3: StreamKind.OTHER, 4: StreamKind.MQ, 5: StreamKind.OTHER}


def test_copies_and_disorder_change_nothing(tmp_path: Path) -> None:
    keylog = tmp_path / "keys.log"
    packets = list(PacketReader(io.BytesIO(record(*session(Tls.V1_3, keylog).wire, segment_size=900))))
    order = (
        packets[:10] + [packet for pair in itertools.pairwise(packets[10:-6]) for packet in pair[::-1]] + packets[-6:]
    )
    file = io.BytesIO()
    writer = PcapWriter(file, 101)
    for packet in order:
        for _ in range(2):
            writer.write(packet.data, packet.time)
    assert found(read_segments(io.BytesIO(file.getvalue()), keylog)) == SEGMENTS


def test_a_cut_capture_gives_a_prefix(tmp_path: Path) -> None:
    keylog = tmp_path / "keys.log"
    whole = record(*session(Tls.V1_2, keylog).wire)
    capture = read_segments(io.BytesIO(whole[: len(whole) // 2]), keylog)
    some = [(item.direction, item.data) for item in capture if isinstance(item, CapturedSegment)]
    assert 10 < len(some) < len(SEGMENTS)
    assert some == SEGMENTS[: len(some)]
    assert capture.flows.error is not None
    assert capture.flows.decryption_error is None


@pytest.mark.parametrize("version", Tls)
def test_behind_a_lost_packet_all_bytes_are_said_to_be_lost(version: Tls, tmp_path: Path) -> None:
    keylog = tmp_path / "keys.log"
    packets = list(PacketReader(io.BytesIO(record(*session(version, keylog).wire, segment_size=700))))
    file = io.BytesIO()
    writer = PcapWriter(file, 101)
    for place, packet in enumerate(packets):
        if place != 20:
            writer.write(packet.data, packet.time)
    items = list(read_segments(io.BytesIO(file.getvalue()), keylog))
    some = [(item.direction, item.data) for item in items if isinstance(item, CapturedSegment)]
    assert some == [*SEGMENTS[: len(some) - 1], SEGMENTS[-1]]  # the answers are read to their end
    missing = sum(item.length for item in items if isinstance(item, SegmentFault))
    assert missing > sum(len(data) for _, data in SEGMENTS) - sum(len(data) for _, data in some)


def test_the_middle_of_a_session_cannot_be_read(tmp_path: Path) -> None:
    keylog = tmp_path / "keys.log"
    wire = Wire(CLIENT, SERVER)
    data = b"".join(sent for direction, sent in session(Tls.V1_2, keylog).wire[-20:] if direction is IN)
    file = io.BytesIO()
    writer = PcapWriter(file, 101)
    writer.write(wire.packet("c", 0x10, 9, 9, data[:1400]).data, 1.0)
    writer.write(wire.packet("c", 0x10, 1409, 9, data[1400:]).data, 2.0)
    items = list(read_segments(io.BytesIO(file.getvalue()), keylog))
    assert not [item for item in items if isinstance(item, CapturedSegment)]


@pytest.mark.parametrize(
    ("keys", "program", "reason"),
    [("none.log", None, "the key log file cannot be read: No such file"), ("keys.log", "", "tshark, which decrypts")],
)
def test_what_keeps_from_decrypting_is_said(
    keys: str, program: str | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = session(Tls.V1_2, tmp_path / "keys.log")
    if program is not None:
        monkeypatch.setenv("PATH", program)
    capture = read_segments(io.BytesIO(record(*made.wire)), tmp_path / keys)
    (fault,) = capture
    assert isinstance(fault, SegmentFault)
    assert fault.reason == "TLS cannot be read"
    assert reason in str(capture.flows.decryption_error)
    assert capture.flows.error is None
