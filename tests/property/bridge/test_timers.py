"""Deadlines against the plainest model: a dictionary."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqbridge.bridge.agents.gateway import timers as timers_module
from mqbridge.bridge.agents.gateway.timers import Timers

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, 4), st.one_of(st.none(), st.integers(0, 30))),
        st.tuples(st.just("due"), st.integers(0, 30), st.none()),
    ),
    max_size=60,
)


@pytest.fixture(params=[2, 64], ids=["cleaned often", "as it is"])
def _cleaned(request, monkeypatch):
    monkeypatch.setattr(timers_module, "_CLEAN_AT", request.param)


@pytest.mark.usefixtures("_cleaned")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_a_deadline_that_comes_nearer_again_and_again_leaves_few_entries():
    timers = Timers()
    timers.set("another", 335.0)
    for batch in range(1000):
        now = batch / 100
        timers.set("key", now + 360)
        assert timers.next() == 335.0
        timers.set("key", now + 300)
        assert timers.next() == now + 300
    assert len(timers._heap) <= 65
    assert timers.due(1000.0) == ["key", "another"]
