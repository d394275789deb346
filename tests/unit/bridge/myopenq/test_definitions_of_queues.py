"""The queues that CREATE has made, as rows of the store."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.myopenq.definitions import TABLE, Definitions
from mqbridge.bridge.store.interface import PutRecord, StoreDamaged
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.myopenq import Create, QueueType

LOCAL = Create("ORDERS", 100, 80, QueueType.LOCAL, timeout=5)
REMOTE = Create("Qa", 10, 1024, QueueType.REMOTE, "10.0.0.7", 9803, remote_name="Qb")


class Told:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def created(self, queue: Create) -> None:
        self.events.append(("created", queue.queue))

    def deleting(self, name: str) -> None:
        self.events.append(("deleting", name))


@pytest.mark.spec("M-060", "M-062")
def test_queues_are_read_again_at_the_next_start() -> None:
    store = MemoryStore()
    definitions = Definitions(store)
    assert store.commit([[*definitions.add(LOCAL), *definitions.add(REMOTE)]]) == [None]
    again = Definitions(store)
    assert list(again) == [LOCAL, REMOTE]
    assert again.remote == [REMOTE]
    assert store.commit([again.remove("ORDERS")]) == [None]
    assert list(Definitions(store)) == [REMOTE]
    assert again.get("ORDERS") is None


@pytest.mark.spec("M-061", "M-062")
def test_senders_hear_of_remote_queues_alone() -> None:
    definitions, told = Definitions(MemoryStore()), Told()
    definitions.follow(told)
    for queue in (LOCAL, REMOTE):
        definitions.add(queue)
        definitions.made(queue)
    for queue in (LOCAL, REMOTE):
        definitions.leaving(queue)
    definitions.made(REMOTE)
    assert told.events == [("created", "Qa"), ("deleting", "Qa"), ("created", "Qa")]


@pytest.mark.parametrize("value", [b"", b"[]", b"{}", b'{"type": "X"}', b'{"type": "L", "size": 1, "more": 2}'])
def test_a_row_that_cannot_be_read_is_damage(value: bytes) -> None:
    store = MemoryStore()
    store.commit([[PutRecord(TABLE, b"ORDERS", value)]])
    with pytest.raises(StoreDamaged, match="queue of MyOpenQ"):
        Definitions(store)
