"""Fields of a description: tables ``[[transaction.field]]`` as `Field` (M-162 to M-166)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple, get_args

from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.text import codec_for

from .fields import (
    At,
    Behind,
    Checksum,
    Computed,
    Copy,
    Field,
    Length,
    LengthOf,
    Method,
    Now,
    Position,
    RandomId,
    Range,
    Sequence,
    Size,
    SizeFrom,
)
from .limits import MAX_PACKET, MAX_VALUES
from .tables import NAME, Table, near, unhex
from .types.characters import Decimal, HexDigits, Text, is_sure
from .types.field_type import Bytes, FieldType
from .types.numbers import Base128, Float, Integer, Order, Packed
from .types.times import TICKS, BinaryTime, PackedTime, TimeFormat, TimeText
from .values import Value

KINDS: Final = ("text", "bytes", "hex", "unsigned", "signed", "decimal", "time", "packed", "float", "base128")
FORMS: Final = ("digits", "packed", *TICKS)
COMPUTED: Final = ("length", "sequence", "random", "time", "copy", "checksum")
METHODS: Final[tuple[str, ...]] = get_args(Method)
ALL_KEYS: Final = (
    "name", "position", "length", "type", "map", "value", "values", "flags", "compute", "cut", "identity", "extends",
    "description",
)  # fmt: skip
KIND_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "text": ("pad", "side", "ccsid", "strip"),
    "hex": ("ccsid", "upper"),
    "unsigned": ("order",),
    "signed": ("order",),
    "decimal": ("pad", "ccsid"),
    "time": ("form", "format", "ccsid", "order"),
    "packed": ("sign",),
    "float": ("order",),
    "base128": ("order",),
}
_BIG: Final = 1 << 63
_MAX_COUNTER: Final = 10**18


class Defaults(NamedTuple):
    """What a protocol says for all its fields."""

    order: Order
    ccsid: int


def codec(table: Table, default: int) -> str:
    """Return Python's codec for the ``ccsid`` of a table."""
    ccsid = table.number("ccsid", 1, 65535, default)
    try:
        return codec_for(ccsid)
    except ConversionError as error:
        raise table.fault("ccsid" if "ccsid" in table else "", str(error)) from None


def order_of(table: Table, default: Order) -> Order:
    """Return the byte order of a table."""
    return "little" if table.choice("order", ("big", "little"), default) == "little" else "big"


def read_field(table: Table, defaults: Defaults) -> Field:
    """Return one field. Raises `TemplateError`."""
    kind = table.choice("type", KINDS, "bytes")
    table.allow(*ALL_KEYS, *KIND_KEYS.get(kind, ()))
    name = table.named("name")
    length = _length(table, kind)
    field_type = _type(table, kind, length, defaults)
    _check_length(table, kind, length, field_type)
    field = Field(
        name, kind, field_type, _position(table), length,
        map=table.text("map"), cut=table.flag("cut"), identity=table.flag("identity"),
        description=table.text("description"),
    )  # fmt: skip
    if field.map and not NAME.fullmatch(field.map):
        table.wrong("map", "a name such as queue, or of a field of the application")
    if "value" in table and "compute" in table:
        raise table.fault("compute", f"{name!r} has a value and is computed; it can be one of both")
    computed = _computed(table, field) if "compute" in table else None
    return field._replace(
        value=read_value(table, "value", field) if "value" in table else None,
        computed=computed,
        values=_values(table, field),
        flags=_flags(table, field),
    )


def read_value(table: Table, key: str, field: Field) -> Value:
    """Return the value that a key has for a field; bytes are written as hexadecimal digits. Raises `TemplateError`."""
    value = table.content[key]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        table.wrong(key, f"a value of {field.name!r}")
    found: Value = value
    if isinstance(field.type, Bytes):
        digits = unhex(value) if isinstance(value, str) else None
        if digits is None:
            table.wrong(key, f"the bytes of {field.name!r} as hexadecimal digits")
        found = digits or b""
    try:
        raw = field.type.write(found, field.length if isinstance(field.length, int) else None)
    except ValueError as error:
        raise table.fault(key, f"{key!r} in {table.name}: {error}") from None
    return field.type.read(raw)[0] if isinstance(field.length, int) else found


