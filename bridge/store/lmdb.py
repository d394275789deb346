"""The durable store of a data folder: `row_file` keeps the rows, `staging` parts of big bodies, `spill` the rest.

Committed units survive the death of the process and, as far as the disk keeps its promises, of the machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from zlib import crc32

from mqbridge.bridge.store.branch_rows import AddStaged, decode_operations, public_operation
from mqbridge.bridge.store.disk import is_disk_full
from mqbridge.bridge.store.environment import DEFAULT_MAP_SIZE
from mqbridge.bridge.store.errors import MessageMissing, StoreDamaged, StoreError, StoreFull
from mqbridge.bridge.store.folder import DataFolder
from mqbridge.bridge.store.merged_rows import MergedRows
from mqbridge.bridge.store.operations import MAX_POSITION, MAX_QUEUE, Operation, Unit
from mqbridge.bridge.store.row_file import RowFile
from mqbridge.bridge.store.rows import (
    CHECKSUM,
    MESSAGE_KEY,
    StagedRow,
    message_place,
    read_index_row,
    read_staged_row,
    record_key,
    record_prefix,
    same_sum,
    unseal,
)
from mqbridge.bridge.store.spill import SpillArea
from mqbridge.bridge.store.staging import StagingFolder
from mqbridge.bridge.store.unit_changes import UnitChanges

_FIRST_KEY = MESSAGE_KEY.pack(0, 0)
_message_key = MESSAGE_KEY.pack
_split_key = MESSAGE_KEY.unpack
_sum_in = CHECKSUM.unpack_from


class LmdbStore:
    """The store of a data folder; `interface.Store` describes the methods.

    `map_size` is the address space in bytes, the upper bound of the file. Raises `StoreLocked` while another process
    has the folder, `StoreNewer`, `StoreDamaged`.
    """

    def __init__(self, path: str | os.PathLike[str], *, map_size: int = DEFAULT_MAP_SIZE) -> None:
        self._folder = DataFolder(path)
        self._closed = False
        self._highest: dict[int, int] = {}
        self._folder.create()
        self._folder.lock()
        try:
            self._file = RowFile(self._folder, map_size)
            self._rows: MergedRows = self._file.rows
            try:
                self.staged = StagingFolder(self._folder.staging, self._chunks_in_use())
                self.spilled = SpillArea(self._folder.spill)
            except BaseException:
                self._file.close()
                raise
        except BaseException:
            self._folder.unlock()
            raise

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Write units to disk together; see `interface.Store.commit`."""
        if self._closed:
            return [_closed()] * len(units)
        answers: list[StoreError | None] = [None] * len(units)
        together = list(range(len(units)))
        while together:
            changes = UnitChanges(self._rows, self.staged, self._highest, self._file.has_staged)
            wrong = changes.apply_all(units, together)
            if wrong is None:
                break
            answers[wrong[0]] = wrong[1]
            together.remove(wrong[0])
        else:
            return answers
        if not changes.changes:
            return answers
        try:
            self._sync_chunks(changes.claimed)
            self._file.write(changes.changes, adds=changes.adds)
        except StoreError as error:  # nothing of them was applied
            alone = isinstance(error, StoreFull) and len(together) > 1
            for at in together:
                answers[at] = self.commit([units[at]])[0] if alone else error
            return answers
        self._file.has_staged = changes.has_staged
        self.staged.keep(changes.claimed)
        self.staged.delete(changes.released)
        return answers

    def _sync_chunks(self, chunks: set[int]) -> None:
        if chunks:
            try:
                self.staged.sync(chunks)
            except OSError as error:
                if is_disk_full(error, self._folder.path):
                    raise StoreFull(f"{self._folder.staging}: {error.strerror}") from error
                raise self._file.fail(error) from error

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body; a whole one is checked against its CRC32. See `interface.Store.read`."""
        key = _message_key(queue, position)
        found = self._rows.body(key, offset, length)
        if found is not None:
            checksum, body = found
            if checksum is not None and crc32(body, crc32(key)) != checksum and not same_sum(checksum, body, key):
                raise _damaged(key)
            return body
        row = self._rows.get("staged", key)
        if row is None:
            if self._rows.lacks_body(key):
                raise StoreDamaged("a message has no body", message_place(key))
            raise MessageMissing(queue, position)
        try:
            return self._read_staged_body(read_staged_row(row, message_place(key), key), offset, length)
        except StoreDamaged:
            # The writer takes chunks away after it took the row.
            if self._rows.get("staged", key) is not None:
                raise
            raise MessageMissing(queue, position) from None

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Return whole bodies, each checked against its CRC32; see `interface.Store.read_many`."""
        keys = [_message_key(queue, position) for position in positions]
        bodies: list[bytes] = []
        for position, key, found in zip(positions, keys, self._rows.bodies(keys), strict=True):
            if found is None:
                bodies.append(self.read(queue, position))
                continue
            checksum, body = found
            if checksum is not None and crc32(body, crc32(key)) != checksum and not same_sum(checksum, body, key):
                raise _damaged(key)
            bodies.append(body)
        return bodies

    def _read_staged_body(self, body: StagedRow, offset: int, length: int | None) -> bytes:
        end = len(body) if length is None else min(offset + length, len(body))
        pieces = [body.head[offset:end]]
        start = len(body.head)
        for chunk in body.chunks:
            if start < end and start + chunk.length > offset:
                skip = max(offset - start, 0)
                pieces.append(self.staged.read_kept(chunk, skip, min(end - start, chunk.length) - skip))
            start += chunk.length
        if end > start:
            pieces.append(body.tail[max(offset - start, 0) : end - start])
        return b"".join(pieces)

    def length(self, queue: int, position: int) -> int:
        """Return the length of a body; see `interface.Store.length`."""
        return self._index_row(queue, position)[1]

    def index(self, queue: int, position: int) -> bytes:
        """Return the index fields of a message; see `interface.Store.index`."""
        return self._index_row(queue, position)[0]

    def _index_row(self, queue: int, position: int) -> tuple[bytes, int]:
        key = _message_key(queue, position)
        row = self._rows.get("index", key)
        if row is None:
            raise MessageMissing(queue, position)
        return read_index_row(row, key)

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield every message of a queue; see `interface.Store.scan`."""
        for key, row in self._rows.rows("index", _message_key(queue, 0), _message_key(queue, MAX_POSITION)):
            index, length = read_index_row(row, key)
            yield MESSAGE_KEY.unpack(key)[1], index, length

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Yield every message; see `interface.Store.scan_all`."""
        found, commits = 0, self._file.commits
        for key, row in self._rows.rows("index", _FIRST_KEY):
            index, length = read_index_row(row, key)
            if len(key) != MESSAGE_KEY.size:
                raise StoreDamaged("a message has a key that is none", message_place(key))
            queue, position = _split_key(key)
            found += _sum_in(row)[0]
            yield queue, position, index, length
        self._file.check_index(found, commits)

    def queues(self) -> Iterator[int]:
        """Yield the queues that hold messages; see `interface.Store.queues`."""
        start: bytes | None = _FIRST_KEY
        while start is not None:
            found = next(self._rows.rows("index", start, step=1), None)
            if found is None:
                return
            queue: int = MESSAGE_KEY.unpack(found[0])[0]
            yield queue
            start = _message_key(queue + 1, 0) if queue < MAX_QUEUE else None

    def record(self, table: str, key: bytes) -> bytes | None:
        """Return the value of a record; see `interface.Store.record`."""
        whole = record_key(table, key)
        row = self._rows.get("records", whole)
        return None if row is None else unseal(row, f"table {table}, key {key!r}", whole)

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield every record of a table; see `interface.Store.records`."""
        prefix = record_prefix(table)
        for key, row in self._rows.rows("records", prefix):
            if not key.startswith(prefix):
                return
            own = key[len(prefix) :]
            yield own, unseal(row, f"table {table}, key {own!r}", key)

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Yield every prepared branch; see `interface.Store.branches`."""
        for branch, operations in self._branch_rows():
            yield branch, [public_operation(operation) for operation in operations]

    def _branch_rows(self) -> Iterator[tuple[bytes, Iterator[Operation | AddStaged]]]:
        for branch, row in self._rows.rows("branches", b"", step=1):
            where = f"branch {branch.hex()}"
            yield branch, decode_operations(unseal(row, where, branch), where)

    def _chunks_in_use(self) -> set[int]:
        """Return the staged chunks that messages and prepared branches refer to."""
        used: set[int] = set()
        for key, row in self._rows.rows("staged", _FIRST_KEY):
            used.update(chunk.number for chunk in read_staged_row(row, message_place(key), key).chunks)
        for _, operations in self._branch_rows():
            for operation in operations:
                if isinstance(operation, AddStaged):
                    used.update(chunk.number for chunk in operation.body.chunks)
        return used

    def take_note(self) -> str | None:
        """Return the note of the last `store repair`, once."""
        return self._file.take_note()

    def require_place(self) -> None:
        """Raise `StoreFailed` if the files are no longer those in the folder."""
        self._file.require_place()

    def close(self) -> None:
        """Close the files and release the folder; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self.spilled.close()
            self._file.close()
            self._folder.unlock()


def _damaged(key: bytes) -> StoreDamaged:
    return StoreDamaged("a body is not what was written (its CRC32 differs)", message_place(key))


def _closed() -> StoreError:
    return StoreError("the store is closed")
