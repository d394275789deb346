"""The link is lost at each step of the commit protocol; what the two ends do about it (channels.md 5.2 to 5.6)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    NO_LUWID,
    BatchFailed,
    Closed,
    InDoubt,
    InDoubtResolved,
    MessageReceived,
    ReceiverState,
    SenderState,
    SequenceReset,
    State,
)
from mqbridge.protocol.constants import MQCHSSTATE, SegmentType, StatusCode
from support.channels.playbook import (
    L1,
    L2,
    L3,
    Play,
    end_of_batch,
    error,
    message,
    receiver,
    reset,
    resync,
    sender,
    status,
)

BEFORE = SenderState(luwid=L3, sequence=6)
DOUBT = BEFORE.asking(L1, 8, 2)
FIRST_DOUBT = SenderState().asking(L1, 2, 2)


def closed_of(play: Play) -> Closed:
    closed = play.events[-1]
    assert isinstance(closed, Closed)
    return closed


# Lost at the sender


@pytest.mark.spec("channels.md 20.5")
def test_lost_while_messages_are_sent_nothing_is_in_doubt() -> None:
    play = sender(BEFORE)
    play.send(10, 10)
    play.they_hang_up()
    assert play.events[0] == BatchFailed(luwid=L1, count=2, in_doubt=False)
    closed = closed_of(play)
    assert (closed.amq, closed.in_doubt, closed.retryable, closed.normal) == ("AMQ9209", False, True, False)


@pytest.mark.spec("channels.md 20.5")
def test_lost_before_confirmation_is_asked_for_nothing_is_in_doubt() -> None:
    play = sender(BEFORE, batch_size=2)
    play.send(10, 10)
    play.they_hang_up()
    assert play.events[0] == BatchFailed(luwid=L1, count=2, in_doubt=False)
    play.machine.batches.request_confirm(play.now)  # the record was written in the meantime: too late, and harmless
    assert play.machine.link.closed


@pytest.mark.spec("channels.md 20.5")
def test_lost_after_confirmation_was_asked_for_the_batch_is_in_doubt() -> None:
    play = sender(BEFORE, batch_size=2)
    play.send(10, 10)
    play.machine.batches.request_confirm(play.now)
    assert play.machine.batches.in_doubt
    play.they_hang_up()
    assert play.events[0] == BatchFailed(luwid=L1, count=2, in_doubt=True)
    assert closed_of(play).in_doubt


@pytest.mark.spec("channels.md 5.2")
@pytest.mark.parametrize(
    ("code", "in_doubt"),
    [
        (StatusCode.CAN_NOT_STORE, False),
        (StatusCode.MSG_SEQUENCE_ERROR, False),
        (StatusCode.PROTOCOL_MSH_ERROR, False),
        (StatusCode.USER_CLOSED, True),
        (StatusCode.QM_TERMINATING, True),
    ],
    ids=str,
)
def test_a_refused_batch_is_backed_out_at_once(code: StatusCode, in_doubt: bool) -> None:
    play = sender(BEFORE, batch_size=1)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    play.we_sent()
    play.they_send(error(code))
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=in_doubt)
    assert play.we_end(None, closed_of(play).amq).in_doubt is in_doubt


# Resynchronisation at the sender


@pytest.mark.spec("channels.md 5.4")
def test_a_sender_that_is_not_in_doubt_asks_nothing() -> None:
    play = sender(BEFORE)
    assert play.we_sent() == []
    assert play.machine.batches.ready


@pytest.mark.spec("channels.md 20.5")
@pytest.mark.parametrize(
    ("saved", "their_luwid", "their_number", "commit", "next_number"),
    [
        (DOUBT, L1, 8, True, 9),
        (DOUBT, L3, 6, False, 7),
        (DOUBT, L2, 6, False, 7),
        (DOUBT, L3, 40, False, 7),
        (FIRST_DOUBT, NO_LUWID, 0, False, 1),
        (FIRST_DOUBT, L1, 2, True, 3),
        (SenderState(luwid=L3, sequence=100).asking(L1, 1, 1), NO_LUWID, 0, False, 1),
        (SenderState(luwid=L3, sequence=99).asking(L1, 1, 2), L1, 1, True, 2),
    ],
    ids=[
        "committed",
        "the batch before",
        "the number before",
        "reset over there",
        "first batch, nothing there",
        "first batch, committed",
        "before the wrap is none",
        "over the wrap",
    ],
)
def test_a_sender_in_doubt_asks_what_became_of_its_batch(
    saved: SenderState, their_luwid: bytes, their_number: int, commit: bool, next_number: int
) -> None:
    play = sender(saved, sequence_wrap=100)
    assert saved.in_doubt is not None
    question = play.we_answer(SegmentType.RESYNC_DATA)
    assert (question.flags, question.luwid, question.length) == (0x01, L1, 36)
    assert question.number == saved.in_doubt.sequence
    assert play.machine.substate == MQCHSSTATE.RESYNCHING
    assert not play.machine.batches.ready

    last = saved.in_doubt.sequence if commit else saved.sequence
    assert play.they_send(resync(their_luwid, their_number, flags=0)) == [
        InDoubtResolved(commit=commit, luwid=L1, sequence=last)
    ]
    assert not play.machine.batches.ready  # until that is durable
    assert play.machine.link.next_timeout() is None
    play.agent(play.machine.recorded)
    assert play.machine.batches.ready
    assert not play.machine.batches.in_doubt
    play.send(10)
    assert play.we_answer(SegmentType.MESSAGE_DATA).number == next_number


@pytest.mark.spec("channels.md 5.3")
@pytest.mark.parametrize(("luwid", "number"), [(L2, 5), (L2, 8), (NO_LUWID, 0)])
def test_records_of_two_histories_leave_the_batch_in_doubt(luwid: bytes, number: int) -> None:
    play = sender(DOUBT)
    play.we_sent()
    play.they_send(resync(luwid, number, flags=0))
    closed = play.we_end(StatusCode.MSG_SEQUENCE_ERROR, "AMQ9526")
    assert (closed.in_doubt, closed.value) == (True, 7)


@pytest.mark.spec("mq-wire.md 7.3")
def test_a_partner_that_does_not_know_our_question_leaves_the_batch_in_doubt() -> None:
    play = sender(DOUBT)
    play.we_sent()
    play.they_send(error(StatusCode.PROTOCOL_SEGMENT_TYPE))
    closed = play.we_end(None, "AMQ9507")
    assert (closed.in_doubt, closed.retryable) == (True, False)

    play = sender(DOUBT)
    play.we_sent()
    play.they_send(resync(L1, 8, flags=0)[:-4].replace(b"\0\0\0\x24", b"\0\0\0\x20"))
    assert play.we_end(StatusCode.PROTOCOL_INVALID_DATA, "AMQ9507").in_doubt


@pytest.mark.spec("channels.md 20.5")
def test_the_link_is_lost_again_during_resynchronisation() -> None:
    play = sender(DOUBT)
    play.they_hang_up()
    assert closed_of(play).in_doubt
    assert closed_of(play).retryable
    assert len(play.events) == 1  # no batch of this connection

    play = sender(DOUBT)
    play.they_send(resync(L1, 8, flags=0))
    play.they_hang_up()
    assert not closed_of(play).in_doubt  # told already; the record decides what the next start asks


def test_an_answer_that_nobody_asked_for() -> None:
    play = sender(BEFORE)
    play.they_send(resync(L1, 8, flags=0))
    play.we_end(StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504")


# Resynchronisation at the receiver


@pytest.mark.spec("channels.md 5.4")
@pytest.mark.parametrize("saved", [ReceiverState(), ReceiverState(luwid=L3, sequence=6)])
def test_a_receiver_tells_its_record(saved: ReceiverState) -> None:
    play = receiver(saved)
    assert play.they_send(resync(L1, 8)) == []
    answer = play.we_answer(SegmentType.RESYNC_DATA)
    assert (answer.flags, answer.luwid, answer.number) == (0x00, saved.luwid, saved.sequence)
    (first,) = play.they_send(message(saved.sequence + 1))
    assert isinstance(first, MessageReceived)


@pytest.mark.spec("mq-wire.md 7.3")
def test_a_question_in_another_layout_is_not_guessed_at() -> None:
    play = receiver(ReceiverState(luwid=L3, sequence=6))
    longer = bytearray(resync(L1, 8) + b"\0\0\0\0")
    longer[4:8] = len(longer).to_bytes(4, "big")
    play.they_send(bytes(longer))
    play.we_end(StatusCode.PROTOCOL_INVALID_DATA, "AMQ9504")


def test_a_question_comes_before_the_first_message() -> None:
    play = receiver()
    play.they_send(message(1), resync(L1, 8))
    play.we_end(StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504")


@pytest.mark.spec("channels.md 20.5")
def test_lost_at_the_receiver_before_and_after_the_batch_is_complete() -> None:
    play = receiver()
    play.they_send(message(1), message(2))
    play.they_hang_up()
    assert play.events[0] == BatchFailed(luwid=L1, count=2, in_doubt=False)

    play = receiver()
    play.they_send(message(1), end_of_batch())
    play.they_hang_up()
    assert [type(event) for event in play.events] == [Closed]  # the commit goes its way


@pytest.mark.spec("channels.md 5.3")
def test_numbers_that_differ_end_the_channel_at_both_ends() -> None:
    play = receiver(ReceiverState(luwid=L3, sequence=6))
    play.they_send(message(6))
    closed = play.we_end(StatusCode.MSG_SEQUENCE_ERROR, "AMQ9526")
    assert (closed.value, closed.retryable) == (7, True)

    play = sender(SenderState(luwid=L3, sequence=5))
    play.send(10)
    play.we_sent()
    play.they_send(error(StatusCode.MSG_SEQUENCE_ERROR, 7))
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    closed = play.we_end(None, "AMQ9526")
    assert (closed.value, closed.by_partner) == (7, True)


# RESOLVE and RESET


@pytest.mark.spec("channels.md 20.6")
def test_resolve_settles_a_batch_in_doubt_without_the_partner() -> None:
    assert DOUBT.settled(commit=True) == SenderState(luwid=L1, sequence=8)
    assert DOUBT.settled(commit=False) == BEFORE
    assert BEFORE.settled(commit=True) == BEFORE
    play = sender(DOUBT.settled(commit=True))
    assert play.we_sent() == []
    play.send(1)
    assert play.we_answer(SegmentType.MESSAGE_DATA).number == 9


@pytest.mark.spec("channels.md 20.7")
@pytest.mark.parametrize("answer", [status(0x00), reset(20)])
def test_a_reset_here_is_told_to_the_receiver(answer: bytes) -> None:
    play = sender(BEFORE.reset_to(20))
    told = play.we_answer(SegmentType.RESET_DATA)
    assert (told.flags, told.number, told.length) == (0x01, 20, 36)
    assert play.they_send(answer) == [SequenceReset(sequence=20)]
    play.agent(play.machine.recorded)
    play.send(1)
    assert play.we_answer(SegmentType.MESSAGE_DATA).number == 20


@pytest.mark.spec("channels.md 20.7")
def test_a_reset_waits_for_the_batch_in_doubt() -> None:
    saved = SenderState(luwid=L3, sequence=19, in_doubt=InDoubt(luwid=L1, sequence=21, count=2), reset=True)
    play = sender(saved)
    assert play.we_answer(SegmentType.RESYNC_DATA).luwid == L1
    play.they_send(resync(L3, 19, flags=0))
    play.agent(play.machine.recorded)
    assert play.we_answer(SegmentType.RESET_DATA).number == 20
    assert play.machine.link.state is State.RESETTING


@pytest.mark.spec("channels.md 20.7")
def test_the_receiver_takes_a_reset_when_it_is_on_disk() -> None:
    play = receiver(ReceiverState(luwid=L3, sequence=6))
    assert play.they_send(reset(20)) == [SequenceReset(sequence=20)]
    assert play.we_sent() == []
    play.agent(play.machine.recorded)
    answer = play.we_answer(SegmentType.STATUS_DATA)
    assert (answer.flags, answer.length) == (0x00, 28)
    assert isinstance(play.they_send(message(20))[0], MessageReceived)


@pytest.mark.spec("channels.md 20.7")
def test_a_reset_at_the_receiver_is_local() -> None:
    play = receiver(ReceiverState(luwid=L3, sequence=6).reset_to(1))
    assert isinstance(play.they_send(message(1))[0], MessageReceived)


@pytest.mark.parametrize("number", [0, 101])
def test_a_reset_to_an_impossible_number(number: int) -> None:
    play = receiver(sequence_wrap=100)
    play.they_send(reset(number))
    play.we_end(StatusCode.PROTOCOL_INVALID_DATA, "AMQ9504")
