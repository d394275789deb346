"""Reassembly of one direction: what TCP and what a capture do to a stream."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mqbridge.captures.streams import reassembly as tcp
from mqbridge.captures.streams.reassembly import MAX_WINDOW, MissingBytes, PendingBudget, StreamPiece, StreamReassembly


class Stream:
    """A stream under test: packets are numbered and timed as they come."""

    def __init__(self, first: int | None = 1000, budget: PendingBudget | None = None) -> None:
        self.reassembly = StreamReassembly(budget)
        self.given: list[StreamPiece | MissingBytes] = []
        self.number = 0
        if first is not None:
            self.reassembly.begin(first)

    def add(self, sequence: int, data: bytes, length: int | None = None) -> bytes:
        """Add a segment; return what it made readable."""
        self.number += 1
        length = len(data) if length is None else length
        return self.take(self.reassembly.add(sequence % (1 << 32), data, length, self.number / 10, self.number))

    def tick(self, times: int = 1) -> bytes:
        return b"".join(self.take(self.reassembly.tick()) for _ in range(times))

    def flush(self) -> bytes:
        return self.take(self.reassembly.flush(99.0, 99))

    def take(self, given: Iterable[StreamPiece | MissingBytes]) -> bytes:
        self.given += given
        return b"".join(item.data for item in given if isinstance(item, StreamPiece))

    @property
    def missing(self) -> list[tuple[int, int]]:
        return [(item.offset, item.length) for item in self.given if isinstance(item, MissingBytes)]


def test_segments_in_order_keep_their_packet() -> None:
    stream = Stream()
    assert stream.add(1000, b"abc") == b"abc"
    assert stream.add(1003, b"de") == b"de"
    assert stream.given == [StreamPiece(0, b"abc", 0.1, 1), StreamPiece(3, b"de", 0.2, 2)]


def test_reordered_segments_wait_and_keep_their_packet() -> None:
    stream = Stream()
    assert stream.add(1005, b"fg") == b""
    assert stream.add(1003, b"de") == b""
    assert stream.reassembly.waiting
    assert stream.add(1000, b"abc") == b"abcdefg"
    assert [item.number for item in stream.given] == [3, 2, 1]
    assert not stream.reassembly.waiting


@pytest.mark.parametrize(
    ("sequence", "data", "fresh"),
    [
        (1000, b"abcd", b""),  # a retransmission
        (1001, b"bc", b""),
        (1002, b"cdef", b"ef"),  # an overlap
        (1000, b"abcdef", b"ef"),
        (999, b"?", b""),  # a keep-alive
        (1003, b"d", b""),
    ],
)
def test_bytes_seen_twice_count_once(sequence: int, data: bytes, fresh: bytes) -> None:
    stream = Stream()
    stream.add(1000, b"abcd")
    assert stream.add(sequence, data) == fresh
    assert stream.missing == []


def test_overlaps_among_waiting_segments() -> None:
    stream = Stream()
    for sequence, data in [(1002, b"cd"), (1002, b"cd"), (1003, b"def"), (1006, b"g"), (1005, b"f")]:
        assert stream.add(sequence, data) == b""
    assert stream.add(1000, b"ab") == b"abcdefg"
    assert stream.reassembly.next_offset == 7


def test_sequence_numbers_wrap() -> None:
    stream = Stream(first=0xFFFFFFFE)
    assert stream.add(1, b"def") == b""
    assert stream.add(0xFFFFFFFE, b"abc") == b"abcdef"
    assert stream.reassembly.next_offset == 6


def test_a_stream_of_more_than_4_gigabytes() -> None:
    stream = Stream(first=7)
    size = 1 << 29
    for turn in range(10):  # the capture kept one byte of each
        assert stream.add(7 + turn * size, b"x", size) == b"x"
    assert stream.reassembly.next_offset == 10 * size
    assert stream.given[-2] == StreamPiece(9 * size, b"x", 1.0, 10)


def test_what_the_capture_cut_off_is_missing() -> None:
    stream = Stream()
    assert stream.add(1000, b"ab", 5) == b"ab"
    assert stream.add(1005, b"", 3) == b""
    assert stream.add(1008, b"cd") == b"cd"
    assert stream.missing == [(2, 3), (5, 3)]


def test_a_hole_is_given_up_when_the_partner_acknowledged_it() -> None:
    stream = Stream()
    stream.add(1000, b"ab")
    stream.add(1005, b"fg")
    assert stream.tick(10 * tcp.GAP_PATIENCE) == b""  # the segment may still come
    stream.reassembly.acknowledged = 1007
    assert stream.tick(tcp.GAP_PATIENCE - 1) == b""
    assert stream.tick() == b"fg"
    assert stream.given[1] == MissingBytes(2, 3, 0.2, 2)


def test_a_hole_may_be_filled_after_its_acknowledgement() -> None:
    stream = Stream()
    stream.add(1002, b"cd")
    stream.reassembly.acknowledged = 1004
    stream.tick(tcp.GAP_PATIENCE - 1)
    assert stream.add(1000, b"ab") == b"abcd"
    assert stream.missing == []


def test_no_more_waits_than_the_limits_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "MAX_PENDING_BYTES", 10)
    stream = Stream()
    assert stream.add(1001, b"x" * 10) == b""
    assert stream.add(1012, b"y") == b"x" * 10
    assert stream.missing == [(0, 1)]
    monkeypatch.setattr(tcp, "MAX_PENDING_SEGMENTS", 2)
    stream = Stream()
    for start in (1001, 1003):
        assert stream.add(start, b"z") == b""
    assert stream.add(1005, b"z") == b"z"


def test_all_streams_share_a_budget() -> None:
    budget = PendingBudget(10)
    first, second = Stream(budget=budget), Stream(budget=budget)
    first.add(1001, b"x" * 6)
    assert second.add(1001, b"y" * 6) == b"y" * 6
    assert budget.used == 6
    first.flush()
    assert budget.used == 0


def test_the_end_gives_what_waits_and_what_is_missing() -> None:
    stream = Stream()
    stream.add(1002, b"c")
    stream.add(1005, b"f")
    stream.reassembly.finish_at(1008)
    assert not stream.reassembly.ended
    assert stream.flush() == b"cf"
    assert stream.missing == [(0, 2), (3, 2), (6, 2)]
    assert stream.reassembly.ended


def test_acknowledged_bytes_that_never_came_are_missing_at_the_end() -> None:
    stream = Stream()
    stream.add(1000, b"ab")
    stream.reassembly.acknowledged = 1003  # may be a FIN
    assert stream.flush() == b""
    assert stream.missing == []
    stream.reassembly.acknowledged = 1010
    stream.flush()
    assert stream.given[-1] == MissingBytes(2, 8, 99.0, 99)


def test_a_start_in_the_middle_finds_the_lowest_segment() -> None:
    stream = Stream(first=None)
    assert stream.add(5010, b"klm") == b""
    assert stream.add(5000, b"abcdefghij") == b""
    assert stream.tick(tcp.START_PATIENCE) == b"abcdefghijklm"
    assert (stream.given[0].offset, stream.reassembly.from_syn) == (0, False)
    assert stream.add(5013, b"n") == b"n"


def test_a_late_syn_settles_the_start() -> None:
    stream = Stream(first=None)
    stream.add(1003, b"def")
    assert stream.take(stream.reassembly.begin(1000)) == b""
    assert stream.add(1000, b"abc") == b"abcdef"
    assert stream.missing == []


def test_a_keep_alive_does_not_start_a_stream() -> None:
    stream = Stream(first=None)
    stream.reassembly.acknowledged = 5001
    assert stream.add(5000, b"\0") == b""
    stream.add(5001, b"abc")
    assert stream.flush() == b"abc"


def test_a_stream_in_the_middle_that_only_closes() -> None:
    stream = Stream(first=None)
    stream.reassembly.finish_at(5003)
    stream.add(5000, b"abc")
    assert stream.flush() == b"abc"
    assert stream.missing == []
    assert stream.reassembly.ended


def test_far_off_segments_count_only_when_a_second_follows() -> None:
    stream = Stream()
    stream.add(1000, b"ab")
    far = 1002 + MAX_WINDOW + 1
    assert stream.add(far, b"xy") == b""
    assert stream.add(far, b"xy") == b""
    assert stream.add(1002, b"cd") == b"cd"
    assert stream.reassembly.strays == 2
    assert stream.add(far + 2, b"z") == b"z"
    assert stream.missing == [(4, far - 1002)]
    assert stream.add(far + 3, b"!") == b"!"
