"""Parts of long messages that have come, on disk until the batch of their message is placed (mqe.md 20.2, E-024).

So they survive a cut and a crash of either end, and no byte is sent twice but those on their way.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.security.at_rest import OVERHEAD
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import MAX_QUEUE, AddMessage, Operation, RemoveMessage, Store
from mqbridge.protocol.everyplace.batches import Part, Push
from mqbridge.protocol.everyplace.dump import MAX_DUMP
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address, check_name
from mqbridge.protocol.everyplace.uid import MessageUid

from .conversation import Committer
from .lane_records import LaneName

QUEUE: Final = MAX_QUEUE
"""Number under which the store keeps parts, as if each was a message."""
LONG: Final = 1 << 16
"""Messages from this length on, in bytes of their dump, go ahead in parts."""
PART: Final = 1 << 15
"""Bytes of a part."""
WINDOW: Final = 2
"""Most parts on their way: what a cut costs."""
MAX_PARTS: Final = 512 << 20
"""Most bytes of parts on disk, of all lanes."""
KEPT: Final = 7 * 24 * 3600 * 1000
"""Milliseconds after which parts of a message that never came whole are deleted at a restart."""
_PLAIN, _ENCRYPTED = 1, 2
"""How a part is kept: first byte of its row."""
_HEAD: Final = struct.Struct(">BQQQQBHB")


@dataclass(slots=True)
class _Incoming:
    """A message whose parts come. ``have``: bytes that are there, or on their way to disk. ``positions``: of its parts
    in the store, in order. ``on_the_way``: those that are not on disk yet. ``forgotten``: it has begun anew, or is
    there as a whole. ``leaves``: a transaction deletes it."""

    length: int
    have: int = 0
    positions: list[int] = field(default_factory=list)
    on_the_way: set[int] = field(default_factory=set)
    forgotten: bool = False
    leaves: bool = False

    def deletes(self) -> list[Operation]:
        """Return what deletes the parts that are on disk."""
        return [RemoveMessage(QUEUE, each) for each in self.positions if each not in self.on_the_way]


class PartsIn:
    """Parts of the messages of all lanes. ``clock``: gives the time in milliseconds since 1970. ``most``: bytes on
    disk. ``security``: where there is a private registry, parts are encrypted, as they may be for a protected queue
    (E-095); those that are kept otherwise are of another life, and come again.
    """

    def __init__(
        self,
        store: Store,
        committer: Committer,
        clock: Callable[[], int],
        most: int = MAX_PARTS,
        security: Security | None = None,
    ) -> None:
        self._security = security or Security()
        self._store = store
        self._committer = committer
        self._most = most
        self._lanes: dict[LaneName, dict[MessageUid, _Incoming]] = {}
        self._total = 0
        self._position = 0
        self._clock = clock
        self._loaded = False

    def have(self, lane: LaneName, uid: MessageUid) -> int:
        """Return how many bytes of a message are there."""
        self._load()
        found = self._lanes.get(lane, {}).get(uid)
        return 0 if found is None else found.have

    def add(self, lane: LaneName, part: Part, then: Callable[[int | EveryplaceError], None]) -> None:
        """Keep a part; one that is there already is left. ``then`` gets how many bytes are there once it is on disk.

        Raises `EveryplaceError` TOO_LONG beyond the limits, DATA for a part that does not follow what is there.
        """
        lane.check()
        check_name(part.uid.origin, "queue manager")
        incoming = self._incoming(lane, part)
        end = part.offset + len(part.data)
        if end > part.length or part.offset > incoming.have:
            raise EveryplaceError(Code.DATA, f"a part ends at {end} of {part.length}; {incoming.have} bytes are here")
        if end <= incoming.have:
            then(incoming.have)
            return
        data = part.data[incoming.have - part.offset :]
        if self._total + len(data) > self._most:
            raise EveryplaceError(Code.TOO_LONG, f"parts of long messages fill {self._most} bytes")
        self._position += 1
        position = self._position
        at_rest = self._security.part_at_rest(incoming.have)
        kept = data if at_rest is None else at_rest.protect(part.uid, data)
        row = _row(self._way, lane, part.uid, part.length, incoming.have, self._clock())
        incoming.positions.append(position)
        incoming.on_the_way.add(position)
        incoming.have = end
        self._total += len(data)

        def written(committed: bool) -> None:
            incoming.on_the_way.discard(position)
            if committed and not incoming.forgotten:
                then(end)
                return
            if committed:
                self._committer.submit(Change(None, [RemoveMessage(QUEUE, position)]), lambda _: None)
            elif not incoming.forgotten:
                incoming.positions.remove(position)
                self._forget(lane, part.uid)
            then(EveryplaceError(Code.STORE, "a part cannot be stored"))

        self._committer.submit(Change(None, [AddMessage(QUEUE, position, row, kept)]), written)

    def message(self, lane: LaneName, uid: MessageUid) -> Message:
        """Return a message whose parts are all there. Raises `EveryplaceError` DATA."""
        self._load()
        found = self._lanes.get(lane, {}).get(uid)
        if found is None or found.have != found.length or found.on_the_way:
            raise EveryplaceError(Code.DATA, f"message {uid} has not come whole")
        message = Message.of(Fields.of_body(self._opened(uid, found)))
        message.check()
        if message.uid != uid:
            raise EveryplaceError(Code.DATA, f"the parts of message {uid} are those of {message.uid}")
        return message

    def removals(self, lane: LaneName) -> list[Operation]:
        """Return what deletes the parts of a lane, in the transaction that places their messages; `placed` follows."""
        self._load()
        operations: list[Operation] = []
        for each in self._lanes.get(lane, {}).values():
            each.leaves = True
            operations += each.deletes()
        return operations

    def placed(self, lane: LaneName) -> None:
        """A batch of a lane has been placed, with `removals`; parts that have come since stay."""
        for uid, each in list(self._lanes.get(lane, {}).items()):
            if each.leaves:
                self._drop(lane, uid)

    # Parts

    @property
    def _way(self) -> int:
        """How parts are kept in this life."""
        return _PLAIN if self._security.part_at_rest(0) is None else _ENCRYPTED

    def _opened(self, uid: MessageUid, incoming: _Incoming) -> bytes:
        """Return a message from its parts. Raises `EveryplaceError` STORE for one that was changed on disk."""
        found = bytearray()
        for row in self._store.read_many(QUEUE, incoming.positions):
            at_rest = self._security.part_at_rest(len(found))
            found += row if at_rest is None else at_rest.opened(uid, row)
        return bytes(found)

    def _incoming(self, lane: LaneName, part: Part) -> _Incoming:
        if part.length > MAX_DUMP:
            raise EveryplaceError(Code.TOO_LONG, f"a message of {part.length} bytes; {MAX_DUMP} are allowed")
        self._load()
        found = self._lanes.setdefault(lane, {})
        incoming = found.get(part.uid)
        if incoming is not None and incoming.length != part.length:
            self._forget(lane, part.uid)
            incoming = None
        if incoming is None:
            if sum(each.length for each in found.values()) + part.length > 2 * MAX_DUMP:
                for uid in list(found):
                    self._forget(lane, uid)
            incoming = self._lanes.setdefault(lane, {})[part.uid] = _Incoming(part.length)
        return incoming

    def _forget(self, lane: LaneName, uid: MessageUid) -> None:
        operations = self._drop(lane, uid).deletes()
        if operations:
            self._committer.submit(Change(None, operations), lambda _: None)

    def _drop(self, lane: LaneName, uid: MessageUid) -> _Incoming:
        """Take it out of memory; a part that is on its way to disk is deleted when it is there."""
        incoming = self._lanes[lane].pop(uid)
        if not self._lanes[lane]:
            del self._lanes[lane]
        self._total -= incoming.have
        incoming.forgotten = True
        return incoming

    def _load(self) -> None:
        """Read what is on disk, once."""
        if self._loaded:
            return
        self._loaded, now = True, self._clock()
        old: list[Operation] = []
        for position, row, size in self._store.scan(QUEUE):
            self._position = max(self._position, position)
            way, lane, uid, length, offset, arrived = _read_row(row)
            if way == _ENCRYPTED:
                size -= OVERHEAD
            found = self._lanes.setdefault(lane, {}).setdefault(uid, _Incoming(length))
            if way != self._way or arrived + KEPT < now or found.length != length or found.have != offset:
                old.append(RemoveMessage(QUEUE, position))
                continue
            found.positions.append(position)
            found.have += size
            self._total += size
        if old:
            self._committer.submit(Change(None, old), lambda _: None)


def whole(push: Push, lane: LaneName, parts: PartsIn) -> list[tuple[Message, Address]]:
    """Return the messages of a PUSH, with those that came in parts. Raises `EveryplaceError` DATA."""
    found = []
    for address, message in push.messages:
        assert not isinstance(message, bytes), "messages of a PUSH that came are taken apart"
        found.append((parts.message(lane, message) if isinstance(message, MessageUid) else message, address))
    return found


def _row(way: int, lane: LaneName, uid: MessageUid, length: int, offset: int, now: int) -> bytes:
    texts = [each.encode("ascii") for each in (lane.partner, lane.queue, uid.origin)]
    return _HEAD.pack(way, uid.time, length, offset, now, *map(len, texts)) + b"".join(texts)


def _read_row(row: bytes) -> tuple[int, LaneName, MessageUid, int, int, int]:
    """Return how the part is kept, lane, UID, length of the message, offset of the part, and when it came."""
    way, time, length, offset, arrived, *sizes = _HEAD.unpack_from(row)
    texts, at = [], _HEAD.size
    for size in sizes:
        texts.append(row[at : at + size].decode("ascii"))
        at += size
    return way, LaneName(texts[0], texts[1]), MessageUid(texts[2], time), length, offset, arrived
