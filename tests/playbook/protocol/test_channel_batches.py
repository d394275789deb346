"""Messages, numbers and the end of a batch (channels.md 5.1 to 5.3, mq-wire.md 7.4 and 7.5)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    NO_LUWID,
    BatchConfirmed,
    BatchFailed,
    Closed,
    ConfirmRequested,
    EndOfBatch,
    MessageReceived,
    MessageTooLong,
    ReceiverState,
    SenderState,
    State,
)
from mqbridge.protocol.constants import MQCHSSTATE, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from support.channels.playbook import L1, L2, L3, end_of_batch, message, more_of_it, payload, receiver, sender, status

# The sender


@pytest.mark.spec("channels.md 20.4")
def test_a_batch_ends_when_it_is_full() -> None:
    play = sender(batch_size=3)
    assert play.machine.substate == MQCHSSTATE.IN_MQGET
    assert play.send(10, 10) == []
    assert play.machine.substate == MQCHSSTATE.SENDING
    assert play.send(10) == [EndOfBatch(luwid=L1, sequence=3, count=3, persistent=3)]
    sent = play.we_sent()
    assert [(one.type, one.number, one.flags, one.luwid) for one in sent] == [
        (SegmentType.MESSAGE_DATA, number, 0x30, L1) for number in (1, 2, 3)
    ]
    with pytest.raises(LocalProtocolError):
        play.send(10)

    play.machine.batches.request_confirm(play.now)
    assert play.machine.substate == MQCHSSTATE.END_OF_BATCH
    question = play.we_answer(SegmentType.STATUS_DATA)
    assert (question.flags, question.luwid, question.length) == (0x01, L1, 28)
    assert play.they_send(status(0x00, luwid=L1)) == [BatchConfirmed(luwid=L1, sequence=3, count=3, dlq_used=False)]
    assert play.machine.batches.ready
    play.send(10)
    (next_one,) = play.we_sent()
    assert (next_one.number, next_one.luwid) == (4, L2)


@pytest.mark.spec("channels.md 20.4")
def test_the_agreed_batch_size_is_the_lower_one() -> None:
    play = sender(batch_size=1)
    assert isinstance(play.send(10)[0], EndOfBatch)


@pytest.mark.spec("channels.md 20.4")
def test_a_batch_ends_after_the_message_that_passes_batchlim() -> None:
    play = sender(batch_limit=1)
    assert play.send(1000, 24) == []
    assert play.send(1) == [EndOfBatch(luwid=L1, sequence=3, count=3, persistent=3)]


@pytest.mark.spec("channels.md 20.4")
def test_without_batchlim_only_the_count_matters() -> None:
    play = sender(batch_limit=0)
    assert play.send(*[30000] * 49) == []
    assert len(play.send(1)) == 1


@pytest.mark.spec("channels.md 20.4")
def test_a_batch_ends_at_once_when_the_queue_is_empty() -> None:
    play = sender(batch_interval=0)
    assert play.agent(play.machine.batches.queue_empty) == []
    play.send(10)
    assert play.agent(play.machine.batches.queue_empty) == [EndOfBatch(luwid=L1, sequence=1, count=1, persistent=1)]
    assert play.agent(play.machine.batches.queue_empty) == []


@pytest.mark.spec("channels.md 20.4")
def test_batchint_counts_the_time_that_the_queue_is_empty() -> None:
    play = sender(batch_interval=1000)
    play.send(10)
    assert play.agent(play.machine.batches.queue_empty) == []
    assert play.after(0.6) == []
    play.send(10)  # 0.6 s waited
    assert play.after(5.0) == []  # busy, not waiting
    play.agent(play.machine.batches.queue_empty)
    assert play.after(0.3) == []
    assert play.after(0.2) == [EndOfBatch(luwid=L1, sequence=2, count=2, persistent=2)]


def test_the_agent_may_end_a_batch() -> None:
    play = sender(batch_interval=100000)
    assert play.agent(play.machine.batches.end_batch) == []
    play.send(10)
    assert [type(event) for event in play.agent(play.machine.batches.end_batch)] == [EndOfBatch]


@pytest.mark.spec("channels.md 5.2")
def test_a_batch_of_fast_messages_is_numbered_and_recorded_too() -> None:
    play = sender(batch_size=3)
    play.send(10, persistent=False)
    play.send(10)
    assert play.send(10, persistent=False) == [EndOfBatch(luwid=L1, sequence=3, count=3, persistent=1)]
    play = sender(batch_size=1, fast=False)
    assert play.send(10, persistent=False) == [EndOfBatch(luwid=L1, sequence=1, count=1, persistent=1)]


@pytest.mark.spec("channels.md 20.8")
@pytest.mark.spec("channels.md 5.3")
def test_the_number_after_the_wrap_is_one() -> None:
    play = sender(SenderState(luwid=L3, sequence=99), sequence_wrap=100)
    play.send(1, 1)
    assert [one.number for one in play.we_sent()] == [100, 1]
    assert play.agent(play.machine.batches.queue_empty) == [EndOfBatch(luwid=L1, sequence=1, count=2, persistent=2)]

    play = receiver(ReceiverState(luwid=L3, sequence=99), sequence_wrap=100)
    play.they_send(message(100), end_of_batch())
    assert play.events[-1] == ConfirmRequested(luwid=L1, sequence=100, count=1)
    play.agent(play.machine.confirm)
    play.they_send(message(1), message(2), end_of_batch(L2))
    assert play.events[-1] == ConfirmRequested(luwid=L2, sequence=2, count=2)

    play = receiver(ReceiverState(luwid=L3, sequence=100), sequence_wrap=100)
    assert isinstance(play.they_send(message(1))[0], MessageReceived)


@pytest.mark.spec("channels.md 4")
def test_a_message_too_long_for_the_channel_is_not_sent() -> None:
    play = sender(max_message_length=100)
    play.send(100)
    with pytest.raises(MessageTooLong):
        play.send(101)
    with pytest.raises(LocalProtocolError, match="MQXQH"):
        play.machine.batches.send_message(b"XQH ", play.now, persistent=True)
    play.send(100)
    assert [one.number for one in play.we_sent()] == [1, 2]


@pytest.mark.spec("mq-wire.md 7.5")
def test_a_confirmation_may_lack_the_luwid_but_not_have_another() -> None:
    for luwid, right in ((NO_LUWID, True), (L1, True), (L2, False)):
        play = sender(batch_size=1)
        play.send(10)
        play.machine.batches.request_confirm(play.now)
        play.we_sent()
        play.they_send(status(0x00, luwid=luwid))
        if right:
            assert [type(event) for event in play.events] == [BatchConfirmed]
        else:
            assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=True)
            assert play.we_end(StatusCode.BATCH_FAILURE, "AMQ9504").in_doubt


@pytest.mark.spec("mq-wire.md 7.5")
def test_the_partner_tells_of_its_dead_letter_queue() -> None:
    play = sender(batch_size=1)
    play.send(10)
    play.machine.batches.request_confirm(play.now)
    assert play.they_send(status(0x80, luwid=L1)) == [BatchConfirmed(luwid=L1, sequence=1, count=1, dlq_used=True)]


@pytest.mark.spec("channels.md 17.4")
def test_a_sender_counts() -> None:
    play = sender()
    counters = play.machine.link.wire.counters
    before = counters.bytes_sent
    play.send(4, 4)
    assert (counters.messages, counters.current_messages, counters.current_luwid) == (2, 2, L1)
    assert counters.current_sequence == 2
    assert play.machine.link.wire.unsent == 2 * 480
    play.we_sent()
    assert (counters.bytes_sent - before, play.machine.link.wire.unsent) == (2 * 480, 0)
    assert counters.buffers_sent == 3
    play.agent(play.machine.batches.queue_empty)
    play.machine.batches.request_confirm(play.now)
    play.they_send(status(luwid=L1))
    assert (counters.batches, counters.current_messages, counters.buffers_received) == (1, 0, 2)


# The receiver


@pytest.mark.spec("mq-wire.md 7.4")
def test_messages_are_put_and_the_batch_is_confirmed_when_it_is_on_disk() -> None:
    play = receiver()
    play.they_send(message(1), message(2, b"", persistence=0), message(3, persistence=2), end_of_batch())
    *messages, confirm = play.events
    assert all(isinstance(one, MessageReceived) for one in messages)
    assert [(one.sequence, one.data, one.persistent, one.fast) for one in messages] == [  # type: ignore[union-attr]
        (1, b"hello", True, False),
        (2, b"", False, True),
        (3, b"hello", True, False),
    ]
    assert confirm == ConfirmRequested(luwid=L1, sequence=3, count=3)
    assert play.we_sent() == []  # nothing before the agent says so
    play.agent(play.machine.confirm)
    answer = play.we_answer(SegmentType.STATUS_DATA)
    assert (answer.flags, answer.luwid, answer.length) == (0x00, L1, 28)
    assert play.machine.link.state is State.RUNNING


@pytest.mark.spec("mq-wire.md 7.5")
def test_dead_letters_are_told_in_the_confirmation() -> None:
    play = receiver()
    play.they_send(message(1), end_of_batch())
    play.agent(play.machine.confirm, dlq_used=True)
    assert play.we_answer(SegmentType.STATUS_DATA).flags == 0x80


@pytest.mark.spec("channels.md 5.2")
def test_messages_are_not_fast_on_a_normal_channel() -> None:
    play = receiver(fast=False)
    (normal,) = play.they_send(message(1, persistence=0))
    assert isinstance(normal, MessageReceived)
    assert (normal.persistent, normal.fast) == (False, False)


def test_the_luwid_of_the_confirmation_counts() -> None:
    play = receiver()
    play.they_send(message(1, luwid=L1), message(2, luwid=L2), end_of_batch(L3))
    assert play.events[-1] == ConfirmRequested(luwid=L3, sequence=2, count=2)
    play.agent(play.machine.confirm)
    assert play.we_answer(SegmentType.STATUS_DATA).luwid == L3


@pytest.mark.spec("mq-wire.md 4.1")
def test_a_message_may_ask_for_confirmation_itself() -> None:
    play = receiver()
    play.they_send(message(1), message(2, flags=0x31))
    assert play.events[-1] == ConfirmRequested(luwid=L1, sequence=2, count=2)
    play.agent(play.machine.confirm)
    play.they_send(message(3, b"ab", length=4, flags=0x10), more_of_it(b"cd", flags=0x21))
    assert play.events[-1] == ConfirmRequested(luwid=L1, sequence=3, count=1)


@pytest.mark.spec("mq-wire.md 7.8")
def test_the_last_confirmation_may_close_the_channel() -> None:
    play = receiver()
    play.they_send(message(1), status(0x09, luwid=L1))
    assert isinstance(play.events[-1], ConfirmRequested)
    (closed,) = play.agent(play.machine.confirm)
    assert isinstance(closed, Closed)
    assert closed.normal
    assert play.we_answer(SegmentType.STATUS_DATA).luwid == L1


def test_a_batch_may_be_empty() -> None:
    play = receiver(ReceiverState(luwid=L3, sequence=7))
    assert play.they_send(end_of_batch()) == [ConfirmRequested(luwid=L1, sequence=7, count=0)]
    play.agent(play.machine.confirm)
    assert play.we_answer(SegmentType.STATUS_DATA).luwid == L1
    assert isinstance(play.they_send(message(8))[0], MessageReceived)


@pytest.mark.spec("channels.md 5.2")
def test_a_batch_that_cannot_be_committed_is_refused() -> None:
    play = receiver()
    play.they_send(message(1), end_of_batch())
    play.agent(lambda now: play.machine.reject(StatusCode.CAN_NOT_STORE, "disk full", now))
    closed = play.we_end(StatusCode.CAN_NOT_STORE, "AMQ9506")
    assert (closed.reason, closed.retryable) == ("disk full", True)
    assert len(play.events) == 1  # the agent knows of its batch


def test_a_message_that_cannot_be_put_ends_the_channel_and_its_batch() -> None:
    play = receiver()
    play.they_send(message(1))
    play.agent(lambda now: play.machine.reject(StatusCode.TARGET_Q_UNKNOWN, "no queue", now, amq="AMQ9544"))
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    play.we_end(StatusCode.TARGET_Q_UNKNOWN, "AMQ9544")


def test_nothing_to_confirm() -> None:
    play = receiver()
    play.they_send(message(1))
    with pytest.raises(LocalProtocolError):
        play.machine.confirm(play.now)
    with pytest.raises(LocalProtocolError):
        play.machine.recorded(play.now)
    assert play.machine.batches.open


def test_a_confirmation_after_the_end_is_for_nobody() -> None:
    play = receiver()
    play.they_send(message(1), end_of_batch())
    (closed,) = play.they_hang_up()
    assert isinstance(closed, Closed)
    assert play.agent(play.machine.confirm) == []
    assert play.agent(play.machine.recorded) == []
    assert play.we_sent() == []


@pytest.mark.spec("channels.md 17.4")
def test_a_receiver_counts() -> None:
    play = receiver()
    before = play.machine.link.wire.counters.bytes_received
    play.they_send(message(1), message(2))
    counters = play.machine.link.wire.counters
    assert counters.bytes_received - before == 2 * (476 + 5)
    assert (counters.messages, counters.current_messages, counters.current_sequence) == (2, 2, 2)
    assert (counters.current_luwid, counters.last_message) == (L1, play.now)
    play.they_send(end_of_batch())
    play.agent(play.machine.confirm)
    counters = play.machine.link.wire.counters
    assert (counters.messages, counters.current_sequence) == (2, 2)
    assert (counters.batches, counters.current_messages, counters.buffers_received) == (1, 0, 4)


def test_a_payload_may_come_in_pieces() -> None:
    play = sender()
    whole = payload(b"0123456789")
    play.machine.batches.send_message([whole[:100], whole[100:430], whole[430:]], play.now, persistent=True)
    play.machine.batches.send_message(
        iter([whole[:3], memoryview(whole)[3:]]), play.now, persistent=True, length=len(whole)
    )
    assert [one.body[20:] for one in play.we_sent()] == [whole, whole]
