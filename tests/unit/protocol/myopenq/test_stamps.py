"""Time stamps that make every packet of a sender different."""

from __future__ import annotations

import pytest

from mqbridge.protocol.myopenq import Stamps
from mqbridge.protocol.myopenq.digests import MOST_CONTENTS


@pytest.mark.spec("M-015", "M-016", "M-091", "myopenq.md K-12")
def test_equal_contents_of_one_second_get_different_stamps() -> None:
    stamps = Stamps()
    assert len({stamps.stamp(b"equal", 100) for _ in range(1000)}) == 1000
    assert stamps.stamp(b"other", 100) == 100
    assert stamps.stamp(b"other", 200) == 200


@pytest.mark.spec("M-091")
def test_a_clock_that_goes_back_repeats_nothing() -> None:
    stamps = Stamps()
    assert stamps.stamp(b"equal", 100) < stamps.stamp(b"equal", 50)


@pytest.mark.spec("M-089", "M-091")
def test_what_comes_after_a_restart_is_above_what_was_given() -> None:
    before = Stamps()
    given = {before.stamp(b"equal", 100) for _ in range(5)}
    after = Stamps(before.highest)
    assert after.stamp(b"equal", 100) not in given


def test_many_contents_are_forgotten_together_and_none_is_repeated() -> None:
    stamps = Stamps()
    given = set()
    for number in range(2 * MOST_CONTENTS + 10):
        content = b"%d" % (number % (MOST_CONTENTS + 5))
        stamp = stamps.stamp(content, 100)
        assert (content, stamp) not in given
        given.add((content, stamp))
