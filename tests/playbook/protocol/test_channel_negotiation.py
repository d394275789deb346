"""How a channel agrees on its values, as the called end and as the caller (mq-wire.md 7.2, channels.md 4)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.channel import Closed, Started
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from support.channels.playbook import (
    CHANNEL,
    Play,
    accepted,
    asked,
    calling,
    error,
    initial_data,
    listening,
    parameters,
)


def started(play: Play) -> Started:
    (event,) = (event for event in play.events if isinstance(event, Started))
    return event


# The called end


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize(
    ("ours", "theirs", "field", "agreed", "bit"),
    [
        ({"batch_size": 10}, {"max_msgs_per_batch": 50}, "max_msgs_per_batch", 10, 0x20),
        ({"batch_size": 50}, {"max_msgs_per_batch": 10}, "max_msgs_per_batch", 10, 0),
        ({"batch_size": 50}, {"max_msgs_per_batch": 0}, "max_msgs_per_batch", 50, 0x20),
        ({"transmission_size": 8192}, {}, "max_transmission_size", 8192, 0x04),
        ({}, {"max_transmission_size": 8192}, "max_transmission_size", 8192, 0),
        ({}, {"max_transmission_size": 1 << 30}, "max_transmission_size", 32766, 0x04),
        ({"max_message_length": 1000}, {}, "max_message_size", 1000, 0x10),
        ({"max_message_length": 0}, {"max_message_size": 1 << 31}, "max_message_size", 104857600, 0x10),
        ({}, {"max_message_size": 1000}, "max_message_size", 1000, 0),
        ({}, {"fap_level": 14}, "fap_level", 13, 0x08),
        ({"fap_level": 7}, {"fap_level": 13}, "fap_level", 7, 0x08),
        ({}, {"fap_level": 13}, "fap_level", 13, 0),
        ({}, {"fap_level": 9}, "fap_level", 9, 0),
    ],
)
def test_the_lower_value_counts_and_a_change_is_said(
    ours: dict[str, int], theirs: dict[str, int], field: str, agreed: int, bit: int
) -> None:
    play = accepted(initial_data(**theirs), parameters(**ours))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert getattr(answer.id.record, field) == agreed
    assert answer.id.record.init_err_flags1 == bit
    assert answer.flags == (0x02 if bit else 0x00)
    if bit:
        assert play.events == []
        play.they_send(initial_data(**{**theirs, field: agreed}))
        again = play.we_answer(SegmentType.INITIAL_DATA)
        assert (again.flags, again.id.record.init_err_flags1) == (0x00, 0)
    assert started(play).partner == "VENUS"


@pytest.mark.spec("channels.md 20.2")
@pytest.mark.parametrize(
    ("ours", "theirs", "agreed"),
    [(300, 300, 300), (0, 300, 0), (300, 0, 0), (1, 300, 300), (300, 1, 300), (300, 600, 600), (600, 300, 600)],
)
def test_the_longer_heartbeat_interval_counts_unless_one_is_zero(ours: int, theirs: int, agreed: int) -> None:
    play = accepted(initial_data(heartbeat_interval=theirs), parameters(heartbeat_interval=ours))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert answer.id.record.heartbeat_interval == agreed
    assert answer.id.record.init_err_flags1 == (0x80 if agreed != theirs else 0)
    if agreed != theirs:
        play.they_send(initial_data(heartbeat_interval=agreed))
    assert started(play).negotiated.heartbeat_interval == agreed

    play = calling(parameters(heartbeat_interval=ours))
    play.they_send(initial_data(flags=0, heartbeat_interval=theirs))
    assert started(play).negotiated.heartbeat_interval == agreed


@pytest.mark.spec("channels.md 20.3")
def test_the_sequence_wrap_must_be_equal() -> None:
    play = accepted(initial_data(sequence_wrap=1000), parameters(sequence_wrap=100))
    closed = play.we_end(StatusCode.WRAP_VALUE_ERROR, "AMQ9505")
    assert not closed.retryable


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(
    ("ours", "theirs", "fast", "refused"),
    [(True, 0x07, True, 0), (True, 0x05, False, 0), (False, 0x05, False, 0), (False, 0x07, False, 0x02)],
)
def test_fast_messages_need_both_ends(ours: bool, theirs: int, fast: bool, refused: int) -> None:
    play = accepted(initial_data(cap_flags2=theirs), parameters(fast=ours))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert answer.id.record.e_cap_flags2 == refused
    assert answer.id.record.cap_flags2 == (0x06 if fast else 0x04)
    if refused:
        assert answer.flags == 0x02
        play.they_send(initial_data(cap_flags2=theirs & ~refused))
    assert started(play).negotiated.fast is fast


@pytest.mark.spec("mq-wire.md 5.1")
@pytest.mark.parametrize(
    ("level", "length"), [(4, 104), (7, 104), (8, 128), (9, 208), (10, 208), (11, 208), (12, 208), (13, 240)]
)
def test_we_speak_the_level_of_the_partner(level: int, length: int) -> None:
    play = accepted(initial_data(fap_level=level), parameters(queue_manager_id="MARS_2026"))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert answer.length == 28 + length
    assert answer.id.record.fap_level == level
    assert started(play).negotiated.fap_level == level
    assert started(play).product == ("MQMM09010200" if level >= 9 else "")
    if level >= 9:
        assert answer.id.record.q_mgr_identifier.rstrip() == b"MARS_2026"
        assert answer.id.record.product_id == inferred.PRODUCT_ID.encode()
    if level >= 8:
        assert (answer.id.record.hdr_comp_list, answer.id.record.msg_comp_list) == (b"\0\xff", b"\0" + b"\xff" * 15)


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize("lists", [{"hdr_comp_list": b"\x08\0"}, {"msg_comp_list": b"\x02\0".ljust(16, b"\xff")}])
def test_compression_is_refused(lists: dict[str, bytes]) -> None:
    play = accepted(initial_data(fap_level=13, **lists), parameters())
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert (answer.flags, answer.id.record.init_err_flags2) == (0x02, 0x03)
    play.they_send(initial_data(fap_level=13))
    assert play.we_answer(SegmentType.INITIAL_DATA).flags == 0x00
    assert started(play)


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize(
    ("theirs", "code", "amq"),
    [
        ({"fap_level": 3}, StatusCode.FAP_LEVEL, "AMQ9503"),
        ({"max_transmission_size": 400}, StatusCode.NEGOTIATION_FAILED, "AMQ9503"),
    ],
)
def test_what_cannot_be_agreed_ends_the_channel(theirs: dict[str, int], code: StatusCode, amq: str) -> None:
    play = accepted(initial_data(**theirs), parameters())
    assert not play.we_end(code, amq).retryable


@pytest.mark.spec("mq-wire.md 7.2")
def test_a_caller_that_repeats_itself_is_given_up() -> None:
    play = accepted(initial_data(max_msgs_per_batch=50), parameters(batch_size=10))
    for _ in range(inferred.MAX_NEGOTIATION_ROUNDS - 1):
        assert not play.machine.link.closed
        play.we_sent()
        play.they_send(initial_data(max_msgs_per_batch=50))
    assert isinstance(play.events[-1], Closed)
    assert play.events[-1].status == StatusCode.NEGOTIATION_FAILED
    assert play.we_sent()[-1].code == StatusCode.NEGOTIATION_FAILED


def test_a_caller_that_changes_the_channel_is_refused() -> None:
    play = accepted(initial_data(max_msgs_per_batch=50), parameters(batch_size=10))
    play.we_sent()
    play.they_send(initial_data(channel_name="OTHER"))
    play.we_end(StatusCode.NEGOTIATION_FAILED, "AMQ9503")


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize("ccsid", [65000, 1200, 930])
def test_a_ccsid_that_we_cannot_convert_is_refused(ccsid: int) -> None:
    play = listening()
    play.they_send(initial_data(writer=SegmentWriter(ByteOrder.LITTLE, ccsid)))
    play.we_end(StatusCode.CCSID_NOT_SUPPORTED, "AMQ9541")


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize("encoding", [0x223, 0x232, 0x522])
def test_an_encoding_that_we_cannot_convert_is_refused(encoding: int) -> None:
    play = listening()
    play.they_send(initial_data(writer=SegmentWriter(ByteOrder.LITTLE, 437, encoding)))
    play.we_end(StatusCode.ENCODING_INVALID, "AMQ9503")


def test_a_name_that_the_partner_could_not_read_is_not_sent() -> None:
    play = accepted(initial_data(writer=SegmentWriter(ByteOrder.LITTLE, 367)), parameters(queue_manager="M\xc4RS"))
    play.we_end(StatusCode.CCSID_NOT_SUPPORTED, "AMQ9541")


@pytest.mark.spec("mq-wire.md 1.3")
def test_a_partner_that_writes_ebcdic_is_understood() -> None:
    segment = bytearray(initial_data(writer=SegmentWriter(ByteOrder.BIG, 500, 0x311)))
    segment[:4] = "TSH ".encode("cp500")
    play = asked(bytes(segment))
    assert play.events[0].channel_name == CHANNEL  # type: ignore[union-attr]
    play = accepted(bytes(segment), parameters(ccsid=819))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert answer.id.record.channel_name.rstrip() == CHANNEL.encode()
    assert answer.order == ByteOrder.BIG
    assert started(play).partner == "VENUS"


# The caller


@pytest.mark.spec("mq-wire.md 7.2")
def test_the_caller_repeats_what_the_other_end_can_take() -> None:
    play = calling(parameters(batch_size=50, heartbeat_interval=60))
    first = play.we_answer(SegmentType.INITIAL_DATA)
    assert (first.flags, first.id.record.max_msgs_per_batch, first.id.record.heartbeat_interval) == (0x01, 50, 60)
    changed: dict[str, Any] = {"max_msgs_per_batch": 5, "max_message_size": 900, "heartbeat_interval": 300}
    assert play.they_send(initial_data(flags=0x02, init_err_flags1=0xB0, cap_flags2=0x05, **changed)) == []
    second = play.we_answer(SegmentType.INITIAL_DATA)
    assert (second.flags, second.id.record.max_msgs_per_batch, second.id.record.cap_flags2) == (0x01, 5, 0x04)
    play.they_send(initial_data(flags=0x00, cap_flags2=0x05, **changed))
    agreed = started(play).negotiated
    assert (agreed.batch_size, agreed.max_message_length, agreed.heartbeat_interval) == (5, 900, 300)
    assert not agreed.fast


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize(("offered", "answered", "agreed"), [(None, 7, 7), (13, 13, 13), (13, 10, 10), (9, 13, 9)])
def test_the_caller_offers_a_level(offered: int | None, answered: int, agreed: int) -> None:
    play = calling(parameters() if offered is None else parameters(offered_fap_level=offered))
    sent = play.we_answer(SegmentType.INITIAL_DATA).id
    assert sent.record.fap_level == (offered or inferred.OFFERED_FAP_LEVEL)
    play.they_send(initial_data(flags=0, fap_level=answered))
    assert started(play).negotiated.fap_level == agreed


@pytest.mark.spec("mq-wire.md 7.2")
def test_the_caller_takes_lower_values_that_come_without_an_error() -> None:
    play = calling(parameters())
    play.we_sent()
    play.they_send(initial_data(flags=0, max_msgs_per_batch=5, max_transmission_size=4096))
    agreed = started(play).negotiated
    assert (agreed.batch_size, agreed.transmission_size) == (5, 4096)
    assert play.we_sent() == []


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(
    ("answer", "code", "amq"),
    [
        ({"sequence_wrap": 100}, StatusCode.WRAP_VALUE_ERROR, "AMQ9505"),
        ({"flags": 2, "init_err_flags1": 0x40}, StatusCode.WRAP_VALUE_ERROR, "AMQ9505"),
        ({"flags": 2, "init_err_flags1": 0x01}, StatusCode.CCSID_NOT_SUPPORTED, "AMQ9541"),
        ({"flags": 2, "init_err_flags1": 0x02}, StatusCode.ENCODING_INVALID, "AMQ9503"),
        ({"flags": 2, "init_err_flags1": 0x08, "fap_level": 3}, StatusCode.FAP_LEVEL, "AMQ9503"),
        ({"channel_name": "OTHER"}, StatusCode.NEGOTIATION_FAILED, "AMQ9503"),
    ],
)
def test_an_answer_that_we_cannot_take_ends_the_channel(answer: dict[str, Any], code: StatusCode, amq: str) -> None:
    play = calling(parameters())
    play.we_sent()
    play.they_send(initial_data(**{"flags": 0, **answer}))
    assert not play.we_end(code, amq).retryable


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(
    ("code", "amq"),
    [
        (StatusCode.WRAP_VALUE_ERROR, "AMQ9505"),
        (StatusCode.NEGOTIATION_FAILED, "AMQ9503"),
        (StatusCode.CCSID_NOT_SUPPORTED, "AMQ9541"),
        (StatusCode.FAP_LEVEL, "AMQ9503"),
    ],
    ids=str,
)
def test_they_end_the_negotiation(code: StatusCode, amq: str) -> None:
    play = calling(parameters())
    play.we_sent()
    play.they_send(error(code))
    closed = play.we_end(None, amq)
    assert (closed.retryable, closed.by_partner, closed.status) == (False, True, code)


@pytest.mark.spec("mq-wire.md 7.2")
def test_an_other_end_that_never_agrees_is_given_up() -> None:
    play = calling(parameters())
    for _ in range(inferred.MAX_NEGOTIATION_ROUNDS):
        assert not play.machine.link.closed
        play.we_sent()
        play.they_send(initial_data(flags=0x02, init_err_flags1=0x20))
    play.we_end(StatusCode.NEGOTIATION_FAILED, "AMQ9503")


@pytest.mark.spec("channels.md 4")
def test_distribution_lists_are_the_partners_ability() -> None:
    for bits, able in ((0x07, True), (0x06, False)):
        play = calling(parameters())
        play.they_send(initial_data(flags=0, cap_flags2=bits))
        assert started(play).negotiated.distribution_lists is able
