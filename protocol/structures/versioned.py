"""Structures that grew with their version: OD, PMO and GMO have one layout, of which each version is a prefix.

They are read into a record of the longest form; fields that the version lacks hold zeros, and the body's ``has``
reports them as absent. An unknown version is an error, as it is in calls (mqi.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Buffer, Record, short_structure

from .bodies import Body
from .linked import check_begin

BodyT = TypeVar("BodyT", bound=Body)

Sizes = Mapping[int, int]
"""Lengths in bytes by version."""

_VERSION_AT: Final = 4
_VERSION_END: Final = 8


def read_versioned(
    kind: type[BodyT], structure: Structure[Any], sizes: Sizes, buffer: Buffer, offset: int, order: ByteOrder
) -> BodyT:
    """Read the fields of the version that a structure states; ``rest`` is empty.

    Raises ``StructureError`` when it begins with another StrucId, states a version that is not in ``sizes``, or is cut
    short.
    """
    codec = structure.codec(order)
    longest = codec.SIZE
    there = min(len(buffer) - offset, longest)
    if there < _VERSION_END:
        raise short_structure(structure.name, structure.slots, offset, max(there, 0))
    version = int.from_bytes(buffer[offset + _VERSION_AT : offset + _VERSION_END], order.endian)
    size = sizes.get(version, _VERSION_END)
    if there < size:
        raise short_structure(structure.name, structure.slots, offset, there)
    if size == longest:
        record = codec.parse(buffer, offset)
    else:
        record = codec.parse(bytes(buffer[offset : offset + size]).ljust(longest, b"\0"))
    check_begin(structure, record, offset, tuple(sizes))
    return kind(record, size)


def new_versioned(
    kind: type[BodyT], structure: Structure[Any], sizes: Sizes, order: ByteOrder, version: int, values: dict[str, Any]
) -> BodyT:
    """Return a structure of a version, to send; fields by keyword. Raises ``KeyError`` for an unknown version."""
    record: Record = structure.codec(order)(version=version, **values)
    return kind(record, sizes[version])
