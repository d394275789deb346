"""The history checker that hostile tests and simulations judge by: each kind of fault is told, and nothing else."""

from __future__ import annotations

import pytest

from support.queue_manager.history import History, Operation


def history(put: str | None, get: str | None, *, persistent: bool = True) -> History:
    """A history of one message, its put and get told so; None where there was none."""
    made = History()
    if put is not None:
        tell(made.put("Q", b"message", persistent=persistent), put)
    if get is not None:
        tell(made.get("Q", b"message"), get)
    return made


def tell(operation: Operation, fate: str) -> None:
    if fate != "unknown":
        getattr(operation, fate)()


@pytest.mark.parametrize(
    ("put", "get", "right", "wrong"),
    [
        ("done", None, {1}, {0: "lost", 2: "doubled"}),
        ("refused", None, {0}, {1: "phantom"}),
        ("unknown", None, {0, 1}, {2: "doubled"}),
        ("done", "unknown", {0, 1}, {2: "doubled"}),
        ("unknown", "refused", {0, 1}, {2: "doubled"}),
        (None, "unknown", {0}, {1: "phantom"}),
        (None, "done", set(), {0: "phantom", 1: "phantom"}),
    ],
)
def test_what_is_found_of_a_message(put: str | None, get: str | None, right: set[int], wrong: dict[int, str]) -> None:
    made = history(put, get)
    for count in right:
        assert not made.judge({"Q": [b"message"] * count}).problems
    for count, kind in wrong.items():
        verdict = made.judge({"Q": [b"message"] * count})
        assert len(getattr(verdict, kind)) == len(verdict.problems) == 1, verdict


def test_a_message_that_was_got_is_doubled_where_it_is_there_again() -> None:
    made = History()
    made.put("Q", b"message").done()
    made.get("Q", b"message").done()
    assert not made.judge({}).problems
    assert made.judge({"Q": [b"message"]}).doubled
    made.get("Q", b"message").done()
    assert made.judge({}).doubled


def test_a_get_that_was_refused_leaves_its_message() -> None:
    made = History()
    made.put("Q", b"message").done()
    made.get("Q", b"message").refused()
    assert made.judge({}).lost
    assert not made.judge({"Q": [b"message"]}).problems


def test_a_message_somewhere_else_is_a_phantom_there_and_lost_here() -> None:
    verdict = history("done", None).judge({"OTHER": [b"message"]})
    assert (len(verdict.lost), len(verdict.phantom)) == (1, 1)


def test_a_loss_that_was_said_and_one_that_may_be() -> None:
    assert not history("done", None).judge({}, said={b"message"}).problems
    assert not history("done", None, persistent=False).judge({}).problems


def test_order_counts_within_a_source_and_after_the_answer() -> None:
    made = History()
    first, second = made.put("Q", b"1", source="a"), made.put("Q", b"2", source="a")
    first.done()
    second.done()
    made.put("Q", b"3", source="a").done()
    made.put("Q", b"4", source="b").done()
    made.put("Q", b"5").done()
    assert not made.judge({"Q": [b"5", b"4", b"2", b"1", b"3"]}).problems
    (line,) = made.judge({"Q": [b"5", b"4", b"3", b"1", b"2"]}).problems
    assert line == "Q b'3' overtook b'1'"