def _position(table: Table) -> Position:
    if "position" not in table:
        return Behind("")
    value = table.content["position"]
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_PACKET:
        return At(value)
    if isinstance(value, dict):
        inner = table.table("position").allow("after", "gap", "end")
        if "end" in inner and len(inner.content) == 1:
            return At(inner.number("end", 1, MAX_PACKET), from_end=True)
        if "after" in inner and "end" not in inner:
            return Behind(inner.named("after"), inner.number("gap", 0, MAX_PACKET, 0))
    return table.wrong("position", 'an offset from 0, { after = "field" } or { end = bytes before the end }')


def _length(table: Table, kind: str) -> Length:
    if "length" not in table and kind == "base128":
        return Size.OWN
    value = table.need("length")
    if value == "rest":
        return Size.REST
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_PACKET:
        return value
    if isinstance(value, dict):
        inner = table.table("length").allow("field", "unit", "plus")
        unit, plus = inner.number("unit", 1, 1 << 20, 1), inner.number("plus", -MAX_PACKET, MAX_PACKET, 0)
        return SizeFrom(inner.named("field"), unit, plus)
    return table.wrong("length", 'a number of bytes from 1, { field = "name" } or "rest"')


def _type(table: Table, kind: str, length: Length, defaults: Defaults) -> FieldType:
    if kind == "bytes":
        return Bytes()
    order = order_of(table, defaults.order) if "order" in KIND_KEYS[kind] else defaults.order
    if kind in ("unsigned", "signed"):
        return Integer(order, kind == "signed")
    if kind == "packed":
        return Packed(table.flag("sign") if "sign" in table else True)
    if kind == "float":
        return Float(order)
    if kind == "base128":
        return Base128(order if "order" in table else "little")
    if kind == "time":
        return _time(table, length, order, defaults)
    name = codec(table, defaults.ccsid)
    if kind == "hex":
        return HexDigits(name, table.flag("upper"))
    if kind == "decimal":
        return Decimal(name, _pad(table, name, "0"))
    left = table.choice("side", ("left", "right"), "right") == "left"
    if not isinstance(length, int):
        for key in ("pad", "side", "strip"):
            if key in table:
                raise table.fault(key, f"{key!r} is for text of fixed length")
        return Text(name, cut_off="")
    pad = _pad(table, name, " ")
    others = _decoded(table, "strip", name)
    return Text(name, pad, left, pad + others, not others and is_sure(name))


def _pad(table: Table, codec_name: str, default: str) -> str:
    """The padding: one character, or one byte in two hexadecimal digits."""
    value = table.text("pad", default)
    pad = value if len(value) == 1 else _decoded(table, "pad", codec_name)
    try:
        if len(pad) == 1 and str(pad.encode(codec_name), codec_name) == pad:
            return pad
    except UnicodeError:
        pass
    return table.wrong("pad", "one character, or the two hexadecimal digits of one")


def _decoded(table: Table, key: str, codec_name: str) -> str:
    if key not in table:
        return ""
    try:
        return str(table.hex(key, 16), codec_name)
    except UnicodeError:
        return table.wrong(key, "hexadecimal digits of characters of the field")


def _time(table: Table, length: Length, order: Order, defaults: Defaults) -> FieldType:
    form = table.choice("form", FORMS)
    if form in TICKS:
        for key in ("format", "ccsid"):
            if key in table:
                raise table.fault(key, f"{key!r} is not for a time in {form}")
        return BinaryTime(order, TICKS[form])
    text = table.need("format")
    try:
        found = TimeFormat(text if isinstance(text, str) and len(text) <= 64 else "")
    except ValueError as error:
        raise table.fault("format", f"'format' in {table.name}: {error}") from None
    digits = found.width if form == "digits" else (found.width + 1) // 2
    kind = TimeText(codec(table, defaults.ccsid), found) if form == "digits" else PackedTime(found)
    try:
        digits = len(kind.write(0.0, None))
    except ValueError as error:
        raise table.fault("format", f"'format' in {table.name}: {error}") from None
    if isinstance(length, int) and length != digits:
        raise table.fault("length", f"the format has {digits} bytes, the field {length}")
    return kind


def _check_length(table: Table, kind: str, length: Length, field_type: FieldType) -> None:
    """Lengths that a type can have."""
    allowed: Collection[int] | None = None
    if kind in ("unsigned", "signed"):
        allowed = range(1, 9)
    elif kind == "float":
        allowed = (4, 8)
    elif kind == "base128":
        allowed = range(1, 11)
    elif kind == "packed":
        allowed = range(1, 33)
    elif kind == "time":
        allowed = range(1, 9) if isinstance(field_type, BinaryTime) else range(1, 256)
    if allowed is not None and not (length is Size.OWN or (isinstance(length, int) and length in allowed)):
        table.wrong("length", f"a length that type {kind!r} can have: {min(allowed)} to {max(allowed)} bytes")
    if isinstance(field_type, Text | Decimal | HexDigits) and isinstance(length, int):
        width = len(" ".encode(field_type.codec))
        if length % width:
            raise table.fault("length", f"characters have {width} bytes each, so the length must be a multiple of it")


