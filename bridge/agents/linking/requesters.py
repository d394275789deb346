"""Who waits for a reply: ids of requests and the addresses for their replies, on disk until they expire.

Table ``link-request``, a row for each id by which a reply may name its request; key: link, NUL, direction, NUL, and
the hexadecimal SHA-256 of the id. Rows are written in the transaction that makes the request visible to those who
answer, or that precedes its sending; a request may have several replies, so only time removes them.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.mappings.amqp import MessageIdentifier

TABLE: Final = "link-request"
MAX_REQUESTS: Final = 100_000
"""Most ids of one link; beyond that the oldest are forgotten."""
_SEPARATOR: Final = "\0"
_TYPES: Final[dict[str, Callable[[Any], MessageIdentifier]]] = {
    "str": str,
    "bytes": bytes.fromhex,
    "UUID": uuid.UUID,
    "int": int,
}
"""How an id is read, by the name of its type in a row."""


class Direction(Enum):
    """Who asks."""

    OURS = "ours"
    """A program here asks one at the provider; a reply names the id by its AMQP correlation-id."""

    THEIRS = "theirs"
    """A program of the provider asks one here; a reply names the id by its CorrelId."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Where a reply goes.

    ``address``: queue, or address at the provider. ``queue_manager``: of the queue. ``correlation``: correlation-id of
    the reply at the provider; None: as the reply's own CorrelId says. ``kind``: what is at the address, see
    ``AddressKind``.
    """

    address: str
    queue_manager: str = ""
    correlation: MessageIdentifier = None
    kind: int = 0


class Requesters:
    """The requests of a link.

    ``keep``: seconds for which a request is remembered. Raises ``StoreDamaged``.
    """

    __slots__ = ("_expiries", "_keep", "_link", "_rows", "_waiting")

    def __init__(self, link: str, keep: float, store: Store, now: float) -> None:
        self._link = link
        self._keep = keep
        self._rows: dict[bytes, tuple[float, Requester]] = {}
        self._expiries: list[tuple[float, bytes]] = []
        self._waiting: list[Operation] = []
        prefix = f"{link}{_SEPARATOR}".encode()
        for key, value in store.records(TABLE):
            if key.startswith(prefix):
                self._load(key, value)
        self.expire(now)

    def __len__(self) -> int:
        return len(self._rows)

    def remember(
        self, direction: Direction, ids: Iterable[MessageIdentifier], requester: Requester, now: float
    ) -> list[Operation]:
        """Remember a request by its ids; None among them is passed over. Returns the rows to be committed with it."""
        expires = now + self._keep
        operations: list[Operation] = []
        for identifier in ids:
            if identifier is None:
                continue
            key = self._key(direction, identifier)
            self._rows[key] = expires, requester
            heapq.heappush(self._expiries, (expires, key))
            operations.append(PutRecord(TABLE, key, _encoded(expires, requester)))
        while len(self._rows) > MAX_REQUESTS:
            self._forget_first()
        operations += self._waiting
        self._waiting = []
        return operations

    def find(self, direction: Direction, identifier: MessageIdentifier) -> Requester | None:
        """Return who asked with an id; None if it is unknown or has expired."""
        if identifier is None:
            return None
        found = self._rows.get(self._key(direction, identifier))
        return None if found is None else found[1]

    def expire(self, now: float) -> None:
        """Forget requests that have expired; their rows are removed with the next ones that are written, or by
        `removals`."""
        while self._expiries and self._expiries[0][0] <= now:
            self._forget_first()

    def removals(self) -> list[Operation]:
        """Return operations that remove rows of forgotten requests; they are the caller's now."""
        operations, self._waiting = self._waiting, []
        return operations

    def give_back(self, operations: Iterable[Operation]) -> None:
        """Take back removals that the store has refused."""
        self._waiting += [each for each in operations if isinstance(each, RemoveRecord) and each.table == TABLE]

    @property
    def next_expiry(self) -> float | None:
        """When the first request expires."""
        return self._expiries[0][0] if self._expiries else None

    def _forget_first(self) -> None:
        expires, key = heapq.heappop(self._expiries)
        found = self._rows.get(key)
        if found is not None and found[0] == expires:
            del self._rows[key]
            self._waiting.append(RemoveRecord(TABLE, key))

    def _load(self, key: bytes, value: bytes) -> None:
        try:
            row = json.loads(value)
            given = row.get("correlation")
            correlation = None if given is None else _TYPES[given[0]](given[1])
            requester = Requester(
                str(row["address"]), str(row.get("queue_manager", "")), correlation, int(row.get("kind", 0))
            )
            expires = float(row["expires"])
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise StoreDamaged("a link's record cannot be read", f"{TABLE} {key!r}") from error
        self._rows[key] = expires, requester
        heapq.heappush(self._expiries, (expires, key))

    def _key(self, direction: Direction, identifier: MessageIdentifier) -> bytes:
        digest = hashlib.sha256(json.dumps(_typed(identifier)).encode()).hexdigest()
        return _SEPARATOR.join((self._link, direction.value, digest)).encode()


def _typed(identifier: MessageIdentifier) -> list[Any]:
    value = identifier.hex() if isinstance(identifier, bytes) else identifier
    return [type(identifier).__name__, value if isinstance(value, int) else str(value)]


def _encoded(expires: float, requester: Requester) -> bytes:
    row: dict[str, Any] = {"address": requester.address, "expires": expires}
    if requester.queue_manager:
        row["queue_manager"] = requester.queue_manager
    if requester.kind:
        row["kind"] = requester.kind
    if requester.correlation is not None:
        row["correlation"] = _typed(requester.correlation)
    return json.dumps(row, separators=(",", ":")).encode()
