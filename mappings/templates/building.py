"""Building of a packet: the bytes of each piece from values, from what was read, or computed (M-164, M-170, M-171)."""

from __future__ import annotations

from collections.abc import Mapping

from .computing import checksum, is_open, put_lengths, value_before
from .errors import BuildError
from .fields import Checksum, Field, LengthOf, Size, SizeFrom
from .layout import Layout
from .types.field_type import Bytes
from .values import Context, Value


def build_parts(
    transaction: str, layout: Layout, values: Mapping[str, Value], kept: Mapping[str, bytes], context: Context
) -> dict[str, bytes]:
    """Return the bytes of each piece of a packet by its key. Raises `BuildError`."""
    parts: dict[str, bytes] = {}
    lengths: dict[str, Field] = {}
    sums: dict[str, Field] = {}
    for piece in layout.pieces:
        field = piece.field
        if field is None:
            parts[piece.key] = kept.get(piece.key, piece.bytes)
            continue
        try:
            value = _value(field, values, context)
            if value is not None:
                parts[field.name] = _written(field, value, kept)
            elif is_open(field):
                (lengths if isinstance(field.computed, LengthOf) else sums)[field.name] = field
                parts[field.name] = bytes(piece.size)
            elif piece.bytes or (field.length is Size.REST and not piece.size):
                parts[field.name] = piece.bytes
            else:
                raise ValueError("no value is given for it")
        except ValueError as error:
            raise BuildError(transaction, field.name, str(error)) from None
    try:
        put_lengths(layout, lengths, parts)
    except ValueError as error:
        raise BuildError(transaction, str(error.args[1]), str(error.args[0])) from None
    _put_checksums(transaction, layout, sums, parts)
    if layout.middle:
        _check_lengths(transaction, layout, parts)
    return parts


def joined(layout: Layout, parts: Mapping[str, bytes]) -> bytes:
    """Return the packet of its parts."""
    return b"".join([parts[piece.key] for piece in layout.pieces])


def _value(field: Field, values: Mapping[str, Value], context: Context) -> Value | None:
    """The value that a field has before lengths are known; None for one that comes later or from the template."""
    if field.name in values:
        return values[field.name]
    if field.map and field.map in values:
        return values[field.map]
    if field.value is not None:
        return field.value
    if field.computed is not None and not is_open(field):
        return value_before(field, context)
    return None


def _written(field: Field, value: Value, kept: Mapping[str, bytes]) -> bytes:
    read = kept.get(field.name)
    if read is not None and _same(field.type.read(read)[0], value):
        return read
    size = field.length if isinstance(field.length, int) else None
    if isinstance(value, bytes) and not isinstance(field.type, Bytes):
        if size is not None and len(value) != size:
            raise ValueError(f"{len(value)} bytes given, {size} needed")
        return value
    return field.type.write(value, size, field.cut)


def _same(one: Value, other: Value) -> bool:
    """Whether two values are the same; a float that is no number is the same as another such."""
    return type(one) is type(other) and (one == other or (one != one and other != other))


def _put_checksums(transaction: str, layout: Layout, sums: Mapping[str, Field], parts: dict[str, bytes]) -> None:
    for name, field in sums.items():
        assert isinstance(field.computed, Checksum), "a checksum"
        start = 0
        for piece in layout.pieces:
            if piece.key == name:
                break
            start += len(parts[piece.key])
        size = len(parts[name])
        try:
            value = checksum(field.computed, joined(layout, parts), (start, start + size), field)
            parts[name] = field.type.write(value, size)
        except ValueError as error:
            raise BuildError(transaction, name, str(error)) from None


def _check_lengths(transaction: str, layout: Layout, parts: Mapping[str, bytes]) -> None:
    """A number that says where a field ends must be true, whether it was given or computed."""
    fields = {piece.key: piece.field for piece in layout.pieces if piece.field is not None}
    for piece in layout.middle:
        length = fields[piece.key].length
        if isinstance(length, SizeFrom):
            number = fields[length.field].type.read(parts[length.field])[0]
            there = len(parts[piece.key])
            if not isinstance(number, int) or number * length.unit + length.plus != there:
                raise BuildError(
                    transaction,
                    length.field,
                    f"{number!r:.60} is not the length of {piece.key!r}, which has {there} bytes",
                )
