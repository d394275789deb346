"""A store over an adapter is killed at each operation of the adapter and at each byte of a write: units are whole."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.store import adapter_draft
from mqbridge.bridge.store.adapter_rows import BODY, FORMAT, INTENT, MESSAGE, STAGED, encode_version, numbered, sealed
from mqbridge.bridge.store.adapter_store import AdapterStore
from mqbridge.bridge.store.interface import (
    AddMessage,
    ChangeMessage,
    DropQueue,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    StagedBody,
    StoreDamaged,
    StoreFailed,
    StoreFull,
    StoreNewer,
    Unit,
)
from support.queue_manager.torn_adapter import TornAdapter, read_object

LONG = b"a body in an object of its own"
Shown = tuple[Any, ...]


@pytest.fixture(autouse=True)
def _short_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter_draft, "INLINE", 8)


def opened(objects: dict[str, bytes] | None = None, room: int = 1 << 40) -> tuple[TornAdapter, AdapterStore]:
    adapter = TornAdapter(objects, room)
    return adapter, AdapterStore(adapter)


def shown(store: AdapterStore) -> Shown:
    """All that a store has."""
    messages = [(*row, store.read(row[0], row[1])) for row in store.scan_all()]
    branches = [(name, len(operations)) for name, operations in store.branches()]
    return messages, list(store.records("t")), branches


def units(store: AdapterStore) -> list[list[Unit]]:
    """What is committed, in commits of one or more units."""

    def staged(text: bytes) -> StagedBody:
        return StagedBody([store.staged.write(text)], [len(text)], b">", b"<")

    return [
        [[AddMessage(1, 1, b"i", b"short"), PutRecord("t", b"k", b"1")]],
        [[AddMessage(1, 2, b"i", LONG)], [AddMessage(1, 2, b"i", LONG * 2)], [AddMessage(1, 3, b"j", LONG)]],
        [[AddMessage(2, 2**64 - 1, b"s", staged(b"part")), RemoveMessage(1, 1), ChangeMessage(1, 2, b"changed")]],
        [[PutRecord("t", b"k", b"two"), PutRecord("t", b"l", b""), RemoveMessage(1, 3)]],
        [[PrepareBranch(b"b", [AddMessage(3, 1, b"b", staged(b"in doubt")), RemoveRecord("t", b"k")])]],
        [[PrepareBranch(b"c", [AddMessage(3, 2, b"c", staged(b"not")), AddMessage(3, 3, b"c", LONG)])]],
        [[ResolveBranch(b"b", commit=True), ResolveBranch(b"c", commit=False)]],
        [[DropQueue(2), RemoveMessage(3, 1), RemoveRecord("t", b"l")], [AddMessage(2, 1, b"n", b"again")]],
    ]


def run(adapter: TornAdapter, store: AdapterStore) -> list[tuple[int, Shown]]:
    """Commit all. Returns what is there after each commit, with the number of operations until then."""
    found = [(len(adapter.history), shown(store))]
    for each in units(store):
        store.commit(each)
        found.append((len(adapter.history), shown(store)))
    return found


def referred(objects: dict[str, bytes], adapter: TornAdapter) -> bool:
    """Whether each body and part belongs to a message; branches apart."""
    bodies = sum(name[0] in (BODY, STAGED) for name in objects)
    data = b"".join(read_object(adapter, name) for name in objects if name[0] == MESSAGE)
    branches = any(name[0] == "x" for name in objects)
    return branches or bodies <= len(data)


@pytest.mark.spec("E-137", "E-140", "E-461", "SC-27")
def test_a_unit_is_whole_or_absent_wherever_its_process_is_killed() -> None:
    adapter, store = opened()
    staged = run(adapter, store)
    states = [state for _, state in staged]
    count = 0
    for at, left in adapter.crashes():
        done = sum(number <= at for number, _ in staged)
        survivor, after = opened(left)
        found = shown(after)
        assert found in states[max(done - 1, 0) : done + 1], f"operation {at}: {adapter.history[at][1]}"
        assert referred(survivor.objects, survivor)
        count += 1
        if count % 16 == 0:
            assert after.commit([[AddMessage(9, 9, b"more", LONG), PutRecord("t", b"k", b"more")]]) == [None]
            assert after.read(9, 9) == LONG
            assert shown(opened(survivor.objects)[1]) == shown(after)
    assert count > 1500


@pytest.mark.spec("E-461")
def test_a_start_that_is_killed_is_begun_again() -> None:
    adapter, store = opened()
    staged = run(adapter, store)
    states = [state for _, state in staged]
    for _, left in list(adapter.crashes(7)):
        survivor, first = opened(left)
        for _, again in survivor.crashes(11):
            assert shown(opened(again)[1]) == shown(first)
        assert shown(first) in states


def test_what_is_answered_as_full_has_not_happened_and_what_was_there_stays() -> None:
    whole, store = opened()
    run(whole, store)
    most = sum(map(len, whole.objects.values()))
    for room in range(40, most + 400, 13):
        try:
            adapter, store = opened(room=room)
        except StoreFull:
            continue
        before = shown(store)
        for number in range(12):
            add = [AddMessage(1, number, b"index", LONG if number % 3 else b"short")]
            (answer,) = store.commit([add])
            assert answer is None or isinstance(answer, StoreFull)
            after = shown(store)
            assert (after == before) == (answer is not None)
            assert shown(opened(dict(adapter.objects))[1]) == after
            before = after
        adapter.room = 1 << 40
        assert store.commit([[AddMessage(2, 1, b"index", LONG)]]) == [None]
        assert shown(opened(dict(adapter.objects))[1]) == shown(store)


def test_a_unit_that_is_too_big_does_not_affect_the_others() -> None:
    adapter, store = opened(room=400)
    big = [AddMessage(1, 2, b"", LONG * 100)]
    answers = store.commit([[AddMessage(1, 1, b"", b"a")], big, [AddMessage(1, 3, b"", b"b")]])
    assert [answer is None for answer in answers] == [True, False, True]
    assert shown(opened(dict(adapter.objects))[1]) == shown(store)


def test_an_adapter_that_fails_ends_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter, store = opened()
    assert store.commit([[PutRecord("t", b"k", b"1")]]) == [None]

    def fail(data: bytes) -> None:
        raise StoreDamaged("input/output error", "here")

    monkeypatch.setattr(adapter, "write", fail)
    for _ in range(2):
        assert isinstance(store.commit([[PutRecord("t", b"k", b"2")]])[0], StoreFailed)
    monkeypatch.undo()
    assert isinstance(store.commit([[PutRecord("t", b"k", b"3")]])[0], StoreFailed)
    assert store.record("t", b"k") == b"1"


def test_damage_is_told_where_it_is_read_and_what_is_whole_stays() -> None:
    adapter, store = opened()
    assert store.commit([[AddMessage(1, 1, b"i", b"short"), AddMessage(1, 2, b"i", LONG)]]) == [None]
    assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    store.close()
    for name in list(adapter.objects):
        if name[0] not in (MESSAGE, BODY):
            continue
        objects = dict(adapter.objects)
        objects[name] = objects[name][:-1] + bytes([objects[name][-1] ^ 1])
        after = opened(objects)[1]
        position = 2 if name[0] == BODY or name.endswith("2") else 1
        with pytest.raises(StoreDamaged, match=name):
            after.read(1, position)
        assert len(after.read(1, 3 - position)) in (5, 30)
        if name[0] == MESSAGE:
            assert isinstance(after.commit([[RemoveMessage(1, position)]])[0], StoreDamaged)


def test_an_intent_that_was_torn_is_told_once() -> None:
    adapter, store = opened()
    assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    adapter.objects[INTENT] = adapter.objects[INTENT][:-1]
    after = opened(adapter.objects)[1]
    assert "intent" in (after.take_note() or "")
    assert after.take_note() is None
    assert after.record("t", b"k") == b"v"


def test_other_objects_are_no_store_and_a_newer_store_is_left_alone() -> None:
    with pytest.raises(StoreDamaged, match="no store"):
        opened({"holiday.jpg": b"beach"})
    newer = {FORMAT: sealed(FORMAT, encode_version()[:-1] + b"\2")}
    with pytest.raises(StoreNewer):
        opened(newer)
    assert newer == {FORMAT: newer[FORMAT]}


def test_a_body_is_not_in_memory() -> None:
    adapter, store = opened()
    for number in range(50):
        assert store.commit([[AddMessage(1, number, b"", bytes(100_000))]]) == [None]
    assert not store.objects.pending
    assert numbered(BODY, 50) in adapter.objects
    assert store.read(1, 49, 99_990) == bytes(10)
