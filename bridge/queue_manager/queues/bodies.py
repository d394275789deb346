"""Message bodies before and after they are stored: in memory, or in parts in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.store.interface import MAX_CHUNK, PartArea, Store, StoreError
from mqbridge.bridge.store.interface import StagedBody as StoreStagedBody
from mqbridge.mappings.body import Body, BodyFromOffset, BodyPieces, as_bytes, in_pieces

UNIT_MEMORY: Final = 4 << 20
"""Bytes of message data that a unit of work (or one arriving message) keeps in memory before parts are staged."""
STAGE_MINIMUM: Final = 16 << 10
"""Bodies up to this many bytes are not staged: MAXUMSGS bounds what a unit keeps of them."""
LAZY_BODY: Final = 1 << 16
"""Data longer than this is read from the store on demand, not by the get."""
NONPERSISTENT_MEMORY: Final = 64 << 20
"""Bytes of non-persistent messages kept in memory by all queues together before bodies go to the spill area."""
SPILL_MINIMUM: Final = 512
"""Bodies up to this many bytes are not spilled: a reference to one would take as much memory."""


@dataclass(slots=True, eq=False)
class StoredBody:
    """Data of a stored message, which begins at offset ``start``; valid while the message is in the store."""

    store: Store
    queue: int
    position: int
    start: int
    length: int

    def __len__(self) -> int:
        return self.length

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """See `mappings.body.ReadableBody.read`."""
        left = max(self.length - offset, 0)
        wanted = left if length is None else min(length, left)
        return self.store.read(self.queue, self.position, self.start + offset, wanted) if wanted else b""


@dataclass(slots=True, eq=False)
class BodyInParts:
    """Data in parts in the store, each with an id; the beginning (``head``) and the end (``tail``) are in memory.

    ``staged``: the parts are staged for a commit; otherwise they are in the spill area. ``owned``: the parts belong to
    this object, which frees them; otherwise to a unit of work.
    """

    store: Store
    staged: bool
    ids: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    tail: bytes = b""
    head: bytes = b""
    owned: bool = True

    def __len__(self) -> int:
        return len(self.head) + sum(self.lengths) + len(self.tail)

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """See `mappings.body.ReadableBody.read`."""
        area = self.area
        end = len(self) if length is None else min(offset + length, len(self))
        found = [self.head[offset:end]]
        start = len(self.head)
        for part, size in zip(self.ids, self.lengths, strict=True):
            low, high = max(offset - start, 0), min(end - start, size)
            if low < high:
                found.append(area.read(part, low, high - low))
            start += size
        if end > start:
            found.append(self.tail[max(offset - start, 0) : end - start])
        return b"".join(found)

    def give_back(self) -> None:
        """Free the parts if they still belong to this object."""
        if self.owned and self.ids:
            self.area.drop(self.ids)
        self.owned = False

    @property
    def area(self) -> PartArea:
        """Area of the store that holds the parts."""
        return self.store.staged if self.staged else self.store.spilled


HeldBody: TypeAlias = bytes | int | BodyPieces | BodyInParts
"""Descriptor and data of a non-persistent message as a queue holds them; an ``int`` is their id in the spill area."""


class BodyWriter:
    """Collects the data of one message, piece by piece, into a body.

    Up to ``UNIT_MEMORY`` bytes stay in memory; beyond that, parts of 1 MiB go to the store: staged if ``persistent``,
    else to the spill area. ``fault``: turns a store's error, and what it happened to, into an `MQError`.
    """

    __slots__ = ("_fault", "_ids", "_lengths", "_pieces", "_size", "_staged", "_store")

    def __init__(self, store: Store, persistent: bool, fault: Callable[[StoreError, str], MQError]) -> None:
        self._store = store
        self._fault = fault
        self._staged = persistent
        self._pieces: list[bytes | memoryview] = []
        self._size = 0
        self._ids: list[int] = []
        self._lengths: list[int] = []

    def __len__(self) -> int:
        """Bytes written so far."""
        return self._size + sum(self._lengths)

    def write(self, piece: bytes | memoryview) -> None:
        """Append bytes; a ``memoryview`` must not change afterwards.

        Raises `MQError` if the store refuses a part. The bytes are kept nevertheless: writing no bytes tries again.
        """
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= (MAX_CHUNK if self._ids else UNIT_MEMORY):
            self._write_out()

    def _write_out(self) -> None:
        data = memoryview(b"".join(self._pieces))
        area = self._store.staged if self._staged else self._store.spilled
        written = 0
        try:
            while len(data) - written >= MAX_CHUNK:
                part = data[written : written + MAX_CHUNK]
                self._ids.append(area.write(part))
                self._lengths.append(MAX_CHUNK)
                written += MAX_CHUNK
        except StoreError as error:
            raise self._fault(error, "a part of a long message") from error
        finally:
            self._pieces = [bytes(data[written:])]
            self._size = len(data) - written

    def finish(self) -> Body:
        """The body of all pieces; the writer must not be used afterwards."""
        if self._ids:
            return BodyInParts(self._store, self._staged, self._ids, self._lengths, b"".join(self._pieces))
        if len(self._pieces) == 1:
            return self._pieces[0]
        return BodyPieces(self._pieces)

    def abandon(self) -> None:
        """Free everything written: the message is given up."""
        BodyInParts(self._store, self._staged, self._ids, self._lengths).give_back()
        self._ids, self._lengths, self._pieces = [], [], []


def stage(store: Store, body: Body) -> BodyInParts:
    """Stage data in parts of 1 MiB. Raises `StoreFull`; nothing is left behind then."""
    return _in_parts(store, body, staged=True)


def stage_tail(store: Store, body: BodyInParts) -> None:
    """Stage the end of data whose other parts are staged. Raises `StoreFull`."""
    body.ids.append(store.staged.write(body.tail))
    body.lengths.append(len(body.tail))
    body.tail = b""


def spill(store: Store, body: Body) -> BodyInParts:
    """Write data to the spill area in parts of 1 MiB. Raises `StoreFull`; nothing is left behind then."""
    return _in_parts(store, body, staged=False)


def _in_parts(store: Store, body: Body, *, staged: bool) -> BodyInParts:
    made = BodyInParts(store, staged)
    area = made.area
    try:
        for piece in in_pieces(body, MAX_CHUNK):
            made.ids.append(area.write(piece))
            made.lengths.append(len(piece))
    except BaseException:
        made.give_back()
        raise
    return made


def staged_for_store(raw_md: bytes, body: BodyInParts) -> StoreStagedBody:
    """The store's form of a descriptor and staged data; the parts belong to the unit of work from now on."""
    body.owned = False
    return StoreStagedBody(list(body.ids), list(body.lengths), tail=body.tail, head=raw_md)


