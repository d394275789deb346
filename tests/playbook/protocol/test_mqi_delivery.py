"""Messages that stream on a shared connection: who may be sent what, and when (client-observed.md 5)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQMO, ByteOrder, NotificationCode, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.mqi import Close, Delivery, MessagesWanted, Notified, ServerConnection
from mqbridge.protocol.structures import MD, parse_request_msgs
from support.clients.playbook import Answer, ClientPlay, connected
from support.transcripts.client_transcripts import transcript

MESSAGE = MD.codec(ByteOrder.LITTLE)(version=2).build()
"""MQMD version 2, 364 bytes."""
GET, GET_MORE = 0x1E, 0x0E
WAIT, WAIT_MORE = 0x18, 0x08
AHEAD, AHEAD_MORE, TOP_UP = 0x1A, 0x0A, 0x00
LISTEN, LISTEN_MORE = 0x11, 0x01
ROOM = 102400


def opened(**changes: Any) -> ClientPlay:
    play = connected(**changes)
    play.opened(2)
    return play


def deliver(play: ClientPlay, delivery: Delivery, data: bytes = b"hello", **values: Any) -> None:
    machine: ServerConnection = play.machine
    machine.deliveries.send(delivery, MESSAGE, data, **values)


def sent_kinds(play: ClientPlay) -> list[SegmentType]:
    return [answer.type for answer in play.we_sent()]


def is_check_answer(answer: Answer, handle: int = 2) -> bool:
    """NOTIFICATION 11, value 0, request 3, flags 0x30 (O-081)."""
    return (
        answer.type == SegmentType.NOTIFICATION
        and answer.notification == (handle, NotificationCode.CHECK_MSG, 0)
        and (answer.struc_id, answer.conversation, answer.request, answer.flags) == (b"TSHM", 1, 3, 0x30)
    )


@pytest.mark.spec("client-observed.md O-081", "client-observed.md O-087", "mq-wire.md 5.11")
def test_a_get_without_wait() -> None:
    play = opened()
    delivery = play.wants(flags=GET, selection_index=7)
    assert (delivery.handle, delivery.selection.index, delivery.selection.md_version) == (2, 7, 2)
    assert delivery.checking
    deliver(play, delivery, queue=b"DEV.QUEUE.1", token=b"t" * 16)
    message, check = play.we_sent()
    assert (message.type, message.struc_id, message.conversation) == (SegmentType.ASYNC_MESSAGE, b"TSHM", 1)
    assert (message.request, message.flags) == (1, 0x30)
    head = message.stream
    assert (head.object_handle, head.message_index, head.global_message_index) == (2, 1, 1)
    assert (head.segment_length, head.total_msg_length, head.actual_msg_length) == (5, 5, 5)
    assert (head.selection_index, head.segment_index, head.reason_code) == (7, 0, 0)
    assert head.msg_token == b"t" * 16
    assert message.body[55:68] == b"DEV.QUEUE.1\0\0"
    assert message.body[68:] == MESSAGE + b"hello" + bytes(3)
    assert is_check_answer(check)
    assert not delivery.ready


@pytest.mark.spec("client-observed.md O-081")
def test_a_get_from_an_empty_queue() -> None:
    play = opened()
    delivery = play.wants(flags=GET)
    play.machine.deliveries.no_message(delivery)
    (check,) = play.we_sent()
    assert is_check_answer(check)
    assert not delivery.ready
    play.machine.deliveries.no_message(delivery)  # told once
    assert play.we_sent() == []


@pytest.mark.spec("client-observed.md O-082")
def test_a_waiting_get_is_never_answered_without_a_message() -> None:
    play = opened()
    delivery = play.wants(flags=WAIT, wait_interval=700)
    assert (delivery.waiting, delivery.checking, delivery.wait_interval) == (True, False, 700)
    play.machine.deliveries.no_message(delivery)
    assert play.we_sent() == []
    assert delivery.ready
    deliver(play, delivery)
    (message,) = play.we_sent()
    assert (message.type, message.request) == (SegmentType.ASYNC_MESSAGE, 1)
    assert not delivery.ready  # one message, as asked


@pytest.mark.spec("client-observed.md O-082", "client-observed.md O-105")
def test_the_client_ends_its_wait_by_a_check() -> None:
    play = opened()
    play.wants(flags=WAIT)
    delivery = play.wants(flags=GET_MORE)
    play.machine.deliveries.no_message(delivery)
    (check,) = play.we_sent()
    assert is_check_answer(check)
    with pytest.raises(LocalProtocolError):
        deliver(play, delivery)  # a message too late would be lost for the queue
    assert play.we_sent() == []


@pytest.mark.spec("client-observed.md O-085")
def test_a_check_that_crosses_the_message_it_waits_for() -> None:
    """The message uses the credit up that the check gives: the answer comes at once, without a second message."""
    play = opened()
    deliver(play, play.wants(flags=WAIT))
    play.we_sent()
    assert play.says(play.request_msgs(flags=GET_MORE, received=0)) == []
    (check,) = play.we_sent()
    assert is_check_answer(check)
    delivery = play.wants(flags=GET_MORE, received=369, index=1)
    assert delivery.checking


@pytest.mark.spec("client-observed.md O-085", "client-observed.md O-086")
def test_read_ahead_fills_the_room_that_is_left() -> None:
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=ROOM, queue_status=1)
    assert delivery.read_ahead
    sizes = 0
    while delivery.ready:
        deliver(play, delivery, b"x" * 2000)
        sizes += 1
    assert sizes == 44  # 43 take 101,652 bytes: one more is begun
    kinds = sent_kinds(play)
    assert kinds == [SegmentType.ASYNC_MESSAGE] * 44 + [SegmentType.NOTIFICATION]
    assert play.says(play.request_msgs(flags=TOP_UP, requested=1000, received=2364, index=1)) == []
    delivery = play.wants(flags=TOP_UP, requested=50000, received=43 * 2364, index=44)
    while delivery.ready:
        deliver(play, delivery, b"x" * 2000)
    assert sent_kinds(play) == [SegmentType.ASYNC_MESSAGE] * 22


@pytest.mark.spec("client-observed.md O-083", "client-observed.md O-085")
def test_a_check_of_a_client_that_reads_ahead_stays_in_force() -> None:
    """Its next get waits for what was asked for, and says nothing."""
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=1000, queue_status=1)
    play.machine.deliveries.no_message(delivery)
    (check,) = play.we_sent()
    assert is_check_answer(check)
    assert (delivery.ready, delivery.checking) == (True, False)
    deliver(play, delivery, b"x" * 700)
    assert sent_kinds(play) == [SegmentType.ASYNC_MESSAGE]
    assert not delivery.ready  # the room is used up


@pytest.mark.spec("client-observed.md O-085")
def test_a_request_replaces_the_one_before() -> None:
    play = opened()
    play.wants(flags=WAIT, requested=1)
    delivery = play.wants(flags=WAIT_MORE, requested=1)
    deliver(play, delivery)
    assert not delivery.ready


@pytest.mark.spec("client-observed.md O-085")
@pytest.mark.parametrize("flags", [GET_MORE, WAIT_MORE])
def test_a_check_is_answered_before_another_request_replaces_it(flags: int) -> None:
    play = opened()
    play.wants(flags=GET)
    delivery = play.wants(flags=flags)
    (check,) = play.we_sent()
    assert is_check_answer(check)
    assert delivery.ready


@pytest.mark.spec("client-observed.md O-085")
def test_credit_counts_what_was_delivered_of_a_message_that_was_cut() -> None:
    """As the client counts: 464 bytes in the recorded conversation mqi-trunc, for 100 of 5,000."""
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=900, max_msg_length=100)
    deliver(play, delivery, b"x" * 100, full_length=5000, reason=2080)
    assert delivery.ready
    deliver(play, delivery, b"x" * 100, full_length=5000, reason=2080)
    assert not delivery.ready


@pytest.mark.spec("client-observed.md O-085")
def test_a_new_selection_starts_with_all_its_credit() -> None:
    play = opened()
    deliver(play, play.wants(flags=WAIT))
    assert play.wants(flags=WAIT, received=0).ready


@pytest.mark.spec("client-observed.md O-084")
def test_the_selection_lasts_until_another_one_comes() -> None:
    play = opened()
    real = [one.data for one in transcript("mqi-match").segments if one.side == "client" and one.data[17] == 14]
    first = next(iter(SegmentReader(1 << 16).feed(real[0])))
    play.opened(parse_request_msgs(first.body, first.order).object_handle)
    seen = []
    for data in real:
        one = next(iter(SegmentReader(1 << 16).feed(data)))
        body = parse_request_msgs(one.body, one.order)
        if body.object_handle not in play.machine._conversations.by_id[1].handles:
            play.opened(body.object_handle)
        (event,) = play.says(data)
        assert isinstance(event, MessagesWanted)
        selection = event.delivery.selection
        if body.request_flags & 0x10:
            assert selection.match_options == body.match_options
            assert body.msg_id in (None, selection.msg_id)
            seen.append(selection)
        else:
            assert selection is seen[-1]
        play.machine.deliveries.no_message(event.delivery)
    assert any(one.match_options & MQMO.MATCH_GROUP_ID and any(one.group_id) for one in seen)
    assert any(one.msg_id != bytes(24) for one in seen)
    assert any(one.correl_id != bytes(24) for one in seen)


@pytest.mark.spec("client-observed.md O-088")
@pytest.mark.parametrize("reason", [2079, 2080])
def test_a_message_that_is_cut(reason: int) -> None:
    play = opened()
    delivery = play.wants(flags=GET, max_msg_length=100)
    assert delivery.max_length == 100
    deliver(play, delivery, b"x" * 100, full_length=5000, reason=reason, token=b"t" * 16)
    message, _ = play.we_sent()
    head = message.stream
    assert (head.reason_code, head.total_msg_length, head.actual_msg_length) == (reason, 100, 5000)


@pytest.mark.spec("client-observed.md O-100", "mq-wire.md 6.5")
@pytest.mark.parametrize("length", [32000, 32225, 32226, 40000, 100000, 4194304])
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_long_message_comes_in_segments(length: int, pieces: int) -> None:
    play = opened()
    data = bytes(range(256)) * (length // 256 + 1)
    data = data[:length]
    step = length // pieces + 1
    delivery = play.wants(flags=GET, max_msg_length=-1)
    deliver(play, delivery, [data[at : at + step] for at in range(0, length, step)], queue=b"DEV.QUEUE.1")  # type: ignore[arg-type]
    assert play.machine.link.wire.unsent >= length
    *segments, check = play.we_sent()
    assert is_check_answer(check)
    assert all(one.length <= 32748 for one in segments)
    assert [one.flags for one in segments] == (
        [0x30] if len(segments) == 1 else [0x10, *[0] * (len(segments) - 2), 0x20]
    )
    found = b""
    for number, one in enumerate(segments):
        head = one.stream
        assert (head.segment_index, head.object_handle, head.message_index) == (number, 2, 1)
        start = 24 if number else 68 + len(MESSAGE)
        found += one.body[start : start + head.segment_length]
        if number == 0:
            assert one.body[68:][: len(MESSAGE)] == MESSAGE
            assert (head.total_msg_length, head.actual_msg_length) == (length, length)
    assert found == data
    assert play.machine.link.wire.unsent == 0


@pytest.mark.spec("client-observed.md O-092", "client-observed.md O-094")
def test_a_listener_gets_messages_when_started() -> None:
    play = opened()
    assert play.says(play.notification(5, 16, 2)) == [Notified(conversation=1, handle=2, code=5, value=16)]
    assert play.says(play.request_msgs(flags=LISTEN, max_msg_length=-1)) == []
    delivery = play.machine.deliveries.find(1, 2)
    assert delivery.listener
    assert not delivery.ready
    notified, wanted = play.says(play.notification(3, 2))
    assert notified == Notified(conversation=1, handle=-1, code=3, value=2)
    assert isinstance(wanted, MessagesWanted)
    assert wanted.delivery is delivery
    assert play.says(play.notification(8, 0)) == [Notified(conversation=1, handle=-1, code=8, value=0)]
    assert play.we_sent() == []
    deliver(play, delivery)
    assert sent_kinds(play) == [SegmentType.ASYNC_MESSAGE]
    assert not delivery.ready
    play.wants(flags=LISTEN_MORE, received=369, index=1)
    assert delivery.ready


@pytest.mark.spec("client-observed.md O-093")
@pytest.mark.parametrize("value", [0, 3])
def test_a_stop_is_answered_and_obeyed(value: int) -> None:
    play = opened()
    play.says(play.notification(3, 2))
    delivery = play.wants(flags=LISTEN, max_msg_length=-1)
    play.says(play.notification(3, value, confirm=True))
    answer = play.we_answer(SegmentType.NOTIFICATION)
    assert answer.notification == (-1, NotificationCode.CONN_STATE_REPLY, value)
    assert (answer.request, answer.flags) == (3, 0x30)
    assert not delivery.ready
    with pytest.raises(LocalProtocolError):
        deliver(play, delivery)
    _, wanted = play.says(play.notification(3, 2))
    assert isinstance(wanted, MessagesWanted)
    assert play.we_sent() == []


@pytest.mark.spec("client-observed.md O-093")
def test_a_get_does_not_care_for_the_state_of_listeners() -> None:
    play = opened()
    play.says(play.notification(3, 0))
    assert play.wants(flags=WAIT).ready


@pytest.mark.spec("client-observed.md O-101")
def test_handles_and_conversations_have_their_own_counts() -> None:
    play = opened()
    play.opened(4)
    play.another(3)
    (call,) = play.says(play.mqopen(conversation=3))
    play.machine.replies.open(call, 2)
    play.we_sent()
    first, second = play.wants(handle=2, flags=WAIT, requested=9999), play.wants(handle=4, flags=WAIT)
    play.conversation = 3
    other = play.wants(handle=2, flags=WAIT)
    for delivery in (first, second, first, other):
        deliver(play, delivery)
    counts = [
        (one.conversation, one.stream.object_handle, one.stream.message_index, one.stream.global_message_index)
        for one in play.we_sent()
    ]
    assert counts == [(1, 2, 1, 1), (1, 4, 1, 2), (1, 2, 2, 3), (3, 2, 1, 1)]


@pytest.mark.spec("client-observed.md O-055")
def test_what_the_client_had_not_received_comes_back_at_close() -> None:
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=ROOM)
    for number in range(1, 6):
        deliver(play, delivery, reference=f"message {number}")
    deliver(play, delivery)  # browsed: nothing to put back
    (call,) = play.says(play.mqclose(2, last_index=3))
    assert isinstance(call, Close)
    assert (call.last_index, call.unreceived) == (3, ["message 4", "message 5"])
    assert delivery.closed


@pytest.mark.spec("client-observed.md O-055", "client-observed.md O-086")
def test_what_the_client_says_to_have_received_is_forgotten() -> None:
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=ROOM)
    for number in range(1, 6):
        deliver(play, delivery, reference=number)
    play.wants(flags=AHEAD_MORE, requested=ROOM, index=4)
    (call,) = play.says(play.mqclose(2, last_index=0))
    assert call.unreceived == [5]


@pytest.mark.spec("client-observed.md O-055", "client-observed.md O-086")
def test_what_the_client_has_received_is_told_once_of_messages_that_are_held() -> None:
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=ROOM)
    for number in range(1, 7):
        deliver(play, delivery, reference=number, held=number % 3 != 0)
    assert delivery.take_arrived() == ()
    play.wants(flags=AHEAD_MORE, requested=ROOM, index=3)
    assert delivery.take_arrived() == (1, 2)
    assert delivery.take_arrived() == ()
    (call,) = play.says(play.mqclose(2, last_index=4))
    assert (call.unreceived, delivery.take_arrived()) == ([5, 6], (4,))


@pytest.mark.spec("client-observed.md O-055", "client-observed.md O-086")
def test_of_a_client_that_is_gone_only_what_it_has_said_has_arrived() -> None:
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=ROOM)
    for number in range(1, 4):
        deliver(play, delivery, reference=number, held=True)
    play.wants(flags=AHEAD_MORE, requested=ROOM, index=1)
    play.machine.link.receive_eof(play.now)
    assert delivery.closed
    assert delivery.take_arrived() == (1,)


@pytest.mark.spec("client-observed.md O-104")
def test_nothing_is_sent_for_a_handle_that_is_closed() -> None:
    play = opened()
    delivery = play.wants(flags=AHEAD, requested=ROOM)
    (call,) = play.says(play.mqclose(2))
    play.machine.deliveries.no_message(delivery)
    play.machine.deliveries.notify(delivery, NotificationCode.GET_INHIBITED)
    with pytest.raises(LocalProtocolError):
        deliver(play, delivery)
    play.machine.replies.answer(call)
    answer = play.we_answer(SegmentType.MQCLOSE_REPLY)
    assert (answer.outcome, answer.api.object_handle, answer.length) == ((0, 0), -1, 52)
    play.machine.deliveries.no_message(delivery)
    assert play.we_sent() == []
    assert play.machine.deliveries.find(1, 2) is None


@pytest.mark.spec("client-observed.md O-104")
def test_a_handle_given_again_starts_anew() -> None:
    play = opened()
    old = play.wants(flags=WAIT)
    (call,) = play.says(play.mqclose(2))
    play.machine.replies.answer(call)
    play.we_sent()
    play.opened(2)
    new = play.wants(flags=WAIT)
    assert new is not old
    deliver(play, new)
    (message,) = play.we_sent()
    assert message.stream.message_index == 1
    assert old.closed


def test_a_close_that_failed_leaves_the_handle_open() -> None:
    play = opened()
    play.wants(flags=WAIT)
    (call,) = play.says(play.mqclose(2))
    play.machine.replies.refuse(call, 2045)
    assert play.we_answer(SegmentType.MQCLOSE_REPLY).outcome == (2, 2045)
    assert play.wants(flags=WAIT).ready


@pytest.mark.spec("client-observed.md O-091")
def test_the_queue_is_inhibited_while_a_get_waits() -> None:
    play = opened()
    delivery = play.wants(flags=WAIT)
    play.machine.deliveries.notify(delivery, NotificationCode.GET_INHIBITED)
    answer = play.we_answer(SegmentType.NOTIFICATION)
    assert answer.notification == (2, 1, 0)
    assert answer.conversation == 1


@pytest.mark.spec("client-observed.md O-104")
def test_messages_of_a_handle_that_is_not_open() -> None:
    play = opened()
    play.says(play.request_msgs(handle=6))
    play.we_end(StatusCode.INVALID_HOBJ, "AMQ9504")


def test_a_conversation_that_ended_takes_its_deliveries_along() -> None:
    play = opened()
    delivery = play.wants(flags=WAIT)
    play.says(play.socket_action(1, 2))
    assert delivery.closed
    with pytest.raises(LocalProtocolError):
        deliver(play, delivery)
