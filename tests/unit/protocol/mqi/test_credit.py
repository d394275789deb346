"""The arithmetic of credit, which the machines and the observer go by (client-observed.md O-083, O-085)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import RequestFlags
from mqbridge.protocol.mqi.credit import after_answer, in_transit_after, limit_of, wants_one
from mqbridge.protocol.mqi.states import DeliveryTrigger

SINGLE = int(RequestFlags.SINGLE)


@pytest.mark.parametrize(
    ("requested", "flags", "before", "limit"),
    [(1, 0, 0, 1), (5000, 0, 300, 5000), (5000, SINGLE, 300, 301), (5000, SINGLE, 6000, 5000), (1, SINGLE, 0, 1)],
)
def test_a_request_is_spent_with_its_bytes_or_with_one_message(
    requested: int, flags: int, before: int, limit: int
) -> None:
    assert limit_of(requested, flags, before) == limit


def test_a_single_message_spends_a_credit_of_one_byte() -> None:
    assert wants_one(1, 0)
    assert wants_one(5000, SINGLE)
    assert not wants_one(5000, 0)


def test_what_came_is_no_longer_on_its_way() -> None:
    assert in_transit_after(900, 400, anew=False) == 500
    assert in_transit_after(300, 400, anew=False) == 0
    assert in_transit_after(900, 400, anew=True) == 0


def test_a_check_of_one_that_reads_ahead_outlives_its_answer_while_credit_is_left() -> None:
    assert after_answer(0, spent=False) is DeliveryTrigger.ANSWERED_AHEAD
    assert after_answer(0, spent=True) is DeliveryTrigger.ANSWERED
    assert after_answer(SINGLE, spent=False) is DeliveryTrigger.ANSWERED
