"""What units of work make of the objects of an adapter, before any of it is written (`bridge.store.adapter_store`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from mqbridge.bridge.store.adapter_rows import (
    BODY,
    BRANCH,
    INLINE,
    RECORD,
    STAGED,
    MessageObject,
    encode_branch,
    encode_record,
    message_name,
    numbered,
)
from mqbridge.bridge.store.branch_rows import AddStaged, decode_operations, encode_operations
from mqbridge.bridge.store.errors import (
    BranchExists,
    BranchMissing,
    ChunkMissing,
    MessageExists,
    MessageMissing,
    RowError,
)
from mqbridge.bridge.store.operations import (
    MAX_KEY,
    AddMessage,
    Body,
    ChangeMessage,
    DropQueue,
    Operation,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    StagedBody,
)
from mqbridge.bridge.store.rows import BodyChunk, StagedRow, join_body, record_key


class Contents(Protocol):
    """What is there: in the store, or in a draft over it."""

    def message(self, queue: int, position: int) -> MessageObject | None:
        """Return a message, or None."""
        ...

    def positions(self, queue: int) -> Iterable[int]:
        """Return the positions of a queue's messages, in any order."""
        ...

    def record_number(self, table: str, key: bytes) -> int | None:
        """Return the number of a record, or None."""
        ...

    def branch(self, branch: bytes) -> tuple[int, bytes] | None:
        """Return number and operations of a prepared branch, or None."""
        ...

    def staged_length(self, part: int) -> int | None:
        """Return the length of a staged part that belongs to nothing, or None."""
        ...

    def new_number(self) -> int:
        """Return a number that no object has."""
        ...

    def write_ahead(self, name: str, data: bytes) -> None:
        """Write an object that means nothing before another one refers to it. Raises `StoreFull`."""
        ...


