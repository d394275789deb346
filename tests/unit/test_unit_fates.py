"""The judge of units of work: each message of the stock is there or was taken, once."""

from __future__ import annotations

from collections import Counter

import pytest

from support.queue_manager.unit_fates import Unit, judge

STOCK = [b"stock 0", b"stock 1"]


def unit(name: bytes, *gets: bytes, fate: str = "committed") -> Unit:
    return Unit(puts=[name], gets=list(gets), fate=fate)


def judged(units: list[Unit], stock: list[bytes], strays: int = 0) -> list[str]:
    target = Counter(unit.puts[0] for unit in units if unit.fate == "committed")
    return list(judge(units, STOCK, target, Counter(stock), set(), strays))


def test_what_was_taken_once_is_right() -> None:
    assert judged([unit(b"a", STOCK[0])], [STOCK[1]]) == []
    assert judged([unit(b"a", STOCK[0], fate="backed out")], STOCK) == []


@pytest.mark.parametrize("strays", [0, 5])
@pytest.mark.parametrize(
    ("units", "stock", "says"),
    [
        ([unit(b"a", STOCK[0]), unit(b"b", STOCK[0])], [STOCK[1]], "there 0, taken 2"),
        ([unit(b"a", STOCK[0], STOCK[0])], [STOCK[1]], "there 0, taken 2"),
        ([unit(b"a", STOCK[0])], STOCK, "there 1, taken 1"),
        ([], [STOCK[0], *STOCK], "there 2, taken 0"),
    ],
)
def test_a_message_that_came_twice_is_found(units: list[Unit], stock: list[bytes], says: str, strays: int) -> None:
    assert judged(units, stock, strays) == [f"stock 0: {says}"]


def test_only_a_get_without_answer_may_have_taken_a_message_unseen() -> None:
    assert judged([], [STOCK[1]]) == ["stock 0: there 0, taken 0"]
    assert judged([], [STOCK[1]], strays=1) == []
    assert judged([], [], strays=1) == ["stock 1: there 0, taken 0"]
