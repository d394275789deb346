"""Structures that may be shorter than their longest form, or be followed by further bytes.

INITIAL_DATA ends where the FAP level or the segment ends; partners leave garbage behind it. A :class:`Body` keeps the
record, how much of it was present, and the remaining bytes, so that it builds back to the same bytes (mq-wire.md 5.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Buffer, Record, short_structure

_ENDS: Final[dict[type[Record], dict[str, int]]] = {}  # by the class of a layout


@dataclass(slots=True)
class Body:
    """A record that may be partly absent, and the bytes behind it.

    ``record``: the longest form; absent fields hold zeros. ``known``: number of its bytes that were present, always the
    end of a field. ``rest``: remaining bytes.
    """

    record: Any
    known: int
    rest: bytes = b""

    def has(self, key: str) -> bool:
        """Return whether a field was present. Raises ``KeyError`` for an unknown field."""
        return _ends(type(self.record))[key] <= self.known

    def build(self) -> bytes:
        """Return the known part of the record and the remaining bytes."""
        fixed: bytes = self.record.build()
        return fixed[: self.known] + self.rest


def _ends(codec: type[Record]) -> dict[str, int]:
    """Return the offset at which each field ends."""
    ends = _ENDS.get(codec)
    if ends is None:
        ends = _ENDS[codec] = {slot.field.key: slot.offset + slot.size for slot in codec.SLOTS}
    return ends


def read_body(
    structure: Structure[Any], buffer: Buffer, order: ByteOrder, *, least: int, most: int | None = None
) -> Body:
    """Read the complete fields of a structure from the buffer, and keep the remaining bytes.

    ``least``: required bytes; raises ``StructureError`` if there are fewer. ``most``: maximum bytes of the structure at
    the partner's level, the end of a field; None for all of it.
    """
    limit = min(len(buffer), structure.size if most is None else most)
    if limit < least:
        raise short_structure(structure.name, structure.slots, 0, len(buffer))
    codec = structure.codec(order)
    known = max(end for end in _ends(codec).values() if end <= limit) if limit < structure.size else structure.size
    data = bytes(buffer)
    record = codec.parse(data[:known].ljust(structure.size, b"\0"))
    return Body(record, known, data[known:])
