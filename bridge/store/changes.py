"""Rows that differ from the LMDB file: the changes of a unit, and rows that are committed but not yet in the file.

Changes are absolute (a key now has this row, or none), so applying them twice is harmless. The main thread reads the
dictionaries while the writer fills them; each is updated in one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from mqbridge.bridge.store.rows import CHECKSUM, QUEUE_KEY

Row: TypeAlias = bytes | None
"""A row, or None for a deleted one."""
BodyRow: TypeAlias = tuple[int, bytes] | None
"""A body preceded by its CRC32, not joined, so that it is not copied; or None."""

ROW_COST = 256
"""Upper bound of a row's overhead in the file, in bytes: half-filled pages, keys, branch pages."""


PREFIX_LENGTH = QUEUE_KEY.size
MESSAGE_TABLES = ("index", "bodies", "staged")
"""Tables whose keys begin with the prefix of a queue."""


class Missing:
    """Type of `MISSING`."""


MISSING: Final = Missing()
"""The changes do not mention a key: the file's row is current."""


class Changes:
    """Changed rows of each table by key; `rows` describes the tables.

    `dropped` holds prefixes of queues whose rows in the file are all deleted, whatever their number; rows of such a
    queue in these changes are newer.
    """

    __slots__ = ("bodies", "branches", "dropped", "index", "records", "staged")

    def __init__(self) -> None:
        self.dropped: set[bytes] = set()
        self.index: dict[bytes, Row] = {}
        self.bodies: dict[bytes, BodyRow] = {}
        self.staged: dict[bytes, Row] = {}
        self.records: dict[bytes, Row] = {}
        self.branches: dict[bytes, Row] = {}

    def __bool__(self) -> bool:
        return bool(self.index or self.records or self.branches or self.dropped)

    def __len__(self) -> int:
        return len(self.index) + len(self.staged) + len(self.records) + len(self.branches)

    def update(self, later: Changes) -> None:
        """Add changes that were made after these."""
        for prefix in later.dropped:
            self.drop(prefix)
        self.bodies.update(later.bodies)
        self.staged.update(later.staged)
        self.index.update(later.index)
        self.records.update(later.records)
        self.branches.update(later.branches)

    def drop(self, prefix: bytes) -> None:
        """Delete all rows of a queue, here and in the file."""
        self.index = {key: row for key, row in self.index.items() if not key.startswith(prefix)}
        self.bodies = {key: row for key, row in self.bodies.items() if not key.startswith(prefix)}
        self.staged = {key: row for key, row in self.staged.items() if not key.startswith(prefix)}
        self.dropped = self.dropped | {prefix}

    def is_dropped(self, key: bytes) -> bool:
        """Return whether the file's row of a message key was deleted with its queue."""
        return bool(self.dropped) and key[:PREFIX_LENGTH] in self.dropped

    def plain(self) -> Iterator[tuple[str, dict[bytes, Row]]]:
        """Yield name and rows of each table whose rows are kept whole: all but the bodies."""
        yield "index", self.index
        yield "staged", self.staged
        yield "records", self.records
        yield "branches", self.branches

    def room(self) -> int:
        """Return an upper bound of the file space that the new rows take, in bytes; a body may take twice its length in
        whole pages."""
        bodies = sum(len(body[1]) for body in self.bodies.values() if body is not None)
        rows = sum(len(row) for _, table in self.plain() for row in table.values() if row is not None)
        return 2 * (bodies + rows) + ROW_COST * len(self)


def body_row(body: tuple[int, bytes]) -> bytes:
    """Return the row of a body as stored in the file."""
    return CHECKSUM.pack(body[0]) + body[1]
