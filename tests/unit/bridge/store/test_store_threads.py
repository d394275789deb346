"""The main thread reads, stages and spills while the writer commits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from mqbridge.bridge.store.interface import AddMessage, MessageMissing, PutRecord, RemoveMessage, StagedBody, Store
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.memory import MemoryStore

ROUNDS = 300


@pytest.fixture(params=["lmdb", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = LmdbStore(tmp_path) if request.param == "lmdb" else MemoryStore()
    yield store
    store.close()


def test_a_reader_sees_units_whole(store: Store) -> None:
    """Each unit moves the two messages of a pair on by one and records how far they are."""
    answers = []
    unit = [AddMessage(1, 0, b"0", b"0" * 3000), AddMessage(2, 0, b"0", b"0" * 3000)]
    assert store.commit([unit]) == [None]

    begun, finished = Event(), Event()

    def write() -> None:
        for at in count():
            if finished.is_set():
                return
            unit = [PutRecord("state", b"at", b"%d" % (at + 1))]
            for queue in (1, 2):
                unit.append(RemoveMessage(queue, at))
                unit.append(AddMessage(queue, at + 1, b"%d" % (at + 1), b"%d" % (at + 1) * 3000))
            answers.extend(store.commit([unit]))
            begun.set()

    writer = Thread(target=write)
    writer.start()
    assert begun.wait(60)
    reads = 0
    for _ in range(ROUNDS):
        rows = list(store.scan(1))
        assert len(rows) == 1
        position, index, length = rows[0]
        assert index == b"%d" % position
        assert length == 3000 * len(index)
        try:
            assert store.read(2, position) == index * 3000
            reads += 1
        except MessageMissing:
            assert int(store.record("state", b"at") or 0) > position
        chunk = store.staged.write(b"x" * 100)
        assert store.staged.read(chunk) == b"x" * 100
        store.staged.drop([chunk])
        spilled = store.spilled.write(b"y" * 100)
        assert store.spilled.read(spilled) == b"y" * 100
        store.spilled.drop([spilled])
    finished.set()
    writer.join()
    assert set(answers) == {None}
    assert reads


def test_staging_goes_on_while_staged_bodies_are_committed(store: Store) -> None:
    answers = []

    def write(units: list) -> None:
        answers.extend(store.commit(units))

    writer = None
    for at in range(50):
        chunks = [store.staged.write(bytes([at]) * 1000) for _ in range(4)]
        if writer:
            writer.join()
        writer = Thread(target=write, args=([[AddMessage(1, at, b"", StagedBody(chunks, [1000] * 4))]],))
        writer.start()
    writer.join()
    assert answers == [None] * 50
    assert all(store.read(1, at) == bytes([at]) * 4000 for at in range(50))
