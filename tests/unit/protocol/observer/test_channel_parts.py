"""The parts of the observer of message channels, each by itself."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.observer import MessageOutcome, Overview, Place
from mqbridge.protocol.observer.channel import BatchSettled, ChannelObserver
from mqbridge.protocol.observer.channel.endpoint_states import EndpointStates
from mqbridge.protocol.observer.channel.heartbeats import MAX_OPEN_HEARTBEATS
from mqbridge.protocol.segment import Segment
from support.channels.playbook import (
    L1,
    L2,
    THEY,
    end_of_batch,
    error,
    heartbeat,
    initial_data,
    message,
    ping,
    reset,
    resync,
    status,
)

HERE, LATER = Place(100.0, 7, 0), Place(900.0, 8, 50)
CALLER, CALLED = Direction.INITIATOR, Direction.RESPONDER


@pytest.fixture
def parts() -> ChannelObserver:
    """A channel that the caller sends on, of which both ends have agreed."""
    made = ChannelObserver(Overview(whole=True))
    made.receive(CALLER, segment(initial_data()), HERE)
    made.receive(CALLED, segment(initial_data(flags=0)), HERE)
    made.log.direction = CALLER
    return made


def told(parts: ChannelObserver) -> list[str]:
    return [type(one).__name__ for one in parts.log.take()]


def segment(data: bytes) -> Segment:
    (one,) = SegmentReader(1 << 24).feed(data)
    return one


def test_endpoint_states_follow_both_tables() -> None:
    states = EndpointStates(known=True)
    states.start()
    assert (states.sender, states.receiver) == (State.RUNNING, State.STARTED)
    assert states.sent(Trigger.MESSAGE) is None
    assert (states.sender, states.receiver) == (State.BATCH, State.BATCH)
    assert states.answered(Trigger.RESYNC_ANSWERED) is State.BATCH, "a batch is no time for it"
    states.forget()
    assert states.sent(Trigger.CONFIRM_ASKED) is None, "what is not known is not out of place"


def test_negotiation() -> None:
    fresh = ChannelObserver(Overview(whole=True))
    fresh.log.place = HERE
    fresh.negotiation.receive(segment(initial_data(reserved=5)))
    assert told(fresh) == ["FieldSeen", "Proposed"]
    fresh.log.direction = CALLED
    fresh.negotiation.receive(segment(initial_data(flags=0, max_msgs_per_batch=7)))
    agreed = fresh.negotiation.agreed
    assert agreed is not None
    assert (agreed.batch_size, agreed.sender, told(fresh)) == (7, CALLER, ["ProposalAnswered", "ChannelAgreed"])
    fresh.negotiation.receive(segment(THEY.build(1, bytes(10))))
    assert told(fresh) == ["SegmentUnreadable"]


def test_ends(parts: ChannelObserver) -> None:
    ends = parts.ends
    assert (ends.sender, ends.receiver, ends.settled) == (CALLER, CALLED, True)
    ends.answer(Trigger.CONFIRMED)
    assert told(parts) == ["ChannelSegmentOutOfState"]
    parts.log.direction = CALLED
    ends.sends("MESSAGE_DATA", True)
    assert (ends.sender, told(parts)) == (CALLED, ["ChannelSegmentOutOfState"])
    ends.closed[CALLED] = False
    ends.after_close(segment(heartbeat()))
    ends.after_close(segment(heartbeat()))
    assert (ends.settled, told(parts)) == (False, ["SegmentAfterClose"])


def test_batches(parts: ChannelObserver) -> None:
    batches = parts.batches
    batches.message(segment(message(1)))
    batches.message(segment(message(3, luwid=L2)))
    assert told(parts) == ["BatchBegun", "MessageSeen", "MessageDiffers", "MessageSeen"]
    batches.settle(CALLER, MessageOutcome.CONFIRMED, confirmed=True)
    *settled, batch = parts.log.take()
    assert [one.message.sequence_number for one in settled] == [1, 3]
    assert isinstance(batch, BatchSettled)
    assert (batch.messages, batch.luwid, batch.confirmed, batches.previous) == (2, L1, HERE, L1)


def test_a_split_message_is_seen_with_its_last_segment(parts: ChannelObserver) -> None:
    parts.batches.message(segment(message(1, b"abc", length=8, flags=0x10)))
    assert told(parts) == ["BatchBegun"]
    parts.batches.settle(CALLER, MessageOutcome.BACKED_OUT)
    assert told(parts) == ["MessageSeen", "MessageSettled", "BatchSettled"]


def test_confirmations(parts: ChannelObserver) -> None:
    parts.batches.message(segment(message(1)))
    parts.confirmations.ask(segment(end_of_batch()))
    assert parts.ends.states.receiver is State.CONFIRMING
    assert parts.confirmations.last_fate(capture_stops=False) is MessageOutcome.IN_DOUBT
    parts.log.direction = CALLED
    parts.confirmations.confirm(segment(status(0, luwid=L1)))
    assert told(parts)[-4:] == ["ConfirmRequestSeen", "BatchConfirmationSeen", "MessageSettled", "BatchSettled"]
    assert parts.ends.question is None


def test_heartbeats(parts: ChannelObserver) -> None:
    for _ in range(MAX_OPEN_HEARTBEATS + 5):
        parts.heartbeats.receive(segment(heartbeat()))
    assert len(parts.heartbeats.open) == MAX_OPEN_HEARTBEATS
    assert not parts.heartbeats.answered(), "nobody answers itself"
    parts.log.direction = CALLED
    assert parts.heartbeats.answered()
    parts.log.take()
    parts.heartbeats.end(capture_stops=False)
    assert told(parts) == ["ChannelHeartbeatUnanswered"] * (MAX_OPEN_HEARTBEATS - 1)


def test_silence_is_told_while_the_sender_owes_nothing(parts: ChannelObserver) -> None:
    parts.log.place = LATER
    parts.silence.check(over=False)
    (one,) = parts.log.take()
    assert (one.seconds, one.interval, one.over) == (800.0, 300, False)
    parts.silence.restart()
    assert parts.silence.since == LATER.time
    parts.overview.uncertain = True
    parts.silence.check(over=True)
    assert told(parts) == []


def test_exchanges_at_the_start(parts: ChannelObserver) -> None:
    exchanges = parts.exchanges
    exchanges.resync(segment(resync(L1, 7)))
    parts.log.direction = CALLED
    exchanges.resync(segment(resync(L1, 7, 0)))
    assert (told(parts), parts.batches.expected) == (["Resynchronised"], 8)
    parts.log.direction = CALLER
    exchanges.reset(segment(reset(5)))
    assert (told(parts), parts.batches.expected, exchanges.awaits_reset) == (["SequenceNumberReset"], 5, True)
    exchanges.reset_answered()
    exchanges.ping(segment(ping(b"x" * 20)))
    parts.log.direction = CALLED
    exchanges.ping(segment(ping(b"y" * 20, 0)))
    (*_, answer) = parts.log.take()
    assert (answer.length, answer.same) == (20, False)


def test_status_segments(parts: ChannelObserver) -> None:
    parts.log.direction = CALLED
    parts.status.receive(segment(status(4, luwid=L1)))
    assert told(parts) == ["CloseRequestSeen"]
    parts.status.receive(segment(error(StatusCode.MSG_SEQUENCE_ERROR, 8)))
    assert (told(parts), parts.confirmations.refused) == (["ChannelStatusSeen"], StatusCode.MSG_SEQUENCE_ERROR)
    assert (parts.overview.outcome, parts.ends.closed) == ("cut", {CALLED: False})


def test_lost_bytes_are_forgotten_by_every_part(parts: ChannelObserver) -> None:
    parts.batches.message(segment(message(1)))
    parts.heartbeats.receive(segment(heartbeat()))
    parts.lose(CALLER, 100, LATER)
    assert (parts.overview.uncertain, parts.ends.states.sender, parts.batches.expected) == (True, None, None)
    assert not parts.heartbeats.open
    assert parts.batches.batch is not None
    assert not parts.batches.batch.whole
