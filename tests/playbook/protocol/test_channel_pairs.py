"""Who may call whom: each pair of channel types, right and wrong (channels.md 1)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    ChannelRequested,
    Closed,
    PairAnswer,
    ReceiverChannel,
    SenderChannel,
    SenderState,
    Started,
    pair_for,
)
from mqbridge.protocol.constants import MQCHS, MQCHT, SegmentType, StatusCode
from support.channels.playbook import THEY, accepted, asked, initial_data, parameters, receiver, requester, status

SENDER_CALLS, REQUESTER_CALLS, CLIENT_CALLS = 0x07, 0x0F, 0x26

RIGHT = {
    (SENDER_CALLS, MQCHT.RECEIVER): PairAnswer.RECEIVE,
    (SENDER_CALLS, MQCHT.REQUESTER): PairAnswer.RECEIVE,
    (REQUESTER_CALLS, MQCHT.SERVER): PairAnswer.SEND,
    (REQUESTER_CALLS, MQCHT.SENDER): PairAnswer.CALL_BACK,
    (CLIENT_CALLS, MQCHT.SVRCONN): PairAnswer.SERVE,
}


@pytest.mark.spec("channels.md 20.1")
@pytest.mark.spec("mq-wire.md 7.1")
@pytest.mark.parametrize("channel_type", list(MQCHT), ids=str)
@pytest.mark.parametrize("wish", [SENDER_CALLS, REQUESTER_CALLS, CLIENT_CALLS, 0x08])
def test_a_request_fits_or_does_not(wish: int, channel_type: MQCHT) -> None:
    (event,) = asked(cap_flags1=wish).events
    assert isinstance(event, ChannelRequested)
    answer = pair_for(channel_type, client=event.client, requests_initiation=event.requests_initiation)
    expected = REQUESTER_CALLS if wish == 0x08 else wish
    assert answer is RIGHT.get((expected, channel_type))


@pytest.mark.spec("channels.md 20.1")
@pytest.mark.parametrize(
    ("status_code", "amq"),
    [
        (StatusCode.NO_CHANNEL, "AMQ9519"),
        (StatusCode.CHANNEL_WRONG_TYPE, "AMQ9547"),
        (StatusCode.CHANNEL_UNAVAILABLE, "AMQ9534"),
        (StatusCode.CIPHER_SPEC, "AMQ9639"),
    ],
    ids=str,
)
def test_we_refuse_instead_of_answering(status_code: StatusCode, amq: str) -> None:
    play = asked()
    play.agent(lambda now: play.machine.refuse(status_code, now))
    closed = play.we_end(status_code, amq)
    assert not closed.retryable
    assert not closed.normal


@pytest.mark.spec("channels.md 20.1")
@pytest.mark.parametrize(
    ("code", "amq", "retryable"),
    [
        (StatusCode.NO_CHANNEL, "AMQ9520", False),
        (StatusCode.CHANNEL_WRONG_TYPE, "AMQ9547", False),
        (StatusCode.CHANNEL_UNAVAILABLE, "AMQ9558", True),
        (StatusCode.CIPHER_SPEC, "AMQ9641", False),
        (StatusCode.QM_UNAVAILABLE, "AMQ9524", True),
        (StatusCode.RMT_RSRCS_IN_RECOVERY, "AMQ9546", True),
    ],
    ids=str,
)
def test_they_refuse_us(code: StatusCode, amq: str, retryable: bool) -> None:
    play = requester()
    play.we_sent()
    play.they_send(status(0x0A, code=code))
    closed = play.we_end(None, amq)
    assert (closed.status, closed.retryable, closed.by_partner, closed.call_back) == (code, retryable, True, False)


@pytest.mark.spec("channels.md 1")
def test_requester_and_server_use_the_same_connection() -> None:
    play = requester()
    assert play.machine.status == MQCHS.REQUESTING
    ours = play.we_answer(SegmentType.INITIAL_DATA)
    assert (ours.flags, ours.id.record.cap_flags1) == (0x01, 0x0F)
    (started,) = play.they_send(initial_data(flags=0, cap_flags1=0x07))
    assert isinstance(started, Started)
    assert play.machine.status == MQCHS.RUNNING

    play = accepted(initial_data(cap_flags1=0x0F), parameters(), SenderState(sequence=4))
    assert isinstance(play.machine, SenderChannel)
    assert [type(event) for event in play.events] == [Started]
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert (answer.flags, answer.id.record.cap_flags1) == (0x00, 0x07)
    play.send(5)
    assert play.we_answer(SegmentType.MESSAGE_DATA).number == 5


@pytest.mark.spec("channels.md 1")
def test_a_requester_keeps_asking_when_values_change() -> None:
    play = requester(batch_size=50)
    play.we_sent()
    play.they_send(initial_data(flags=0x02, cap_flags1=0x07, max_msgs_per_batch=10, init_err_flags1=0x20))
    again = play.we_answer(SegmentType.INITIAL_DATA).id
    assert (again.record.max_msgs_per_batch, again.record.cap_flags1) == (10, 0x0F)


@pytest.mark.spec("channels.md 1")
def test_a_sender_that_is_asked_promises_to_call_back() -> None:
    play = asked(cap_flags1=0x0F)
    play.agent(play.machine.call_back)
    sent = play.we_answer(SegmentType.STATUS_DATA)
    assert (sent.flags, sent.length) == (0x48, 28)
    (closed,) = play.events
    assert isinstance(closed, Closed)
    assert closed.call_back
    assert closed.normal


@pytest.mark.spec("channels.md 1")
@pytest.mark.parametrize("flags", [0x48, 0x08])
def test_a_requester_is_promised_a_call(flags: int) -> None:
    play = requester()
    play.we_sent()
    (closed,) = play.they_send(status(flags))
    assert isinstance(closed, Closed)
    assert closed.call_back
    assert closed.normal
    assert not play.machine.link.wire.wants_to_send


@pytest.mark.spec("channels.md 1")
def test_a_called_back_requester_is_a_receiver_like_any_other() -> None:
    play = receiver()
    assert isinstance(play.machine, ReceiverChannel)
    assert play.machine.status == MQCHS.RUNNING


@pytest.mark.spec("mq-wire.md 7.1")
def test_a_client_is_told_apart_and_refused_in_its_own_way() -> None:
    client = initial_data(0x31, cap_flags1=0x26, fap_level=13, max_msgs_per_batch=0, sequence_wrap=0)
    play = asked(client)
    (event,) = play.events
    assert isinstance(event, ChannelRequested)
    assert (event.client, event.product, event.partner_id) == (True, "MQMM09010200", "VENUS_2003")
    play.agent(lambda now: play.machine.refuse(StatusCode.CHANNEL_WRONG_TYPE, now))
    assert play.we_answer(SegmentType.STATUS_DATA).length == 36


def test_a_client_on_a_shared_socket_is_told_apart_too() -> None:
    body = initial_data(0x31, cap_flags1=0x26)[28:]
    play = asked(THEY.build_shared(1, 0, SegmentType.INITIAL_DATA, body, flags1=0x31))
    assert play.events[0].client  # type: ignore[union-attr]