def hold(store: Store, raw_md: bytes, body: Body, spilling: bool) -> HeldBody:
    """Descriptor and data of a non-persistent message in the form that a queue holds.

    ``spilling``: the memory for such messages is used up. Raises `StoreFull`.
    """
    if isinstance(body, BodyInParts) and not body.staged:
        body.owned = False
        return BodyInParts(store, False, body.ids, body.lengths, body.tail, head=raw_md)
    if isinstance(body, BodyInParts):
        held = hold(store, raw_md, BodyFromOffset(body, 0), spilling)
        body.give_back()
        return held
    size = len(raw_md) + len(body)
    if size > MAX_CHUNK and (spilling or not isinstance(body, bytes | memoryview | BodyPieces)):
        parted = spill(store, body)
        parted.head = raw_md
        return parted
    if isinstance(body, BodyPieces) and size > MAX_CHUNK:
        return BodyPieces((raw_md, *body.pieces))
    joined = b"".join((raw_md, body if isinstance(body, bytes | memoryview) else as_bytes(body)))
    return store.spilled.write(joined) if spilling and SPILL_MINIMUM < size <= MAX_CHUNK else joined


def release(store: Store, held: HeldBody) -> int:
    """Free the parts of a held body in the store. Returns its bytes in memory."""
    if isinstance(held, bytes | BodyPieces):
        return len(held)
    if isinstance(held, int):
        store.spilled.drop((held,))
        return 0
    held.owned = True
    held.give_back()
    return len(held.head) + len(held.tail)


def memory_of(held: HeldBody) -> int:
    """Bytes of a held body that are in memory."""
    if isinstance(held, bytes | BodyPieces):
        return len(held)
    return 0 if isinstance(held, int) else len(held.head) + len(held.tail)


def split(store: Store, held: HeldBody, md_length: int) -> tuple[bytes, Body]:
    """Descriptor and data of a held body; data in parts stays in the store. Raises `StoreDamaged`."""
    if isinstance(held, int):
        held = store.spilled.read(held)
    if isinstance(held, bytes):
        if len(held) > LAZY_BODY:
            return held[:md_length], BodyFromOffset(BodyPieces((held,)), md_length)
        return held[:md_length], held[md_length:]
    return held.read(0, md_length), BodyFromOffset(held, md_length)
