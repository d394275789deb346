"""The dump of a fields object as a Construct grammar: what `protocol.everyplace.body` is held equal to (mqe.md 2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from construct import (
    Adapter,
    Array,
    Bytes,
    Computed,
    Const,
    Construct,
    Container,
    FixedSized,
    FocusedSeq,
    GreedyBytes,
    GreedyRange,
    IfThenElse,
    Int8sb,
    Int8ub,
    Int16sb,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    LazyBound,
    Prefixed,
    Struct,
    Switch,
    Terminated,
    ValidationError,
    this,
)

from mqbridge.protocol.everyplace.body import LONG_NAME, MAX_DEPTH, MAX_FIELDS, NAMED, encoded_name
from mqbridge.protocol.everyplace.dump import MAGIC, VERSION
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.names import MAX_TYPE_NAME, check_field_name
from mqbridge.protocol.everyplace.numbers import FOUR, NULL, TWO
from mqbridge.protocol.everyplace.reserved import BY_NAME, BY_NUMBER


class Number(Adapter):  # type: ignore[misc]
    """A number in its shortest form, or None for null."""

    def __init__(self) -> None:
        form = Struct("first" / Int8ub, "more" / Switch(this.first, {TWO: Int16ub, FOUR: Int32ub}))
        super().__init__(form)

    def _decode(self, found: Container[Any], context: Any, path: str) -> int | None:
        value: int | None = {NULL: None, TWO: found.more, FOUR: found.more}.get(found.first, found.first)
        if self._encode(value, context, path)["first"] != found.first:
            raise ValidationError("not the shortest form", path=path)
        return value

    def _encode(self, value: int | None, context: Any, path: str) -> dict[str, Any]:
        if value is None:
            return {"first": NULL, "more": None}
        if value < TWO:
            return {"first": value, "more": None}
        return {"first": TWO if value < 0x10000 else FOUR, "more": value}


class _Name(Adapter):  # type: ignore[misc]
    """The name of a field: a reserved number, or its characters."""

    def __init__(self) -> None:
        short = {first: Bytes(first - NAMED) for first in range(NAMED, LONG_NAME)}
        text = Switch(this.first, {**short, LONG_NAME: Struct("length" / Int16ub, "text" / Bytes(this.length))})
        super().__init__(Struct("first" / Int8ub, "text" / text))

    def _decode(self, found: Container[Any], context: Any, path: str) -> str:
        if found.first < NAMED:
            if found.first not in BY_NUMBER:
                raise ValidationError("no reserved name", path=path)
            return BY_NUMBER[found.first].name
        data = found.text.text if found.first == LONG_NAME else found.text
        name: str = data.decode("latin-1")
        _valid(check_field_name, name, path)
        if name in BY_NAME or self._encode(name, context, path)["first"] != found.first:
            raise ValidationError("not the shortest form", path=path)
        return name

    def _encode(self, name: str, context: Any, path: str) -> dict[str, Any]:
        if name in BY_NAME:
            return {"first": BY_NAME[name].number, "text": None}
        text = name.encode("ascii")
        if NAMED + len(text) < LONG_NAME:
            return {"first": NAMED + len(text), "text": text}
        return {"first": LONG_NAME, "text": {"length": len(text), "text": text}}


class Text(Adapter):  # type: ignore[misc]
    """Bytes as text."""

    def __init__(self, charset: str) -> None:
        super().__init__(GreedyBytes)
        self.charset = charset

    def _decode(self, data: bytes, context: Any, path: str) -> str:
        try:
            return data.decode(self.charset)
        except UnicodeDecodeError as error:
            raise ValidationError(str(error), path=path) from None

    def _encode(self, text: str, context: Any, path: str) -> bytes:
        return text.encode(self.charset)


class Checked(Adapter):  # type: ignore[misc]
    """A value that must pass a check, which is given the value and says whether it does."""

    def __init__(self, subcon: Any, check: Any) -> None:
        super().__init__(subcon)
        self.check = check

    def _decode(self, value: Any, context: Any, path: str) -> Any:
        if not self.check(value, context):
            raise ValidationError("refused", path=path)
        return value

    def _encode(self, value: Any, context: Any, path: str) -> Any:
        return value


def _valid(check: Any, text: str, path: str) -> None:
    try:
        check(text)
    except EveryplaceError as error:
        raise ValidationError(error.text, path=path) from None


def _whole(subcon: Any) -> Construct:
    """All that is left, and nothing behind it."""
    return FocusedSeq("value", "value" / subcon, Terminated)


def _array(element: Any) -> Construct:
    """At least one element; an array without elements is null."""
    return Checked(_whole(GreedyRange(element)), lambda values, _: len(values) > 0)


def sized(subcon: Any) -> Construct:
    """A length that is not null, and so many bytes."""
    return Prefixed(Checked(Number(), lambda value, _: value is not None), subcon)


def _depth(context: Any) -> int:
    """How many fields objects are around this place."""
    found = 0
    while context is not None:
        found += "type_name" in context
        context = context.get("_")
    return found


def _in_order(fields: list[Any], _: Any) -> bool:
    names = [encoded_name(each.name) for each in fields]
    return all(one < other for one, other in pairwise(names))


_TYPE_NAME: Final = Checked(sized(Text("ascii")), lambda text, _: len(text) <= MAX_TYPE_NAME and text.isprintable())
_FIXED: Final = {
    FieldType.BOOLEAN: Checked(Int8ub, lambda value, _: value in (0, 1)),
    FieldType.BYTE: Int8sb,
    FieldType.SHORT: Int16sb,
    FieldType.INT: Int32sb,
    FieldType.LONG: Int64sb,
    FieldType.FLOAT: Bytes(4),
    FieldType.DOUBLE: Bytes(8),
}
_OTHERS: Final[dict[FieldType, Any]] = {
    **{each: _array(_FIXED[each.element]) for each in FieldType if each.is_array and each.element in _FIXED},
    FieldType.UNTYPED: GreedyBytes,
    FieldType.ASCII: Text("ascii"),
    FieldType.UNICODE: Text("utf-8"),
    FieldType.FIELDS: _whole(LazyBound(lambda: BODY)),
    FieldType.BYTE_ARRAY: Checked(GreedyBytes, lambda data, _: len(data) > 0),
    FieldType.ASCII_ARRAY: _array(sized(Text("ascii"))),
    FieldType.UNICODE_ARRAY: _array(sized(Text("utf-8"))),
}
_FIELD: Final = Struct(
    "name" / _Name(),
    "type" / Checked(Int8ub, lambda code, _: code in tuple(FieldType)),
    "length" / IfThenElse(lambda field: field.type in _FIXED, Computed(0), Number()),
    "value"
    / IfThenElse(
        lambda field: field.length is None,
        Computed(None),
        Switch(this.type, {**_FIXED, **{kind: FixedSized(this.length, each) for kind, each in _OTHERS.items()}}),
    ),
)
BODY: Final[Any] = Struct(
    "type_name" / _TYPE_NAME,
    "count" / Checked(Number(), lambda count, context: count is not None and _depth(context) <= MAX_DEPTH),
    "fields" / Checked(Array(this.count, _FIELD), _in_order),
)
"""A fields object as a value. FLOAT and DOUBLE are their bytes, so that each NaN keeps its own (E-011)."""
DUMP: Final[Any] = Struct(
    "magic" / Const(MAGIC),
    "version" / Const(VERSION, Int8ub),
    "body" / Checked(BODY, lambda body, _: count_of(body) <= MAX_FIELDS),
    Terminated,
)
"""A whole dump."""


def count_of(body: Container[Any]) -> int:
    """Return how many fields there are, with those inside fields."""
    inner = [each.value for each in body.fields if each.type == FieldType.FIELDS and each.value is not None]
    return len(body.fields) + sum(count_of(each) for each in inner)
