"""Waits by their ends, against a plain list of all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager import GetOptions, Waiter
from mqbridge.bridge.queue_manager.getting.waits import Waits
from mqbridge.bridge.queue_manager.objects import Definition, Kind
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.protocol.constants import MQGMO

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "pop", "again", "pass"]),
        st.integers(0, 200),
        st.none() | st.integers(0, 50).map(float),
        st.booleans(),
    ),
    max_size=200,
)


@pytest.mark.spec("mqi.md 8")
@given(STEPS)
def test_waits_are_found_by_their_ends(steps: list[tuple[str, int, float | None, bool]]) -> None:
    waits, now = Waits(), 0.0
    queue = LocalQueue(Definition(Kind.QLOCAL, "Q", {}, 1), set())
    waiting: list[Waiter] = []
    gone: list[Waiter] = []

    def begin(waiter: Waiter) -> None:
        waits.add(waiter, queue)
        waiting.append(waiter)

    for step, which, until, marks in steps:
        if step == "add":
            begin(Waiter(None, GetOptions(MQGMO.UNMARKED_BROWSE_MSG if marks else MQGMO.WAIT), until))
        elif step == "pop" and waiting:
            waiter = waiting.pop(which % len(waiting))
            gone.append(waiter)
            assert waits.pop(waiter) is queue
            assert waits.pop(waiter) is None
        elif step == "again" and gone:
            waiter = gone.pop(which % len(gone))
            waiter.until = until
            begin(waiter)
        elif step == "pass":
            now = float(which % 50)
            over = []
            for waiter in waits.ended(now):
                assert waits.pop(waiter) is queue
                over.append(waiter)
            assert {id(each) for each in over} == {
                id(each) for each in waiting if each.until is not None and each.until <= now
            }
            waiting = [each for each in waiting if each not in over]
        assert list(waits) == waiting
        assert waits.next_end() == min((each.until for each in waiting if each.until is not None), default=None)
        assert waits.for_marks() == (
            {queue} if any(each.options.options & MQGMO.UNMARKED_BROWSE_MSG for each in waiting) else set()
        )
