"""Operations of a transaction as statements of SQLite (`sqlite`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from mqbridge.bridge.store.branch_rows import AddStaged, decode_operations, encode_operations
from mqbridge.bridge.store.errors import (
    BranchExists,
    BranchMissing,
    ChunkMissing,
    MessageExists,
    MessageMissing,
    RowError,
    StoreDamaged,
    StoreError,
)
from mqbridge.bridge.store.operations import (
    MAX_KEY,
    AddMessage,
    ChangeMessage,
    DropQueue,
    Operation,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    StagedBody,
    Unit,
)
from mqbridge.bridge.store.rows import MESSAGE_KEY, BodyChunk, StagedRow, join_body, record_key, seal, unseal
from mqbridge.bridge.store.sqlite_keys import SqliteKeys, stored_position


def message_sum(queue: int, position: int) -> bytes:
    """Return what the sums of a message's values cover beside them."""
    return MESSAGE_KEY.pack(queue, position)


def record_sum(table: str, key: bytes) -> bytes:
    """Return what the sum of a record covers beside its value."""
    return record_key(table, key)


def slice_of(data: bytes, offset: int, length: int | None) -> bytes:
    """Return a slice of data, to their end without a length."""
    return data[offset:] if length is None else data[offset : offset + length]


class SqliteOperations:
    """Applies operations. ``keys``: of messages. ``path``: for errors."""

    def __init__(self, database: sqlite3.Connection, keys: SqliteKeys, path: str) -> None:
        self._database = database
        self._keys = keys
        self._path = path

    def commit(self, unit: Unit) -> StoreError | None:
        """Commit a unit. Returns why it cannot be; raises `sqlite3.Error`, perhaps with an open transaction.

        A statement by itself is a transaction too, which is one of SQLite's calls instead of three.
        """
        run = self._database.execute
        try:
            if len(unit) == 1 and self._is_one_statement(unit[0]):
                self.apply(unit[0])
                return None
            run("BEGIN IMMEDIATE")
            for operation in unit:
                self.apply(operation)
        except (RowError, StoreDamaged) as error:
            if self._database.in_transaction:
                run("ROLLBACK")
                self._keys.taken_back()
            return error
        run("COMMIT")
        return None

    def _is_one_statement(self, operation: Operation) -> bool:
        """Whether an operation is one statement, which is a transaction by itself."""
        if isinstance(operation, AddMessage):
            plain = not isinstance(operation.body, StagedBody)
            return plain and self._keys.is_known(operation.queue, operation.position)
        return isinstance(operation, PutRecord)

    def commit_together(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Commit units, each of which happens or not for itself; as `commit`."""
        run = self._database.execute
        found: list[StoreError | None] = []
        run("BEGIN IMMEDIATE")
        for unit in units:
            run("SAVEPOINT unit")
            try:
                for operation in unit:
                    self.apply(operation)
                found.append(None)
            except (RowError, StoreDamaged) as error:
                run("ROLLBACK TO unit")
                self._keys.taken_back()
                found.append(error)
            run("RELEASE unit")
        run("COMMIT")
        return found

    def apply(self, operation: Operation | AddStaged, branch: bytes | None = None) -> None:
        """Apply an operation within a transaction, of a branch if it is given. Raises `RowError`, `sqlite3.Error`."""
        run = self._database.execute
        match operation:
            case AddMessage(queue, position, index, body):
                self._add(queue, position, index, body)
            case AddStaged(queue, position, index, row):
                self._add(queue, position, index, row.as_body(), branch)
            case RemoveMessage(queue, position):
                at = (self._keys.find(queue, position),)
                # Nearly all are without parts; RETURNING takes three times as long.
                if not run("DELETE FROM messages WHERE id = ? AND head IS NULL", at).rowcount:
                    if not run("DELETE FROM messages WHERE id = ?", at).rowcount:
                        raise MessageMissing(queue, position)
                    run("DELETE FROM parts WHERE queue = ? AND position = ?", (queue, stored_position(position)))
            case ChangeMessage(queue, position, index):
                values = seal(index, message_sum(queue, position)), self._keys.find(queue, position)
                if not run("UPDATE messages SET idx = ? WHERE id = ?", values).rowcount:
                    raise MessageMissing(queue, position)
            case DropQueue(queue):
                for each in self._keys.of(queue):
                    run("DELETE FROM messages WHERE id BETWEEN ? AND ?", (each.first, each.last))
                run("DELETE FROM parts WHERE queue = ?", (queue,))
            case PutRecord(table, key, value):
                data = seal(value, record_sum(table, key))
                run("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", (table, key, data))
            case RemoveRecord(table, key):
                record_key(table, key)
                run("DELETE FROM records WHERE name = ? AND key = ?", (table, key))
            case PrepareBranch(name, operations):
                self._prepare(name, operations)
            case ResolveBranch(name, commit):
                self._resolve(name, commit=commit)

    def _add(self, queue: int, position: int, index: bytes, body: Any, branch: bytes | None = None) -> None:
        staged = isinstance(body, StagedBody)
        if staged:
            data, head, length = bytes(body.head) + bytes(body.tail), len(body.head), len(body)
        else:
            data, head = body if type(body) is bytes else join_body(body), None
            length = len(data)
        key = message_sum(queue, position)
        try:
            self._database.execute(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)",
                (self._keys.make(queue, position), seal(index, key), length, head, crc32(data, crc32(key)), data),
            )
        except sqlite3.IntegrityError:
            raise MessageExists(queue, position) from None
        if staged:
            self._claim(body, branch, "queue = ?, position = ?, branch = NULL", (queue, stored_position(position)))

    def _claim(self, body: StagedBody, branch: bytes | None, owner: str, values: Sequence[Any]) -> StagedRow:
        """Give parts an owner: those that were staged, or that a branch has."""
        chunks = []
        statement = (
            f"UPDATE parts SET place = ?, {owner} WHERE id = ? AND queue IS NULL AND branch IS ? RETURNING length"
        )
        for place, (number, length) in enumerate(zip(body.chunks, body.lengths, strict=True)):
            found = self._database.execute(statement, (place, *values, number, branch)).fetchone()
            if found is None:
                raise ChunkMissing(number)
            if found[0] != length:
                raise RowError(f"chunk {number} has {found[0]} bytes, not {length}")
            chunks.append(BodyChunk(number, length, 0))
        return StagedRow(bytes(body.head), chunks, bytes(body.tail))

    def _prepare(self, branch: bytes, operations: Sequence[Operation]) -> None:
        if not 0 < len(branch) <= MAX_KEY:
            raise RowError(f"the name of a branch has 1 to {MAX_KEY} bytes, not {len(branch)}")
        data = encode_operations(operations, lambda body: self._claim(body, None, "branch = ?", (branch,)))
        try:
            self._database.execute("INSERT INTO branches VALUES (?, ?)", (branch, seal(data, branch)))
        except sqlite3.IntegrityError:
            raise BranchExists(branch) from None

    def _resolve(self, branch: bytes, *, commit: bool) -> None:
        run = self._database.execute
        row = run("DELETE FROM branches WHERE branch = ? RETURNING operations", (branch,)).fetchone()
        if row is None:
            raise BranchMissing(branch)
        for operation in decode_operations(unseal(row[0], self._path, branch), self._path) if commit else ():
            self.apply(operation, branch)
        run("DELETE FROM parts WHERE branch = ?", (branch,))
