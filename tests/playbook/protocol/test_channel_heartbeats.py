"""Silence: heartbeats, time-outs, the disconnect interval (channels.md 6.1, 6.2; mq-wire.md 7.6)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    BatchConfirmed,
    BatchFailed,
    Closed,
    EndOfBatch,
    HeartbeatReceived,
    MessageReceived,
    SenderState,
    State,
)
from mqbridge.protocol.constants import MQCHSSTATE, SegmentType
from support.channels.playbook import (
    L1,
    Play,
    calling,
    end_of_batch,
    heartbeat,
    initial_data,
    listening,
    message,
    parameters,
    payload,
    receiver,
    requester,
    sender,
    status,
)

FOREVER = {"disconnect_interval": 0}


@pytest.mark.spec("channels.md 6.1")
def test_a_sender_without_messages_shows_that_it_is_alive() -> None:
    play = sender(heartbeat_interval=30, **FOREVER)
    assert play.after(29.9) == []
    assert play.we_sent() == []
    play.after(0.2)
    beat = play.we_answer(SegmentType.HEARTBEAT)
    assert (beat.flags, beat.length) == (0x01, 28)
    assert play.machine.substate == MQCHSSTATE.HEARTBEATING
    play.they_send(heartbeat(0x00))
    assert play.machine.link.state is State.RUNNING
    play.after(30)
    play.we_answer(SegmentType.HEARTBEAT)


@pytest.mark.spec("channels.md 6.1")
def test_a_partner_that_does_not_answer_is_given_up() -> None:
    for interval, limit in ((30, 60), (59, 118), (60, 120), (300, 360)):
        play = sender(heartbeat_interval=interval, **FOREVER)
        play.after(interval)
        play.we_sent()
        assert play.after(limit - 0.1) == []
        play.after(0.2)
        closed = play.we_end(None, "AMQ9259")
        assert (closed.retryable, closed.in_doubt) == (True, False)


@pytest.mark.spec("mq-wire.md 7.6")
def test_messages_do_not_wait_for_the_answer_to_a_heartbeat() -> None:
    play = sender(heartbeat_interval=30, batch_size=1, **FOREVER)
    play.after(30)
    assert isinstance(play.send(10)[0], EndOfBatch)
    play.machine.batches.request_confirm(play.now)
    play.they_send(heartbeat(0x00))
    assert play.machine.link.state is State.CONFIRMING
    assert isinstance(play.they_send(status(luwid=L1))[0], BatchConfirmed)


@pytest.mark.spec("mq-wire.md 7.6")
def test_a_heartbeat_may_be_answered_by_status_data() -> None:
    play = sender(heartbeat_interval=30, batch_size=1, **FOREVER)
    play.after(30)
    play.they_send(status(0x00))
    assert play.machine.link.state is State.RUNNING
    play.after(30)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    assert play.they_send(status(0x00)) == []  # answers the heartbeat, confirms nothing
    assert isinstance(play.they_send(status(0x00))[0], BatchConfirmed)


@pytest.mark.spec("channels.md 6.1")
def test_a_waiting_open_batch_beats_too() -> None:
    play = sender(heartbeat_interval=30, batch_interval=100_000, **FOREVER)
    play.send(10)
    play.agent(play.machine.batches.queue_empty)
    play.we_sent()
    play.after(30)
    play.we_answer(SegmentType.HEARTBEAT)
    assert play.machine.link.state is State.BATCH
    play.they_send(heartbeat(0x00))
    play.after(30)
    play.we_answer(SegmentType.HEARTBEAT)


@pytest.mark.spec("channels.md 6.1")
def test_a_slow_disk_of_ours_is_no_silence_of_ours() -> None:
    play = sender(heartbeat_interval=30, batch_size=1, **FOREVER)
    play.send(10)
    play.we_sent()
    play.after(31)
    play.we_answer(SegmentType.HEARTBEAT)
    play.they_send(heartbeat(0x00))
    play.after(30)
    play.we_answer(SegmentType.HEARTBEAT)
    play.machine.batches.request_confirm(play.now)
    assert play.they_send(heartbeat(0x00)) == []
    assert isinstance(play.they_send(status(luwid=L1))[0], BatchConfirmed)


@pytest.mark.spec("channels.md 6.1")
def test_a_receiver_answers_heartbeats() -> None:
    play = receiver()
    assert play.they_send(heartbeat()) == [HeartbeatReceived()]
    answer = play.we_answer(SegmentType.HEARTBEAT)
    assert (answer.flags, answer.length) == (0x00, 28)
    play.they_send(message(1), heartbeat())
    play.we_answer(SegmentType.HEARTBEAT)
    play.they_send(end_of_batch(), heartbeat())
    play.we_answer(SegmentType.HEARTBEAT)
    play.agent(play.machine.confirm)
    play.we_answer(SegmentType.STATUS_DATA)


@pytest.mark.spec("channels.md 6.1")
def test_a_receiver_gives_up_a_silent_sender() -> None:
    play = receiver(heartbeat_interval=30)
    play.after(50)
    play.they_send(message(1))
    assert play.after(59.9) == []
    play.after(0.2)
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    assert play.we_end(None, "AMQ9259").retryable


@pytest.mark.spec("channels.md 6.1")
def test_without_heartbeats_nobody_is_given_up() -> None:
    assert receiver(heartbeat_interval=0).machine.link.next_timeout() is None
    play = sender(heartbeat_interval=0, **FOREVER)
    assert play.machine.link.next_timeout() is None
    play.send(10)
    play.agent(play.machine.batches.queue_empty)
    play.machine.batches.request_confirm(play.now)
    assert play.machine.link.next_timeout() is None


def test_our_own_pause_is_not_their_silence() -> None:
    play = receiver(heartbeat_interval=30)
    play.machine.link.pause()
    assert play.after(1000) == []
    play.machine.link.resume(play.now)
    assert play.after(59) == []
    assert isinstance(play.after(2)[-1], Closed)


def test_the_time_of_a_commit_is_not_their_silence() -> None:
    play = receiver(heartbeat_interval=30)
    play.they_send(message(1), end_of_batch())
    assert play.after(1000) == []
    play.agent(play.machine.confirm)
    assert play.after(59) == []


def test_a_slow_taker_is_not_silent() -> None:
    play = sender(heartbeat_interval=30, batch_size=1, **FOREVER)
    play.machine.batches.send_message(payload(bytes(1_000_000)), play.now, persistent=True)
    play.machine.batches.request_confirm(play.now)
    for _ in range(8):
        assert play.machine.link.wire.take(65536)
        assert play.after(59.9) == []
    while play.machine.link.wire.take():
        pass
    assert play.after(1.0) == []  # progress since the last look
    assert [type(event) for event in play.after(60.0)] == [BatchFailed, Closed]


def test_a_taker_that_stops_is_silent() -> None:
    play = sender(heartbeat_interval=30, batch_size=1, **FOREVER)
    play.machine.batches.send_message(payload(bytes(1_000_000)), play.now, persistent=True)
    play.machine.batches.request_confirm(play.now)
    play.machine.link.wire.take(65536)
    play.after(60)
    assert play.events == []
    assert [type(event) for event in play.after(60.0)] == [BatchFailed, Closed]


# BATCHHB


@pytest.mark.spec("channels.md 5.2 step 2")
def test_a_silent_partner_is_asked_before_a_batch_goes_in_doubt() -> None:
    play = sender(batch_heartbeat=500, batch_size=1)
    play.after(0.4)
    assert isinstance(play.send(10)[0], EndOfBatch)  # heard lately

    play = sender(batch_heartbeat=500, batch_size=1)
    play.after(0.5)
    assert play.send(10) == []
    assert play.machine.link.state is State.CHECKING
    assert [one.type for one in play.we_sent()] == [SegmentType.MESSAGE_DATA, SegmentType.HEARTBEAT]
    assert isinstance(play.they_send(heartbeat(0x00))[0], EndOfBatch)


@pytest.mark.spec("channels.md 5.2 step 2")
def test_no_answer_to_a_batch_heartbeat_backs_the_batch_out() -> None:
    play = sender(batch_heartbeat=500, batch_size=1)
    play.after(0.5)
    play.send(10)
    assert play.after(0.4) == []
    play.after(0.2)
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    assert not play.events[-1].in_doubt  # type: ignore[union-attr]


def test_batchhb_has_a_highest_value() -> None:
    assert parameters(batch_heartbeat=5_000_000).batch_heartbeat_seconds == 999.999


# DISCINT


@pytest.mark.spec("channels.md 20.10")
def test_an_idle_channel_ends_after_the_disconnect_interval() -> None:
    play = sender(disconnect_interval=100, heartbeat_interval=0, batch_size=1)
    play.after(60)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    play.they_send(status(luwid=L1))
    play.we_sent()
    assert play.after(99.9) == []
    play.after(0.2)
    (closed,) = play.events
    assert isinstance(closed, Closed)
    assert (closed.amq, closed.normal, closed.retryable, closed.in_doubt) == ("AMQ9545", True, False, False)
    said = play.we_answer(SegmentType.STATUS_DATA)
    assert (said.flags, said.length) == (0x08, 28)


@pytest.mark.spec("channels.md 20.10")
def test_the_disconnect_interval_counts_only_between_batches() -> None:
    play = sender(disconnect_interval=100, batch_interval=1_000_000, heartbeat_interval=0)
    play.send(10)
    play.agent(play.machine.batches.queue_empty)
    assert play.after(500) == []


# The start


@pytest.mark.parametrize("play", [calling(parameters()), requester()], ids=["sender", "requester"])
def test_an_end_that_does_not_answer_is_given_up(play: Play) -> None:
    play.we_sent()
    assert play.after(29.9) == []
    play.after(0.2)
    assert play.we_end(None, "AMQ9259").retryable


def test_resynchronisation_has_a_time_limit_too() -> None:
    play = sender(SenderState().asking(L1, 1, 1))
    play.we_sent()
    play.after(31)
    assert play.we_end(None, "AMQ9259").in_doubt


def test_a_slow_caller_has_no_more_time_than_a_silent_one() -> None:
    play = listening()
    for byte in initial_data()[:14]:
        play.they_send(bytes([byte]))
        assert play.after(2) == []
    play.after(2.1)
    assert play.we_end(None, "AMQ9259")


def test_too_early_a_call_of_timeout_does_no_harm() -> None:
    for play in (listening(), sender(), receiver()):
        before = play.machine.link.next_timeout()
        assert play.machine.link.timeout(play.now) == []
        assert play.machine.link.next_timeout() == before


def test_a_message_tells_of_life() -> None:
    play = receiver(heartbeat_interval=30)
    for number in range(1, 5):
        play.after(50)
        assert isinstance(play.they_send(message(number))[0], MessageReceived)
