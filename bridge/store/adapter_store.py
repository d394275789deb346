"""A store over any storage adapter (`bridge.store.adapters`), intent first.

A unit is one object, the intent: the objects that it writes and erases. It is carried out when the intent is on disk,
and again at the next start; so after a crash, at whatever operation of the adapter and at whatever byte of a write, a
unit is whole or absent. Long bodies are written ahead of it as objects to which nothing refers; a start erases those
that nothing refers to.

In memory are the positions of messages and the keys of records, no bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqbridge.bridge.store.adapter_directory import Directory
from mqbridge.bridge.store.adapter_draft import Draft
from mqbridge.bridge.store.adapter_objects import AdapterObjects, AdapterParts, slice_of
from mqbridge.bridge.store.adapter_rows import (
    BODY,
    FORMAT,
    INTENT,
    RECORD,
    SPILLED,
    STAGED,
    VERSION,
    MessageObject,
    decode_intent,
    decode_record,
    decode_version,
    encode_intent,
    encode_version,
    numbered,
)
from mqbridge.bridge.store.adapters.interface import ObjectMissing, StorageAdapter
from mqbridge.bridge.store.branch_rows import decode_operations, public_operation
from mqbridge.bridge.store.errors import (
    MessageMissing,
    RowError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreFull,
    StoreNewer,
)
from mqbridge.bridge.store.operations import MAX_CHUNK, Operation, Unit
from mqbridge.bridge.store.rows import StagedRow


class AdapterStore:
    """Rows as objects; `interface.Store` describes the methods. ``where``: the place of the adapter, for errors.

    The adapter is active. Raises `StoreNewer` for objects of a newer release, `StoreDamaged` for those of no store.
    """

    def __init__(self, adapter: StorageAdapter, where: str = "") -> None:
        self.objects = AdapterObjects(adapter)
        self._where = where or "the store"
        self._failed: StoreFailed | None = None
        self._note: str | None = None
        self.staged = AdapterParts(self.objects, STAGED, MAX_CHUNK)
        self.spilled = AdapterParts(self.objects, SPILLED)
        self._open()

    # Start

    def _open(self) -> None:
        names = self.objects.adapter.names()
        version = self._version(names)
        if version == 0:
            self.objects.write(FORMAT, encode_version())
        elif version > VERSION:
            raise StoreNewer(self._where, version, VERSION)
        self._carry_out_the_last_unit()
        self._directory = Directory(self.objects, self.staged.lengths)

    def _version(self, names: list[str]) -> int:
        """The version of what is there, 0 for nothing, or for the torn object of a start that was killed."""
        if not names:
            return 0
        if FORMAT not in names:
            raise StoreDamaged("these objects are no store", self._where)
        try:
            return decode_version(self.objects.read(FORMAT))
        except StoreDamaged:
            if names == [FORMAT]:
                return 0
            raise

    def _carry_out_the_last_unit(self) -> None:
        try:
            changes = dict(decode_intent(self.objects.read(INTENT)))
        except ObjectMissing:
            return
        except StoreDamaged:
            self._note = f"{self._where}: the intent of the last unit was not whole; the unit is absent"
            self.objects.erase(INTENT)
            return
        self.objects.pending = changes
        self.objects.settle()

    # Writing

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Apply units in order, each atomically, by one intent; see `interface.Store.commit`."""
        with self.objects.lock:
            if self._failed is None:
                self._settle()
            if self._failed is not None:
                return [self._failed] * len(units)
            if self.objects.pending:
                return [_full()] * len(units)
            found = self._transaction(units)
            if found is None and len(units) > 1:
                return [each for unit in units for each in self._transaction([unit]) or [_full()]]
            return [_full()] * len(units) if found is None else found

    def _transaction(self, units: Sequence[Unit]) -> list[StoreError | None] | None:
        """Commit units together. Returns None if there is no space for them."""
        together, found, ahead = Draft(self._directory), list[StoreError | None](), list[str]()
        try:
            for unit in units:
                draft = Draft(together)
                try:
                    for operation in unit:
                        draft.apply(operation)
                except (RowError, StoreDamaged, StoreBusy) as error:
                    together.garbage += draft.ahead
                    found.append(error)
                    continue
                finally:
                    ahead += draft.ahead
                together.absorb(draft)
                found.append(None)
            changes = together.objects()
            if changes:
                self.objects.write(INTENT, encode_intent(changes))
        except StoreFull:
            self._give_up(ahead)
            return None
        except StoreBusy as error:
            self._give_up(ahead)
            return [error] * len(units)
        except StoreError as error:
            self._failed = StoreFailed(str(error), self._where)
            return [self._failed] * len(units)
        self._committed(together, changes)
        return found

    def _give_up(self, ahead: list[str]) -> None:
        """Erase bodies that were written for a unit that there is no space for."""
        try:
            for name in ahead:
                self.objects.erase(name)
        except StoreError as error:
            self._failed = StoreFailed(str(error), self._where)

    def _committed(self, draft: Draft, changes: dict[str, bytes | None]) -> None:
        self._directory.apply(draft)
        for part in draft.claimed:
            self.staged.lengths.pop(part, None)
        self.objects.pending = changes
        self._settle()

    def _settle(self) -> None:
        """Carry out the last intent, as far as there is space; what is not, is read from memory meanwhile."""
        try:
            self.objects.settle()
        except (StoreFull, StoreBusy):
            return
        except StoreError as error:
            self._failed = StoreFailed(str(error), self._where)

    # Reading

    def _found(self, queue: int, position: int) -> MessageObject:
        with self.objects.lock:
            found = self._directory.message(queue, position)
        if found is None:
            raise MessageMissing(queue, position)
        return found

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body; see `interface.Store.read`."""
        with self.objects.lock:
            body = self._found(queue, position).body
            if isinstance(body, int):
                body = self.objects.read(numbered(BODY, body))
            if isinstance(body, StagedRow):
                parts = [self.objects.read(numbered(STAGED, chunk.number)) for chunk in body.chunks]
                body = b"".join([body.head, *parts, body.tail])
        return slice_of(body, offset, length)

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Return whole bodies; see `interface.Store.read_many`."""
        return [self.read(queue, position) for position in positions]

    def length(self, queue: int, position: int) -> int:
        """Return the length of a body; see `interface.Store.length`."""
        return self._found(queue, position).length

    def index(self, queue: int, position: int) -> bytes:
        """Return the index fields of a message; see `interface.Store.index`."""
        return self._found(queue, position).index

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield every message of a queue; see `interface.Store.scan`."""
        with self.objects.lock:
            positions = sorted(self._directory.messages.get(queue, ()))
        for position in positions:
            with self.objects.lock:
                found = self._directory.message(queue, position)
            if found is not None:
                yield position, found.index, found.length

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Yield every message; see `interface.Store.scan_all`."""
        for queue in self.queues():
            for position, index, length in self.scan(queue):
                yield queue, position, index, length

    def queues(self) -> Iterator[int]:
        """Yield the queues that hold messages; see `interface.Store.queues`."""
        with self.objects.lock:
            held = sorted(self._directory.messages)
        yield from held

    def record(self, table: str, key: bytes) -> bytes | None:
        """Return the value of a record; see `interface.Store.record`."""
        with self.objects.lock:
            number = self._directory.record_number(table, key)
            if number is None:
                return None
            name = numbered(RECORD, number)
            return decode_record(self.objects.read(name), name)[2]

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield every record of a table; see `interface.Store.records`."""
        with self.objects.lock:
            keys = sorted(self._directory.records.get(table, ()))
        for key in keys:
            value = self.record(table, key)
            if value is not None:
                yield key, value

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Yield every prepared branch; see `interface.Store.branches`."""
        with self.objects.lock:
            names = sorted(self._directory.branches)
        for branch in names:
            with self.objects.lock:
                found = self._directory.branch(branch)
            if found is not None:
                yield branch, [public_operation(each) for each in decode_operations(found[1], self._where)]

    def take_note(self) -> str | None:
        """Return what a start could not carry out, once; else None."""
        note, self._note = self._note, None
        return note

    def require_place(self) -> None:
        """Raise `StoreFailed` if the adapter's objects are no longer at their place."""
        self.objects.adapter.require_place()

    def close(self) -> None:
        """Release the adapter."""
        with self.objects.lock:
            self.objects.adapter.release()


def _full() -> StoreFull:
    return StoreFull("there is no space for another unit")
