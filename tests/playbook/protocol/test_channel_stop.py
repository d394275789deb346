"""Ends by command and by wish, at either end and in every state; ping (channels.md 6.3, mq-wire.md 7.7 and 7.8)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    BatchConfirmed,
    BatchFailed,
    Closed,
    CloseRequested,
    ConfirmRequested,
    EndOfBatch,
    InDoubtResolved,
    PingAnswered,
    PingReceived,
    SenderState,
    State,
)
from mqbridge.protocol.constants import MQCHS, MQMODE, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from support.channels.playbook import (
    L1,
    L3,
    Play,
    asked,
    calling,
    end_of_batch,
    heartbeat,
    listening,
    message,
    parameters,
    ping,
    receiver,
    requester,
    resync,
    sender,
    status,
)


def kinds(play: Play) -> list[type]:
    return [type(event) for event in play.events]


def closed_of(play: Play) -> Closed:
    closed = play.events[-1]
    assert isinstance(closed, Closed)
    return closed


# The sender is told to stop


@pytest.mark.spec("channels.md 20.9")
def test_an_idle_sender_closes_at_once() -> None:
    play = sender()
    play.stop()
    said = play.we_answer(SegmentType.STATUS_DATA)
    assert (said.flags, said.length) == (0x08, 28)
    closed = closed_of(play)
    assert (closed.normal, closed.amq, closed.by_partner) == (True, "AMQ9528", False)
    assert play.machine.status == MQCHS.INACTIVE
    assert play.stop() == []


@pytest.mark.spec("channels.md 20.9")
def test_quiesce_lets_the_batch_end() -> None:
    play = sender()
    play.send(10)
    assert isinstance(play.stop()[0], EndOfBatch)
    assert play.machine.status == MQCHS.STOPPING
    assert not play.machine.batches.ready
    with pytest.raises(LocalProtocolError):
        play.send(10)
    assert play.stop() == []  # said already
    play.machine.batches.request_confirm(play.now)
    play.we_sent()
    play.they_send(status(luwid=L1))
    assert kinds(play) == [BatchConfirmed, Closed]
    assert closed_of(play).normal
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x08


@pytest.mark.spec("channels.md 20.9")
@pytest.mark.parametrize(
    ("asks", "in_doubt"), [(False, False), (True, True)], ids=["batch open", "confirmation asked for"]
)
def test_force_leaves_the_batch_as_it_is(asks: bool, in_doubt: bool) -> None:
    play = sender(batch_size=2)
    play.send(10, 10)
    if asks:
        play.machine.batches.request_confirm(play.now)
    play.stop(MQMODE.FORCE)
    assert play.events[0] == BatchFailed(luwid=L1, count=2, in_doubt=in_doubt)
    closed = play.we_end(StatusCode.USER_CLOSED, "AMQ9528")  # messages that were not sent yet are not sent any more
    assert (closed.normal, closed.in_doubt) == (True, in_doubt)


@pytest.mark.spec("channels.md 20.9")
def test_the_end_of_the_queue_manager_has_a_code_of_its_own() -> None:
    play = sender()
    play.stop(MQMODE.TERMINATE, status=StatusCode.QM_TERMINATING)
    play.we_end(StatusCode.QM_TERMINATING, "AMQ9525")


@pytest.mark.spec("channels.md 20.9")
@pytest.mark.parametrize(
    "play",
    [calling(parameters()), sender(SenderState().asking(L1, 1, 1)), sender(SenderState().reset_to(5))],
    ids=["negotiating", "resynchronising", "resetting"],
)
def test_a_starting_sender_closes_at_once(play: Play) -> None:
    play.we_sent()
    play.stop()
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x08
    assert closed_of(play).normal


@pytest.mark.spec("channels.md 20.9")
def test_an_outcome_is_recorded_before_the_sender_closes() -> None:
    play = sender(SenderState().asking(L1, 1, 1))
    assert isinstance(play.they_send(resync(L1, 1, flags=0))[0], InDoubtResolved)
    assert play.stop() == []
    play.agent(play.machine.recorded)
    assert kinds(play) == [Closed]
    assert not closed_of(play).in_doubt


# The receiver is told to stop


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_receiver_says_its_wish_with_the_next_answer() -> None:
    play = receiver()
    assert play.stop() == []
    assert play.machine.status == MQCHS.STOPPING
    assert play.we_sent() == []  # it cannot speak unasked
    play.they_send(heartbeat())
    assert play.we_answer(SegmentType.HEARTBEAT).flags == 0x04
    play.they_send(status(0x08))
    closed = closed_of(play)
    assert (closed.normal, closed.by_partner) == (True, True)
    assert play.we_sent() == []


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_receiver_says_its_wish_with_the_confirmation() -> None:
    play = receiver()
    play.they_send(message(1))
    play.stop()
    play.they_send(message(2), end_of_batch())
    assert isinstance(play.events[-1], ConfirmRequested)
    play.agent(play.machine.confirm, dlq_used=True)
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x84


@pytest.mark.spec("channels.md 20.9")
def test_a_receiver_is_forced_to_end() -> None:
    play = receiver()
    assert play.machine.idle
    play.stop(MQMODE.FORCE)
    assert play.we_end(StatusCode.USER_CLOSED, "AMQ9528").normal

    play = receiver()
    play.they_send(message(1))
    assert not play.machine.idle
    play.stop(MQMODE.FORCE)
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    play.we_end(StatusCode.USER_CLOSED, "AMQ9528")


@pytest.mark.spec("channels.md 20.9")
def test_a_receiver_that_commits_says_nothing_when_forced() -> None:
    play = receiver()
    play.they_send(message(1), end_of_batch())
    play.stop(MQMODE.FORCE)
    assert kinds(play) == [Closed]
    play.we_end(None, "AMQ9528")


@pytest.mark.spec("channels.md 20.9")
def test_a_connection_without_channel_is_stopped() -> None:
    play = listening()
    play.stop()
    play.we_end(None, "AMQ9528")
    play = asked()
    play.stop()
    play.we_end(StatusCode.QM_TERMINATING, "AMQ9528")
    play = requester()
    play.we_sent()
    play.stop()
    play.we_end(StatusCode.USER_CLOSED, "AMQ9528")


# The partner wants the end


@pytest.mark.spec("mq-wire.md 7.8")
@pytest.mark.parametrize("flags", [0x04, 0x84])
def test_a_wish_in_the_confirmation_is_granted(flags: int) -> None:
    play = sender(batch_size=1)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    play.we_sent()
    play.they_send(status(flags, luwid=L1))
    assert kinds(play) == [BatchConfirmed, CloseRequested, Closed]
    assert (closed_of(play).normal, closed_of(play).by_partner) == (True, True)
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x08


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_wish_in_the_answer_to_a_heartbeat_is_granted() -> None:
    play = sender(heartbeat_interval=30)
    play.after(30)
    play.we_sent()
    play.they_send(heartbeat(0x04))
    assert kinds(play) == [CloseRequested, Closed]
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x08


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_wish_during_a_batch_lets_it_end_first() -> None:
    play = sender()
    play.send(10)
    play.they_send(status(0x04))
    assert kinds(play) == [CloseRequested, EndOfBatch]
    play.machine.batches.request_confirm(play.now)
    play.they_send(status(luwid=L1))
    assert kinds(play) == [BatchConfirmed, Closed]


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_confirmation_may_close_the_channel() -> None:
    play = sender(batch_size=1)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    play.they_send(status(0x08, luwid=L1))
    assert kinds(play) == [BatchConfirmed, Closed]
    assert not closed_of(play).in_doubt

    play = sender(batch_size=1)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    play.they_send(status(0x08))  # names no batch
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=True)
    assert closed_of(play).in_doubt


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_sender_closes_the_channel() -> None:
    play = receiver()
    play.they_send(message(1), end_of_batch())
    play.agent(play.machine.confirm)
    play.we_sent()
    play.they_send(status(0x08))
    assert kinds(play) == [Closed]
    assert closed_of(play).normal

    play = receiver()
    play.they_send(message(1), status(0x08))
    assert play.events[-2] == BatchFailed(luwid=L1, count=1, in_doubt=False)


@pytest.mark.spec("mq-wire.md 7.8")
def test_a_bare_end_of_the_connection_is_always_possible() -> None:
    for play in (listening(), asked(), requester(), calling(parameters()), sender(), receiver()):
        play.we_sent()
        play.they_hang_up()
        closed = play.we_end(None, "AMQ9209")
        assert (closed.retryable, closed.normal, closed.by_partner) == (True, False, True)
        assert play.they_hang_up() == []
        assert play.they_send(b"too late") == []


# Ping


@pytest.mark.spec("mq-wire.md 7.7")
def test_ping_goes_there_and_back() -> None:
    play = sender(SenderState(luwid=L3, sequence=6), ping=b"p" * 64)
    sent = play.we_answer(SegmentType.PING_DATA)
    assert (sent.flags, sent.length, sent.body) == (0x01, 28 + 4 + 64, b"\x40\0\0\0" + b"p" * 64)
    play.they_send(ping(b"p" * 64, flags=0x00))
    assert play.events[0] == PingAnswered(length=64, same=True)
    assert closed_of(play).normal
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x08

    play = sender(ping=b"p" * 64)
    assert play.they_send(ping(b"q" * 64, flags=0x00))[0] == PingAnswered(length=64, same=False)


def test_ping_fits_a_segment() -> None:
    play = sender(ping=bytes(32768), transmission_size=4096)
    assert play.we_answer(SegmentType.PING_DATA).length == 4096


@pytest.mark.spec("mq-wire.md 7.7")
def test_ping_comes_and_goes_back() -> None:
    play = receiver()
    assert play.they_send(ping(b"abc")) == [PingReceived(length=3)]
    answer = play.we_answer(SegmentType.PING_DATA)
    assert (answer.flags, answer.body) == (0x00, b"\x03\0\0\0abc")
    assert play.machine.link.state is State.STARTED
    play.they_send(status(0x08))
    assert closed_of(play).normal
