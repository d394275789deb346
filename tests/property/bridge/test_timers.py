"""Deadlines against the plainest model: a dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bridge.agents.timers import Timers

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, 4), st.one_of(st.none(), st.integers(0, 30))),
        st.tuples(st.just("due"), st.integers(0, 30), st.none()),
    ),
    max_size=60,
)


@given(STEPS)
def test_the_due_keys_are_those_whose_deadline_has_come(steps):
    timers, model = Timers(), {}
    for verb, key, when in steps:
        if verb == "set":
            timers.set(key, when)
            model.pop(key, None)
            if when is not None:
                model[key] = when
        else:
            expected = {name for name, deadline in model.items() if deadline <= key}
            found = timers.due(key)
            assert set(found) == expected
            assert len(found) == len(expected)
            assert [model[name] for name in found] == sorted(model[name] for name in found)
            for name in expected:
                del model[name]
        assert timers.next() == min(model.values(), default=None)
        assert len(timers) == len(model)


def test_a_deadline_put_off_again_and_again_leaves_one_entry():
    timers = Timers()
    for when in range(1000):
        timers.set("key", None)
        timers.set("key", float(when))
        timers.next()
    assert len(timers._heap) == 1
