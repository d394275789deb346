"""Compressed messages of a channel: one row each with what stands in clear, its bytes on the wire, and its fate."""

from __future__ import annotations

import io

import pytest

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.analysis.message_rows import pending_row, settled_row
from mqbridge.captures.generate import ChannelTraffic, Scenario
from mqbridge.captures.tables import FindingRow, FlowRow, MessageRow
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.observer import MessageSeen, MessageSettled, ObservedMessage, UnreadMessageSeen
from mqbridge.protocol.observer.channel import BatchSettled, PartOutOfPlace
from support.channels.playbook import L1, L2, THEY, end_of_batch, more_of_it, status
from support.rules.channel_faults import answers, put
from support.rules.observer_playbook import Watch
from support.transcripts.captures import transcript_capture
from support.transcripts.client_transcripts import transcript_names

LISTS = {"hdr_comp_list": b"\x08\xff", "msg_comp_list": b"\x02" + b"\xff" * 15}
HEADER, DATA = 0x01, 0x02


def squeezed(body: bytes, flags1: int = 0x30, flags2: int = DATA, luwid: bytes = L1) -> bytes:
    return THEY.build(SegmentType.MESSAGE_DATA, body, flags1=flags1, flags2=flags2, luwid=luwid)


def seen(*segments: bytes, confirmed: bool = True) -> tuple[Watch, list[ObservedMessage]]:
    watch = Watch()
    answers({"fap_level": 13, **LISTS}, {})(watch)
    watch.caller(*segments)
    if confirmed:
        watch.caller(end_of_batch())
        watch.called(status(0, luwid=L1))
    watch.end()
    return watch, [one.message for one in watch.seen(UnreadMessageSeen)]


def row(message: ObservedMessage, settled: MessageSettled | None = None) -> MessageRow:
    return settled_row(pending_row(message, 1, "A.B", AnalysisOptions("c")), settled)


@pytest.mark.spec("mq-wire.md 4.2")
def test_nothing_in_clear_gives_the_bytes_on_the_wire() -> None:
    watch, (message,) = seen(squeezed(b"?" * 60, flags2=HEADER | DATA))
    assert not watch.seen(MessageSeen)
    assert (message.length, message.whole, message.sequence_number, message.queue) == (60, False, 0, "")
    (settled,) = watch.seen(MessageSettled)
    assert settled.message is message
    shown = row(message, settled)
    assert (shown.fate, shown.length, shown.whole, shown.body_sha256) == ("confirmed", 60, False, None)
    assert (shown.luwid, shown.batch, shown.msg_id, shown.latency is None) == (L1.hex(), 1, "", False)


@pytest.mark.parametrize("flags2", [HEADER, DATA, HEADER | DATA])
def test_a_number_in_clear_is_read(flags2: int) -> None:
    whole = put(7)
    watch, (message,) = seen(squeezed(whole[28:48] + b"?" * 100, flags2=flags2))
    assert (message.sequence_number, message.length, message.descriptor) == (7, 100, b"")
    (batch,) = watch.seen(BatchSettled)
    assert (batch.messages, batch.size, batch.first_sequence, batch.last_sequence) == (1, 100, 7, 7)


def test_a_descriptor_in_clear_is_read() -> None:
    whole = put(7, b"data of the message")
    _, (message,) = seen(squeezed(whole[28:476] + b"?" * 9))
    watch = Watch()
    answers({}, {})(watch)
    watch.caller(whole)
    (plain,) = [one.message for one in watch.seen(MessageSeen)]
    assert (message.sequence_number, message.queue, message.descriptor) == (7, plain.queue, plain.descriptor)
    shown, expected = row(message), row(plain)
    assert (shown.length, shown.body_length, shown.whole, shown.body_sha256) == (9, 9, False, None)
    assert (shown.msg_id, shown.format, shown.persistence) == (expected.msg_id, expected.format, expected.persistence)


@pytest.mark.parametrize("length", [0, 1, 19, 20, 21, 124, 447, 448])
def test_a_segment_of_any_length_is_taken(length: int) -> None:
    _, (message,) = seen(squeezed(put(7)[28 : 28 + length]))
    assert message.length in (length, length - 20, length - 448)
    assert message.sequence_number in (0, 7)


def test_segments_of_one_message_are_one_row() -> None:
    watch, messages = seen(
        squeezed(b"?" * 60, 0x10),
        squeezed(b"?" * 50, 0x00),
        more_of_it(b"which is not compressed", flags=0x20),
        put(2),
        squeezed(b"?" * 40, 0x10),
        squeezed(b"?" * 30, 0x30),
    )
    assert [message.length for message in messages] == [60 + 50 + 23, 40, 30]
    assert [message.sequence_number for message in (one.message for one in watch.seen(MessageSeen))] == [2]
    assert not watch.seen(PartOutOfPlace)
    assert messages[0].first.offset < messages[0].last.offset
    assert len(watch.seen(MessageSettled)) == 4
    (batch,) = watch.seen(BatchSettled)
    assert batch.messages == 4


def test_a_message_that_ends_no_more_is_told_all_the_same() -> None:
    watch, (message,) = seen(squeezed(b"?" * 60, 0x10), confirmed=False)
    assert message.length == 60
    assert [one.message for one in watch.seen(MessageSettled)] == [message]


def test_a_later_batch_has_its_own() -> None:
    watch = Watch()
    answers({"fap_level": 13, **LISTS}, {})(watch)
    for luwid in (L1, L2):
        watch.caller(squeezed(b"?" * 60, luwid=luwid), end_of_batch(luwid))
        watch.called(status(0, luwid=luwid))
    watch.end()
    assert [one.message.batch for one in watch.seen(UnreadMessageSeen)] == [1, 2]
    assert [one.rule for one in watch.findings if one.rule < "C-300"] == ["C-012"]


def test_rows_stand_in_the_table_and_are_counted() -> None:
    made = Scenario(seed=1, channels=[ChannelTraffic(sizes=(100, 200))], clients=()).build()
    data = bytearray(made.data)
    plain = [one for one in analyse_file(io.BytesIO(made.data)) if isinstance(one, MessageRow)]
    at = -1
    for _ in plain:
        at = data.index(b"MSH ", at + 1)
        data[at - 28 + 11] |= DATA
    rows = list(analyse_file(io.BytesIO(bytes(data))))
    found = [one for one in rows if isinstance(one, MessageRow)]
    assert [(one.sequence_number, one.fate, one.msg_id) for one in found] == [
        (one.sequence_number, one.fate, one.msg_id) for one in plain
    ]
    assert not any(one.whole or one.body_sha256 for one in found)
    (flow,) = [one for one in rows if isinstance(one, FlowRow)]
    assert flow.messages == len(plain)


def test_a_client_that_compresses_says_how() -> None:
    assert "compress-accepted-by-silence" in transcript_names()
    capture = transcript_capture("compress-accepted-by-silence")
    said = {
        one.seen for one in analyse_file(io.BytesIO(capture)) if isinstance(one, FindingRow) and one.rule == "C-533"
    }
    assert said == {"headers compressed; ZLIBFAST for message data"}
