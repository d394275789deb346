"""Captures analysed: which rows come of what passed."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import Any

import pytest

from mqbridge.captures import read_flows
from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse, analyse_file
from mqbridge.captures.generate import Builder, ChannelTraffic
from mqbridge.captures.reading.link_layers import ACK
from mqbridge.captures.tables import BatchRow, CallRow, CaptureRow, FindingRow, FlowRow, MessageRow, Row, SegmentRow
from support.captures.analysed_rows import BATCH, IN, OUT, analysed, of, of_the_whole, rules
from support.captures.files import JMS_CAPTURE, Wire, pcap, record
from support.captures.vectors import thesis


@pytest.fixture(scope="module")
def jms() -> list[Row]:
    return list(analyse_file(JMS_CAPTURE, AnalysisOptions("jms", ALL_TABLES, "bytes")))


def test_every_segment_of_a_real_capture_has_a_row(jms: list[Row]) -> None:
    flows, segments = of(FlowRow, jms), of(SegmentRow, jms)
    assert [row.flow for row in flows] == list(range(1, 14))
    assert len(segments) == sum(row.segments for row in flows) == 506
    assert {row.kind for row in flows} == {"client-connection"}
    assert {row.channel for row in flows} == {"APP.SVRCONN"}
    assert Counter(row.outcome for row in flows)["refused"] == 9
    assert {row.reason for row in flows if row.outcome == "refused"} == {2035}
    assert all(row.start < row.end and row.lost == 0 and row.whole for row in flows)
    assert of(CaptureRow, jms) == [CaptureRow("jms", 1514, 382_626, 0, True, None)]
    assert all(row.seg_length >= 28 and row.segment_name.isupper() for row in segments)


def test_fields_of_segments_are_typed_and_named(jms: list[Row]) -> None:
    first = of(SegmentRow, jms)[0]
    assert (first.struc_id, first.segment_name, first.byte_order, first.ccsid) == ("TSH", "INITIAL_DATA", 1, 819)
    assert first.common is not None
    assert first.fields is not None
    assert (first.common.channel, first.common.fap_level) == ("APP.SVRCONN", 17)
    assert first.fields["ID.ChannelName"] == "APP.SVRCONN"
    assert first.fields["ID.HeartbeatInterval"] == "300"
    put = next(row for row in of(SegmentRow, jms) if row.segment_name == "MQPUT")
    assert put.common is not None
    assert put.common.msg_id is not None
    assert put.common.handle is not None
    assert put.fields is not None
    assert "MD.PutApplName" in put.fields
    assert put.fields["data.Length"].isdecimal()


def test_calls_have_names_reasons_and_latencies(jms: list[Row]) -> None:
    calls = of(CallRow, jms)
    assert Counter(row.name for row in calls)["MQPUT"] == 16
    refused = [row for row in calls if row.reason]
    assert {(row.name, row.comp_code_name, row.reason_name) for row in refused} == {
        ("MQCONN", "MQCC_FAILED", "MQRC_NOT_AUTHORIZED")
    }
    for row in calls:
        assert row.answered is not None
        assert row.latency == row.answered - row.time
        assert row.latency >= 0
    assert sum(row.calls for row in of(FlowRow, jms)) == len(calls)


def test_messages_have_descriptor_headers_properties_and_hash(jms: list[Row]) -> None:
    messages = of(MessageRow, jms)
    assert len(messages) == sum(row.messages for row in of(FlowRow, jms)) == 16
    for row in messages:
        assert row.course == "put"
        assert row.fate == "confirmed"
        assert row.headers == ["RFH2"]
        assert re.fullmatch("[0-9a-f]{48}", row.msg_id)
        assert row.body is not None
        assert row.body_sha256 == hashlib.sha256(row.body).hexdigest()
        assert len(row.body) == row.body_length < row.length
        assert row.body_format == "MQSTR"
        assert row.properties["mcd.Msd"] == "jms_text"
        assert row.confirm_time is not None
        assert row.latency == row.confirm_time - row.time


def test_a_channel_of_2003_gives_a_message_and_a_batch() -> None:
    rows = analysed(record(*BATCH))
    (message,), (batch,), (flow,) = of(MessageRow, rows), of(BatchRow, rows), of(FlowRow, rows)
    assert (flow.kind, flow.messages, flow.batches, flow.segments) == ("message-channel", 1, 1, 3)
    assert (flow.channel, flow.queue_manager) == ("ch.clon.hp", "QM_carlitosway")
    assert flow.agreed["fap_level"] == "7"
    assert (message.course, message.sequence_number, message.queue) == ("channel", 1, "MyHPQ")
    assert message.put_appl_name == "WebSphere MQ\\bin\\amqsput.exe"
    assert (message.put_date, message.put_time, message.msg_seq_number, message.version) == (
        "20030928",
        "01304759",
        1,
        1,
    )
    assert message.body_length == message.length == len("hola")
    assert message.body_sha256 == hashlib.sha256(b"hola").hexdigest()
    assert message.latency is None
    assert (batch.messages, batch.bytes, batch.latency, batch.confirmed) == (1, 4, None, None)
    assert not flow.errors, of(FindingRow, rows)


def test_a_channel_gives_batches_that_its_messages_belong_to() -> None:
    builder = Builder(7)
    builder.channel(ChannelTraffic(sizes=[100 * number for number in range(1, 8)], batch_size=3))
    rows = analysed(builder.build().data)
    messages, batches, (flow,) = of(MessageRow, rows), of(BatchRow, rows), of(FlowRow, rows)
    assert [row.sequence_number for row in messages] == [1, 2, 3, 4, 5, 6, 7]
    assert [row.body_length for row in messages] == [100, 200, 300, 400, 500, 600, 700]
    assert [(row.first_sequence, row.last_sequence, row.messages, row.bytes) for row in batches] == [
        (1, 3, 3, 600),
        (4, 6, 3, 1500),
        (7, 7, 1, 700),
    ]
    assert (
        [row.batch for row in messages] == [1, 1, 1, 2, 2, 2, 3] == [row.batch for row in batches for _ in range(3)][:7]
    )
    assert {row.fate for row in messages} == {row.fate for row in batches} == {"confirmed"}
    for row in batches:
        assert row.asked is not None
        assert row.confirmed is not None
        assert row.latency == row.confirmed - row.asked > 0
        inside = [message for message in messages if message.batch == row.batch]
        assert {message.luwid for message in inside} == {row.luwid}
        assert {message.confirm_time for message in inside} == {row.confirmed}
    assert (flow.batches, flow.messages, flow.outcome, flow.errors) == (3, 7, "ended", 0)


@pytest.mark.parametrize("bodies", ["none", "hash", "bytes"])
def test_bodies_as_they_were_asked_for(bodies: Any) -> None:
    (message,) = of(MessageRow, analysed(record(*BATCH), AnalysisOptions("a", ALL_TABLES, bodies)))
    assert message.body == (b"hola" if bodies == "bytes" else None)
    assert (message.body_sha256 is None) == (bodies == "none")


def test_only_the_tables_and_fields_that_were_asked_for() -> None:
    capture = record(*BATCH)
    for table, kind in (("segments", SegmentRow), ("messages", MessageRow), ("batches", BatchRow)):
        found = analysed(capture, AnalysisOptions("a", frozenset((table,))))
        assert {type(row) for row in found} == {kind}
    bare = of(SegmentRow, analysed(capture, AnalysisOptions("a", ALL_TABLES, fields=frozenset())))
    assert [(row.common, row.fields) for row in bare] == [(None, None)] * 3
    some = of(SegmentRow, analysed(capture, AnalysisOptions("a", ALL_TABLES, fields=frozenset(("ID.FapLevel",)))))
    assert some[0].fields == {"ID.FapLevel": "7"}
    assert some[0].common is not None
    assert some[0].common.fap_level == 7
    assert some[2].fields == {}
    with pytest.raises(ValueError, match="no such table: packets"):
        AnalysisOptions("a", frozenset(("packets",)))


def test_the_rows_of_a_flow_do_not_depend_on_others(jms: list[Row]) -> None:
    for number in (1, 7, 12):
        some = (event for event in read_flows(JMS_CAPTURE) if event.flow.id == number)
        rows = list(analyse(some, AnalysisOptions("jms", ALL_TABLES, "bytes")))
        assert rows == [row for row in jms if getattr(row, "flow", 0) == number and row not in of_the_whole(jms)]


def test_findings_stand_at_their_segment() -> None:
    wrong = bytearray(thesis(3))
    wrong[28:32] = b"XXXX"  # the eye-catcher of MSH
    rows = analysed(record(*BATCH[:2], (IN, bytes(wrong))))
    (segment,) = (row for row in of(SegmentRow, rows) if row.segment_name == "MESSAGE_DATA")
    found = [row for row in of(FindingRow, rows) if row.packet == segment.packet]
    assert found
    assert set(segment.findings) <= {row.rule for row in found}
    assert segment.severity in {row.severity for row in found}


# what is wrong with captures


def test_a_cut_capture_gives_what_was_whole_and_a_finding() -> None:
    capture = record(*BATCH)
    rows = analysed(capture[:-100])
    assert rules(rows)["C-901"] == 1
    (about,) = of(CaptureRow, rows)
    assert about.readable
    assert about.error is not None
    assert "ends inside" in about.error


@pytest.mark.parametrize("data", [b"", b"no capture at all", b"\x1f\x8b\x08\x00"])
def test_what_is_no_capture_gives_a_finding(data: bytes) -> None:
    rows = analysed(data)
    assert of(FlowRow, rows) == []
    assert len(of(CaptureRow, rows)) == 1
    assert set(rules(rows)) <= {"C-901", "C-903"}
    assert rules(rows)


def test_lost_bytes_are_told_and_explain_what_follows() -> None:
    wire = Wire()
    sent = thesis(1) + thesis(3) + thesis(3)
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, sent[:200]),
        wire.packet("c", ACK, 1001 + 300, 5001, sent[300:]),
        wire.packet("s", ACK, 5001, 1001 + len(sent)),
    ]
    rows = analysed(pcap(*(packet.data for packet in packets), link_type=101))
    found = rules(rows)
    assert found["C-910"] == 1
    (lost,) = (row for row in of(FindingRow, rows) if row.rule == "C-910")
    assert lost.seen.startswith("100 bytes of the client lost: ")
    assert found["C-912"] == 0
    (flow,) = of(FlowRow, rows)
    assert flow.lost >= 100
    assert not flow.errors


def test_the_holes_of_one_flow_are_one_finding() -> None:
    wire = Wire()
    sent = thesis(1) + thesis(3) * 4
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, sent[:200]),
        wire.packet("c", ACK, 1001 + 300, 5001, sent[300:400]),
        wire.packet("c", ACK, 1001 + 450, 5001, sent[450:]),
        wire.packet("s", ACK, 5001 + 28, 1001 + len(sent), thesis(2)),
    ]
    rows = analysed(pcap(*(packet.data for packet in packets), link_type=101))
    (lost,) = (row for row in of(FindingRow, rows) if row.rule == "C-910")
    assert lost.seen.startswith("150 bytes of the client and 28 bytes of the server lost in 3 places: ")
    (flow,) = of(FlowRow, rows)
    assert (lost.flow, lost.packet) == (flow.flow, 5)


def test_bytes_that_begin_no_segment_are_an_error_where_nothing_is_lost() -> None:
    rows = analysed(record((IN, thesis(1)), (OUT, thesis(2)), (IN, b"GET / HTTP/1.1\r\n\r\n" * 5)))
    (found,) = (row for row in of(FindingRow, rows) if row.rule == "C-912")
    assert found.severity == "error"
    assert found.seen.startswith("90 bytes passed over")


def test_the_end_of_a_connection_inside_a_segment() -> None:
    ended = rules(analysed(record((IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3)[:50]))))
    assert (ended["C-913"], ended["C-914"]) == (1, 0)
    wire = Wire()
    packets = [*wire.handshake(), wire.packet("c", ACK, 1001, 5001, thesis(1) + thesis(3)[:50])]
    stopped = rules(analysed(pcap(*(packet.data for packet in packets), link_type=101)))
    assert (stopped["C-913"], stopped["C-914"]) == (0, 1)


def test_tls_is_a_flow_of_its_own_kind() -> None:
    hello = bytes.fromhex("16030100050100000100")
    rows = analysed(record((IN, hello), (OUT, hello)))
    (flow,) = of(FlowRow, rows)
    assert (flow.kind, flow.segments, flow.outcome) == ("tls", 0, "ended")
    assert rules(rows)["C-920"] == 1


def test_other_traffic_has_no_rows() -> None:
    rows = analysed(record((IN, b"GET / HTTP/1.1\r\n\r\n"), (OUT, b"HTTP/1.1 200 OK\r\n\r\n")))
    assert [type(row) for row in rows] == [CaptureRow]


def test_packets_that_hold_no_ip_are_no_finding_and_unknown_links_are() -> None:
    assert rules(analysed(pcap(b"\0" * 12 + b"\x08\x06" + b"\0" * 28))) == {}
    assert rules(analysed(pcap(b"\0" * 60, link_type=195)))["C-904"] == 1
