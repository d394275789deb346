"""Applies operations to one LMDB transaction.

Added messages are gathered and written with one call a table, as each call into LMDB gives up the interpreter lock and
may wait for it afterwards. Whatever looks at messages (remove, change, drop, resolve) writes the gathered ones first,
so that operations take effect in the order given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from zlib import crc32

from bridge.store.branch_rows import AddStaged, decode_operations, encode_operations
from bridge.store.errors import BranchExists, BranchMissing, ChunkMissing, MessageExists, MessageMissing, RowError
from bridge.store.operations import (
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
from bridge.store.rows import (
    CHECKSUM,
    INDEX_HEAD,
    MESSAGE_KEY,
    QUEUE_KEY,
    Chunk,
    StagedRow,
    body_length,
    index_row,
    message_place,
    read_index_row,
    read_staged_row,
    record_key,
    seal,
    seal_body,
    staged_row,
    unseal,
)

if TYPE_CHECKING:
    import lmdb

    from bridge.store.environment import Tables
    from bridge.store.staging import StagingFolder

_message_key = MESSAGE_KEY.pack
_index_head = INDEX_HEAD.pack
_checksum = CHECKSUM.pack


class UnitWriter:
    """One write transaction being filled with units.

    After `finish`, `claimed` holds the chunks that must be synced before the transaction is committed, `released` those
    to delete after it. Raises `RowError` for a unit that cannot be applied; the transaction must then be aborted.
    """

    def __init__(
        self,
        environment: lmdb.Environment,
        transaction: lmdb.Transaction[bytes],
        tables: Tables,
        staging: StagingFolder,
    ) -> None:
        self._environment = environment
        self._transaction = transaction
        self._tables = tables
        self._staging = staging
        self._index = transaction.cursor(tables.index)
        self._bodies = transaction.cursor(tables.bodies)
        self._staged_rows = transaction.stat(tables.staged)["entries"]
        self._index_rows: list[tuple[bytes, bytes]] = []
        self._body_rows: list[tuple[bytes, bytes]] = []
        self.adds = False
        self.claimed: set[int] = set()
        self.released: list[int] = []

    def apply(self, unit: Unit) -> None:
        """Applies the operations of one unit, in order."""
        add_index, add_body = self._index_rows.append, self._body_rows.append
        for operation in unit:
            if type(operation) is AddMessage and type(body := operation.body) is bytes:
                # What nearly every operation of a busy channel is, without a call for each step.
                key = _message_key(operation.queue, operation.position)
                index, length = operation.index, len(body)
                add_index((key, _index_head(crc32(index, length & 0xFFFFFFFF), length) + index))
                add_body((key, _checksum(crc32(body)) + body))
            else:
                _APPLY[type(operation)](self, operation)

    def finish(self) -> None:
        """Writes what was gathered; with `adds`, the caller must see whether there is room for `live_pages`."""
        if self._index_rows:
            self._write_gathered()

    def live_pages(self) -> int:
        """How many pages are in use when the transaction is committed, but for the few that list the free ones."""
        pages = 0
        for table in (None, *self._tables.all()):
            status = self._transaction.stat(table)
            pages += status["branch_pages"] + status["leaf_pages"] + status["overflow_pages"]
        return pages

    def _add(self, operation: AddMessage) -> None:
        body = operation.body
        if isinstance(body, StagedBody):
            self._add_staged(AddStaged(operation.queue, operation.position, operation.index, self._claim(body)))
            return
        key = _message_key(operation.queue, operation.position)
        self._index_rows.append((key, index_row(operation.index, body_length(body))))
        self._body_rows.append((key, seal_body(body)))

    def _add_staged(self, operation: AddStaged) -> None:
        key = _message_key(operation.queue, operation.position)
        self._index_rows.append((key, index_row(operation.index, len(operation.body))))
        self._transaction.put(key, staged_row(operation.body), db=self._tables.staged)
        self._staged_rows += 1

    def _claim(self, body: StagedBody) -> StagedRow:
        chunks: list[Chunk] = []
        for number, length in zip(body.chunks, body.lengths, strict=True):
            chunk = self._staging.fresh(number)
            if number in self.claimed:
                raise ChunkMissing(number)
            if chunk.length != length:
                raise RowError(f"chunk {number} has {chunk.length} bytes, not {length}")
            self.claimed.add(number)
            chunks.append(chunk)
        return StagedRow(bytes(body.head), chunks, bytes(body.tail))

    def _write_gathered(self) -> None:
        index_rows, body_rows = self._index_rows, self._body_rows
        index_rows.sort()
        body_rows.sort()
        self.adds = True
        if _put_new(self._index, index_rows) != len(index_rows):
            self._report_taken(index_rows)
        _put_new(self._bodies, body_rows)
        index_rows.clear()
        body_rows.clear()

    def _report_taken(self, rows: list[tuple[bytes, bytes]]) -> None:
        """Raises `MessageExists` for the first gathered row whose place was taken before this transaction or twice."""
        previous = b""
        with self._environment.begin(db=self._tables.index) as before:
            for key, _ in rows:
                if key == previous or before.get(key) is not None:
                    break
                previous = key
        raise MessageExists(*MESSAGE_KEY.unpack(key))

    def _remove(self, operation: RemoveMessage) -> None:
        if self._index_rows:
            self._write_gathered()
        key = _message_key(operation.queue, operation.position)
        if not self._index.set_key(key):
            raise MessageMissing(operation.queue, operation.position)
        self._index.delete()
        self._remove_body(key)

    def _remove_body(self, key: bytes) -> None:
        if self._bodies.set_key(key):
            self._bodies.delete()
        elif self._staged_rows:
            row = self._transaction.pop(key, db=self._tables.staged)
            if row is not None:
                self._staged_rows -= 1
                self._release(read_staged_row(row, message_place(key)))

    def _release(self, body: StagedRow) -> None:
        self.released += [chunk.number for chunk in body.chunks]

    def _change(self, operation: ChangeMessage) -> None:
        if self._index_rows:
            self._write_gathered()
        key = _message_key(operation.queue, operation.position)
        if not self._index.set_key(key):
            raise MessageMissing(operation.queue, operation.position)
        _, length = read_index_row(self._index.value(), key)
        self._index.put(key, index_row(operation.index, length))

    def _drop(self, operation: DropQueue) -> None:
        if self._index_rows:
            self._write_gathered()
        prefix = QUEUE_KEY.pack(operation.queue)
        cursor = self._index
        found = cursor.set_range(prefix)
        while found and (key := cursor.key()).startswith(prefix):
            self._remove_body(key)
            found = cursor.delete()

    def _put_record(self, operation: PutRecord) -> None:
        key = record_key(operation.table, operation.key)
        self._transaction.put(key, seal(operation.value), db=self._tables.records)

    def _remove_record(self, operation: RemoveRecord) -> None:
        self._transaction.delete(record_key(operation.table, operation.key), db=self._tables.records)

    def _prepare(self, operation: PrepareBranch) -> None:
        if not 0 < len(operation.branch) <= MAX_KEY:
            raise RowError(f"the name of a branch has 1 to {MAX_KEY} bytes, not {len(operation.branch)}")
        self.adds = True
        row = seal(encode_operations(operation.operations, self._claim))
        if not self._transaction.put(operation.branch, row, overwrite=False, db=self._tables.branches):
            raise BranchExists(operation.branch)

    def _resolve(self, operation: ResolveBranch) -> None:
        row = self._transaction.pop(operation.branch, db=self._tables.branches) if operation.branch else None
        if row is None:
            raise BranchMissing(operation.branch)
        where = f"branch {operation.branch.hex()}"
        for kept in decode_operations(unseal(row, where), where):
            if operation.commit:
                _APPLY[type(kept)](self, kept)
            elif isinstance(kept, AddStaged):
                self._release(kept.body)


def _put_new(cursor: lmdb.Cursor[bytes], rows: list[tuple[bytes, bytes]]) -> int:
    """Writes sorted rows whose keys are new, and returns how many were; rows behind all others fill their pages."""
    if not rows:
        return 0
    append = not cursor.last() or cursor.key() < rows[0][0]
    return cursor.putmulti(rows, overwrite=False, append=append)[1]


_APPLY: dict[type[Operation | AddStaged], Callable[[UnitWriter, Any], None]] = {
    AddMessage: UnitWriter._add,
    AddStaged: UnitWriter._add_staged,
    RemoveMessage: UnitWriter._remove,
    ChangeMessage: UnitWriter._change,
    DropQueue: UnitWriter._drop,
    PutRecord: UnitWriter._put_record,
    RemoveRecord: UnitWriter._remove_record,
    PrepareBranch: UnitWriter._prepare,
    ResolveBranch: UnitWriter._resolve,
}
