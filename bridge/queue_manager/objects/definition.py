"""The definition of an object, and its record in the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from mqbridge.bridge.store.interface import MAX_KEY
from mqbridge.mappings.moment import Time, date_of

from .attributes import Table
from .kinds import KINDS, Kind, identity_of, space_of, subtype_of, table_of
from .values import Value

TABLE = "objects"
"""Table of the store that holds definitions."""


class Definition(Mapping[str, Value]):
    """An object: kind, name, and a value for every attribute of its kind, read as ``definition["MAXDEPTH"]``.

    `number`: for local queues, their unique number in the store; 0 for other objects. A definition is not modified
    after its creation: ALTER replaces it.
    """

    __slots__ = ("attributes", "kind", "name", "number", "table")

    def __init__(self, kind: Kind, name: str, attributes: dict[str, Value], number: int = 0) -> None:
        self.kind = kind
        self.name = name
        self.table: Table = table_of(kind, attributes)
        self.attributes = {**self.table.defaults, **attributes}
        self.number = number

    def __getitem__(self, keyword: str) -> Value:
        return self.attributes[keyword]

    def __iter__(self) -> Iterator[str]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Definition):
            return NotImplemented
        return (self.kind, self.name, self.attributes) == (other.kind, other.name, other.attributes)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.kind}({self.name})>"

    def text(self, keyword: str) -> str:
        """A word or text attribute; the empty string where the kind has none of this name."""
        return str(self.attributes.get(keyword, ""))

    def integer(self, keyword: str) -> int:
        """A number attribute; 0 where the kind has none of this name."""
        value = self.attributes.get(keyword, 0)
        return value if isinstance(value, int) else 0

    def flag(self, keyword: str) -> bool:
        """A switch (``SHARE``, ``TRIGGER``, ``HARDENBO``); False where the kind has none of this name."""
        return self.attributes.get(keyword) is True

    def texts(self, keyword: str) -> tuple[str, ...]:
        """A list attribute; empty where the kind has none of this name."""
        value = self.attributes.get(keyword, ())
        return value if isinstance(value, tuple) else ()

    @property
    def subtype(self) -> str:
        """The word that selects the attribute table: CHLTYPE, AUTHTYPE, TRPTYPE or TYPE; blank for other kinds."""
        return subtype_of(self.kind, self.attributes)

    @property
    def space(self) -> str:
        """Name space (channels.md 16)."""
        return space_of(self.kind, self.attributes)

    @property
    def identity(self) -> str:
        """Its key in its name space."""
        return identity_of(self.kind, self.name, self.attributes)

    @property
    def durable(self) -> bool:
        """Whether it survives a restart: all but temporary dynamic queues and non-durable subscriptions."""
        if self.kind is Kind.SUB:
            return self.attributes["DURABLE"] != "NO"
        return not (self.kind is Kind.QLOCAL and self.attributes["DEFTYPE"] == "TEMPDYN")

    def key(self) -> bytes:
        """Key of its record: name space and identity, the latter as a digest if it is too long for a key."""
        space, identity = self.space, self.identity
        key = f"{space} {identity}".encode()
        if len(key) > MAX_KEY:
            key = f"{space} \n{hashlib.sha256(identity.encode()).hexdigest()}".encode()
        return key

    def value(self) -> bytes:
        """Its record as JSON, without attributes that have their default."""
        row: dict[str, object] = {"kind": self.kind.value, "name": self.name}
        if self.number:
            row["number"] = self.number
        defaults, selector = self.table.defaults, KINDS[self.kind].selector
        row["attributes"] = {
            word: value for word, value in self.attributes.items() if value != defaults[word] or word == selector
        }
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def from_record(value: bytes) -> Definition:
    """The definition that `Definition.value` wrote; raises `ValueError` or `KeyError` for anything else."""
    row = json.loads(value)
    attributes = {
        name: tuple(kept) if isinstance(kept, list) else kept for name, kept in dict(row["attributes"]).items()
    }
    return Definition(Kind(row["kind"]), str(row["name"]), attributes, int(row.get("number", 0)))


def date_and_time(now: Time) -> tuple[str, str]:
    """Date and time as in MQSC, (``2026-11-21``, ``10.44.05``), UTC. ``now``: seconds since the epoch."""
    moment = datetime.fromtimestamp(date_of(now), UTC)
    return moment.strftime("%Y-%m-%d"), moment.strftime("%H.%M.%S")
