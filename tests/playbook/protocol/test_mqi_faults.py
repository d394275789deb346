"""Bad input of clients: what they are told, and what becomes of the connection. The table of docs/protocol.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.mqi import MAX_CALL_LENGTH, CallRefused, Put
from mqbridge.protocol.mqi.reassembly import SMALL_PIECE
from mqbridge.protocol.structures import make_od
from mqbridge.protocol.structures.md import MD
from support.clients.playbook import ClientPlay, answering, connected, initial_data, parameters, started

Line = Callable[[ClientPlay], bytes]


def changed(segment: bytes, offset: int, *values: int) -> bytes:
    return segment[:offset] + bytes(values) + segment[offset + len(values) :]


@pytest.mark.spec("mq-wire.md 6.1")
@pytest.mark.parametrize("play", [started, connected])
def test_what_is_no_segment_of_a_client(play: Callable[[], ClientPlay]) -> None:
    for bad, code in (
        (b"GET / HTTP/1.1\r\nHost: mars.example\r\n\r\n", StatusCode.PROTOCOL_ID_ERROR),
        (b"TSHM\0\0\0\x1c" + bytes(20), StatusCode.PROTOCOL_LENGTH_ERROR),
        (b"TSHM\0\1\0\0" + bytes(40), StatusCode.PROTOCOL_LENGTH_ERROR),
        (changed(play().heartbeat(), 8, 3), StatusCode.PROTOCOL_INVALID_DATA),
    ):
        here = play()
        here.says(bad)
        here.we_end(code, "AMQ9207")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (lambda play: play.segment(SegmentType.MESSAGE_DATA), StatusCode.PROTOCOL_SEGMENT_TYPE),
        (lambda play: play.segment(SegmentType.RESYNC_DATA), StatusCode.PROTOCOL_SEGMENT_TYPE),
        (lambda play: play.segment(0x90), StatusCode.PROTOCOL_SEGMENT_TYPE),
        (lambda play: play.segment(SegmentType.MQGET_REPLY), StatusCode.PROTOCOL_SEGMENT_TYPE),
        (lambda play: play.segment(SegmentType.ASYNC_MESSAGE), StatusCode.PROTOCOL_SEGMENT_TYPE),
        (lambda play: initial_data(), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: play.mqopen(conversation=9), StatusCode.CONV_ID_ERROR),
        (lambda play: play.user_id(), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: play.writer.build(SegmentType.MQCMIT, bytes(16), flags1=0x30), StatusCode.PROTOCOL_ID_ERROR),
        (lambda play: changed(play.heartbeat(), 11, 0x05), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: changed(play.mqopen(), 19, 0x04), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: play.socket_action(1, 1), StatusCode.CONV_ID_ERROR),
        (lambda play: play.socket_action(0, 1), StatusCode.CONV_ID_ERROR),
        (lambda play: play.socket_action(5, 2), StatusCode.CONV_ID_ERROR),
        (lambda play: play.socket_action(3, 11), StatusCode.SOCKET_ACTION_TYPE),
        (lambda play: play.status(0x01), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: play.segment(SegmentType.SECURITY_DATA), StatusCode.SECURITY_FAILURE),
        (lambda play: play.request_msgs(handle=7), StatusCode.INVALID_HOBJ),
        (lambda play: play.segment(SegmentType.REQUEST_MSGS, bytes(39)), StatusCode.PROTOCOL_LENGTH_ERROR),
        (lambda play: play.segment(SegmentType.NOTIFICATION, bytes(15)), StatusCode.PROTOCOL_LENGTH_ERROR),
        (
            lambda play: play.writer.build_common(SegmentType.SOCKET_ACTION, bytes(8)),
            StatusCode.PROTOCOL_LENGTH_ERROR,
        ),
        (lambda play: play.segment(SegmentType.MQCMIT, bytes(15)), StatusCode.PROTOCOL_INVALID_DATA),
        (lambda play: play.call(SegmentType.MQCLOSE, handle=2), StatusCode.PROTOCOL_LENGTH_ERROR),
        (lambda play: play.call(SegmentType.MQINQ, play.word(9) * 3), StatusCode.PROTOCOL_INVALID_DATA),
        (lambda play: play.call(SegmentType.MQDISC, flags=0x20), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: play.call(SegmentType.MQDISC, flags=0x00), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (lambda play: play.mqput(b"five", length=5), StatusCode.PROTOCOL_LENGTH_ERROR),
        (lambda play: play.mqput(b"many more bytes", length=5), StatusCode.PROTOCOL_LENGTH_ERROR),
        (lambda play: play.segment(SegmentType.XA_START, bytes(16)), StatusCode.PROTOCOL_INVALID_DATA),
        (
            lambda play: play.segment(SegmentType.XA_START, bytes(20) + b"\x41\0" + bytes(70)),
            StatusCode.PROTOCOL_INVALID_DATA,
        ),
    ],
)
def test_what_ends_a_clients_connection(line: Line, code: StatusCode) -> None:
    play = connected()
    play.says(line(play))
    closed = play.we_end(code, "AMQ9552" if code == StatusCode.SECURITY_FAILURE else "AMQ9504")
    assert not closed.normal


def test_not_shared_knows_no_conversations() -> None:
    for bad, code in (
        (
            SegmentWriter(ByteOrder.LITTLE, 819).build_shared(1, 0, SegmentType.MQCMIT, bytes(16)),
            StatusCode.PROTOCOL_ID_ERROR,
        ),
        (ClientPlay(None).socket_action(3, 1), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (
            SegmentWriter(ByteOrder.LITTLE, 819).build(SegmentType.REQUEST_MSGS, bytes(40)),
            StatusCode.PROTOCOL_SEGMENT_ERROR,
        ),
    ):
        play = connected(shared_conversations=0)
        play.says(bad)
        play.we_end(code, "AMQ9504")


@pytest.mark.spec("mqi.md 4")
@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        (SegmentType.MQOPEN, b"XX  " + bytes(200), 2044),
        (SegmentType.MQOPEN, b"OD  \5\0\0\0" + bytes(400), 2044),
        (SegmentType.MQPUT, b"MD  \3\0\0\0" + bytes(600), 2026),
        (SegmentType.MQPUT, b"XX  \1\0\0\0" + bytes(600), 2026),
        (SegmentType.MQPUT, MD.codec(ByteOrder.LITTLE)(version=2).build() + b"PMO \7\0\0\0" + bytes(300), 2173),
        (SegmentType.MQPUT1, make_od(ByteOrder.LITTLE).build() + b"MD  \1\0\0\0" + bytes(20), 2026),
        (SegmentType.MQGET, MD.codec(ByteOrder.LITTLE)(version=2).build() + b"GMO \5\0\0\0" + bytes(300), 2186),
        (SegmentType.MQSUB, bytes(8) + b"SD  \2\0\0\0" + bytes(304), 2424),
        (SegmentType.MQSTAT, bytes(4) + b"STAT\3\0\0\0" + bytes(400), 2426),
        (SegmentType.MQSUBRQ, bytes(4) + b"SRO \2\0\0\0" + bytes(8), 2438),
        (SegmentType.SPI, b"\x03\0\0\0\1\0\0\0\0\1\0\0" + b"SPGU\1\0\0\0\x0c\0\0\0", 2298),
        (SegmentType.SPI, b"\x63\0\0\0\1\0\0\0\0\1\0\0", 2298),
    ],
)
def test_a_malformed_structure_fails_its_call(kind: SegmentType, body: bytes, reason: int) -> None:
    play = connected()
    (event,) = play.says(play.call(kind, body, handle=2))
    assert isinstance(event, CallRefused)
    assert (event.reason, event.type, event.handle, event.asynchronous) == (reason, kind, 2, False)
    (answer,) = play.we_sent()
    assert (answer.type, answer.outcome) == (kind + 0x10, (2, reason))
    (commit,) = play.says(play.call(SegmentType.MQCMIT))  # the program goes on
    play.machine.replies.answer(commit)


@pytest.mark.spec("mqi.md 4")
def test_xa_at_the_wrong_time() -> None:
    play = started()
    (event,) = play.says(play.segment(SegmentType.XA_START, bytes(16) + bytes(8)))
    assert isinstance(event, CallRefused)
    answer = play.we_answer(SegmentType(SegmentType.XA_START + 0x10))
    assert int.from_bytes(answer.body[4:8], "little", signed=True) == -6  # XAER_PROTO


@pytest.mark.spec("client-observed.md O-059")
def test_a_message_that_is_too_long_is_passed_over() -> None:
    play = connected(max_message_length=50_000)
    head = play.mqput(b"x" * 30_000, length=60_000, flags=0x10)
    assert play.says(head) == []
    assert play.says(play.segment(SegmentType.MQPUT, b"x" * 20_000, flags=0)) == []
    (event,) = play.says(play.segment(SegmentType.MQPUT, b"x" * 10_000, flags=0x20))
    assert isinstance(event, CallRefused)
    answer = play.we_answer(SegmentType.MQPUT_REPLY)
    assert answer.outcome == (2, 2218)
    assert len(answer.body) == 16 + 364 + 152 + 4
    (call,) = play.says(play.mqput(b"short"))
    assert isinstance(call, Put)


def test_a_short_message_over_a_small_limit() -> None:
    play = connected(max_message_length=100)
    (event,) = play.says(play.mqput(b"x" * 101))
    assert isinstance(event, CallRefused)
    assert event.reason == 2218
    assert play.we_answer(SegmentType.MQPUT_REPLY).outcome == (2, 2218)
    (call,) = play.says(play.mqput(b"x" * 100))
    assert isinstance(call, Put)


@pytest.mark.spec("client-observed.md O-063")
def test_an_asynchronous_put_that_is_refused_is_told_to_the_agent_alone() -> None:
    play = connected(max_message_length=100)
    (event,) = play.says(play.mqput(b"x" * 101, options=0x10000))
    assert isinstance(event, CallRefused)
    assert event.asynchronous
    assert play.we_sent() == []


@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ([(b"x" * 100, 0x10), (b"x" * 101, 0x20)], StatusCode.PROTOCOL_LENGTH_ERROR),
        ([(b"x" * 100, 0x10), (b"x" * 90, 0x20)], StatusCode.PROTOCOL_LENGTH_ERROR),
        ([(b"x" * 100, 0x10), (b"x" * 100, 0x00), (b"xxxx", 0x20)], StatusCode.PROTOCOL_LENGTH_ERROR),
        ([(b"x" * 204, 0x10), (b"", 0x20)], StatusCode.PROTOCOL_LENGTH_ERROR),
    ],
)
def test_parts_of_a_put_that_are_not_what_was_told(segments: list[tuple[bytes, int]], code: StatusCode) -> None:
    if segments[1][0] == b"x" * 101:
        segments = [segments[0], (b"x" * 104, 0x20)]
    play = connected()
    (first, flags), *others = segments
    lines = [play.mqput(first, length=200, flags=flags)]
    lines += [play.segment(SegmentType.MQPUT, data, flags=flag) for data, flag in others]
    play.says(*lines)
    play.we_end(code, "AMQ9504")


@pytest.mark.parametrize(
    "line",
    [
        lambda play: play.call(SegmentType.MQCMIT),
        lambda play: play.mqput(b"other", flags=0x10, length=10),
        lambda play: play.segment(SegmentType.MQPUT1, b"x", flags=0),
        lambda play: play.segment(SegmentType.MQPUT, b"x", flags=0, request=4),
    ],
)
def test_a_call_inside_a_call(line: Line) -> None:
    play = connected()
    play.says(play.mqput(b"x" * 100, length=200, flags=0x10))
    play.says(line(play))
    play.we_end(StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504")


@pytest.mark.spec("mq-wire.md 6.6")
def test_calls_of_two_conversations_may_interleave() -> None:
    play = connected()
    play.another(3)
    play.says(play.mqput(b"x" * 100, length=200, flags=0x10))
    (call,) = play.says(play.call(SegmentType.MQCMIT, conversation=3))
    play.machine.replies.answer(call)
    (put,) = play.says(play.segment(SegmentType.MQPUT, b"y" * 100, flags=0x20))
    assert isinstance(put, Put)
    assert put.data == [b"x" * 100, b"y" * 100]


def test_many_tiny_segments_do_not_become_many_pieces() -> None:
    play = connected()
    length = 3 * SMALL_PIECE
    play.says(play.mqput(b"", length=length, flags=0x10))
    data = bytes(range(256)) * (length // 256)
    for at in range(0, length - 16, 16):
        assert play.says(play.segment(SegmentType.MQPUT, data[at : at + 16], flags=0)) == []
    for _ in range(1000):
        play.says(play.segment(SegmentType.MQPUT, flags=0))
    (put,) = play.says(play.segment(SegmentType.MQPUT, data[-16:], flags=0x20))
    assert isinstance(put.data, list)
    assert len(put.data) <= 4
    assert b"".join(put.data) == data


def test_a_call_that_is_no_put_has_its_limit_too() -> None:
    play = connected()
    play.says(play.call(SegmentType.MQSUB, bytes(30_000), flags=0x10))
    for _ in range(MAX_CALL_LENGTH // 30_000):
        play.says(play.segment(SegmentType.MQSUB, bytes(30_000), flags=0))
    play.we_end(StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9504")


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize(
    ("changes", "code", "amq"),
    [
        ({"fap_level": 3, "size": 44}, StatusCode.FAP_LEVEL, "AMQ9503"),
        ({"max_transmission_size": 1000}, StatusCode.NEGOTIATION_FAILED, "AMQ9503"),
    ],
)
def test_values_that_cannot_be_agreed(changes: dict[str, Any], code: StatusCode, amq: str) -> None:
    answering(initial_data(**changes)).we_end(code, amq)


def test_another_channel_in_the_second_round() -> None:
    play = answering(initial_data(heartbeat_interval=1))
    play.says(initial_data(conversation=1, channel_name="OTHER"))
    play.we_end(StatusCode.NEGOTIATION_FAILED, "AMQ9503")


def test_a_client_that_repeats_itself_is_given_up() -> None:
    play = answering(initial_data(heartbeat_interval=1))
    for _ in range(inferred.MAX_NEGOTIATION_ROUNDS - 1):
        assert not play.machine.link.closed
        play.says(initial_data(heartbeat_interval=1))
    play.we_end(StatusCode.NEGOTIATION_FAILED, "AMQ9503")


def test_a_call_before_the_agreement() -> None:
    play = answering(initial_data(heartbeat_interval=1), parameters())
    play.says(play.mqconn())
    play.we_end(StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504")


def test_an_error_of_the_client_is_logged_as_its_own() -> None:
    play = connected()
    play.says(play.status(0x0A, StatusCode.PROTOCOL_INVALID_DATA))
    closed = play.we_end(None, "AMQ9523")
    assert closed.by_partner
    assert closed.status == StatusCode.PROTOCOL_INVALID_DATA


@pytest.mark.spec("client-observed.md O-031")
@pytest.mark.parametrize("ccsid", [0, 930, 1200, 9999])
def test_a_call_in_a_ccsid_that_names_cannot_be_written_in(ccsid: int) -> None:
    """As at its INITIAL_DATA: the reply, which may be due long after the call, holds names."""
    play = connected()
    play.writer = SegmentWriter(ByteOrder.LITTLE, ccsid)
    play.says(play.call(SegmentType.MQCMIT))
    play.we_end(StatusCode.CCSID_NOT_SUPPORTED, "AMQ9541")
