"""CHARV: a string of any length, in the structure that has it five words, the characters behind the structure.

VSOffset counts from the start of the structure that holds the CHARV; strings stand behind it one after another, each
filled with NULs up to a multiple of four. An empty string has a place and no length (mq-wire.md 5.6, client-observed.md
O-052).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, snake_case
from mqbridge.protocol.records import Buffer, Record

from .bodies import Body

NULL_TERMINATED: Final = -1
"""VSLength of a string that ends before its first NUL."""
STRING_ALIGNMENT: Final = 4
"""Bytes to a multiple of which a string behind a structure is padded."""
STRING_CCSID: Final = 1208
"""CCSID of the strings that clients send."""


def charv(n: Numbers, name: str, meaning: str, since: str = "") -> tuple[Any, ...]:
    """Return the five fields of a CHARV, 20 bytes, with their names prefixed: ``ObjectStringVSOffset``."""
    return (
        n.u32(f"{name}VSPtr", f"{meaning}: pointer, without meaning", since=since),
        n.u32(f"{name}VSOffset", f"{meaning}: place from the start of the structure, 0 for none", since=since),
        n.u32(f"{name}VSBufSize", f"{meaning}: room", since=since),
        n.i32(f"{name}VSLength", f"{meaning}: bytes, -1 up to a NUL", since=since),
        n.i32(f"{name}VSCCSID", f"{meaning}: code page", since=since, default=STRING_CCSID),
    )


class StructureWithStrings(Body):
    """A structure with strings behind it. ``rest``: everything behind its fixed part."""

    __slots__ = ()

    STRINGS: ClassVar[tuple[str, ...]] = ()
    """Attribute names of the strings."""

    def string(self, name: str) -> bytes | None:
        """Return the bytes of a string by its attribute name (``"object_string"``); None if it has no offset."""
        if not getattr(self.record, f"{name}_vs_offset"):
            return None
        start, end = _span(self.record, name, self.rest, self.known)
        return self.rest[start - self.known : end - self.known]

    def string_ccsid(self, name: str) -> int:
        """Return the CCSID of a string, as stated in the structure."""
        ccsid: int = getattr(self.record, f"{name}_vsccsid")
        return ccsid

    @property
    def strings(self) -> dict[str, bytes]:
        """Return the strings that are present, including empty ones, by attribute name."""
        found = ((name, self.string(name)) for name in self.STRINGS if self.has(f"{name}_vs_ptr"))
        return {name: string for name, string in found if string is not None}


def _span(record: Record, name: str, behind: bytes, known: int) -> tuple[int, int]:
    start: int = getattr(record, f"{name}_vs_offset")
    length: int = getattr(record, f"{name}_vs_length")
    if length == NULL_TERMINATED:
        end = behind.find(b"\0", max(start - known, 0))
        return start, end + known if end >= 0 else known + len(behind)
    return start, start + length


def end_of_strings(body: StructureWithStrings, buffer: Buffer, offset: int) -> int:
    """Return the end of a structure's last string with its padding, as an offset from the start of the structure.

    Raises ``StructureError`` for a string that begins inside the fixed part, has a negative length or passes the end
    of the buffer.
    """
    record, known = body.record, body.known
    behind = bytes(memoryview(buffer)[offset + known :])
    there = known + len(behind)
    last = known
    for name in body.STRINGS:
        if not body.has(f"{name}_vs_ptr") or not getattr(record, f"{name}_vs_length"):
            continue
        if not getattr(record, f"{name}_vs_offset"):
            continue
        start, end = _span(record, name, behind, known)
        if start < known or end < start or end > there:
            place = next(slot.offset for slot in record.SLOTS if slot.field.key == f"{name}_vs_offset")
            what = f"string of {end - start} bytes at {start} does not lie in {there - known} bytes behind {known}"
            raise StructureError(record.NAME, offset + place, what)
        last = max(last, end)
    return min(aligned(last), there)


def aligned(length: int) -> int:
    """Return a length with its padding."""
    return -(-length // STRING_ALIGNMENT) * STRING_ALIGNMENT


def place_strings(
    start: int, strings: Mapping[str, bytes | None], ccsid: int = STRING_CCSID
) -> tuple[dict[str, Any], bytes]:
    """Lay out strings behind ``start`` bytes; return the fields with their offsets and lengths, and the bytes.

    ``strings``: by attribute name; None for a string without a place.
    """
    values: dict[str, Any] = {}
    parts: list[bytes] = []
    at = start
    for name, string in strings.items():
        if string is None:
            continue
        values |= {f"{name}_vs_offset": at, f"{name}_vs_length": len(string), f"{name}_vsccsid": ccsid}
        parts.append(string.ljust(aligned(len(string)), b"\0"))
        at += len(parts[-1])
    return values, b"".join(parts)


def string_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return attribute names for IBM's field names."""
    return tuple(snake_case(name) for name in names)
