"""The journal of format 1, read once: the start applies its rows and writes format 2 from then on.

A record was: crc u32, length of the entries u32, sequence number u64, entries, bodies, without the salt in front; the
sums of bodies did not include their keys. There was no mark of what was synced, so only a later record shows that one
is missing.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from zlib import crc32

from mqbridge.bridge.store.changes import Changes
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.journal_entries import decode, lost_records

STATE = struct.Struct(">Q8s")
"""Number of the last record in the LMDB file, salt of the records after it."""
_HEADER = struct.Struct(">IIQ")


def replay_older(path: Path, sequence: int, salt: bytes) -> tuple[int, Changes]:
    """Return (number of the last record, changes of all records) after a sequence number. Raises `StoreDamaged`."""
    if not path.exists():
        raise StoreDamaged("the journal is missing", str(path))
    data, seed = path.read_bytes(), crc32(salt)
    at, changes = 0, Changes()
    while (found := _record(data, at, sequence + 1, seed)) is not None:
        at, later = found
        changes.update(later)
        sequence += 1
    _require_end(data, at, sequence, seed, str(path))
    return sequence, changes


def _record(data: bytes, at: int, number: int, seed: int) -> tuple[int, Changes] | None:
    entries = _entries(data, at, number, seed)
    if entries is None:
        return None
    at += _HEADER.size + len(entries)
    changes = Changes()
    for key, length, checksum in decode(entries, changes):
        body = data[at : at + length]
        at += length
        if len(body) != length or crc32(body) != checksum:
            return None
        changes.bodies[key] = (checksum, body)
    return at, changes


def _entries(data: bytes, at: int, number: int, seed: int) -> bytes | None:
    if len(data) - at < _HEADER.size:
        return None
    checksum, length, found = _HEADER.unpack_from(data, at)
    start = at + _HEADER.size
    if found != number or length > len(data) - start:
        return None
    entries = data[start : start + length]
    return entries if crc32(entries, crc32(_HEADER.pack(0, length, number), seed)) == checksum else None


def _require_end(data: bytes, end: int, sequence: int, seed: int, where: str) -> None:
    """Raise `StoreDamaged` if a later record follows the end: the missing ones before it had been synced."""
    least = sequence + 2
    most = least + (len(data) - end) // _HEADER.size
    for high in range(least >> 16, (most >> 16) + 1):
        prefix = re.escape(high.to_bytes(6, "big"))
        for match in re.finditer(b"(?s)(?=%b(?:[^\\0].|.[^\\0]))" % prefix, data[end:]):
            at = end + match.start() - _HEADER.size + 8
            number = int.from_bytes(data[at + 8 : at + 16], "big")
            if at >= end and least <= number <= most and _entries(data, at, number, seed) is not None:
                raise StoreDamaged(lost_records(sequence + 1, number - 1, "not what was written"), where)
