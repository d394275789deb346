"""What `bridge.store.adapter_store` writes as objects of a storage adapter, each behind its CRC32.

::

    format    version u32
    intent    objects that the last unit writes or erases: length of name u8, name, 0 or 1, length u64, data
    m + key   a message: kind u8, length of index u32, length of body u64, number u64, index; then the body, or the
              row of a staged body
    b + number  a body longer than `INLINE` bytes
    p + number  a staged part        s + number  a spilled part
    r + number  a record: length of table u8, table, length of key u16, key, value
    x + number  a prepared branch: length of its name u16, name, operations

Keys are queue and position, numbers have 64 bits; both stand in hexadecimal digits. Sums cover the name of the object.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.rows import StagedRow, read_staged_row, seal, staged_row, unseal

VERSION: Final = 1
FORMAT: Final = "format"
INTENT: Final = "intent"
INLINE: Final = 4096
"""Longest body that stands in the object of its message, in bytes."""
MESSAGE, BODY, STAGED, SPILLED, RECORD, BRANCH = "mbpsrx"
_INLINE_BODY, _OWN_BODY, _STAGED_BODY = range(3)
_VERSION: Final = struct.Struct(">I")
_ROW: Final = struct.Struct(">BIQQ")
_CHANGE: Final = struct.Struct(">BQ")
_RECORD: Final = struct.Struct(">H")
_NUMBER_DIGITS: Final = 16
_QUEUE_DIGITS: Final = 8


@dataclass(slots=True)
class MessageObject:
    """A message. ``body``: its bytes, the number of their object, or a staged body. ``length``: of all of it."""

    index: bytes
    length: int
    body: bytes | int | StagedRow

    def encode(self) -> bytes:
        """Return its bytes."""
        number, rest = 0, b""
        if isinstance(self.body, bytes):
            kind, rest = _INLINE_BODY, self.body
        elif isinstance(self.body, int):
            kind, number = _OWN_BODY, self.body
        else:
            kind, rest = _STAGED_BODY, staged_row(self.body)
        return _ROW.pack(kind, len(self.index), self.length, number) + self.index + rest

    @classmethod
    def decode(cls, data: bytes, where: str) -> MessageObject:
        """Return the message of an object. Raises `StoreDamaged`."""
        try:
            kind, index_length, length, number = _ROW.unpack_from(data)
        except struct.error:
            raise StoreDamaged("the object of a message is cut", where) from None
        end = _ROW.size + index_length
        index, rest = data[_ROW.size : end], data[end:]
        if len(index) != index_length or kind > _STAGED_BODY or (kind == _INLINE_BODY and len(rest) != length):
            raise StoreDamaged("the object of a message makes no sense", where)
        if kind == _INLINE_BODY:
            return cls(index, length, rest)
        return cls(index, length, number if kind == _OWN_BODY else read_staged_row(rest, where))

    def parts(self) -> list[str]:
        """Return the names of the objects that belong to it."""
        if isinstance(self.body, int):
            return [numbered(BODY, self.body)]
        if isinstance(self.body, StagedRow):
            return [numbered(STAGED, chunk.number) for chunk in self.body.chunks]
        return []


def message_name(queue: int, position: int) -> str:
    """Return the name of a message's object."""
    return f"{MESSAGE}{queue:0{_QUEUE_DIGITS}x}{position:0{_NUMBER_DIGITS}x}"


def read_message_name(name: str) -> tuple[int, int]:
    """Return queue and position of a message's object. Raises `StoreDamaged`."""
    if len(name) != 1 + _QUEUE_DIGITS + _NUMBER_DIGITS:
        raise StoreDamaged("the name is no queue and position", name)
    return _hexadecimal(name, 1, 1 + _QUEUE_DIGITS), _hexadecimal(name, 1 + _QUEUE_DIGITS, len(name))


def numbered(kind: str, number: int) -> str:
    """Return the name of an object that has a number."""
    return f"{kind}{number:0{_NUMBER_DIGITS}x}"


def read_number(name: str) -> int:
    """Return the number of an object. Raises `StoreDamaged`."""
    return _hexadecimal(name, 1, len(name))


def _hexadecimal(name: str, start: int, end: int) -> int:
    try:
        return int(name[start:end], 16)
    except ValueError:
        raise StoreDamaged("the name has no number", name) from None


def sealed(name: str, data: bytes) -> bytes:
    """Return what is written of an object."""
    return seal(data, name.encode())


def unsealed(name: str, data: bytes) -> bytes:
    """Return what an object is. Raises `StoreDamaged`."""
    return unseal(data, f"object {name}", name.encode())


def encode_version() -> bytes:
    """Return the format object of this release."""
    return _VERSION.pack(VERSION)


def decode_version(data: bytes) -> int:
    """Return the version of a format object. Raises `StoreDamaged`."""
    if len(data) != _VERSION.size:
        raise StoreDamaged("no version", FORMAT)
    version: int = _VERSION.unpack(data)[0]
    return version


def encode_intent(changes: Mapping[str, bytes | None]) -> bytes:
    """Return the intent to write objects, or erase those that are None."""
    parts: list[bytes] = []
    for name, data in changes.items():
        written = b"" if data is None else data
        parts += (bytes([len(name)]), name.encode(), _CHANGE.pack(data is not None, len(written)), written)
    return b"".join(parts)


def decode_intent(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Yield the objects of an intent whose sum is right. Raises `StoreDamaged`."""
    at = 0
    try:
        while at < len(data):
            end = at + 1 + data[at]
            name = data[at + 1 : end].decode("ascii")
            writes, length = _CHANGE.unpack_from(data, end)
            start = end + _CHANGE.size
            at = start + length
            if at > len(data):
                raise ValueError("an object reaches past the end")
            yield name, data[start:at] if writes else None
    except (struct.error, ValueError) as error:
        raise StoreDamaged(f"the intent makes no sense: {error}", INTENT) from None


def encode_record(table: str, key: bytes, value: bytes) -> bytes:
    """Return the object of a record."""
    name = table.encode()
    return bytes([len(name)]) + name + _RECORD.pack(len(key)) + key + value


def decode_record(data: bytes, where: str) -> tuple[str, bytes, bytes]:
    """Return table, key and value of a record's object. Raises `StoreDamaged`."""
    try:
        end = 1 + data[0]
        table = data[1:end].decode()
        key, value = decode_branch(data[end:], where)
    except (IndexError, ValueError):
        raise StoreDamaged("the object of a record makes no sense", where) from None
    return table, key, value


def encode_branch(branch: bytes, operations: bytes) -> bytes:
    """Return the object of a prepared branch."""
    return _RECORD.pack(len(branch)) + branch + operations


def decode_branch(data: bytes, where: str) -> tuple[bytes, bytes]:
    """Return name and operations of a branch's object. Raises `StoreDamaged`."""
    if len(data) < _RECORD.size:
        raise StoreDamaged("the object is cut", where)
    end = _RECORD.size + int(_RECORD.unpack_from(data)[0])
    if end > len(data):
        raise StoreDamaged("the object is cut", where)
    return data[_RECORD.size : end], data[end:]
