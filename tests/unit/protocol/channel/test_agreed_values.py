"""Values agreed in negotiation and the sequence of numbers, as pure functions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import (
    agreed_heartbeat,
    agreed_limit,
    longest_message,
    longest_segment,
    receive_timeout,
)
from mqbridge.protocol.channel.sequence import is_number, next_number, number_after


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(("one", "other", "agreed"), [(50, 20, 20), (20, 50, 20), (0, 20, 20), (20, 0, 20), (0, 0, 0)])
def test_the_lower_limit_counts_and_nothing_says_nothing(one: int, other: int, agreed: int) -> None:
    assert agreed_limit(one, other) == agreed


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(("one", "other", "agreed"), [(300, 60, 300), (60, 300, 300), (0, 60, 0), (60, 0, 0)])
def test_the_longer_heartbeat_counts_unless_an_end_wants_none(one: int, other: int, agreed: int) -> None:
    assert agreed_heartbeat(one, other) == agreed


def test_a_message_that_is_not_split_has_the_room_of_a_segment() -> None:
    assert longest_message(4_000_000, 32_766, split=True) == 4_000_000
    assert longest_message(4_000_000, 32_766, split=False) == 32_766 - 476
    assert longest_message(100, 32_766, split=False) == 100


def test_a_segment_may_exceed_the_agreed_size_by_its_header() -> None:
    assert longest_segment(1024) == 1024 + inferred.SEGMENT_LENGTH_TOLERANCE


@pytest.mark.spec("channels.md 6.1")
@pytest.mark.parametrize(("interval", "limit"), [(0, None), (10, 20), (60, 120), (300, 360)])
def test_silence_ends_after_twice_the_interval_or_a_minute_more(interval: int, limit: float | None) -> None:
    assert receive_timeout(interval) == limit


@pytest.mark.spec("channels.md 5.3 rule 1")
@given(st.integers(0, 130), st.integers(0, 400), st.integers(100, 120))
def test_the_number_after_so_many_messages(sequence: int, count: int, wrap: int) -> None:
    number = sequence
    for _ in range(count):
        number = next_number(number, wrap)
        assert is_number(number, wrap)
    assert number_after(sequence, count, wrap) == number


def test_zero_and_numbers_over_the_wrap_value_are_none() -> None:
    assert [is_number(number, 100) for number in (0, 1, 100, 101)] == [False, True, True, False]
