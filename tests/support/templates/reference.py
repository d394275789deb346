"""A slow reader of packets, field by field from the start: what the compiled codec is compared with."""

from __future__ import annotations

from mqbridge.mappings.templates import PacketError, Transaction, Value
from mqbridge.mappings.templates.fields import At, Behind, Size, SizeFrom


def read(transaction: Transaction, packet: bytes) -> dict[str, Value]:
    """Values by field. Raises `PacketError` with the field and offset of the first that is not there."""
    found: dict[str, Value] = {}
    ends: dict[str, int] = {}
    end = len(packet)
    fields = list(transaction.fields.values())
    rest = next((index for index, field in enumerate(fields) if field.length is Size.REST), None)
    tail = sum(field.length for field in fields[rest + 1 :] if isinstance(field.length, int)) if rest is not None else 0
    previous = 0
    for field in fields:
        position = field.position
        start = position.offset if isinstance(position, At) else previous
        if isinstance(position, Behind) and position.field:
            start = ends[position.field]
        if isinstance(position, Behind):
            start += position.gap
        length = field.length
        if isinstance(length, SizeFrom):
            number = found[length.field]
            if not isinstance(number, int) or number * length.unit + length.plus < 0:
                raise PacketError(transaction.name, length.field, start, "no length")
            size = number * length.unit + length.plus
        elif length is Size.REST:
            size = max(end - tail - start, 0)
        elif length is Size.OWN:
            size = 1
            while start + size <= end and packet[start + size - 1] & 0x80:
                size += 1
        else:
            assert isinstance(length, int)
            size = length
        if start + size > end:
            raise PacketError(transaction.name, field.name, start, "too short")
        found[field.name] = field.type.read(packet[start : start + size])[0]
        previous = ends[field.name] = start + size
    if previous != end:
        raise PacketError(transaction.name, "", previous, "too long")
    return found
