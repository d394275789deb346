"""Messages longer than a segment (mq-wire.md 6; inferred)."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from mqbridge.protocol.channel import PART_LENGTH, ConfirmRequested, MessagePart, MessageReceived, MessageTooLong, State
from mqbridge.protocol.constants import MQMODE, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentReader
from support.channels.playbook import (
    L1,
    Play,
    calling,
    end_of_batch,
    heartbeat,
    initial_data,
    message,
    more_of_it,
    parameters,
    payload,
    receiver,
    sender,
)

SIZE = 1024
FIRST_ROOM = SIZE - 476
LATER_ROOM = SIZE - 28


def test_a_message_that_just_fits_travels_alone() -> None:
    play = sender(transmission_size=SIZE)
    play.send(FIRST_ROOM)
    sent = play.we_answer(SegmentType.MESSAGE_DATA)
    assert (sent.length, sent.flags) == (SIZE, 0x30)


@pytest.mark.spec("mq-wire.md 6.3")
@pytest.mark.parametrize(
    ("length", "lengths"),
    [
        (FIRST_ROOM + 1, [SIZE, 29]),
        (FIRST_ROOM + LATER_ROOM, [SIZE, SIZE]),
        (FIRST_ROOM + LATER_ROOM + 1, [SIZE, SIZE, 29]),
        (FIRST_ROOM + 2 * LATER_ROOM, [SIZE, SIZE, SIZE]),
    ],
)
def test_a_longer_one_is_split(length: int, lengths: list[int]) -> None:
    data = bytes(index % 251 for index in range(length))
    play = sender(transmission_size=SIZE)
    play.machine.batches.send_message(payload(data), play.now, persistent=True)
    segments = play.we_sent()
    assert [one.length for one in segments] == lengths
    assert [one.flags for one in segments] == [0x10, *[0x00] * (len(lengths) - 2), 0x20]
    assert {one.luwid for one in segments} == {L1}
    first, *later = segments
    assert first.number == 1
    assert int.from_bytes(first.body[8:12], "little") == length
    assert int.from_bytes(first.body[16:20], "little") == length + 428
    assert first.body[20:] + b"".join(one.body for one in later) == payload(data)


@pytest.mark.spec("mq-wire.md 6.3")
def test_the_parts_become_one_message() -> None:
    play = receiver()
    assert play.they_send(message(1, b"abc", length=8, flags=0x10)) == []
    assert play.machine.link.state is State.PARTIAL
    assert play.they_send(more_of_it(b"de")) == []
    (one,) = play.they_send(more_of_it(b"fgh", flags=0x20))
    assert isinstance(one, MessageReceived)
    assert (one.data, one.length, one.sequence, one.persistent) == ([b"abc", b"de", b"fgh"], 8, 1, True)
    assert play.they_send(message(2), end_of_batch())[-1] == ConfirmRequested(luwid=L1, sequence=2, count=2)


def long_parts(play: Play, length: int) -> list[MessagePart]:
    """The parts told of while all of a message but its last byte comes."""
    parts: list[MessagePart] = []
    there = 0
    for start in range(0, length - 1, 1000):
        data = bytes(min(1000, length - 1 - start))
        if start:
            found = play.they_send(more_of_it(data))
        else:
            found = play.they_send(message(1, data, length=length, flags=0x10))
        there += len(data)
        assert len(found) in (0, 1)
        for event in found:
            assert isinstance(event, MessagePart)
            parts.append(event)
            assert there - len(parts) * PART_LENGTH in range(1000 * len(parts))
    return parts


def test_the_agent_hears_of_a_long_message_while_it_comes() -> None:
    play = receiver()
    length = 3 * PART_LENGTH + 4000
    parts = long_parts(play, length)
    assert len(parts) == 3
    (one,) = play.they_send(more_of_it(b"!", flags=0x20))
    assert isinstance(one, MessageReceived)
    assert all(part.message is one for part in parts)
    assert b"".join(one.data) == bytes(length - 1) + b"!"


def test_pieces_that_the_agent_takes_are_no_longer_in_the_message() -> None:
    play = receiver()
    for part in long_parts(play, 2 * PART_LENGTH + 3):
        assert isinstance(part.message.data, list)
        part.message.data.clear()
    (one,) = play.they_send(more_of_it(b"!", flags=0x20))
    assert isinstance(one, MessageReceived)
    assert (one.data, one.length) == ([b"!"], 2 * PART_LENGTH + 3)


def test_a_message_of_little_more_than_a_segment_comes_in_one() -> None:
    play = receiver()
    assert long_parts(play, PART_LENGTH) == []


def test_a_first_part_may_hold_the_headers_alone() -> None:
    play = receiver()
    (one,) = play.they_send(message(1, b"", length=3, flags=0x10), more_of_it(b"abc", flags=0x20))
    assert one.data == [b"abc"]  # type: ignore[union-attr]


@pytest.mark.spec("mq-wire.md 6.3")
@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ([more_of_it(b"x")], StatusCode.SEGMENT_NUMBER_ERROR),
        ([more_of_it(b"x", flags=0x20)], StatusCode.SEGMENT_NUMBER_ERROR),
        ([message(1, b"a", length=9, flags=0x10), message(1, b"a", length=9, flags=0x10)], 0x13),
        ([message(1, b"a", length=9, flags=0x10), message(2)], StatusCode.SEGMENT_NUMBER_ERROR),
        ([message(1, b"a", length=2, flags=0x10), more_of_it(b"xy")], StatusCode.MESSAGE_LENGTH_ERROR),
        ([message(1, b"a", length=3, flags=0x10), more_of_it(b"x", flags=0x20)], StatusCode.MESSAGE_LENGTH_ERROR),
        ([message(1, b"abc", length=2, flags=0x10)], StatusCode.MESSAGE_LENGTH_ERROR),
        ([message(1, b"a", length=3, flags=0x10), more_of_it(b"")], StatusCode.PROTOCOL_LENGTH_ERROR),
        ([message(1, b"a", length=5_000_000, flags=0x10)], StatusCode.MESSAGE_LENGTH_ERROR),
        ([message(7, b"a", length=3, flags=0x10)], StatusCode.MSG_SEQUENCE_ERROR),
        ([message(1, b"a", length=3, flags=0x10), end_of_batch()], StatusCode.PROTOCOL_SEGMENT_ERROR),
        ([message(1, b"a", length=3, flags=0x10), heartbeat()], StatusCode.PROTOCOL_SEGMENT_ERROR),
    ],
)
def test_parts_that_do_not_fit(segments: list[bytes], code: int) -> None:
    play = receiver()
    play.they_send(*segments)
    amq = "AMQ9526" if code == StatusCode.MSG_SEQUENCE_ERROR else play.events[-1].amq  # type: ignore[union-attr]
    play.we_end(StatusCode(code), amq)


def test_a_partner_that_takes_no_parts_gets_none() -> None:
    play = calling(parameters(transmission_size=SIZE))
    play.they_send(initial_data(flags=0, cap_flags1=0x03, max_transmission_size=SIZE))
    assert play.machine.negotiated.max_message_length == FIRST_ROOM
    with pytest.raises(MessageTooLong):
        play.send(FIRST_ROOM + 1)
    play.send(FIRST_ROOM)


def test_a_long_message_never_stands_twice() -> None:
    """Neither at the sender, whose pieces come from an iterator, nor in what waits to be sent."""
    length = 100 * 1024 * 1024

    def pieces() -> Iterator[bytes]:
        yield payload(b"")
        for _ in range(100):
            yield bytes(1024 * 1024)

    play = sender(max_message_length=0)
    play.machine.batches.send_message(pieces(), play.now, persistent=True, length=428 + length)
    assert play.machine.link.wire.unsent == 428 + length
    tracemalloc.start()
    try:
        taken = 0
        while parts := play.machine.link.wire.take():
            taken += sum(map(len, parts))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken > length
    assert peak < 4 * 1024 * 1024
    assert play.machine.link.wire.unsent == 0


def test_pieces_that_end_too_soon_are_our_own_fault() -> None:
    play = sender()
    play.machine.batches.send_message(iter([payload(b"")]), play.now, persistent=True, length=100_000)
    with pytest.raises(LocalProtocolError, match="before its length"):
        play.we_sent()


def test_small_messages_come_out_together_but_within_a_limit() -> None:
    play = sender()
    play.send(*[1000] * 49)
    first = play.machine.link.wire.take(10_000)
    assert 10_000 <= sum(map(len, first)) < 12_000
    assert play.machine.link.wire.wants_to_send


def test_stopping_in_the_middle_of_a_long_message_leaves_whole_segments() -> None:
    play: Play = sender()
    play.machine.batches.send_message(payload(bytes(1_000_000)), play.now, persistent=True)
    begun = b"".join(play.machine.link.wire.take())
    play.stop(MQMODE.FORCE)
    rest = b"".join(play.machine.link.wire.take())
    kinds = [one.type for one in SegmentReader(1 << 20).feed(begun + rest)]
    assert kinds[-1] == SegmentType.STATUS_DATA
    assert set(kinds[:-1]) == {SegmentType.MESSAGE_DATA}
