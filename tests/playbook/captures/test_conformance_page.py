"""Our machines in the parts of real products, and the page that says how they did."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from mqbridge.captures.differential.conformance import TrafficComparison, conformance_page
from support.project.conformance_runs import encounters

PAGE = Path(__file__).parents[3] / "docs" / "conformance.md"


@cache
def found() -> list[TrafficComparison]:
    return encounters()


@pytest.mark.spec("mq-wire.md 7.9")
def test_nothing_differs_from_real_products_but_what_may() -> None:
    assert [(one.ours, str(difference)) for one in found() for difference in one.tally.different] == []
    assert [one.ours for one in found()] == ["queue manager", "client", "receiver", "sender"]
    assert [one.conversations for one in found()] == [14, 80, 1, 1]
    assert sum(one.tally.fields for one in found()) > 50_000


@pytest.mark.parametrize("number", range(4))
def test_every_mask_is_needed_by_the_traffic_that_it_is_for(number: int) -> None:
    one = found()[number]
    differences = [difference for comparison in one.comparisons for difference in comparison.differences]
    idle = [mask for mask in one.masks if not any(mask.covers(difference) for difference in differences)]
    assert idle == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == conformance_page(found()), "make conformance"
