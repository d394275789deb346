"""Dump and restore of fields objects, whole and in parts, mqe.md 2.

A dump is a head of four bytes, ``MQe`` and the version, and a body (`body`). The layout is ours: IBM's is not public
(E-026).
"""

from __future__ import annotations

from typing import Final

from .body import Encoded, read_body, read_index
from .errors import Code, DumpError, EveryplaceError
from .fields import Fields

MAGIC: Final = b"MQe"
VERSION: Final = 1
HEAD: Final = MAGIC + bytes([VERSION])
MAX_DUMP: Final = 101 << 20
"""Longest dump in bytes."""


def dump(fields: Fields) -> bytes:
    """Return the dump of a fields object (E-020). Raises `EveryplaceError` TOO_LONG."""
    body = fields.body()
    _check_length(body)
    return HEAD + body


def dump_with_index(fields: Fields) -> tuple[bytes, bytes]:
    """Return the dump of a fields object, and the body of its index fields. Raises `EveryplaceError` TOO_LONG."""
    body, index = fields.body_and_index()
    _check_length(body)
    return HEAD + body, index


def _check_length(body: bytes) -> None:
    if len(body) + len(HEAD) > MAX_DUMP:
        raise EveryplaceError(Code.TOO_LONG, f"a dump of {len(body) + len(HEAD)} bytes; {MAX_DUMP} are allowed")


def restore(data: bytes, type_name: str | None = None) -> Fields:
    """Return the fields object of a dump. Raises `DumpError`.

    ``type_name``: the type string that it must have (E-017); without it any, which is kept. No code is ever loaded for
    a type string (E-032).
    """
    _check_head(data)
    found, fields = read_body(data, len(HEAD))
    if type_name is not None and found != type_name:
        raise DumpError(len(HEAD), f"the type string is {found!r}, not {type_name!r}")
    return Fields(found, fields)


def body_in(data: bytes) -> bytes:
    """Return the body of a dump that has been restored before, as `Fields.body` would encode it again."""
    _check_head(data)
    return data[len(HEAD) :]


def restore_index(data: bytes) -> dict[str, Encoded]:
    """Return the index fields of a dump that has been restored before, without looking at the others."""
    return read_index(data, len(HEAD))


def _check_head(data: bytes) -> None:
    if len(data) > MAX_DUMP:
        raise DumpError(0, f"a dump of {len(data)} bytes; {MAX_DUMP} are allowed")
    if data[: len(MAGIC)] != MAGIC:
        raise DumpError(0, "this is no dump")
    if len(data) < len(HEAD) or data[len(MAGIC)] != VERSION:
        raise DumpError(len(MAGIC), "the dump has another version" if len(data) >= len(HEAD) else "the dump is cut")


class PartialDump:
    """A dump that is taken in parts (E-024). ``length``: of the whole, in bytes."""

    __slots__ = ("_data", "_fields", "length")

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._data = dump(fields)
        self.length = len(self._data)

    def part(self, offset: int, length: int) -> bytes:
        """Return some of its bytes. Raises `EveryplaceError` NOT_ALLOWED if the object has changed."""
        if dump(self._fields) != self._data:
            raise EveryplaceError(Code.NOT_ALLOWED, "the fields object was changed between two parts of its dump")
        return self._data[offset : offset + length]


class PartialRestore:
    """A fields object that is restored in parts, in order (E-024). ``length``: of the whole dump, in bytes.

    Raises `DumpError` for a length that no dump has. An error in a part makes the whole invalid.
    """

    __slots__ = ("_data", "_length")

    def __init__(self, length: int) -> None:
        if not len(HEAD) < length <= MAX_DUMP:
            raise DumpError(0, f"a dump of {length} bytes")
        self._data: bytearray | None = bytearray()
        self._length = length

    def add(self, offset: int, data: bytes) -> Fields | None:
        """Add a part. Returns the object with the last one. Raises `DumpError`, also after an error before."""
        kept, self._data = self._data, None
        if kept is None:
            raise DumpError(offset, "an earlier part was invalid, or the dump is complete")
        if offset != len(kept) or len(kept) + len(data) > self._length:
            raise DumpError(offset, f"a part of {len(data)} bytes where {len(kept)} of {self._length} are there")
        kept += data
        if len(kept) == self._length:
            return restore(bytes(kept))
        self._data = kept
        return None
