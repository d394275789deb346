"""A store in memory: the same interface, nothing durable. For `--store memory` and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from mqbridge.bridge.store.errors import (
    BranchExists,
    BranchMissing,
    ChunkMissing,
    MessageExists,
    MessageMissing,
    RowError,
    StoreError,
)
from mqbridge.bridge.store.operations import (
    MAX_CHUNK,
    MAX_KEY,
    AddMessage,
    Body,
    ChangeMessage,
    DropQueue,
    Operation,
    Piece,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    StagedBody,
    Unit,
)
from mqbridge.bridge.store.rows import join_body, record_key


@dataclass(slots=True)
class MemoryMessage:
    """A message row: index fields and the pieces of the body, some of which were staged."""

    index: bytes
    pieces: list[bytes]

    def __len__(self) -> int:
        return sum(map(len, self.pieces))


@dataclass(slots=True)
class MemoryTables:
    """The contents of a durable store's disk."""

    queues: dict[int, dict[int, MemoryMessage]] = field(default_factory=dict)
    records: dict[str, dict[bytes, bytes]] = field(default_factory=dict)
    branches: dict[bytes, PreparedBranch] = field(default_factory=dict)


@dataclass(slots=True)
class PreparedBranch:
    """Operations of a branch, and the chunks claimed for them."""

    operations: list[Operation]
    chunks: dict[int, bytes]


Undo = list[Callable[[], Any]]


