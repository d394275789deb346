"""Writing changed rows into the LMDB file: in one transaction, or in small ones if space is short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from mqbridge.bridge.store.changes import MESSAGE_TABLES, PREFIX_LENGTH, Changes, body_row
from mqbridge.bridge.store.merged_rows import highest_key
from mqbridge.bridge.store.rows import CHECKSUM
from mqbridge.bridge.store.table_sums import SUM_MASK, sum_at

if TYPE_CHECKING:
    import lmdb

    from mqbridge.bridge.store.environment import Tables

_sum_in = CHECKSUM.unpack_from
SLICE = 200
"""Rows per transaction if space is short: the pages it touches fit into the reserve."""


def write_changes(
    transaction: lmdb.Transaction[bytes], tables: Tables, changes: Changes, sums: dict[str, int]
) -> dict[str, int]:
    """Apply `changes` to the file, deletions first; return the updated sums of the tables.

    `sums`: the previous sums, by table name.
    """
    for prefix in changes.dropped:
        _drop(transaction.cursor(tables.bodies), prefix)
    bodies = transaction.cursor(tables.bodies)
    _remove_messages(bodies, sorted(key for key, body in changes.bodies.items() if body is None))
    _put(bodies, sorted(key for key, body in changes.bodies.items() if body is not None), _joined(changes))
    after = {}
    for name, rows in changes.plain():
        cursor = transaction.cursor(getattr(tables, name))
        removed = 0
        for prefix in changes.dropped if name in MESSAGE_TABLES else ():
            removed += _drop(cursor, prefix, sum_at)
        gone = sorted(key for key, row in rows.items() if row is None)
        removed += _remove_messages(cursor, gone, summed=True) if name in MESSAGE_TABLES else _remove(cursor, gone)
        new = sorted((key, row) for key, row in rows.items() if row is not None)
        removed += _put(cursor, [key for key, _ in new], iter(new), sum_at)
        added = sum(_sum_in(row)[0] for _, row in new)
        after[name] = (sums[name] + added - removed) & SUM_MASK
    return after


def _nothing(_: object) -> int:
    return 0


def slices(changes: Changes) -> Iterator[Changes]:
    """Split changes into parts of a few rows, deletions first.

    Applied in order they give the same rows; in between the file is in neither the old nor the new state, which is
    harmless while the journal still has the changes.
    """
    for prefix in changes.dropped:
        part = Changes()
        part.dropped = {prefix}
        yield part
    for removals in (True, False):
        for name in ("bodies", "index", "staged", "records", "branches"):
            rows = iter([row for row in getattr(changes, name).items() if (row[1] is None) == removals])
            while some := dict(islice(rows, SLICE)):
                part = Changes()
                setattr(part, name, some)
                yield part


def _joined(changes: Changes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the new body rows in key order, each joined only when it is due."""
    for key, body in sorted(changes.bodies.items(), key=_key):
        if body is not None:
            yield key, body_row(body)


def _key(row: tuple[bytes, object]) -> bytes:
    return row[0]


def _put(
    cursor: lmdb.Cursor[bytes],
    keys: list[bytes],
    rows: Iterator[tuple[bytes, bytes]],
    sum_of: Callable[[lmdb.Cursor[bytes]], int] = _nothing,
) -> int:
    """Write sorted rows, filling pages where they are appended; return the sum of the replaced rows."""
    replaced = 0
    if keys:
        append = not cursor.last() or cursor.key() < keys[0]
        if not append and sum_of is not _nothing:
            replaced = sum(sum_of(cursor) for key in keys if cursor.set_key(key))
        cursor.putmulti(rows, append=append)
    return replaced


def _remove_messages(cursor: lmdb.Cursor[bytes], keys: list[bytes], *, summed: bool = False) -> int:
    """Delete rows of messages, some of which were never in the file; return the sum of those that were."""
    start = removed = 0
    while start < len(keys):
        prefix = keys[start][:PREFIX_LENGTH]
        highest = highest_key(cursor, prefix)
        while start < len(keys) and keys[start].startswith(prefix):
            if keys[start] > highest:
                pass
            elif not summed:
                if cursor.set_key(keys[start]):
                    cursor.delete()
            elif (row := cursor.pop(keys[start])) is not None:
                removed += _sum_in(row)[0] if len(row) >= CHECKSUM.size else 0
            start += 1
    return removed


def _remove(cursor: lmdb.Cursor[bytes], keys: list[bytes]) -> int:
    removed = 0
    for key in keys:
        if cursor.set_key(key):
            removed += sum_at(cursor)
            cursor.delete()
    return removed


def _drop(cursor: lmdb.Cursor[bytes], prefix: bytes, sum_of: Callable[[lmdb.Cursor[bytes]], int] = _nothing) -> int:
    removed = 0
    found = cursor.set_range(prefix)
    while found and cursor.key().startswith(prefix):
        removed += sum_of(cursor)
        found = cursor.delete()
    return removed
