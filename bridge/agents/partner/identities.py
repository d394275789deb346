"""Ids of messages from a partner that were put, for those that it sends again.

A row of table ``partner-receiving`` for each, in a ring: key partner, NUL, place in the ring in 16 hexadecimal digits;
value: number of the message in 8 bytes, and the digest of its id.
"""

from __future__ import annotations

import hashlib
from typing import Final

from mqbridge.bridge.store.interface import Operation, PutRecord, Store, StoreDamaged
from mqbridge.mappings.templates import Protocol, Values

TABLE: Final = "partner-receiving"
_NUMBER: Final = 8
_DIGEST: Final = 16
_SEPARATOR: Final = "\0"


def identity_of(protocol: Protocol, values: Values) -> bytes:
    """The digest of a packet's id; empty if its transaction has none (or none is known any more)."""
    transaction = protocol.transactions.get(values.transaction)
    name = transaction.identity if transaction is not None else ""
    if not name or name not in values.fields:
        return b""
    value = values.fields[name]
    raw = value if isinstance(value, bytes) else repr(value).encode()
    key = f"{values.transaction}{_SEPARATOR}{name}{_SEPARATOR}{type(value).__name__}{_SEPARATOR}".encode()
    return hashlib.sha256(key + raw).digest()[:_DIGEST]


class KnownMessages:
    """Ids of the last messages of a partner. ``most``: how many are kept. Raises ``StoreDamaged``."""

    __slots__ = ("_known", "_most", "_number", "_prefix", "_ring")

    def __init__(self, partner: str, most: int, store: Store) -> None:
        self._prefix = f"{partner}{_SEPARATOR}".encode()
        self._most = most
        self._ring: dict[int, bytes] = {}
        self._known: dict[bytes, int] = {}
        self._number = 0
        rows = []
        for key, value in store.records(TABLE):
            if key.startswith(self._prefix):
                if len(value) != _NUMBER + _DIGEST:
                    raise StoreDamaged("a partner's record cannot be read", f"{TABLE} {key!r}")
                rows.append((int.from_bytes(value[:_NUMBER], "big"), value[_NUMBER:]))
        for number, digest in sorted(rows):
            self._note(number, digest)

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._known

    def next(self, digest: bytes) -> tuple[int, Operation]:
        """Return a number for a message, and the operation that writes its id; `keep` it when that is on disk."""
        self._number += 1
        place = b"%016x" % (self._number % self._most)
        return self._number, PutRecord(TABLE, self._prefix + place, self._number.to_bytes(_NUMBER, "big") + digest)

    def keep(self, number: int, digest: bytes) -> None:
        """The message is on disk."""
        self._note(number, digest)

    def _note(self, number: int, digest: bytes) -> None:
        place = number % self._most
        gone = self._ring.get(place)
        if gone is not None and self._known.get(gone) == place:
            del self._known[gone]
        self._ring[place] = digest
        self._known[digest] = place
        self._number = max(self._number, number)