class Draft:
    """Changes of one unit of work, or of several, over what is there.

    ``messages``, ``records``, ``branches``: new ones, None for those that go. ``claimed``: staged parts that belong to
    a message or branch now. ``garbage``: objects that nothing refers to any more. ``ahead``: bodies that are written.
    """

    def __init__(self, below: Contents) -> None:
        self._below = below
        self.messages: dict[tuple[int, int], MessageObject | None] = {}
        self.records: dict[tuple[str, bytes], tuple[int, bytes | None]] = {}
        self.branches: dict[bytes, tuple[int, bytes | None]] = {}
        self.claimed: set[int] = set()
        self.garbage: list[str] = []
        self.ahead: list[str] = []

    # What is there

    def message(self, queue: int, position: int) -> MessageObject | None:
        """Return a message, or None."""
        key = queue, position
        return self.messages[key] if key in self.messages else self._below.message(queue, position)

    def positions(self, queue: int) -> Iterable[int]:
        """Return the positions of a queue's messages."""
        found = set(self._below.positions(queue))
        for (own, position), message in self.messages.items():
            if own == queue:
                (found.discard if message is None else found.add)(position)
        return found

    def record_number(self, table: str, key: bytes) -> int | None:
        """Return the number of a record, or None."""
        found = self.records.get((table, key))
        if found is None:
            return self._below.record_number(table, key)
        return None if found[1] is None else found[0]

    def branch(self, branch: bytes) -> tuple[int, bytes] | None:
        """Return number and operations of a prepared branch, or None."""
        found = self.branches.get(branch)
        if found is None:
            return self._below.branch(branch)
        number, operations = found
        return None if operations is None else (number, operations)

    def staged_length(self, part: int) -> int | None:
        """Return the length of a staged part that belongs to nothing, or None."""
        return None if part in self.claimed else self._below.staged_length(part)

    def new_number(self) -> int:
        """Return a number that no object has."""
        return self._below.new_number()

    def write_ahead(self, name: str, data: bytes) -> None:
        """Write an object that nothing refers to yet."""
        self.ahead.append(name)
        self._below.write_ahead(name, data)

    # Changes

    def absorb(self, other: Draft) -> None:
        """Take over the changes of a draft over this one."""
        self.messages.update(other.messages)
        self.records.update(other.records)
        self.branches.update(other.branches)
        self.claimed |= other.claimed
        self.garbage += other.garbage

    def objects(self) -> dict[str, bytes | None]:
        """Return the objects that are to be written, and those that are to be erased as None."""
        found: dict[str, bytes | None] = {}
        for (queue, position), message in self.messages.items():
            found[message_name(queue, position)] = None if message is None else message.encode()
        for (table, key), (number, value) in self.records.items():
            found[numbered(RECORD, number)] = None if value is None else encode_record(table, key, value)
        for branch, (number, operations) in self.branches.items():
            found[numbered(BRANCH, number)] = None if operations is None else encode_branch(branch, operations)
        found.update(dict.fromkeys(self.garbage))
        return found

    def apply(self, operation: Operation | AddStaged) -> None:
        """Apply an operation. Raises `RowError`, `StoreFull`."""
        match operation:
            case AddMessage(queue, position, index, body):
                self._require_free(queue, position)
                self.messages[queue, position] = self._new_message(index, body)
            case AddStaged(queue, position, index, row):
                self._require_free(queue, position)
                self.messages[queue, position] = MessageObject(index, len(row), row)
            case RemoveMessage(queue, position):
                self._remove(queue, position)
            case ChangeMessage(queue, position, index):
                message = self._message(queue, position)
                self.messages[queue, position] = MessageObject(bytes(index), message.length, message.body)
            case DropQueue(queue):
                for position in list(self.positions(queue)):
                    self._remove(queue, position)
            case PutRecord(table, key, value):
                record_key(table, key)
                number = self.record_number(table, key)
                self.records[table, key] = self._record(table, key) if number is None else number, bytes(value)
            case RemoveRecord(table, key):
                record_key(table, key)
                number = self.record_number(table, key)
                if number is not None:
                    self.records[table, key] = number, None
            case PrepareBranch(name, operations):
                self._prepare(name, operations)
            case ResolveBranch(name, commit):
                self._resolve(name, commit=commit)

    def _record(self, table: str, key: bytes) -> int:
        """The number of a new record: that of the one that was removed before in these units."""
        found = self.records.get((table, key))
        return self.new_number() if found is None else found[0]

    def _message(self, queue: int, position: int) -> MessageObject:
        found = self.message(queue, position)
        if found is None:
            raise MessageMissing(queue, position)
        return found

    def _require_free(self, queue: int, position: int) -> None:
        if self.message(queue, position) is not None:
            raise MessageExists(queue, position)

    def _new_message(self, index: bytes, body: Body) -> MessageObject:
        if isinstance(body, StagedBody):
            return MessageObject(bytes(index), len(body), self._claim(body))
        data = join_body(body)
        if len(data) <= INLINE:
            return MessageObject(bytes(index), len(data), data)
        number = self.new_number()
        self.write_ahead(numbered(BODY, number), data)
        return MessageObject(bytes(index), len(data), number)

    def _remove(self, queue: int, position: int) -> None:
        self.garbage += self._message(queue, position).parts()
        self.messages[queue, position] = None

    def _claim(self, body: StagedBody) -> StagedRow:
        """Give staged parts to a message or branch."""
        for part, length in zip(body.chunks, body.lengths, strict=True):
            found = self.staged_length(part)
            if found is None:
                raise ChunkMissing(part)
            if found != length:
                raise RowError(f"chunk {part} has {found} bytes, not {length}")
            self.claimed.add(part)
        chunks = [BodyChunk(*each, 0) for each in zip(body.chunks, body.lengths, strict=True)]
        return StagedRow(bytes(body.head), chunks, bytes(body.tail))

    def _prepare(self, branch: bytes, operations: Sequence[Operation]) -> None:
        if not 0 < len(branch) <= MAX_KEY:
            raise RowError(f"the name of a branch has 1 to {MAX_KEY} bytes, not {len(branch)}")
        if self.branch(branch) is not None:
            raise BranchExists(branch)
        found = self.branches.get(branch)
        number = self.new_number() if found is None else found[0]
        self.branches[branch] = number, encode_operations(operations, self._claim)

    def _resolve(self, branch: bytes, *, commit: bool) -> None:
        found = self.branch(branch)
        if found is None:
            raise BranchMissing(branch)
        number, operations = found
        self.branches[branch] = number, None
        for operation in decode_operations(operations, f"branch {branch.hex()}"):
            if commit:
                self.apply(operation)
            elif isinstance(operation, AddStaged):
                self.garbage += [numbered(STAGED, chunk.number) for chunk in operation.body.chunks]
