"""A message on a queue: its row in the store and in memory (E-068, E-145)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.body import Encoded, body_of, read_body
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType, decode
from mqbridge.protocol.everyplace.message import absolute_expiry
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.numbers import number
from mqbridge.protocol.everyplace.reserved import EXPIRE_TIME, ORIGIN, TIME
from mqbridge.protocol.everyplace.uid import MessageUid

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.changes import Change
    from mqbridge.protocol.everyplace.message import Message

VERSION: Final = 1
_HEAD: Final = struct.Struct(">BBBBQqqqQ")
_TIME: Final = struct.Struct(">q")
_NO_TYPE: Final = number(0)
_SHARED: Final = 256
"""Most targets whose addresses are kept to be shared."""


class Marks(NamedTuple):
    """``confirm``: id of the put or get that is unconfirmed. ``lock``, ``lock_confirm``: lock id of a browse, and the
    confirm id of that call."""

    confirm: int = 0
    lock: int = 0
    lock_confirm: int = 0


UNMARKED: Final = Marks()


class Entry:
    """A message on a queue.

    ``position``: its key in the store. ``place``: its place among those of its priority, lower ones first.
    ``priority``: its own, or the queue's when it arrived. ``arrived``: milliseconds since 1970. ``origin``, ``time``:
    its UID. ``expire_time``: when it expires by its own expire time, in milliseconds since 1970; 0 for never, None if
    it has none. ``target``: where it goes, on queues that only pass messages on. ``reserved``: kept for a transfer.
    ``told``: the rule knows that it has expired. ``change``: what is being made of it and is not on disk yet.

    A device keeps thousands of them, so equal values are one object, and what UID and fields both say is kept once.
    """

    __slots__ = (
        "_rest",
        "arrived",
        "change",
        "expire_time",
        "length",
        "marks",
        "origin",
        "place",
        "position",
        "priority",
        "reserved",
        "state",
        "target",
        "time",
        "told",
    )

    def __init__(
        self,
        position: int,
        state: State,
        priority: int,
        place: int,
        arrived: int,
        uid: MessageUid,
        fields: bytes,
        expire_time: int | None = None,
        marks: Marks = UNMARKED,
        target: Address | None = None,
        length: int = 0,
    ) -> None:
        """``fields``: its index fields, as the body of a dump."""
        self.origin, self.time = uid
        self._rest = fields[1:2] + fields[2 + len(_before_time(self.origin)) + _TIME.size :]
        self.position = position
        self.state = state
        self.priority = priority
        self.place = position if place == position else place
        self.arrived = self.time if arrived == self.time else arrived
        self.expire_time = expire_time
        self.marks = marks
        self.target = target
        self.length = _one(length)
        self.reserved = self.told = False
        self.change: Change[Any] | None = None

    @property
    def uid(self) -> MessageUid:
        """Its UID."""
        return MessageUid(self.origin, self.time)

    @property
    def fields(self) -> bytes:
        """Its index fields, as the body of a dump."""
        rest = self._rest
        return b"".join((_NO_TYPE, rest[:1], _before_time(self.origin), _TIME.pack(self.time), rest[1:]))

    @property
    def index(self) -> Mapping[str, Encoded]:
        """The index fields."""
        return read_body(self.fields)[1]

    def expires(self, interval: int) -> int | None:
        """When it expires, in milliseconds since 1970; None for never.

        ``interval``: of the queue in milliseconds, 0 for none; the message's own time overrides it (E-075 to E-078).
        """
        if self.expire_time is None:
            return self.arrived + interval if interval else None
        return self.expire_time or None

    def row(self) -> bytes:
        """Return its index row for the store."""
        return self.row_with(self.state, self.marks)

    def row_with(self, state: State, marks: Marks) -> bytes:
        """Return the index row of what is to become of it."""
        target = self.target
        head = _HEAD.pack(VERSION, state, self.priority, target is not None, self.place, *marks, self.arrived)
        return head + _target_row(target) + self.fields

    @classmethod
    def read(cls, position: int, row: bytes, length: int) -> Entry:
        """Return the entry of a row. Raises `EveryplaceError` STORE for a row of another version, or damaged."""
        try:
            version, state, priority, has_target, place, confirm, lock, lock_confirm, arrived = _HEAD.unpack_from(row)
            if version != VERSION:
                raise EveryplaceError(Code.STORE, f"a message was written by version {version} of the store's rows")
            at, target = _HEAD.size, None
            if has_target:
                queue, at = _read_text(row, at)
                queue_manager, at = _read_text(row, at)
                target = shared(Address(queue, queue_manager))
            uid, expire_time = _identity(read_body(row, at)[1])
            return cls(
                position,
                State(state),
                priority,
                place,
                arrived,
                uid,
                bytes(row[at:]),
                expire_time,
                Marks(confirm, lock, lock_confirm) if confirm or lock or lock_confirm else UNMARKED,
                target,
                length,
            )
        except (struct.error, ValueError, IndexError, KeyError) as error:
            raise EveryplaceError(Code.STORE, f"the row of a message is damaged: {error}") from None


def expire_time(message: Message, uid: MessageUid) -> int | None:
    """Return the expire time of a message; see `Entry`."""
    own = message.encoded(EXPIRE_TIME)
    return None if own is None else _expire_time(own, uid)


@lru_cache(maxsize=_SHARED)
def _before_time(origin: str) -> bytes:
    """What stands in the index fields between their number and the time: fields of a UID come first."""
    uid = {ORIGIN: Encoded(FieldType.ASCII, origin.encode("ascii")), TIME: Encoded(FieldType.LONG, bytes(_TIME.size))}
    return body_of("", uid)[2 : -_TIME.size]


@lru_cache(maxsize=_SHARED)
def _one(length: int) -> int:
    """Return a number that other entries share."""
    return length


@lru_cache(maxsize=_SHARED)
def shared(address: Address | None) -> Address | None:
    """Return an address that other entries share."""
    return None if address is None else Address(intern(address.queue), intern(address.queue_manager))


def _identity(index: Mapping[str, Encoded]) -> tuple[MessageUid, int | None]:
    origin, time = index[ORIGIN], index[TIME]
    uid = MessageUid(intern(decode(*origin)), decode(*time))
    own = index.get(EXPIRE_TIME)
    return uid, None if own is None else _expire_time(own, uid)


def _expire_time(own: Encoded, uid: MessageUid) -> int:
    return absolute_expiry(own.type, decode(*own), uid.time) or 0


@lru_cache(maxsize=_SHARED)
def _target_row(address: Address | None) -> bytes:
    return b"" if address is None else b"".join(map(_text, address))


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode("ascii")


def _read_text(row: bytes, at: int) -> tuple[str, int]:
    end = at + 1 + row[at]
    return row[at + 1 : end].decode("ascii"), end
