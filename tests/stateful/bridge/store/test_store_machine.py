"""LMDB, SQLite, files, memory and plain dictionaries get the same operations and must give the same answers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
)

from mqbridge.bridge.store import checkpoint, journal, merged_rows, row_file
from mqbridge.bridge.store.adapter_store import AdapterStore
from mqbridge.bridge.store.adapters.files import FilesAdapter
from mqbridge.bridge.store.interface import (
    AddMessage,
    ChangeMessage,
    ChunkMissing,
    DropQueue,
    MessageMissing,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    RowError,
    StagedBody,
    Store,
)
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.bridge.store.sqlite import SqliteStore

QUEUES = st.sampled_from([0, 1, 2, 2**32 - 1])
POSITIONS = st.sampled_from([0, 1, 2, 3, 255, 256, 2**64 - 1])
INDEXES = st.binary(max_size=40)
BODIES = st.one_of(st.binary(max_size=20), st.integers(0, 9000).map(lambda length: bytes(range(256)) * (length // 256)))
TABLES = st.sampled_from(["a", "ab", "b"])
KEYS = st.binary(max_size=3)
BRANCHES = st.sampled_from([b"x", b"xy", b"\xff"])

SIMPLE = st.one_of(
    st.builds(AddMessage, QUEUES, POSITIONS, INDEXES, BODIES),
    st.builds(AddMessage, QUEUES, POSITIONS, INDEXES, st.lists(BODIES, max_size=3)),
    st.builds(RemoveMessage, QUEUES, POSITIONS),
    st.builds(ChangeMessage, QUEUES, POSITIONS, INDEXES),
    st.builds(PutRecord, TABLES, KEYS, st.binary(max_size=20)),
    st.builds(RemoveRecord, TABLES, KEYS),
)
OPERATIONS = st.one_of(
    SIMPLE,
    SIMPLE,
    st.builds(DropQueue, QUEUES),
    st.builds(PrepareBranch, BRANCHES, st.lists(SIMPLE, max_size=3)),
    st.builds(ResolveBranch, BRANCHES, st.booleans()),
)


class Model:
    """What a store must hold: dictionaries, copied for each unit."""

    def __init__(self) -> None:
        self.messages: dict[tuple[int, int], tuple[bytes, bytes]] = {}
        self.records: dict[tuple[str, bytes], bytes] = {}
        self.branches: dict[bytes, list] = {}

    def apply(self, unit: list) -> bool:
        before = dict(self.messages), dict(self.records), dict(self.branches)
        if all(self.apply_one(operation) for operation in unit):
            return True
        self.messages, self.records, self.branches = before
        return False

    def apply_one(self, operation: object) -> bool:
        match operation:
            case AddMessage(queue, position, index, body):
                if (queue, position) in self.messages:
                    return False
                self.messages[queue, position] = index, b"".join(body) if isinstance(body, list) else body
            case RemoveMessage(queue, position):
                return self.messages.pop((queue, position), None) is not None
            case ChangeMessage(queue, position, index):
                if (queue, position) not in self.messages:
                    return False
                self.messages[queue, position] = index, self.messages[queue, position][1]
            case DropQueue(queue):
                self.messages = {key: row for key, row in self.messages.items() if key[0] != queue}
            case PutRecord(table, key, value):
                self.records[table, key] = value
            case RemoveRecord(table, key):
                self.records.pop((table, key), None)
            case PrepareBranch(branch, operations):
                if branch in self.branches:
                    return False
                self.branches[branch] = operations
            case ResolveBranch(branch, commit):
                if branch not in self.branches:
                    return False
                operations = self.branches.pop(branch)
                return not commit or all(map(self.apply_one, operations))
        return True


class StoreMachine(RuleBasedStateMachine):
    """Drives the stores and the model; reopens the durable ones at random."""

    staged = Bundle("staged")
    spilled = Bundle("spilled")

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.lmdb = LmdbStore(self.folder.name, map_size=64 << 20)
        self.memory = MemoryStore()
        self.sqlite = SqliteStore(self.path)
        self.files = self.open_files()
        self.model = Model()
        self.life = 0

    @property
    def path(self) -> Path:
        return Path(self.folder.name, "device.mqe")

    @property
    def stores(self) -> list[Store]:
        return [self.lmdb, self.memory, self.sqlite, self.files]

    def open_files(self) -> AdapterStore:
        adapter = FilesAdapter()
        adapter.activate(f"files:{self.folder.name}/files")
        return AdapterStore(adapter)

    def teardown(self) -> None:
        if hasattr(self, "lmdb"):
            self.lmdb.close()
            self.sqlite.close()
            self.files.close()
            self.folder.cleanup()

    @rule(units=st.lists(st.lists(OPERATIONS, max_size=5), max_size=3))
    def commit(self, units: list) -> None:
        expected = [self.model.apply(unit) for unit in units]
        for store in self.stores:
            answers = store.commit(units)
            assert [answer is None for answer in answers] == expected
            assert all(answer is None or isinstance(answer, RowError) for answer in answers)

    @rule(queue=QUEUES, first=st.integers(0, 1000), bodies=st.lists(BODIES, min_size=1, max_size=30))
    def commit_many(self, queue: int, first: int, bodies: list[bytes]) -> None:
        unit = [AddMessage(queue, first + at, b"index", body) for at, body in enumerate(bodies)]
        expected = self.model.apply(unit)
        for store in self.stores:
            assert (store.commit([unit])[0] is None) == expected

    @rule(target=staged, chunks=st.lists(st.binary(min_size=1, max_size=5000), min_size=1, max_size=3))
    def stage(self, chunks: list[bytes]) -> tuple:
        return self.life, chunks, [[store.staged.write(chunk) for chunk in chunks] for store in self.stores]

    @rule(
        staged=consumes(staged),
        queue=QUEUES,
        position=POSITIONS,
        head=st.binary(max_size=5),
        tail=st.binary(max_size=5),
        branch=st.one_of(st.none(), BRANCHES),
    )
    def commit_staged(
        self, staged: tuple, queue: int, position: int, head: bytes, tail: bytes, branch: bytes | None
    ) -> None:
        life, chunks, numbers = staged
        if life != self.life:
            return
        body = head + b"".join(chunks) + tail
        operation = AddMessage(queue, position, b"staged", body)
        expected = self.model.apply([PrepareBranch(branch, [operation]) if branch else operation])
        for store, own in zip(self.stores, numbers, strict=True):
            assert b"".join(map(store.staged.read, own)) == b"".join(chunks)
            add = AddMessage(queue, position, b"staged", StagedBody(own, list(map(len, chunks)), tail, head))
            (answer,) = store.commit([[PrepareBranch(branch, [add]) if branch else add]])
            assert (answer is None) == expected
            (again,) = store.commit([[AddMessage(7, 7, b"twice", StagedBody(own, list(map(len, chunks))))]])
            if expected:
                assert isinstance(again, ChunkMissing)
            else:
                assert again is None
                assert store.commit([[RemoveMessage(7, 7)]]) == [None]
            store.staged.drop(own)
            assert _missing(store.staged.read, own[0])

    @rule(staged=consumes(staged))
    def unstage(self, staged: tuple) -> None:
        for store, own in zip(self.stores, staged[2], strict=True):
            if staged[0] == self.life:
                store.staged.drop(own)
                assert _missing(store.staged.read, own[0])

    @rule(target=spilled, body=BODIES)
    def spill(self, body: bytes) -> tuple:
        return self.life, body, [store.spilled.write(body) for store in self.stores]

    @rule(spilled=consumes(spilled), offset=st.integers(0, 300), length=st.one_of(st.none(), st.integers(0, 300)))
    def read_spilled(self, spilled: tuple, offset: int, length: int | None) -> None:
        life, body, numbers = spilled
        if life != self.life:
            return
        for store, number in zip(self.stores, numbers, strict=True):
            assert store.spilled.read(number) == body
            assert store.spilled.read(number, offset, length) == _slice(body, offset, length)
            store.spilled.drop([number])
            store.spilled.drop([number])
            assert _missing(store.spilled.read, number)

    @rule()
    def reopen(self) -> None:
        self.lmdb.close()
        self.lmdb = LmdbStore(self.folder.name, map_size=64 << 20)
        self.memory = MemoryStore(self.memory._tables)
        self.sqlite.close()
        self.sqlite = SqliteStore(self.path)
        self.files.close()
        self.files = self.open_files()
        self.life += 1

    @rule()
    def die_and_reopen(self) -> None:
        """What the process had in memory alone is gone: the journal must give it back."""
        self.lmdb._file.fail(OSError("killed"))
        self.reopen()

    @precondition(lambda self: self.model.messages)
    @rule(data=st.data(), offset=st.integers(0, 10000), length=st.one_of(st.none(), st.integers(0, 10000)))
    def read(self, data: st.DataObject, offset: int, length: int | None) -> None:
        queue, position = data.draw(st.sampled_from(sorted(self.model.messages)))
        index, body = self.model.messages[queue, position]
        for store in self.stores:
            assert store.read(queue, position) == body
            assert store.read(queue, position, offset, length) == _slice(body, offset, length)
            assert store.length(queue, position) == len(body)
            assert store.index(queue, position) == index

    @rule(queue=QUEUES)
    def read_many(self, queue: int) -> None:
        bodies = {position: body for (own, position), (_, body) in self.model.messages.items() if own == queue}
        for store in self.stores:
            assert store.read_many(queue, list(bodies)) == list(bodies.values())

    @rule(queue=QUEUES, position=POSITIONS)
    def read_missing(self, queue: int, position: int) -> None:
        if (queue, position) in self.model.messages:
            return
        for store in self.stores:
            for call in (store.read, store.length, store.index):
                try:
                    call(queue, position)
                except MessageMissing:
                    continue
                raise AssertionError("found a message that is not there")

    @invariant()
    def same_rows(self) -> None:
        if not hasattr(self, "model"):
            return
        rows = [(*key, index, len(body)) for key, (index, body) in sorted(self.model.messages.items())]
        for store in self.stores:
            assert list(store.scan_all()) == rows
            assert list(store.queues()) == sorted({row[0] for row in rows})
            for queue in (0, 2, 2**32 - 1):
                assert list(store.scan(queue)) == [row[1:] for row in rows if row[0] == queue]
            for table in ("a", "ab", "b"):
                records = [(key, value) for (name, key), value in sorted(self.model.records.items()) if name == table]
                assert list(store.records(table)) == records
                assert all(store.record(table, key) == value for key, value in records)
            assert store.record("none", b"") is None
            assert [branch for branch, _ in store.branches()] == sorted(self.model.branches)
        ours = [_plain(kept) for _, kept in self.lmdb.branches()]
        assert ours == [_plain(kept) for _, kept in self.memory.branches()]
        assert ours == [_plain(kept) for _, kept in self.sqlite.branches()]
        assert ours == [_plain(kept) for _, kept in self.files.branches()]


def _plain(operations: list) -> list:
    """Operations without the numbers of chunks, which differ from store to store."""
    return [
        (operation.index, operation.body.lengths, operation.body.head, operation.body.tail)
        if isinstance(operation, AddMessage) and isinstance(operation.body, StagedBody)
        else operation
        for operation in operations
    ]


def _slice(body: bytes, offset: int, length: int | None) -> bytes:
    return body[offset:] if length is None else body[offset : offset + length]


def _missing(call, number: int) -> bool:
    try:
        call(number)
    except ChunkMissing:
        return True
    return False


class HastyStoreMachine(StoreMachine):
    """The same with a journal that is full after a few units, so that rows move to the LMDB file all the time."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(journal, "JOURNAL_LENGTH", 8000)
        self.patch.setattr(row_file, "MAX_JOURNALED", 4000)
        self.patch.setattr(row_file, "MAX_PENDING", 30)
        self.patch.setattr(checkpoint, "SLICE", 2)
        self.patch.setattr(merged_rows, "SCAN_STEP", 3)

    @rule()
    def checkpoint_in_slices(self) -> None:
        self.lmdb._file._put_in_slices()

    def teardown(self) -> None:
        super().teardown()
        self.patch.undo()


StoreMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
HastyStoreMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
test_stores_agree = StoreMachine.TestCase
test_stores_agree_across_checkpoints = HastyStoreMachine.TestCase
