"""Encoding of a journal record's entries: the changed rows.

An entry is a tag with the key and, unless the row is deleted, the row. Bodies follow behind all entries; the entry of a
message has the length and the checksum of its body, as in `rows`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from mqbridge.bridge.store.changes import MISSING, Changes, Row

_MESSAGE = struct.Struct(">B12sIQI")
"""Tag, key, length of the index row, length and CRC32 of the body; followed by the index row."""
_REMOVED = struct.Struct(">B12s")
_DROPPED = struct.Struct(">B4s")
_MESSAGE_TAG, _REMOVED_TAG, _DROPPED_TAG = 1, 2, 3
_SET = struct.Struct(">BII")
_DELETED = struct.Struct(">BI")
_SET_TAGS = {"index": 16, "staged": 17, "records": 18, "branches": 19}
_DELETED_TAGS = {"index": 32, "staged": 33, "records": 34, "branches": 35}
_TABLES_SET = {tag: table for table, tag in _SET_TAGS.items()}
_TABLES_DELETED = {tag: table for table, tag in _DELETED_TAGS.items()}


def lost_records(first: int, last: int, what: str) -> str:
    """Return a phrase naming the lost records; ``what`` they are instead."""
    if first == last:
        return f"record {first} is {what}"
    return f"records {first} to {last} ({last - first + 1}) are {what}"


def encode(changes: Changes) -> tuple[bytes, list[bytes]]:
    """Return (entries, bodies) of a record."""
    entries = [_DROPPED.pack(_DROPPED_TAG, prefix) for prefix in changes.dropped]
    bodies: list[bytes] = []
    body_of = changes.bodies.get
    for key, row in changes.index.items():
        if row is None:
            entries.append(_REMOVED.pack(_REMOVED_TAG, key))
            continue
        body = body_of(key, MISSING)
        if isinstance(body, tuple):
            entries.append(_MESSAGE.pack(_MESSAGE_TAG, key, len(row), len(body[1]), body[0]) + row)
            bodies.append(body[1])
        else:
            if body is None:
                entries.append(_REMOVED.pack(_REMOVED_TAG, key))
            entries.append(_SET.pack(_SET_TAGS["index"], len(key), len(row)) + key + row)
    for table in ("staged", "records", "branches"):
        rows: dict[bytes, Row] = getattr(changes, table)
        for key, row in rows.items():
            if row is None:
                entries.append(_DELETED.pack(_DELETED_TAGS[table], len(key)) + key)
            else:
                entries.append(_SET.pack(_SET_TAGS[table], len(key), len(row)) + key + row)
    return b"".join(entries), bodies


def decode(entries: bytes, changes: Changes) -> Iterator[tuple[bytes, int, int]]:
    """Decode entries into `changes` and yield (key, length, CRC32) of each body, whose bytes follow the entries."""
    at = 0
    while at < len(entries):
        tag = entries[at]
        if tag == _MESSAGE_TAG:
            _, key, index_length, body_length, checksum = _MESSAGE.unpack_from(entries, at)
            at += _MESSAGE.size + index_length
            changes.index[key] = entries[at - index_length : at]
            yield key, body_length, checksum
        elif tag == _REMOVED_TAG:
            _, key = _REMOVED.unpack_from(entries, at)
            at += _REMOVED.size
            changes.index[key] = changes.bodies[key] = None
        elif tag == _DROPPED_TAG:
            _, prefix = _DROPPED.unpack_from(entries, at)
            at += _DROPPED.size
            changes.dropped.add(prefix)
        elif tag in _TABLES_SET:
            _, key_length, row_length = _SET.unpack_from(entries, at)
            at += _SET.size + key_length + row_length
            key = entries[at - row_length - key_length : at - row_length]
            getattr(changes, _TABLES_SET[tag])[key] = entries[at - row_length : at]
        else:
            _, key_length = _DELETED.unpack_from(entries, at)
            at += _DELETED.size + key_length
            getattr(changes, _TABLES_DELETED[tag])[entries[at - key_length : at]] = None
