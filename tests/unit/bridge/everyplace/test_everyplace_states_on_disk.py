"""The table of states before and after a restart, on each durable store: all cells in one store (mqe.md 7, E-151)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.queues.stored_messages import Limits, StoredMessages
from mqbridge.bridge.everyplace.states import State
from mqbridge.bridge.store.descriptors import open_described
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.filters import Filter
from support.everyplace_states import NONE, NOW, NUMBER, ROWS, STATES, Queue, drive
from support.queue_manager.database_adapter import DatabaseAdapter

CELLS = [(state, call, *cell) for call, cells in ROWS.values() for state, cell in zip(STATES, cells, strict=True)]
Open = Callable[[Path], Store]
STORES: dict[str, Open] = {
    "sqlite": lambda folder: open_described(f"sqlite:{folder}/moon.mqe"),
    "files": lambda folder: open_described(f"files:{folder}/files"),
    "lmdb": lambda folder: LmdbStore(folder, map_size=64 << 20),
    "database": lambda folder: open_described(f"database:{folder}/objects", {"database": DatabaseAdapter}),
}


def queue_of(store: Store, at: int) -> Queue:
    """The queue of a cell, as a start finds it."""
    found = Queue(store)
    found.number = NUMBER + at
    found.messages = StoredMessages(found.number, "Q@MOON", store, Limits())
    return found


@pytest.mark.spec("E-137", "E-145", "E-146", "E-147", "E-148", "E-149", "E-151", "E-461", "SC-06", "SC-27")
@pytest.mark.parametrize("restarted", [False, True], ids=["", "restarted"])
@pytest.mark.parametrize("kind", STORES)
def test_all_cells_on_a_durable_store(kind: str, tmp_path: Path, *, restarted: bool) -> None:
    store = STORES[kind](tmp_path)
    queues = [queue_of(store, at) for at in range(len(CELLS))]
    for queue, (state, _, _, _) in zip(queues, CELLS, strict=True):
        drive(queue, state)
    if restarted:
        store.close()
        store = STORES[kind](tmp_path)
        queues = [queue_of(store, at) for at in range(len(CELLS))]
    seen = []
    for queue, (state, call, answer, after) in zip(queues, CELLS, strict=True):
        assert queue.state() == state
        if answer is None:
            queue.do(call(queue.messages))
        else:
            with pytest.raises(EveryplaceError) as caught:
                call(queue.messages)
            assert caught.value.code is answer
        assert queue.state() == after
        seen.append((queue.messages.browse_uids(Filter(), NOW), len(queue.messages)))
    store.close()
    store = STORES[kind](tmp_path)
    for at, ((_, _, _, after), before) in enumerate(zip(CELLS, seen, strict=True)):
        queue = queue_of(store, at)
        assert queue.state() == after
        assert (queue.messages.browse_uids(Filter(), NOW), len(queue.messages)) == before
        assert len(queue.messages) == (0 if after == NONE else 1)
        assert after in (NONE, *State)
    store.close()
