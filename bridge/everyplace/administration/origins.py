"""Records beside the messages of administration queues: who sent them, and how often they were tried."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.uid import MessageUid

TABLE: Final = "everyplace-administration"
_TRIED: Final = struct.Struct(">H")


class Origin(NamedTuple):
    """``peer``: the queue manager that sent a request, as it was authenticated; empty for a program of this one.
    ``tried``: how often it has failed."""

    peer: str = ""
    tried: int = 0


class Origins:
    """The records, by UID."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, uid: MessageUid) -> Origin:
        """Return the record of a request; an empty one where there is none. Raises `EveryplaceError` STORE."""
        data = self._store.record(TABLE, _key(uid))
        if data is None:
            return Origin()
        try:
            return Origin(data[_TRIED.size :].decode("ascii"), _TRIED.unpack_from(data)[0])
        except (struct.error, UnicodeDecodeError):
            raise EveryplaceError(Code.STORE, f"the record of request {uid} is damaged") from None

    @staticmethod
    def put(uid: MessageUid, origin: Origin) -> Operation:
        """Write a record."""
        return PutRecord(TABLE, _key(uid), _TRIED.pack(origin.tried) + origin.peer.encode("ascii"))

    @staticmethod
    def remove(uid: MessageUid) -> Operation:
        """Delete a record, if there is one."""
        return RemoveRecord(TABLE, _key(uid))

    def others(self, held: set[MessageUid]) -> list[Operation]:
        """Return what deletes the records of requests that are gone, since they have expired."""
        keys = {_key(uid) for uid in held}
        return [RemoveRecord(TABLE, key) for key, _ in self._store.records(TABLE) if key not in keys]


def _key(uid: MessageUid) -> bytes:
    return str(uid).encode("ascii")