def _values(table: Table, field: Field) -> dict[str, Value]:
    inner = table.table("values")
    if len(inner.content) > MAX_VALUES:
        raise table.fault("values", f"{len(inner.content)} names; {MAX_VALUES} are allowed")
    return {name: read_value(inner, name, field) for name in inner.content}


def _flags(table: Table, field: Field) -> dict[str, int]:
    inner = table.table("flags")
    if inner.content and field.kind not in ("unsigned", "signed"):
        raise table.fault("flags", "flags are for integers")
    if len(inner.content) > 64:
        raise table.fault("flags", f"{len(inner.content)} names; 64 are allowed")
    return {name: inner.number(name, 1, 2 * _BIG - 1) for name in inner.content}


def _computed(table: Table, field: Field) -> Computed:
    value = table.content["compute"]
    inner = table.table("compute", {"kind": value} if isinstance(value, str) else value)
    kind = inner.content.get("kind")
    if kind not in COMPUTED:
        hint = near(kind, COMPUTED) if isinstance(kind, str) else ""
        raise table.fault("compute", f"'compute' in {table.name} must be one of {', '.join(COMPUTED)}", hint)
    if kind == "length":
        inner.allow("kind", "of", "unit", "plus")
        return LengthOf(
            _of(inner), inner.number("unit", 1, 1 << 20, 1), inner.number("plus", -MAX_PACKET, MAX_PACKET, 0)
        )
    if kind == "sequence":
        inner.allow("kind", "counter", "first", "last", "step", "restarts")
        first = inner.number("first", 0, _MAX_COUNTER, 1)
        counter = inner.named("counter") if "counter" in inner else field.name
        last = inner.number("last", first, _MAX_COUNTER, min(_MAX_COUNTER, max(first, _most(field))))
        return Sequence(counter, first, last, inner.number("step", 1, 1 << 31, 1), inner.flag("restarts"))
    if kind == "copy":
        inner.allow("kind", "field")
        return Copy(inner.named("field") if "field" in inner else field.name)
    if kind == "checksum":
        inner.allow("kind", "method", "from", "to")
        return _checksum(inner, field)
    inner.allow("kind")
    if kind == "time" and field.kind in ("text", "bytes", "hex"):
        raise table.fault("compute", f"a field of type {field.kind!r} holds no time")
    return Now() if kind == "time" else RandomId()


def _most(field: Field) -> int:
    """The highest number that a field holds."""
    size = field.length if isinstance(field.length, int) else 4
    if isinstance(field.type, Integer):
        return int((1 << 8 * size - field.type.signed) - 1)
    if field.kind == "packed":
        return int(10 ** (2 * size - 1) - 1)
    return int((1 << 7 * size) - 1 if field.kind == "base128" else 10**size - 1)


def _of(inner: Table) -> str | Range:
    """What a length counts: a field, the packet, or a range."""
    value = inner.need("of")
    if value == "packet":
        return Range()
    if isinstance(value, str):
        return inner.named("of")
    table = inner.table("of").allow("from", "to")
    return _range(table)


def _range(table: Table) -> Range:
    start = table.number("from", -MAX_PACKET, MAX_PACKET, 0)
    end = table.number("to", -MAX_PACKET, MAX_PACKET) if "to" in table else None
    return Range(start, end)


def _checksum(inner: Table, field: Field) -> Checksum:
    method = inner.choice("method", METHODS)
    sizes = {"md5": 16, "crc32": 4, "sum8": 1, "sum16": 2, "xor": 1, "internet": 2}
    size = sizes[method] * (2 if field.kind in ("hex", "text") else 1)
    if field.kind not in ("hex", "text", "bytes", "unsigned", "decimal") or (
        method == "md5" and field.kind in ("unsigned", "decimal")
    ):
        raise inner.fault("method", f"a field of type {field.kind!r} cannot hold {method}")
    if field.kind != "decimal" and (not isinstance(field.length, int) or field.length < size):
        raise inner.fault("method", f"{method} needs {size} bytes in a field of type {field.kind!r}")
    for method_name in get_args(Method):
        if method_name == method:
            return Checksum(method_name, _range(inner))
    raise AssertionError(method)
