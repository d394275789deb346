"""The digests that each peer has used last, by which a repeat is known (M-053, M-058, M-086 to M-092).

Table ``myopenq-digest``, a row for each; key: the peer's address, NUL, a number that grows, in eight bytes; value: the
digest in 16 bytes, behind it the message of a GET. A row is written in the transaction of what the packet asked, which
removes the oldest one of a full list.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged

TABLE: Final = "myopenq-digest"
MAX_PEERS: Final = 1000
"""Most lists; with one more, the list is forgotten that has been used least lately."""
_DIGEST: Final = 16
_NUMBER: Final = 8


class DigestLists:
    """All lists of one store. Raises ``StoreDamaged``."""

    __slots__ = ("_last", "_lists", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lists: OrderedDict[str, OrderedDict[bytes, int]] = OrderedDict()
        self._last = 0
        newest: dict[str, int] = {}
        for key, value in store.records(TABLE):
            peer, number, digest = _read(key, value)
            self._lists.setdefault(peer, OrderedDict())[digest] = number
            newest[peer] = number
            self._last = max(self._last, number)
        for peer in sorted(newest, key=newest.__getitem__):
            self._lists.move_to_end(peer)

    def knows(self, peer: str, digest: str) -> bool:
        """Whether a peer has used a digest."""
        return bytes.fromhex(digest) in self._lists.get(peer, ())

    def message(self, peer: str, digest: str) -> bytes:
        """The message of a GET whose digest is known."""
        number = self._lists[peer][bytes.fromhex(digest)]
        return (self._store.record(TABLE, _key(peer, number)) or b"")[_DIGEST:]

    def enter(self, peer: str, digest: str, most: int, message: bytes = b"") -> Entry:
        """Enter a digest that is not known in the list of a peer, which keeps ``most``."""
        operations: list[Operation] = []
        gone: list[tuple[bytes, int]] = []
        if peer not in self._lists and len(self._lists) >= MAX_PEERS:
            oldest, digests = self._lists.popitem(last=False)
            operations += [RemoveRecord(TABLE, _key(oldest, number)) for number in digests.values()]
        known = self._lists.setdefault(peer, OrderedDict())
        self._lists.move_to_end(peer)
        while len(known) >= most:
            gone.append(known.popitem(last=False))
        operations += [RemoveRecord(TABLE, _key(peer, number)) for _, number in gone]
        self._last += 1
        raw = bytes.fromhex(digest)
        known[raw] = self._last
        operations.append(PutRecord(TABLE, _key(peer, self._last), raw + message))
        return Entry(known, raw, gone, operations)

    def count(self, peer: str) -> int:
        """The number of digests in the list of a peer."""
        return len(self._lists.get(peer, ()))


class Entry:
    """A digest that has been entered. ``operations``: to be committed with what its packet asked."""

    __slots__ = ("_digest", "_gone", "_list", "operations")

    def __init__(
        self, known: OrderedDict[bytes, int], digest: bytes, gone: list[tuple[bytes, int]], operations: list[Operation]
    ) -> None:
        self._list = known
        self._digest = digest
        self._gone = gone
        self.operations = operations

    def take_back(self) -> None:
        """What the packet asked was not done, so nothing was written."""
        self._list.pop(self._digest, None)
        for digest, number in reversed(self._gone):
            self._list[digest] = number
            self._list.move_to_end(digest, last=False)


def _key(peer: str, number: int) -> bytes:
    return peer.encode() + b"\0" + number.to_bytes(_NUMBER, "big")


def _read(key: bytes, value: bytes) -> tuple[str, int, bytes]:
    peer, number = key[: -_NUMBER - 1], key[-_NUMBER:]
    if key[-_NUMBER - 1 : -_NUMBER] != b"\0" or len(value) < _DIGEST:
        raise StoreDamaged("a digest of MyOpenQ cannot be read", f"{TABLE} {key!r}")
    return peer.decode("latin-1"), int.from_bytes(number, "big"), value[:_DIGEST]
