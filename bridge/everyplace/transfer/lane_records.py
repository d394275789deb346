"""Records of lanes in the store: what each end knows after a crash."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.store.interface import MAX_KEY, PutRecord, Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

SENDING: Final = "everyplace-sending"
RECEIVING: Final = "everyplace-receiving"
IN_MQ: Final = "everyplace-in-mq"
"""Of the bridge: where MQ keeps a record of a lane."""
FROM_MQ: Final = "everyplace-from-mq"
"""Of the bridge: batches of its listeners that are in doubt."""
KEPT_FOR_MQ: Final = "everyplace-kept-for-mq"
"""Of the bridge: puts on bridge queues that are not confirmed."""
INCARNATION: Final = 8
"""Bytes of the random mark that a queue manager gets when it is created."""
NO_INCARNATION: Final = bytes(INCARNATION)
READMITTED: Final = b"\xff" * INCARNATION
"""In place of an incarnation: the other end is taken on as it is when it is heard next."""
MARKS: Final = 1 << 32
"""Marks that there are. MQ records a batch as one number: that of the batch times this, plus its mark."""
_HEAD: Final = struct.Struct(">8sQH")
_TAKEN: Final = struct.Struct(">8sQI")


@dataclass(frozen=True, slots=True)
class LaneName:
    """``partner``: the queue manager at the other end. ``queue``: the queue at the sending end."""

    partner: str
    queue: str

    @property
    def key(self) -> bytes:
        """Its key in a table of the store."""
        return f"{self.partner}\0{self.queue}".encode("ascii")

    def check(self) -> None:
        """Check a name that another queue manager has given. Raises `EveryplaceError` DATA."""
        if not self.queue.isascii() or not self.queue.isprintable() or len(self.key) > MAX_KEY:
            raise EveryplaceError(Code.DATA, f"{self.queue[:40]!a} is no name of a lane")

    def __str__(self) -> str:
        return f"{self.queue} ({self.partner})"


@dataclass(frozen=True, slots=True)
class SendingRecord:
    """The sender's record. ``receiver``: incarnation of the other end, zeros before the first batch. ``number``: of the
    last batch known to be placed. ``in_doubt``: positions of the messages of batch ``number + 1``, if there is one."""

    receiver: bytes = NO_INCARNATION
    number: int = 0
    in_doubt: tuple[int, ...] = ()

    def write(self, lane: LaneName) -> PutRecord:
        """Return the operation that writes it."""
        head = _HEAD.pack(self.receiver, self.number, len(self.in_doubt))
        return PutRecord(SENDING, lane.key, head + struct.pack(f">{len(self.in_doubt)}Q", *self.in_doubt))

    @classmethod
    def read(cls, store: Store, lane: LaneName) -> SendingRecord:
        """Return the record of a lane; a new one where there is none. Raises `EveryplaceError` STORE."""
        data = store.record(SENDING, lane.key)
        if data is None:
            return cls()
        try:
            receiver, number, count = _HEAD.unpack_from(data)
            return cls(receiver, number, struct.unpack(f">{count}Q", data[_HEAD.size :]))
        except struct.error:
            raise EveryplaceError(Code.STORE, f"the record of lane {lane} is damaged") from None


@dataclass(frozen=True, slots=True)
class ReceivingRecord:
    """The receiver's record. ``sender``: incarnation of the other end. ``number``, ``mark``: of the last batch placed;
    the mark is 0 where it is not known."""

    sender: bytes = NO_INCARNATION
    number: int = 0
    mark: int = 0

    def write(self, lane: LaneName) -> PutRecord:
        """Return the operation that writes it."""
        return PutRecord(RECEIVING, lane.key, _TAKEN.pack(self.sender, self.number, self.mark))

    @classmethod
    def read(cls, store: Store, lane: LaneName) -> ReceivingRecord:
        """Return the record of a lane; a new one where there is none. Raises `EveryplaceError` STORE."""
        data = store.record(RECEIVING, lane.key)
        if data is None:
            return cls()
        try:
            return cls(*_TAKEN.unpack(data))
        except struct.error:
            raise EveryplaceError(Code.STORE, f"the record of lane {lane} is damaged") from None
