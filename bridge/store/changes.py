"""Rows that differ from what the LMDB file holds: what a unit changes, and what is committed but not yet in the file.

Changes are absolute (the row of a key is now this, or none), so applying them twice does no harm. The dictionaries are
read by the main thread while the writer fills them; each is updated in one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from mqbridge.bridge.store.rows import CHECKSUM, QUEUE_KEY

Row: TypeAlias = bytes | None
"""A row, or None where there is none any more."""
BodyRow: TypeAlias = tuple[int, bytes] | None
"""A body with its CRC32 in front, not joined, so that it is not copied; or None."""

ROW_COST = 256
"""What a row takes of the file beside its bytes, in bytes, generously: half-filled pages, keys, the pages above."""


PREFIX_LENGTH = QUEUE_KEY.size
MESSAGE_TABLES = ("index", "bodies", "staged")
"""The tables whose keys begin with the prefix of a queue."""


class Missing:
    """The type of `MISSING`."""


MISSING: Final = Missing()
"""Nothing is said of a key: the file's row stands."""


class Changes:
    """Changed rows of each table by key; `rows` tells what the tables hold.

    `dropped` holds the prefixes of queues of which the file's rows are all gone, whatever their number; rows of such a
    queue that stand here came later.
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
        """Takes over changes that were made after these."""
        for prefix in later.dropped:
            self.drop(prefix)
        self.bodies.update(later.bodies)
        self.staged.update(later.staged)
        self.index.update(later.index)
        self.records.update(later.records)
        self.branches.update(later.branches)

    def drop(self, prefix: bytes) -> None:
        """Takes away all rows of a queue, here and in the file."""
        self.index = {key: row for key, row in self.index.items() if not key.startswith(prefix)}
        self.bodies = {key: row for key, row in self.bodies.items() if not key.startswith(prefix)}
        self.staged = {key: row for key, row in self.staged.items() if not key.startswith(prefix)}
        self.dropped = self.dropped | {prefix}

    def is_dropped(self, key: bytes) -> bool:
        """Whether the file's row of a message's key is gone with its queue."""
        return bool(self.dropped) and key[:PREFIX_LENGTH] in self.dropped

    def plain(self) -> Iterator[tuple[str, dict[bytes, Row]]]:
        """The tables whose rows are kept whole: all but the bodies, by name."""
        yield "index", self.index
        yield "staged", self.staged
        yield "records", self.records
        yield "branches", self.branches

    def room(self) -> int:
        """How much of the file the new rows may take, in bytes; a body may take twice its length in whole pages."""
        bodies = sum(len(body[1]) for body in self.bodies.values() if body is not None)
        rows = sum(len(row) for _, table in self.plain() for row in table.values() if row is not None)
        return 2 * (bodies + rows) + ROW_COST * len(self)


def body_row(body: tuple[int, bytes]) -> bytes:
    """The row of a body as the file holds it."""
    return CHECKSUM.pack(body[0]) + body[1]
