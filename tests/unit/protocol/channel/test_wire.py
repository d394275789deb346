"""The output queue of a connection: whole segments in order, and what waits counted."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mqbridge.protocol.channel.wire import SEND_AT_ONCE, Piece, SplitData, Wire
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.segment import SegmentWriter


class Letters(SplitData):
    """Segments of four bytes."""

    def next_segment(self) -> bytes:
        return b"".join(self._cut(min(4, self.left)))


def wire_with(pieces: Iterable[Piece], length: int, conversation: int | None = None) -> Wire:
    wire = Wire(SegmentWriter())
    wire.queue_split(Letters(pieces, length), conversation)
    return wire


@pytest.mark.parametrize(("pieces", "kept"), [([b"abcdef", b"ghij"], True), (iter([b"abcdef", b"ghij"]), False)])
def test_what_waits_of_a_long_message_is_counted_down_as_it_is_cut(pieces: Iterable[Piece], kept: bool) -> None:
    wire = wire_with(pieces, 10)
    left = [(wire.unsent, wire.buffered)]
    sent = []
    while wire.wants_to_send:
        sent.append(wire.take(1))
        left.append((wire.unsent, wire.buffered))
    assert sent == [[b"abcd"], [b"efgh"], [b"ij"]]
    assert left == [(count, count * kept) for count in (10, 6, 2, 0)]
    assert wire.counters.bytes_sent == 10
    assert wire.counters.buffers_sent == 3


def test_other_conversations_speak_between_the_segments_of_a_long_message() -> None:
    wire = wire_with([b"abcdefgh"], 8, conversation=1)
    assert wire.take(1) == [b"abcd"]
    wire.queue((b"1",), 1, conversation=1)  # behind the rest of it
    wire.queue((b"2",), 1, conversation=2)
    wire.queue((b"all",), 3)
    assert wire.take() == [b"2", b"efgh", b"1", b"all"]
    assert not wire.wants_to_send
    assert (wire.unsent, wire.buffered) == (0, 0)


def test_what_stands_between_two_long_messages_keeps_waiting_for_neither() -> None:
    wire = wire_with([b"abcd"], 4, conversation=1)
    wire.queue_split(Letters([b"efgh"], 4), 2)
    wire.queue((b"2",), 1, conversation=2)
    wire.queue((b"3",), 1, conversation=3)
    assert wire.take() == [b"3", b"abcd", b"efgh", b"2"]
    wire.queue((b"4",), 1, conversation=2)
    assert wire.take() == [b"4"]


def test_what_came_between_goes_first_when_the_last_long_message_is_through() -> None:
    wire = wire_with([b"abcd"], 4, conversation=1)
    wire.queue((b"1",), 1, conversation=1)
    assert wire.take(1) == [b"abcd"]
    wire.queue((b"2",), 1, conversation=2)
    assert wire.take() == [b"1", b"2"]


def test_a_conversation_waits_for_its_own_long_message_alone() -> None:
    wire = wire_with([b"abcd"], 4, conversation=1)
    assert wire.take() == [b"abcd"]
    wire.queue_split(Letters([b"efgh"], 4), 2)
    wire.queue((b"1",), 1, conversation=1)
    assert wire.take() == [b"1", b"efgh"]


def test_a_conversation_keeps_its_order_while_others_are_through_with_theirs() -> None:
    wire = wire_with([b"abcd"], 4, conversation=1)
    wire.queue_split(Letters([b"efgh"], 4), 2)
    assert wire.take(1) == [b"abcd"]
    wire.queue((b"2",), 1, conversation=2)
    assert wire.take() == [b"efgh", b"2"]


def test_as_much_as_one_write_is_taken() -> None:
    wire = Wire(SegmentWriter())
    for _ in range(3):
        wire.queue((bytes(SEND_AT_ONCE // 2),), SEND_AT_ONCE // 2)
    assert len(wire.take()) == 2
    assert SEND_AT_ONCE == 1 << 16  # what an endpoint reads and writes at a time


def test_pieces_that_end_early_are_our_own_fault() -> None:
    with pytest.raises(LocalProtocolError, match="ends 2 bytes before"):
        wire_with([b"abcdef"], 8).take()
