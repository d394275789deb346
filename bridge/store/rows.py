"""Encoding of rows on disk: keys, index rows, body rows, staged rows and records, each with its CRC32.

    index    queue u32, position u64  →  crc u32 of index and body length, body length u64, index
    bodies   the same key             →  crc u32, body
    staged   the same key             →  crc u32, counts, chunks (number u64, length u32, crc u32), head, tail
    records  length of the table's name u8, name, key  →  crc u32, value
    branches branch                   →  crc u32, operations

A sum covers the key too, so that a row under a wrong key is damage. Rows of format 1 do not include it: `same_sum`
accepts both, and no row of one kind passes for the other.

All numbers are big-endian, so that LMDB's byte order is the order of queue and position. A body is in exactly one of
`bodies` and `staged`; index rows are separate so that the start reads them without touching bodies.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from zlib import crc32

from mqbridge.bridge.store.errors import RowError, StoreDamaged
from mqbridge.bridge.store.operations import MAX_KEY, MAX_TABLE_NAME, Body, Piece, StagedBody

MESSAGE_KEY = struct.Struct(">IQ")
QUEUE_KEY = struct.Struct(">I")
CHECKSUM = struct.Struct(">I")
INDEX_HEAD = struct.Struct(">IQ")
CHECKSUM_LENGTH = CHECKSUM.size
INDEX_HEAD_LENGTH = INDEX_HEAD.size
_STAGED_HEAD = struct.Struct(">III")
_CHUNK = struct.Struct(">QII")


@dataclass(slots=True)
class BodyChunk:
    """A staged part of a body: its number, length in bytes and CRC32."""

    number: int
    length: int
    checksum: int


@dataclass(slots=True)
class StagedRow:
    """A staged body as stored in its row: a `StagedBody` with the checksum of each chunk."""

    head: bytes
    chunks: list[BodyChunk]
    tail: bytes

    def __len__(self) -> int:
        return len(self.head) + sum(chunk.length for chunk in self.chunks) + len(self.tail)

    def as_body(self) -> StagedBody:
        """Return the body as callers of the store see it."""
        return StagedBody(
            [chunk.number for chunk in self.chunks], [chunk.length for chunk in self.chunks], self.tail, self.head
        )


def body_length(body: Body) -> int:
    """Return the length of a body in bytes, in any of its forms."""
    if isinstance(body, list):
        return sum(map(len, body))
    return len(body)


def join_body(body: Piece | list[Piece]) -> bytes:
    """Return a body that was not staged, in one piece."""
    if isinstance(body, list):
        return b"".join(body)
    return bytes(body)


def same_sum(checksum: int, value: Piece, key: bytes) -> bool:
    """Return whether this is the checksum of a value with its key, or of the value alone, as in format 1."""
    return crc32(value, crc32(key)) == checksum or crc32(value) == checksum


def seal(value: Piece, key: bytes = b"") -> bytes:
    """Return a value preceded by the checksum of its key and itself."""
    return CHECKSUM.pack(crc32(value, crc32(key))) + value


def unseal(row: Piece, where: str, key: bytes = b"") -> bytes:
    """Return the value behind a checksum. Raises `StoreDamaged` on a mismatch."""
    value = bytes(row[CHECKSUM_LENGTH:])
    if len(row) < CHECKSUM_LENGTH or not same_sum(int.from_bytes(row[:CHECKSUM_LENGTH], "big"), value, key):
        raise StoreDamaged("a row is not what was written (its CRC32 differs)", where)
    return value


def index_row(key: bytes, index: bytes, length: int) -> bytes:
    """Return the index row of a message with a body of `length` bytes."""
    return INDEX_HEAD.pack(crc32(index, crc32(key, length & 0xFFFFFFFF)), length) + index


def read_index_row(row: bytes, key: bytes) -> tuple[bytes, int]:
    """Return (index, body length) from the index row under a message's key. Raises `StoreDamaged`."""
    if len(row) >= INDEX_HEAD_LENGTH:
        checksum, length = INDEX_HEAD.unpack_from(row)
        index = row[INDEX_HEAD_LENGTH:]
        seed = length & 0xFFFFFFFF
        if crc32(index, crc32(key, seed)) == checksum or crc32(index, seed) == checksum:
            return index, length
    raise StoreDamaged("an index row is not what was written (its CRC32 differs)", message_place(key))


def staged_row(body: StagedRow, key: bytes = b"") -> bytes:
    """Return the row of a staged body under the key of its message."""
    pieces = [_STAGED_HEAD.pack(len(body.head), len(body.chunks), len(body.tail))]
    pieces += [_CHUNK.pack(chunk.number, chunk.length, chunk.checksum) for chunk in body.chunks]
    pieces += (body.head, body.tail)
    return seal(b"".join(pieces), key)


def read_staged_row(row: Piece, where: str, key: bytes = b"") -> StagedRow:
    """Return the staged body of a row. Raises `StoreDamaged`."""
    value = unseal(row, where, key)
    try:
        head, count, tail = _STAGED_HEAD.unpack_from(value)
        chunks = [BodyChunk(*_CHUNK.unpack_from(value, _STAGED_HEAD.size + at * _CHUNK.size)) for at in range(count)]
    except struct.error as error:
        raise StoreDamaged("the row of a staged body is cut short", where) from error
    start = _STAGED_HEAD.size + count * _CHUNK.size
    if len(value) != start + head + tail:
        raise StoreDamaged("the row of a staged body is cut short", where)
    return StagedRow(value[start : start + head], chunks, value[start + head :])


def record_prefix(table: str) -> bytes:
    """Return the common prefix of the keys of a table's records. Raises `RowError` for a name that is too long."""
    name = table.encode()
    if len(name) > MAX_TABLE_NAME:
        raise RowError(f"table name {table!r} is longer than {MAX_TABLE_NAME} bytes")
    return bytes((len(name),)) + name


def record_key(table: str, key: bytes) -> bytes:
    """Return the row key of a record. Raises `RowError` for a key that is too long."""
    if len(key) > MAX_KEY:
        raise RowError(f"a key of {len(key)} bytes in table {table!r} is longer than {MAX_KEY}")
    return record_prefix(table) + key


def split_record_key(key: bytes) -> tuple[str, bytes]:
    """Return (table, key) from the row key of a record."""
    end = 1 + key[0]
    return key[1:end].decode(errors="replace"), key[end:]


def message_place(key: bytes) -> str:
    """Return queue and position of a message's key as a phrase."""
    if len(key) != MESSAGE_KEY.size:
        return f"key {key.hex()}"
    queue, position = MESSAGE_KEY.unpack(key)
    return f"queue {queue}, position {position}"
