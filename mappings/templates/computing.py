"""Computed fields (M-164): values that need nothing of the packet, lengths, and checksums."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from typing import Final

from mqbridge.mappings.moment import date_of

from .fields import Checksum, Copy, Field, LengthOf, Now, RandomId, Sequence, Size
from .layout import Layout
from .types.characters import HexDigits, Text
from .types.numbers import Base128, Integer
from .values import Context, Value

_ROUNDS: Final = 4
"""How often the length of a packet is computed while the field that holds it grows."""


def value_before(field: Field, context: Context) -> Value:
    """Return the computed value of a field that needs only the context.

    Raises ``ValueError`` with the reason: no request to copy from, or a field that can hold none such.
    """
    computed = field.computed
    if isinstance(computed, Sequence):
        return context.counters.next(computed.counter, computed.first, computed.last, computed.step)
    if isinstance(computed, RandomId):
        return _random(field, context)
    if isinstance(computed, Now):
        now = date_of(context.now)
        return int(now) if field.kind in ("unsigned", "signed", "decimal", "packed", "base128") else now
    assert isinstance(computed, Copy), "lengths and checksums come later"
    if context.request is None or computed.field not in context.request.fields:
        raise ValueError(f"there is no request with {computed.field!r} to copy from")
    return context.request.fields[computed.field]


def _random(field: Field, context: Context) -> Value:
    length = field.length if isinstance(field.length, int) else 16
    if isinstance(field.type, Integer):
        return context.random.getrandbits(8 * length - field.type.signed)
    if field.kind in ("decimal", "packed"):
        digits = length if field.kind == "decimal" else 2 * length - 1
        return context.random.randrange(10 ** min(digits, 18))
    if isinstance(field.type, Base128):
        return context.random.getrandbits(7 * min(length, 4))
    raw = context.random.randbytes(length)
    if isinstance(field.type, Text | HexDigits):
        return raw.hex()[:length]
    return raw


def put_lengths(layout: Layout, open_fields: Mapping[str, Field], parts: dict[str, bytes]) -> None:
    """Write the computed lengths of a packet into ``parts``, its bytes by key of the piece.

    ``open_fields``: the fields whose value is a length that is not there yet. Raises ``ValueError`` for one that does
    not fit, whose second argument is the field.
    """
    for field in open_fields.values():
        parts[field.name] = bytes(field.length) if isinstance(field.length, int) else b"\0"
    for _ in range(_ROUNDS):
        before = [len(parts[name]) for name in open_fields]
        total = sum(len(parts[piece.key]) for piece in layout.pieces)
        for name, field in open_fields.items():
            computed = field.computed
            assert isinstance(computed, LengthOf), "a length"
            try:
                length = len(parts[computed.of]) if isinstance(computed.of, str) else _span(computed, total)
                number, odd = divmod(length, computed.unit)
                if odd:
                    raise ValueError(f"{length} bytes are no multiple of {computed.unit}")
                size = field.length if isinstance(field.length, int) else None
                parts[name] = field.type.write(number + computed.plus, size)
            except ValueError as error:
                raise ValueError(str(error), name) from None
        if before == [len(parts[name]) for name in open_fields]:
            return


def _span(computed: LengthOf, total: int) -> int:
    assert not isinstance(computed.of, str), "a range"
    start, end = computed.of.of(total)
    return end - start


def checksum(computed: Checksum, packet: bytes | bytearray, at: tuple[int, int], field: Field) -> Value:
    """Return the checksum of a packet whose field from ``at[0]`` up to ``at[1]`` counts as zeros.

    Raises ``ValueError`` where the packet has not the bytes of the range.
    """
    start, end = computed.range.of(len(packet))
    data = bytearray(packet[start:end])
    low, high = max(at[0] - start, 0), min(at[1] - start, len(data))
    if low < high:
        data[low:high] = bytes(high - low)
    size = at[1] - at[0]
    if computed.method == "md5":
        digest = hashlib.md5(data, usedforsecurity=False).digest()
        return _as_value(digest, field, size)
    return _as_value(_sums(computed.method, data), field, size)


def _sums(method: str, data: bytearray) -> bytes:
    if method == "crc32":
        return zlib.crc32(data).to_bytes(4, "big")
    if method == "sum8":
        return bytes([sum(data) & 0xFF])
    if method == "sum16":
        return (sum(data) & 0xFFFF).to_bytes(2, "big")
    if method == "xor":
        folded = 0
        for each in data:
            folded ^= each
        return bytes([folded])
    total = sum(int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big") for at in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF).to_bytes(2, "big")


def _as_value(digest: bytes, field: Field, size: int) -> Value:
    """The checksum as a value of the field's type."""
    if isinstance(field.type, HexDigits | Text):
        return digest.hex()
    if field.kind == "bytes":
        return digest.ljust(size, b"\0")
    return int.from_bytes(digest, "big")


def is_open(field: Field) -> bool:
    """Return whether a field's value follows from the other bytes of the packet."""
    return isinstance(field.computed, LengthOf | Checksum)


def length_given(field: Field) -> bool:
    """Return whether the length of a field follows from the value given."""
    return field.length is not Size.REST and not isinstance(field.length, int)
