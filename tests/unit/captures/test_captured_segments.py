"""Flows to MQ segments: where each stands, and how the cutter goes on behind what it cannot read."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest

from mqbridge.captures import (
    CapturedSegment,
    Direction,
    FlowReader,
    Recorder,
    SegmentCutter,
    SegmentFault,
    read_segments,
)
from mqbridge.captures.reading.link_layers import ACK
from mqbridge.captures.reading.packets import Packet
from mqbridge.captures.streams.segments import MAX_PIECES
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import SegmentWriter
from support.captures.files import CLIENT, JMS_CAPTURE, SERVER, Wire, record
from support.captures.vectors import VECTORS, thesis
from support.transcripts.client_transcripts import transcript, transcript_names

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
INITIAL, MESSAGE, CONFIRM = thesis(1), thesis(3), thesis(4)


def cut(packets: list[Packet]) -> list[CapturedSegment | SegmentFault]:
    reader, cutter = FlowReader(), SegmentCutter()
    events = [event for packet in packets for event in reader.receive_packet(packet)] + reader.finish()
    return [item for event in events for item in cutter.receive_event(event)]


def shown(items: list[CapturedSegment | SegmentFault]) -> list[tuple[int, int, str]]:
    """Offset, length, and what it is."""
    return [
        (item.offset, item.length, item.reason)
        if isinstance(item, SegmentFault)
        else (item.offset, len(item.data), str(item.segment.type))
        for item in items
    ]


def test_a_long_segment_in_small_packets_keeps_only_the_place_of_its_beginning() -> None:
    wire = Wire()
    message = SegmentWriter().build(SegmentType.MESSAGE_DATA, bytes(20_000))
    data = INITIAL + message + CONFIRM
    packets = [*wire.handshake(), wire.packet("c", ACK, 1001, 5001, data[:140])]
    packets += [
        wire.packet("c", ACK, 1001 + place, 5001, data[place : place + 10]) for place in range(140, len(data), 10)
    ]
    reader, cutter, found = FlowReader(), SegmentCutter(), []
    for packet in packets:
        for event in reader.receive_packet(packet):
            found += cutter.receive_event(event)
            assert all(len(one.pieces) <= MAX_PIECES for one in cutter._directions.values())
    assert shown(found) == [(0, 132, "1"), (132, 20_028, "4"), (20_160, 28, "5")]
    last = packets[-1].number
    assert [(item.packet, item.last_packet) for item in found] == [(4, 4), (4, last - 3), (last - 2, last)]


def test_a_segment_names_the_packets_that_held_it() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, INITIAL + MESSAGE[:100]),
        wire.packet("c", ACK, 1001 + 232, 5001, MESSAGE[100:200]),
        wire.packet("c", ACK, 1001 + 332, 5001, MESSAGE[200:]),
    ]
    initial, message = cut(packets)
    assert isinstance(initial, CapturedSegment)
    assert isinstance(message, CapturedSegment)
    assert (initial.packet, initial.last_packet, initial.time, initial.offset) == (4, 4, 0.4, 0)
    assert (message.packet, message.last_packet, message.time, message.offset) == (4, 6, 0.4, 132)
    assert message.data == MESSAGE
    assert (message.segment.type, message.segment.flags1) == (4, 0x30)


@pytest.mark.spec("mq-wire.md 6")
def test_the_cutter_goes_on_behind_lost_packets() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, INITIAL + MESSAGE[:100]),
        wire.packet("c", ACK, 1001 + 332, 5001, MESSAGE[200:] + CONFIRM[:20]),
        wire.packet("c", ACK, 1001 + 632, 5001, CONFIRM[20:] + MESSAGE),
    ]
    found = cut(packets)
    assert shown(found) == [
        (0, 132, "1"),
        (132, 100, "a segment is not whole"),
        (232, 100, "not in the capture"),
        (332, 280, "bytes between lost ones and the next segment"),
        (612, 28, "5"),
        (640, 480, "4"),
    ]
    assert [item.packet for item in found] == [4, 4, 5, 5, 5, 6]


def test_the_cutter_goes_on_behind_bytes_that_are_no_segment() -> None:
    noise = b"TSH \0\0\0\0" + b"noise" * 20
    capture = record((IN, INITIAL + noise), (IN, noise + CONFIRM + b"TSH"), (OUT, CONFIRM))
    found = list(read_segments(io.BytesIO(capture)))
    assert [item[:2] for item in shown(found)] == [(0, 132), (132, 216), (348, 28), (0, 28), (376, 3)]
    fault, rest = (item for item in found if isinstance(item, SegmentFault))
    assert "length" in fault.reason
    assert (fault.packet, fault.time) == (4, 2.0)
    assert rest.reason == "a segment is not whole"


def test_a_start_in_the_middle_of_a_segment() -> None:
    wire = Wire()
    packets = [
        wire.packet("c", ACK, 90_000, 5001, MESSAGE[300:]),
        wire.packet("c", ACK, 90_180, 5001, CONFIRM[:9]),
        wire.packet("c", ACK, 90_189, 5001, CONFIRM[9:]),
    ]
    found = cut(packets)
    assert shown(found) == [(0, 180, "bytes in front of the first segment"), (180, 28, "5")]
    assert [item.packet for item in found] == [1, 2]


def test_tls_is_reported_once_and_other_protocols_not() -> None:
    hello = bytes.fromhex("1603010200010001fc0303")
    found = list(read_segments(io.BytesIO(record((IN, hello), (OUT, hello), (IN, hello)))))
    assert shown(found) == [(0, 3 * len(hello), "TLS cannot be read")]
    assert list(read_segments(io.BytesIO(record((IN, b"GET / HTTP/1.1"), (OUT, MESSAGE))))) == []


def test_ebcdic_segments_on_another_port() -> None:
    header = b"\xe3\xe2\xc8\x40" + CONFIRM[4:]
    (found,) = read_segments(io.BytesIO(record((IN, header))))
    assert isinstance(found, CapturedSegment)
    assert found.segment.ebcdic


def test_every_segment_of_a_real_capture() -> None:
    capture = read_segments(JMS_CAPTURE)
    found = [item for item in capture if isinstance(item, CapturedSegment)]
    assert len(found) == 506
    by_flow = Counter(item.flow.id for item in found)
    assert by_flow == {**dict.fromkeys(range(1, 10), 8), 10: 121, 11: 81, 12: 139, 13: 93}
    assert (capture.flows.packets, capture.flows.error) == (1514, None)


def test_every_segment_of_every_recorded_client() -> None:
    file = io.BytesIO()
    recorder, sent, port = Recorder(file), [], 2000
    for name in transcript_names():
        for segments in transcript(name).sockets():
            port += 1
            connection = recorder.connect(CLIENT._replace(port=port), SERVER, 1.0)
            for one in segments:
                direction = IN if one.side == "client" else OUT
                connection.send(direction, one.data, 2.0 + one.time)
                sent.append((port - 2000, direction.value, one.data))
    capture = read_segments(io.BytesIO(file.getvalue()))
    found = [(item.flow.id, item.direction.value, item.data) for item in capture if isinstance(item, CapturedSegment)]
    assert len(found) > 5000
    assert sorted(found) == sorted(sent)
    assert not capture.flows.unread


def test_a_refused_connection_has_the_shape_of_another_one() -> None:
    expected = json.loads((VECTORS / "jms-client" / "flow-jms2-refused-2035.expect.json").read_text("ascii"))
    shape = [
        (one["dir"], one["type"], one["len"], one["byteorder"], one["flags1"], one["conv"] or 0, one["req"] or 0)
        for one in expected["segments"]
    ]
    found = []
    for item in read_segments(JMS_CAPTURE):
        assert isinstance(item, CapturedSegment)
        if item.flow.id == 1:
            segment, side = item.segment, "C" if item.direction is IN else "S"
            ids = segment.conversation_id, segment.request_id
            found.append((side, segment.type, segment.length, segment.byte_order, segment.flags1, *ids))
    assert found == shape
