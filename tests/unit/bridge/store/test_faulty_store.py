"""The store of the fault simulation: what a crash takes and what it leaves."""

from __future__ import annotations

from random import Random

import pytest

from mqbridge.bridge.store.interface import (
    AddMessage,
    ChunkMissing,
    PutRecord,
    RemoveMessage,
    StagedBody,
    StoreDamaged,
    StoreFull,
)
from support.queue_manager.faulty_store import Crash, FaultyStore


def test_a_crash_takes_what_was_not_committed() -> None:
    store = FaultyStore(Random(1))
    kept = store.staged.write(b"kept")
    lost = store.staged.write(b"lost")
    spilled = store.spilled.write(b"spilled")
    assert store.commit([[AddMessage(1, 1, b"i", StagedBody([kept], [4]))]]) == [None]
    after = store.restart()
    assert after.read(1, 1) == b"kept"
    for call, number in ((after.staged.read, lost), (after.spilled.read, spilled)):
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


def damaged_store(*, at_start: bool) -> FaultyStore:
    for seed in range(100):
        store = FaultyStore(Random(seed), damage_rate=1.0)
        assert store.commit([[AddMessage(1, at, b"index", b"body %d" % at) for at in range(3)]]) == [None]
        after = store.restart()
        after.damage_rate = 0.0
        assert len(after.damaged) == 1
        if after._blocks[after.damaged[0]] == at_start:
            return after
    raise AssertionError("no seed does that")


def test_a_block_that_a_start_reads_is_refused_until_it_is_repaired() -> None:
    store = damaged_store(at_start=True)
    (queue, at) = store.damaged[0]
    for _ in range(2):
        with pytest.raises(StoreDamaged, match=f"queue {queue}, position {at}"):
            list(store.scan_all())
        store = store.restart()
    assert store.repair() == [b"body %d" % at]
    assert sorted(row[1] for row in store.scan_all()) == sorted({0, 1, 2} - {at})
    assert store.damaged == []


def test_a_damaged_body_is_refused_when_it_is_read() -> None:
    store = damaged_store(at_start=False)
    ((queue, at),) = store.damaged
    assert len(list(store.scan_all())) == 3
    with pytest.raises(StoreDamaged, match=f"queue {queue}, position {at}"):
        store.read(queue, at)
    others = sorted({0, 1, 2} - {at})
    assert store.read_many(1, others) == [b"body %d" % each for each in others]
    assert store.commit([[RemoveMessage(queue, at)]]) == [None]
    assert store.damaged == []
    assert store.repair() == []
