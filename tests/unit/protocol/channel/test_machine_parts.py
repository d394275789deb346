"""The parts of sender and receiver, each by itself on a link."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mqbridge.protocol.channel import (
    RECEIVER,
    SENDER,
    BatchConfirmed,
    BatchFailed,
    ConfirmRequested,
    EndOfBatch,
    InDoubtResolved,
    MessageReceived,
    Negotiated,
    PingAnswered,
    PingReceived,
    ReceiverState,
    SenderState,
    SequenceReset,
    Started,
    State,
)
from mqbridge.protocol.channel.batches_in import BatchesIn
from mqbridge.protocol.channel.batches_out import BatchesOut
from mqbridge.protocol.channel.heartbeats import Heartbeats
from mqbridge.protocol.channel.negotiation import Negotiation
from mqbridge.protocol.channel.outbound import OpenBatch
from mqbridge.protocol.channel.ping import Ping, answer_ping
from mqbridge.protocol.channel.receive_timeout import ReceiveTimeout
from mqbridge.protocol.channel.receiver_recovery import ReceiverRecovery
from mqbridge.protocol.channel.sender_recovery import SenderRecovery
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from support.channels.playbook import (
    L1,
    L2,
    L3,
    initial_data,
    message,
    parameters,
    payload,
    ping,
    reset,
    resync,
    status,
)
from support.clients.part_stand import NOW, Stand, read

AGREED = Negotiated(
    fap_level=7,
    batch_size=2,
    max_message_length=100_000,
    transmission_size=32_766,
    sequence_wrap=100,
    heartbeat_interval=300,
    fast=True,
    split=True,
    distribution_lists=False,
    partner_encoding=0x222,
    partner_ccsid=437,
)


# Negotiation


@pytest.mark.spec("mq-wire.md 7.2")
def test_a_caller_proposes_and_repeats_the_values_of_an_answer() -> None:
    stand, agreed = Stand(SENDER, State.NEGOTIATING), []
    part = Negotiation(
        stand.link, parameters(), lambda found, now: agreed.append((found, now)), caller=True, requester=False
    )
    part.propose()
    part.initial_data(read(initial_data(flags=0x03, max_msgs_per_batch=10)), NOW)
    part.initial_data(read(initial_data(flags=0, max_msgs_per_batch=10)), NOW + 1)
    assert [segment.type for segment in stand.sent()] == [SegmentType.INITIAL_DATA] * 2
    ((found, when),) = agreed
    assert (found.batch_size, when, part.partner) == (10, NOW + 1, "VENUS")
    assert [type(event) for event in stand.link.drain()] == [Started]


@pytest.mark.spec("channels.md 4")
def test_nothing_is_negotiated_twice_or_for_another_channel() -> None:
    stand = Stand(SENDER, State.RUNNING)
    part = Negotiation(stand.link, parameters(), lambda found, now: None, caller=False, requester=False)
    with pytest.raises(ChannelError):
        part.initial_data(read(initial_data()), NOW)
    stand.link.state = State.NEGOTIATING
    with pytest.raises(ChannelError, match="instead of"):
        part.initial_data(read(initial_data(channel_name="ANOTHER")), NOW)


def test_negotiation_has_its_time() -> None:
    stand = Stand(SENDER, State.NEGOTIATING)
    part = Negotiation(stand.link, parameters(), lambda found, now: None, caller=True, requester=False)
    ((due, action),) = part.timers()
    assert due == NOW + parameters().handshake_timeout
    action(due)
    assert stand.link.closed


# Silence and heartbeats


@pytest.mark.spec("channels.md 6.1")
def test_silence_counts_from_the_last_question_and_only_while_we_read() -> None:
    stand = Stand(SENDER, State.RUNNING)
    part = ReceiveTimeout(stand.link)
    assert list(part.timers()) == []
    part.limit = 360.0
    part.asked(NOW + 10)
    ((due, action),) = part.timers()
    assert due == NOW + 370
    stand.link.pause()
    assert list(part.timers()) == []
    action(due)
    assert stand.link.closed


def test_a_partner_that_takes_what_stands_before_the_question_is_slow_and_not_gone() -> None:
    stand = Stand(SENDER, State.RUNNING)
    part = ReceiveTimeout(stand.link)
    part.limit = 60.0
    for _ in range(4):
        stand.link.wire.queue((bytes(50_000),), 50_000)
    part.asked(NOW)
    stand.link.wire.take(50_000)
    ((due, action),) = part.timers()
    action(due)
    assert not stand.link.closed
    ((later, action),) = part.timers()
    assert later == due + 60
    action(later)
    assert stand.link.closed


def test_a_partner_that_has_taken_all_but_one_write_is_given_no_more_time() -> None:
    stand = Stand(SENDER, State.RUNNING)
    part = ReceiveTimeout(stand.link)
    part.limit = 60.0
    stand.link.wire.queue((bytes(1_000),), 1_000)
    stand.link.wire.take()
    for _ in range(2):
        stand.link.wire.queue((bytes(32_500),), 32_500)
    part.asked(NOW)
    stand.link.wire.take(1)
    ((due, action),) = part.timers()
    action(due)
    assert stand.link.closed


@pytest.mark.spec("channels.md 6.1")
def test_a_heartbeat_is_due_after_an_interval_without_any_segment() -> None:
    stand = Stand(SENDER, State.RUNNING)
    timeout = ReceiveTimeout(stand.link)
    part = Heartbeats(stand.link, timeout, NOW)
    assert list(part.timers()) == []
    part.interval, timeout.limit = 300, 360.0
    part.last_sent = NOW + 5
    ((due, action),) = part.timers()
    assert due == NOW + 305
    action(due)
    assert (stand.link.state, part.unanswered) == (State.HEARTBEATING, 1)
    assert [segment.type for segment in stand.sent()] == [SegmentType.HEARTBEAT]
    assert [when for when, _ in part.timers()] == [due + 360]
    part.answered()
    assert (stand.link.state, part.unanswered) == (State.RUNNING, 0)


# Before the first message


@pytest.mark.spec("channels.md 5.4")
@pytest.mark.parametrize(("answered", "last", "commit"), [(L2, 7, True), (L1, 5, False)])
def test_a_batch_in_doubt_is_settled_by_what_the_partner_has(answered: bytes, last: int, commit: bool) -> None:
    stand = Stand(SENDER, State.NEGOTIATING)
    part = SenderRecovery(stand.link, SenderState(luwid=L1, sequence=5).asking(L2, 7, 2), 100)
    assert part.begin()
    part.resync_answered(read(resync(answered, last, flags=0)), NOW)
    assert stand.link.drain() == [InDoubtResolved(commit=commit, luwid=L2, sequence=last)]
    assert (part.saved.sequence, part.saved.in_doubt) == (last, None)
    assert not part.recorded()
    assert stand.link.state is State.RUNNING


@pytest.mark.spec("channels.md 5.4")
def test_records_of_different_histories_leave_the_batch_in_doubt() -> None:
    stand = Stand(SENDER, State.NEGOTIATING)
    part = SenderRecovery(stand.link, SenderState(luwid=L1, sequence=5).asking(L2, 7, 2), 100)
    part.begin()
    with pytest.raises(ChannelError) as caught:
        part.resync_answered(read(resync(L3, 42, flags=0)), NOW)
    assert (caught.value.amq, caught.value.value) == ("AMQ9526", 6)
    assert part.saved.in_doubt is not None


@pytest.mark.spec("channels.md 5.6")
def test_a_reset_is_told_and_nothing_else_needs_to_be() -> None:
    stand = Stand(SENDER, State.NEGOTIATING)
    part = SenderRecovery(stand.link, SenderState(sequence=5).reset_to(9), 100)
    assert part.begin()
    part.reset_answered(read(status()), NOW)
    assert stand.link.drain() == [SequenceReset(sequence=9)]
    assert not part.recorded()
    assert not SenderRecovery(stand.link, SenderState(sequence=5), 100).begin()


@pytest.mark.spec("channels.md 5.6")
def test_a_receiver_tells_what_it_has_and_takes_a_reset() -> None:
    stand = Stand(RECEIVER, State.STARTED)
    part = ReceiverRecovery(stand.link, ReceiverState(luwid=L1, sequence=5), 100)
    part.resync_asked(read(resync(L2, 7)), NOW)
    (answer,) = stand.sent()
    assert (answer.type, answer.luwid, answer.body[4:]) == (SegmentType.RESYNC_DATA, L1, (5).to_bytes(4, "little"))
    part.reset_asked(read(reset(9)), NOW)
    assert stand.link.drain() == [SequenceReset(sequence=9)]
    assert part.saved.sequence == 5
    part.recorded()
    assert part.saved.sequence == 8
    with pytest.raises(ChannelError):
        part.reset_asked(read(reset(101)), NOW)
    fresh = ReceiverRecovery(Stand(RECEIVER, State.STARTED).link, ReceiverState(), 100)
    with pytest.raises(LocalProtocolError):
        fresh.recorded()


@pytest.mark.spec("channels.md 6.3")
def test_test_data_go_there_and_back() -> None:
    there, back = Stand(SENDER, State.NEGOTIATING), Stand(RECEIVER, State.STARTED)
    part = Ping(there.link, b"x" * 5000)
    assert part.begin(1024)
    (asked,) = there.sent()
    assert asked.length == 1024
    answer_ping(back.link, asked)
    (answer,) = back.sent()
    part.answered(answer, NOW)
    assert back.link.drain() == [PingReceived(length=992)]
    assert there.link.drain()[0] == PingAnswered(length=992, same=True)
    assert there.link.closed
    assert not Ping(there.link, None).begin(1024)
    with pytest.raises(ChannelError):
        Ping(back.link, None).answered(read(ping(b"")), NOW)


# Batches


def batches_out(**changes: Any) -> tuple[Stand, BatchesOut]:
    stand = Stand(SENDER, State.RUNNING)
    heartbeats = Heartbeats(stand.link, ReceiveTimeout(stand.link), NOW)
    recovery = SenderRecovery(stand.link, SenderState(sequence=99), 100)
    part = BatchesOut(stand.link, parameters(**changes), iter((L1, L2, L3)).__next__, recovery, heartbeats)
    part.negotiated = AGREED
    return stand, part


def test_a_large_batch_is_full_with_its_last_message() -> None:
    batch = OpenBatch(L1, parameters(batch_limit=0), replace(AGREED, batch_size=300))
    assert [batch.add(10, False, NOW) for _ in range(301)].index(True) == 299


@pytest.mark.spec("channels.md 5.1")
def test_a_full_batch_ends_and_is_confirmed() -> None:
    stand, part = batches_out()
    assert part.planned_end(2, 2) == EndOfBatch(luwid=L1, sequence=1, count=2, persistent=2)
    assert part.ready
    assert part.send_message(payload(), NOW, persistent=True) == []
    (end,) = part.send_message(payload(), NOW, persistent=True)
    assert end == EndOfBatch(luwid=L1, sequence=1, count=2, persistent=2)
    part.request_confirm(NOW)
    assert part.confirming
    assert part.in_doubt
    assert [segment.luwid for segment in stand.sent()] == [L1] * 3
    part.confirmed(read(status(luwid=L1)))
    assert stand.link.drain() == [BatchConfirmed(luwid=L1, sequence=1, count=2, dlq_used=False)]
    assert not part.open
    assert not part.in_doubt
    assert part.planned_end(1, 0).sequence == 2


@pytest.mark.spec("channels.md 5.3")
def test_a_batch_that_was_asked_for_is_in_doubt_when_the_channel_ends() -> None:
    stand, part = batches_out()
    part.send_message(payload(), NOW, persistent=True)
    part.end_batch(NOW)
    stand.link.drain()
    part.request_confirm(NOW)
    with pytest.raises(ChannelError):
        part.confirmed(read(status(luwid=L3)))
    assert part.abandon()
    assert stand.link.drain() == [BatchFailed(luwid=L1, count=1, in_doubt=True)]


def test_a_refused_batch_is_not_in_doubt() -> None:
    _, part = batches_out()
    part.send_message(payload(), NOW, persistent=True)
    part.end_batch(NOW)
    part.request_confirm(NOW)
    part.refused = True
    assert not part.abandon()


@pytest.mark.spec("channels.md 5.1")
def test_an_empty_queue_ends_the_batch_after_batchint() -> None:
    _, part = batches_out(batch_interval=500)
    part.send_message(payload(), NOW, persistent=True)
    assert part.queue_empty(NOW) == []
    assert part.deadline == NOW + 0.5
    assert [type(event) for event in part.queue_empty(NOW + 0.5)] == [EndOfBatch]


def batches_in(saved: ReceiverState) -> tuple[Stand, BatchesIn]:
    stand = Stand(RECEIVER, State.STARTED)
    part = BatchesIn(stand.link, saved)
    part.begin(AGREED, saved)
    return stand, part


@pytest.mark.spec("channels.md 5.3 rule 1")
def test_messages_are_numbered_through_all_batches() -> None:
    stand, part = batches_in(ReceiverState(sequence=99))
    for number in (100, 1):
        part.message(read(message(number)), NOW)
    with pytest.raises(ChannelError) as caught:
        part.message(read(message(3)), NOW)
    assert caught.value.value == 2
    assert [event.sequence for event in stand.link.drain() if isinstance(event, MessageReceived)] == [100, 1]
    counters = stand.link.wire.counters
    assert (counters.messages, counters.current_sequence, counters.current_luwid) == (2, 1, L1)
    assert part.open


@pytest.mark.spec("channels.md 5.2")
def test_a_batch_is_confirmed_when_it_is_durable() -> None:
    stand, part = batches_in(ReceiverState(sequence=5))
    part.message(read(message(6)), NOW)
    part.confirm_asked(read(status(0x01, luwid=L1)))
    assert stand.link.drain()[1:] == [ConfirmRequested(luwid=L1, sequence=6, count=1)]
    part.abandon()
    assert stand.link.drain() == []  # its outcome is the agent's
    part.confirmed(0)
    (answer,) = stand.sent()
    assert (answer.type, answer.luwid) == (SegmentType.STATUS_DATA, L1)
    assert stand.link.wire.counters.current_messages == 0
    assert not part.open


@pytest.mark.parametrize("unsure", [True, False])
def test_the_first_number_is_taken_over_where_ours_is_unsure(unsure: bool) -> None:
    stand, part = batches_in(ReceiverState(sequence=5, unsure=unsure))
    if not unsure:
        with pytest.raises(ChannelError):
            part.message(read(message(9)), NOW)
        return
    part.message(read(message(9)), NOW)
    with pytest.raises(ChannelError) as caught:
        part.message(read(message(30)), NOW)
    assert caught.value.status == StatusCode.MSG_SEQUENCE_ERROR
    part.abandon()
    assert stand.link.drain()[-1] == BatchFailed(luwid=L1, count=1, in_doubt=False)
