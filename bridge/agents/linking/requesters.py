"""Who waits for a reply: ids of requests and the ways back to their programs, on disk until they expire.

Table ``link-request``, a row for each id by which a reply may name its request; key: link, NUL, direction, NUL, and
the hexadecimal SHA-256 of the id. Rows are written in the transaction that makes the request visible to those who
answer, or that precedes its sending; a request may have several replies, so only time removes them.

Programs choose correlation-ids themselves, so requests of several programs may have the same. Then nobody can tell
whose a reply with it is, and the row says so until it expires: no reply reaches a program that did not ask.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.mappings.amqp import AddressKind, MessageIdentifier
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms_headers import NOT_PERSISTENT
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.errors import MQBridgeError

TABLE: Final = "link-request"
MAX_REQUESTS: Final = 100_000
"""Most ids of one link in each direction; beyond that the oldest are forgotten."""
MAX_WAY_BACK: Final = 4096
"""Longest way back, in bytes of its row: address, destination and correlation-id."""
MAX_REMOVALS: Final = 1000
"""Most rows that one transaction removes."""
_SEPARATOR: Final = "\0"
_TYPES: Final[dict[str, Callable[[Any], MessageIdentifier]]] = {
    "str": str,
    "bytes": bytes.fromhex,
    "UUID": uuid.UUID,
    "int": int,
}
"""How an id is read, by the name of its type in a row."""


class WayBackTooLong(MQBridgeError):
    """A request says more about its replies than is kept for each."""


class Direction(Enum):
    """Who asks."""

    OURS = "ours"
    """A program here asks one at the provider; a reply names the id by its AMQP correlation-id."""

    THEIRS = "theirs"
    """A program of the provider asks one here; a reply names the id by its CorrelId."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Where a reply goes.

    ``address``: queue, URI of a topic here, or address at the provider. ``queue_manager``: of the queue. ``kind``: what
    is at the address, see ``AddressKind``. ``correlation``: correlation-id of the reply at the provider; None: as the
    reply's own CorrelId says. ``uri``: of the queue, where the request says more about replies: ``persistence``, or
    ``targetClient`` if it had no MQRFH2. ``ambiguous``: requests with other ways back have the same id.
    """

    address: str
    queue_manager: str = ""
    correlation: MessageIdentifier = None
    kind: int = int(AddressKind.QUEUE)
    uri: str = ""
    ambiguous: bool = False

    @property
    def is_topic(self) -> bool:
        """Whether replies are published."""
        return AddressKind(self.kind).is_topic

    def destination(self, *, temporary: bool) -> str:
        """Queue or URI for which a reply is mapped; ``temporary``: the queue takes no persistent messages."""
        if not temporary:
            return self.uri or self.address
        there = Destination.parse(self.uri, conforming=False) if self.uri else Destination.queue(self.address)
        return there.with_property("persistence", NOT_PERSISTENT).uri

    def is_way_of(self, other: Requester) -> bool:
        """Whether replies to both go to the same place."""
        return (self.address, self.queue_manager, self.kind) == (other.address, other.queue_manager, other.kind)

    def row(self) -> dict[str, Any]:
        """Its part of a row, as JSON has it."""
        row: dict[str, Any] = {"address": self.address}
        if self.queue_manager:
            row["queue_manager"] = self.queue_manager
        if self.kind:
            row["kind"] = self.kind
        if self.correlation is not None:
            row["correlation"] = _typed(self.correlation)
        if self.uri:
            row["uri"] = self.uri
        if self.ambiguous:
            row["ambiguous"] = True
        return row

    @classmethod
    def of(cls, row: dict[str, Any]) -> Requester:
        """Read the part of a row. Raises `AttributeError`, `IndexError`, `KeyError`, `TypeError`, `ValueError`."""
        given = row.get("correlation")
        return cls(
            str(row["address"]),
            str(row.get("queue_manager", "")),
            None if given is None else _TYPES[given[0]](given[1]),
            int(AddressKind(row.get("kind", 0))),
            str(row.get("uri", "")),
            bool(row.get("ambiguous", False)),
        )


class Requesters:
    """The requests of a link.

    ``keep``: seconds for which a request is remembered. Raises ``StoreDamaged``.
    """

    __slots__ = ("_gone", "_keep", "_link", "_rows")

    def __init__(self, link: str, keep: float, store: Store, now: Time) -> None:
        self._link = link
        self._keep = keep
        self._rows: dict[Direction, OrderedDict[bytes, tuple[float, Requester]]] = {}
        self._gone: dict[bytes, None] = {}
        for direction in Direction:
            prefix = f"{link}{_SEPARATOR}{direction.value}{_SEPARATOR}".encode()
            found = [self._read(*row, now) for row in store.records(TABLE) if row[0].startswith(prefix)]
            found.sort(key=lambda row: row[1][0])
            self._rows[direction] = OrderedDict(found)
        self.expire(now)

    def __len__(self) -> int:
        return sum(len(rows) for rows in self._rows.values())

    def remember(
        self, direction: Direction, ids: Iterable[MessageIdentifier], requester: Requester, now: Time
    ) -> list[Operation]:
        """Remember a request by its ids; None among them is passed over. Returns the rows to be committed with it.

        Raises `WayBackTooLong`.
        """
        length = len(json.dumps(requester.row()))
        if length > MAX_WAY_BACK:
            raise WayBackTooLong(f"the way back for replies has {length} bytes, {MAX_WAY_BACK} are allowed")
        rows = self._rows[direction]
        operations: list[Operation] = []
        for identifier in ids:
            if identifier is None:
                continue
            key = self._key(direction, identifier)
            known = rows.get(key)
            alone = known is None or (known[1].is_way_of(requester) and not known[1].ambiguous)
            row = requester if alone else replace(requester, ambiguous=True)
            rows[key] = now + self._keep, row
            rows.move_to_end(key)
            self._gone.pop(key, None)
            value = {**row.row(), "expires": date_of(now) + self._keep}
            operations.append(PutRecord(TABLE, key, json.dumps(value, separators=(",", ":")).encode()))
        while len(rows) > MAX_REQUESTS:
            self._gone[rows.popitem(last=False)[0]] = None
        return operations

    def find(self, direction: Direction, identifier: MessageIdentifier) -> Requester | None:
        """Return who asked with an id; None if it is unknown or has expired."""
        if identifier is None:
            return None
        found = self._rows[direction].get(self._key(direction, identifier))
        return None if found is None else found[1]

    def expire(self, now: Time) -> None:
        """Forget requests that have expired; `removals` gives what removes their rows."""
        for rows in self._rows.values():
            while rows and next(iter(rows.values()))[0] <= now:
                self._gone[rows.popitem(last=False)[0]] = None

    @property
    def has_removals(self) -> bool:
        """Whether rows of forgotten requests are on disk."""
        return bool(self._gone)

    def removals(self) -> list[Operation]:
        """Return operations that remove rows of forgotten requests; they are the caller's now, and must not be
        committed after a request that `remember` was told later."""
        keys = list(self._gone)[:MAX_REMOVALS] if self._gone else ()
        for key in keys:
            del self._gone[key]
        return [RemoveRecord(TABLE, key) for key in keys]

    def give_back(self, operations: Iterable[Operation]) -> None:
        """Take back removals that the store has refused."""
        for each in operations:
            if isinstance(each, RemoveRecord) and each.table == TABLE and not self._is_alive(each.key):
                self._gone[each.key] = None

    def _is_alive(self, key: bytes) -> bool:
        return any(key in rows for rows in self._rows.values())

    @property
    def next_expiry(self) -> float | None:
        """When the first request expires."""
        return min((next(iter(rows.values()))[0] for rows in self._rows.values() if rows), default=None)

    def _read(self, key: bytes, value: bytes, now: Time) -> tuple[bytes, tuple[float, Requester]]:
        """Read a row. One that seems to be of the future, because the clock was set, expires as if it were new."""
        try:
            row = json.loads(value)
            return key, (min(float(row["expires"]), now + self._keep), Requester.of(row))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise StoreDamaged("a link's record cannot be read", f"{TABLE} {key!r}") from error

    def _key(self, direction: Direction, identifier: MessageIdentifier) -> bytes:
        digest = hashlib.sha256(json.dumps(_typed(identifier)).encode()).hexdigest()
        return _SEPARATOR.join((self._link, direction.value, digest)).encode()


def _typed(identifier: MessageIdentifier) -> list[Any]:
    value = identifier.hex() if isinstance(identifier, bytes) else identifier
    return [type(identifier).__name__, value if isinstance(value, int) else str(value)]
