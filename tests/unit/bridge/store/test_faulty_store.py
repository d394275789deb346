"""The store of the fault simulation: what a crash takes and what it leaves."""

from __future__ import annotations

from random import Random

import pytest

from bridge.store.faulty import Crash, FaultyStore
from bridge.store.interface import AddMessage, ChunkMissing, PutRecord, StagedBody, StoreFull


def test_a_crash_takes_what_was_not_committed() -> None:
    store = FaultyStore(Random(1))
    kept = store.stage(b"kept")
    lost = store.stage(b"lost")
    spilled = store.spill(b"spilled")
    assert store.commit([[AddMessage(1, 1, b"i", StagedBody([kept], [4]))]]) == [None]
    after = store.restart()
    assert after.read(1, 1) == b"kept"
    for call, number in ((after.read_staged, lost), (after.read_spilled, spilled)):
        with pytest.raises(ChunkMissing):
            call(number)
    with pytest.raises(Crash):
        store.read(1, 1)


def test_no_handler_of_errors_swallows_a_crash() -> None:
    assert not issubclass(Crash, Exception)


@pytest.mark.parametrize("step", range(1, 6))
def test_a_crash_at_a_step_leaves_a_prefix_of_the_units(step: int) -> None:
    seen = set()
    for seed in range(40):
        store = FaultyStore(Random(seed), crash_at={step})
        units = [[PutRecord("t", b"%d" % at, b"")] for at in range(20)]
        answered = 2 * (step - 1)
        for at in range(0, answered, 2):
            assert store.commit(units[at : at + 2]) == [None, None]
        with pytest.raises(Crash):
            store.commit(units[answered : answered + 2])
        assert store.crashed
        found = sum(1 for _ in store.restart().records("t"))
        seen.add(found - answered)
    assert seen == {0, 1, 2}


def test_the_seed_decides_everything() -> None:
    def run(seed: int) -> list[str]:
        store = FaultyStore(Random(seed), crash_rate=0.05, full_rate=0.1)
        history = []
        for at in range(300):
            try:
                (answer,) = store.commit([[AddMessage(1, at, b"", b"")]])
                assert answer is None or isinstance(answer, StoreFull)
            except Crash:
                history += store.history
                store = store.restart()
        return history + store.history

    assert run(7) == run(7)
    assert run(7) != run(8)
    assert any("crash" in line for line in run(7))
    assert any("full" in line for line in run(7))


def test_steps_are_counted_over_restarts() -> None:
    store = FaultyStore(Random(1), crash_at={3})
    store.record("t", b"")
    store = store.restart()
    store.record("t", b"")
    with pytest.raises(Crash, match="step 3: crash at record"):
        store.record("t", b"")
