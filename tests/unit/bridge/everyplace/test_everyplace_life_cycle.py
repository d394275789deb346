"""SC-24: a queue manager from its creation to its end (mqe.md 12)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.creation import StandardQueue, create, delete
from mqbridge.bridge.everyplace.definitions.manager_properties import ManagerProperties
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.registry import TABLE, Registry
from mqbridge.bridge.store.interface import PutRecord, Store
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.protocol.everyplace.calls import Put
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

INCARNATION = b"12345678"


def opened(store: Store) -> QueueManager:
    return QueueManager(store, random.Random(1))


def put(manager: QueueManager, store: Store, queue: str) -> None:
    manager.call(Put(Address(queue, manager.name), Message()), lambda _: None, 1000.0)
    for pending in manager.take_commits():
        manager.committed(pending, store.commit([pending.operations])[0])


@pytest.mark.spec("E-215", "E-216", "E-217", "E-218", "E-219", "E-220", "E-221", "E-222", "E-223", "E-230", "SC-24")
def test_a_queue_manager_is_created_with_its_four_queues(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    properties = ManagerProperties("on the roof", channel_timeout=7000, dead_letter_queue="LOST")
    assert store.commit([create(store, "MOON", INCARNATION, properties, 5)]) == [None]
    store.close()
    store = SqliteStore(tmp_path / "moon.mqe")
    manager = opened(store)
    assert (manager.name, manager.incarnation) == ("MOON", INCARNATION)
    assert manager.objects.properties == properties
    names = sorted(queue.name for queue in manager.queues)
    assert names == ["AdminQ", "AdminReplyQ", "LOST", "SYSTEM.DEFAULT.LOCAL.QUEUE"]
    assert len({queue.definition.number for queue in manager.queues}) == 4
    assert all(queue.definition.created == 5 for queue in manager.queues)
    with pytest.raises(EveryplaceError, match="MOON is here") as found:
        create(store, "MARS", INCARNATION)
    assert found.value.code is Code.NOT_ALLOWED


@pytest.mark.spec("E-220", "E-237")
def test_standard_queues_may_be_defined_one_by_one() -> None:
    store = MemoryStore(MemoryTables())
    store.commit([create(store, "MOON", INCARNATION, standard_queues=False)])
    manager = opened(store)
    outcomes = []
    for standard in (StandardQueue.DEAD_LETTER, StandardQueue.DEAD_LETTER):
        manager.define_queue(standard.definition("MOON", manager.objects.properties), outcomes.append)
        for pending in manager.take_commits():
            manager.committed(pending, store.commit([pending.operations])[0])
    assert [type(each).__name__ for each in outcomes] == ["Done", "Refused"]
    assert outcomes[1].code is Code.Q_ALREADY_EXISTS


@pytest.mark.spec("E-237", "E-238", "SC-24")
def test_one_with_messages_is_deleted_by_force_alone() -> None:
    store = MemoryStore(MemoryTables())
    store.commit([[PutRecord("another", b"key", b"value")]])
    store.commit([create(store, "MOON", INCARNATION)])
    put(opened(store), store, "SYSTEM.DEFAULT.LOCAL.QUEUE")
    with pytest.raises(EveryplaceError, match=r"SYSTEM\.DEFAULT\.LOCAL\.QUEUE@MOON holds") as found:
        delete(store)
    assert found.value.code is Code.Q_NOT_EMPTY
    assert len(opened(store).queues) == 4
    assert store.commit([delete(store, force=True)]) == [None]
    assert not list(store.queues())
    assert not list(store.records(TABLE))
    assert store.record("another", b"key") == b"value"
    for action in (delete, opened):
        with pytest.raises(EveryplaceError, match="no queue manager") as found:
            action(store)
        assert found.value.code is Code.NOT_FOUND
    store.commit([create(store, "MOON", b"87654321")])
    assert store.commit([delete(store)]) == [None]


@pytest.mark.spec("E-215", "E-232")
def test_several_in_one_process_know_nothing_of_each_other() -> None:
    stores = [MemoryStore(MemoryTables()) for _ in range(3)]
    for name, store in zip(("MOON", "MARS", "VENUS"), stores, strict=True):
        store.commit([create(store, name, name.encode().ljust(8))])
    managers = [opened(store) for store in stores]
    put(managers[1], stores[1], "DeadLetterQ")
    sizes = [sum(len(queue.messages) for queue in manager.queues if queue.messages) for manager in managers]
    assert sizes == [0, 1, 0]


@pytest.mark.spec("E-224")
def test_a_registry_that_is_newer_or_damaged_is_refused() -> None:
    store = MemoryStore(MemoryTables())
    store.commit([create(store, "MOON", INCARNATION)])
    data = store.record(TABLE, b"manager")
    assert data is not None
    later = restore(data)
    later.put("version", 2, FieldType.INT)
    store.commit([[PutRecord(TABLE, b"manager", dump(later))]])
    with pytest.raises(EveryplaceError, match="version 2") as found:
        opened(store)
    assert found.value.code is Code.REGISTRY_NEWER
    for damaged in (b"", b"\0\0", data[:-3], b"\xff" * 40, dump(Message())):
        store.commit([[PutRecord(TABLE, b"manager", damaged)]])
        with pytest.raises(EveryplaceError) as found:
            opened(store)
        assert found.value.code is Code.STORE
    assert Registry(store).last_time() == 0