class MemoryParts:
    """Parts of bodies, `kept` by id; `limit` is the maximum length of one in bytes, 0 for none."""

    def __init__(self, limit: int = 0) -> None:
        self._limit = limit
        self.kept: dict[int, bytes] = {}
        self._last = 0

    def write(self, part: Piece) -> int:
        """Keep a part; see `interface.PartArea.write`."""
        if 0 < self._limit < len(part):
            raise ValueError(f"a chunk of {len(part)} bytes is longer than {self._limit}")
        self._last += 1
        self.kept[self._last] = bytes(part)
        return self._last

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a part; see `interface.PartArea.read`."""
        try:
            whole = self.kept[part]
        except KeyError:
            raise ChunkMissing(part) from None
        return whole[offset:] if length is None else whole[offset : offset + length]

    def drop(self, parts: Iterable[int]) -> None:
        """Delete parts; see `interface.PartArea.drop`."""
        for part in parts:
            self.kept.pop(part, None)


class MemoryStore:
    """Rows in dictionaries; `interface.Store` describes the methods. `tables`: adopt the rows of another store."""

    def __init__(self, tables: MemoryTables | None = None) -> None:
        self._tables = MemoryTables() if tables is None else tables
        self.staged = MemoryParts(MAX_CHUNK)
        self.spilled = MemoryParts()
        self._lock = Lock()

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Apply units in order, each atomically; see `interface.Store.commit`."""
        with self._lock:
            return [self._apply_unit(unit) for unit in units]

    def _apply_unit(self, unit: Unit) -> StoreError | None:
        undo: Undo = []
        try:
            for operation in unit:
                self._apply(operation, undo, self.staged.kept)
        except RowError as error:
            for step in reversed(undo):
                step()
            return error
        return None

    def _apply(self, operation: Operation, undo: Undo, staged: dict[int, bytes]) -> None:
        match operation:
            case AddMessage(queue, position, index, body):
                self._add(queue, position, MemoryMessage(index, _claim(body, undo, staged)), undo)
            case RemoveMessage(queue, position):
                message = self._message(queue, position)
                del self._tables.queues[queue][position]
                undo.append(lambda: self._tables.queues[queue].__setitem__(position, message))
            case ChangeMessage(queue, position, index):
                message = self._message(queue, position)
                undo.append(_setter(message, message.index))
                message.index = index
            case DropQueue(queue):
                rows = self._tables.queues.pop(queue, {})
                undo.append(lambda: self._tables.queues.__setitem__(queue, rows))
            case PutRecord(table, key, value):
                record_key(table, key)
                records = self._tables.records.setdefault(table, {})
                undo.append(_restorer(records, key))
                records[key] = bytes(value)
            case RemoveRecord(table, key):
                record_key(table, key)
                records = self._tables.records.setdefault(table, {})
                undo.append(_restorer(records, key))
                records.pop(key, None)
            case PrepareBranch(branch, operations):
                self._prepare(branch, operations, undo)
            case ResolveBranch(branch, commit):
                prepared = self._tables.branches.pop(branch, None)
                if prepared is None:
                    raise BranchMissing(branch)
                undo.append(lambda: self._tables.branches.__setitem__(branch, prepared))
                chunks = dict(prepared.chunks)
                for kept in prepared.operations if commit else ():
                    self._apply(kept, undo, chunks)

    def _add(self, queue: int, position: int, message: MemoryMessage, undo: Undo) -> None:
        rows = self._tables.queues.setdefault(queue, {})
        if position in rows:
            raise MessageExists(queue, position)
        rows[position] = message
        undo.append(lambda: rows.pop(position))

    def _prepare(self, branch: bytes, operations: Sequence[Operation], undo: Undo) -> None:
        if not 0 < len(branch) <= MAX_KEY:
            raise RowError(f"the name of a branch has 1 to {MAX_KEY} bytes, not {len(branch)}")
        if branch in self._tables.branches:
            raise BranchExists(branch)
        kept: list[Operation] = []
        chunks: dict[int, bytes] = {}
        for operation in operations:
            match operation:
                case PrepareBranch() | ResolveBranch():
                    raise RowError(f"{type(operation).__name__} cannot stand in a branch")
                case AddMessage(queue, position, index, body):
                    if isinstance(body, StagedBody):
                        chunks.update(zip(body.chunks, _claim(body, undo, self.staged.kept)[1:-1], strict=True))
                        kept.append(operation)
                    else:
                        kept.append(AddMessage(queue, position, index, join_body(body)))
                case PutRecord(table, key) | RemoveRecord(table, key):
                    record_key(table, key)
                    kept.append(operation)
                case _:
                    kept.append(operation)
        self._tables.branches[branch] = PreparedBranch(kept, chunks)
        undo.append(lambda: self._tables.branches.pop(branch))

    def _message(self, queue: int, position: int) -> MemoryMessage:
        try:
            return self._tables.queues[queue][position]
        except KeyError:
            raise MessageMissing(queue, position) from None

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body; see `interface.Store.read`."""
        message = self._message(queue, position)
        if len(message.pieces) == 1:
            return message.pieces[0][offset:] if length is None else message.pieces[0][offset : offset + length]
        end = len(message) if length is None else offset + length
        parts: list[bytes] = []
        start = 0
        for piece in message.pieces:
            parts.append(piece[max(offset - start, 0) : max(end - start, 0)])
            start += len(piece)
        return b"".join(parts)

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Return whole bodies; see `interface.Store.read_many`."""
        return [self.read(queue, position) for position in positions]

    def length(self, queue: int, position: int) -> int:
        """Return the length of a body; see `interface.Store.length`."""
        return len(self._message(queue, position))

    def index(self, queue: int, position: int) -> bytes:
        """Return the index fields of a message; see `interface.Store.index`."""
        return self._message(queue, position).index

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield every message of a queue; see `interface.Store.scan`."""
        with self._lock:
            rows = sorted(self._tables.queues.get(queue, {}).items(), key=_position)
        for position, message in rows:
            yield position, message.index, len(message)

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Yield every message; see `interface.Store.scan_all`."""
        for queue in self.queues():
            for position, index, length in self.scan(queue):
                yield queue, position, index, length

    def queues(self) -> Iterator[int]:
        """Yield the queues that hold messages; see `interface.Store.queues`."""
        with self._lock:
            held = sorted(queue for queue, rows in self._tables.queues.items() if rows)
        yield from held

    def record(self, table: str, key: bytes) -> bytes | None:
        """Return the value of a record; see `interface.Store.record`."""
        return self._tables.records.get(table, {}).get(key)

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield every record of a table; see `interface.Store.records`."""
        with self._lock:
            rows = sorted(self._tables.records.get(table, {}).items())
        yield from rows

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Yield every prepared branch; see `interface.Store.branches`."""
        with self._lock:
            prepared = sorted(self._tables.branches.items(), key=_name)
        for branch, kept in prepared:
            yield branch, list(kept.operations)

    def take_note(self) -> str | None:
        """Return None: nothing is ever repaired."""
        return None

    def require_place(self) -> None:
        """Do nothing: there are no files."""

    def close(self) -> None:
        """Delete everything."""
        self._tables = MemoryTables()
        self.staged.kept.clear()
        self.spilled.kept.clear()


def _claim(body: Body, undo: Undo, staged: dict[int, bytes]) -> list[bytes]:
    """Return the pieces of a body; its staged chunks become the message's."""
    if not isinstance(body, StagedBody):
        return [join_body(body)]
    pieces = [bytes(body.head)]
    for number, length in zip(body.chunks, body.lengths, strict=True):
        chunk = staged.get(number)
        if chunk is None:
            raise ChunkMissing(number)
        if len(chunk) != length:
            raise RowError(f"chunk {number} has {len(chunk)} bytes, not {length}")
        undo.append(_restorer(staged, number))
        del staged[number]
        pieces.append(chunk)
    pieces.append(bytes(body.tail))
    return pieces


def _restorer(table: dict[Any, bytes], key: Any) -> Callable[[], Any]:
    """Return a function that restores a table's value of a key."""
    if key not in table:
        return lambda: table.pop(key, None)
    value = table[key]
    return lambda: table.__setitem__(key, value)


def _setter(message: MemoryMessage, index: bytes) -> Callable[[], Any]:
    """Return a function that restores the index fields of a message."""
    return lambda: setattr(message, "index", index)


def _position(row: tuple[int, MemoryMessage]) -> int:
    return row[0]


def _name(row: tuple[bytes, PreparedBranch]) -> bytes:
    return row[0]
