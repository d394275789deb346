"""Translation of the operations of units into changed rows, with the checks whether they apply."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from mqbridge.bridge.store.branch_rows import AddStaged, decode_operations, encode_operations
from mqbridge.bridge.store.changes import MESSAGE_TABLES, MISSING, Changes, Missing
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
from mqbridge.bridge.store.merged_rows import MergedRows
from mqbridge.bridge.store.operations import (
    MAX_KEY,
    MAX_POSITION,
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
from mqbridge.bridge.store.rows import (
    INDEX_HEAD,
    MESSAGE_KEY,
    QUEUE_KEY,
    BodyChunk,
    StagedRow,
    index_row,
    join_body,
    message_place,
    read_index_row,
    read_staged_row,
    record_key,
    seal,
    staged_row,
    unseal,
)
from mqbridge.bridge.store.staging import StagingFolder

if TYPE_CHECKING:
    import lmdb

_message_key = MESSAGE_KEY.pack
_index_head = INDEX_HEAD.pack


class UnitChanges:
    """The changes of units that are committed together.

    `changes`: the rows. `claimed`: chunks to sync before the commit; `released`: chunks to delete after it. `adds`:
    messages or branches are added. `highest`: the highest position in use by queue, kept from commit to commit, so that
    no message above it is looked up. `has_staged`: some committed body may be staged.
    """

    __slots__ = (
        "_highest",
        "_rows",
        "_staging",
        "_transaction",
        "adds",
        "changes",
        "claimed",
        "has_staged",
        "released",
    )

    def __init__(self, rows: MergedRows, staging: StagingFolder, highest: dict[int, int], has_staged: bool) -> None:
        self._rows = rows
        self._staging = staging
        self._highest = highest
        self.has_staged = has_staged
        self.changes = Changes()
        self.adds = False
        self.claimed: set[int] = set()
        self.released: list[int] = []
        self._transaction: lmdb.Transaction[bytes] | None = None

    def apply_all(self, units: Sequence[Unit], numbers: Iterable[int]) -> tuple[int, StoreError] | None:
        """Apply some of the units; stop at the first that cannot be applied and return its number and the error."""
        for number in numbers:
            try:
                self.apply(units[number])
            except (RowError, StoreDamaged) as error:
                return number, error
            except struct.error as error:
                return number, RowError(str(error))
            finally:
                self.close()
        return None

    def apply(self, unit: Unit) -> None:
        """Apply the operations of one unit, in order. Raises `RowError`, and then this object must be discarded."""
        # Adding and removing are nearly all that a busy channel does: both are done here, without a call for each step.
        index, bodies, highest = self.changes.index, self.changes.bodies, self._highest
        pending, dropped = self._rows.pending.index, self._rows.pending.dropped
        find: Callable[[bytes], bytes | None] | None = None
        for operation in unit:
            if type(operation) is AddMessage and not isinstance(body := operation.body, StagedBody):
                if type(body) is not bytes:
                    body = join_body(body)
                queue, position = operation.queue, operation.position
                key = _message_key(queue, position)
                if position > highest.get(queue, MAX_POSITION):
                    highest[queue] = position
                else:
                    self._look(queue, position, key)
                fields, length = operation.index, len(body)
                index[key] = _index_head(crc32(fields, crc32(key, length & 0xFFFFFFFF)), length) + fields
                bodies[key] = (crc32(body, crc32(key)), body)
                self.adds = True
            elif type(operation) is RemoveMessage and not self.has_staged and not self.changes.dropped:
                key = _message_key(operation.queue, operation.position)
                row = index.get(key, MISSING)
                if row is MISSING:
                    row = pending.get(key, MISSING)
                if row is MISSING:
                    if dropped:
                        row = self._rows.get("index", key, self._reader())
                    else:
                        find = find or self._rows.finder("index", self._reader())
                        row = find(key)
                if row is None:
                    raise MessageMissing(operation.queue, operation.position)
                index[key] = bodies[key] = None
            else:
                _APPLY[type(operation)](self, operation)
                index, bodies = self.changes.index, self.changes.bodies

    def _look(self, queue: int, position: int, key: bytes) -> None:
        """Raise `MessageExists` if a position is taken."""
        if queue not in self._highest:
            self._highest[queue] = self._rows.highest(queue)
        if self._row("index", key) is not None:
            raise MessageExists(queue, position)
        if position > self._highest[queue]:
            self._highest[queue] = position

    def _row(self, table: str, key: bytes) -> bytes | None:
        row: bytes | Missing | None = getattr(self.changes, table).get(key, MISSING)
        if not isinstance(row, Missing):
            return row
        if table in MESSAGE_TABLES and self.changes.is_dropped(key):
            return None
        return self._rows.get(table, key, self._reader())

    def _reader(self) -> lmdb.Transaction[bytes]:
        """Return one transaction for all rows looked up in the file."""
        if self._transaction is None:
            self._transaction = self._rows.begin()
        return self._transaction

    def close(self) -> None:
        """End the lookups, before anything is written to the file."""
        if self._transaction is not None:
            self._transaction.abort()
            self._transaction = None

    def _add(self, operation: AddMessage) -> None:
        body = operation.body
        assert isinstance(body, StagedBody)  # all others are added where they are met
        self._add_staged(AddStaged(operation.queue, operation.position, operation.index, self._claim(body)))

    def _add_staged(self, operation: AddStaged) -> None:
        key = _message_key(operation.queue, operation.position)
        self._look(operation.queue, operation.position, key)
        self.changes.index[key] = index_row(key, operation.index, len(operation.body))
        self.changes.staged[key] = staged_row(operation.body, key)
        self.adds = self.has_staged = True

    def _claim(self, body: StagedBody) -> StagedRow:
        chunks: list[BodyChunk] = []
        for number, length in zip(body.chunks, body.lengths, strict=True):
            chunk = self._staging.fresh(number)
            if number in self.claimed:
                raise ChunkMissing(number)
            if chunk.length != length:
                raise RowError(f"chunk {number} has {chunk.length} bytes, not {length}")
            self.claimed.add(number)
            chunks.append(chunk)
        return StagedRow(bytes(body.head), chunks, bytes(body.tail))

    def _remove(self, operation: RemoveMessage) -> None:
        key = _message_key(operation.queue, operation.position)
        if self._row("index", key) is None:
            raise MessageMissing(operation.queue, operation.position)
        self._remove_rows(key)

    def _remove_rows(self, key: bytes) -> None:
        self.changes.index[key] = self.changes.bodies[key] = None
        if self.has_staged and (row := self._row("staged", key)) is not None:
            self.changes.staged[key] = None
            self._release(read_staged_row(row, message_place(key), key))

    def _release(self, body: StagedRow) -> None:
        self.released += [chunk.number for chunk in body.chunks]

    def _change(self, operation: ChangeMessage) -> None:
        key = _message_key(operation.queue, operation.position)
        row = self._row("index", key)
        if row is None:
            raise MessageMissing(operation.queue, operation.position)
        _, length = read_index_row(row, key)
        self.changes.index[key] = index_row(key, operation.index, length)

    def _drop(self, operation: DropQueue) -> None:
        first, last = _message_key(operation.queue, 0), _message_key(operation.queue, MAX_POSITION)
        if self.has_staged:
            own = {key: row for key, row in self.changes.staged.items() if first <= key <= last}
            gone = [(key, row) for key, row in own.items() if row is not None]
            gone += [
                (key, row)
                for key, row in self._rows.rows("staged", first, last)
                if key not in own and not self.changes.is_dropped(key)
            ]
            for key, row in gone:
                self._release(read_staged_row(row, message_place(key), key))
        self.changes.drop(QUEUE_KEY.pack(operation.queue))

    def _put_record(self, operation: PutRecord) -> None:
        key = record_key(operation.table, operation.key)
        self.changes.records[key] = seal(operation.value, key)

    def _remove_record(self, operation: RemoveRecord) -> None:
        self.changes.records[record_key(operation.table, operation.key)] = None

    def _prepare(self, operation: PrepareBranch) -> None:
        branch = operation.branch
        if not 0 < len(branch) <= MAX_KEY:
            raise RowError(f"the name of a branch has 1 to {MAX_KEY} bytes, not {len(branch)}")
        if self._row("branches", branch) is not None:
            raise BranchExists(branch)
        self.changes.branches[branch] = seal(encode_operations(operation.operations, self._claim), branch)
        self.adds = True

    def _resolve(self, operation: ResolveBranch) -> None:
        branch = operation.branch
        row = self._row("branches", branch) if 0 < len(branch) <= MAX_KEY else None
        if row is None:
            raise BranchMissing(branch)
        self.changes.branches[branch] = None
        where = f"branch {branch.hex()}"
        for kept in decode_operations(unseal(row, where, branch), where):
            if not operation.commit:
                if isinstance(kept, AddStaged):
                    self._release(kept.body)
            elif isinstance(kept, AddStaged):
                self._add_staged(kept)
            else:
                self.apply([kept])


_APPLY: dict[type[Operation], Callable[[UnitChanges, Any], None]] = {
    AddMessage: UnitChanges._add,
    RemoveMessage: UnitChanges._remove,
    ChangeMessage: UnitChanges._change,
    DropQueue: UnitChanges._drop,
    PutRecord: UnitChanges._put_record,
    RemoveRecord: UnitChanges._remove_record,
    PrepareBranch: UnitChanges._prepare,
    ResolveBranch: UnitChanges._resolve,
}
