"""Fields objects: unordered collections of fields with name, type and value, mqe.md 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .body import Encoded, body_and_index, body_of, read_body
from .errors import Code, EveryplaceError
from .field_types import FieldType, decode, encode
from .names import check_field_name, check_type_name

_INT: Final = range(-(2**31), 2**31)
_SHOWN: Final = 40


class Fields:
    """A fields object (E-001). ``type``: its type string (E-017), up to 255 characters of ASCII, empty for none.

    Values are kept as bytes and decoded when they are asked for. A fields object that is put into another one is
    copied. Two are equal if their types and fields are, in any order.
    """

    __slots__ = ("_fields", "type")

    def __init__(self, type: str = "", fields: dict[str, Encoded] | None = None) -> None:
        check_type_name(type)
        self.type = type
        self._fields: dict[str, Encoded] = {} if fields is None else fields

    def put(self, name: str, value: Any, kind: FieldType | None = None) -> None:
        """Put a field, in place of one of the same name (E-005).

        Without a type: ``str`` is unicode, ``bytes`` untyped, ``float`` double, ``int`` int or, if it is too large,
        long. Raises `EveryplaceError` SYNTAX for the name, TYPE for a value that is not of the type.
        """
        check_field_name(name)
        if kind is None:
            kind = natural_type(value)
        if kind is FieldType.FIELDS and value is not None:
            if not isinstance(value, Fields):
                raise EveryplaceError(Code.TYPE, f"field {name!r}: a {value.__class__.__name__} is no fields object")
            data: bytes | None = value.body()
        else:
            data = encode(kind, value)
        self._fields[name] = Encoded(kind, data)

    def get(self, name: str, *kinds: FieldType) -> Any:
        """Return the value of a field: text, bytes, numbers, a tuple of them, `Fields`, or None.

        Raises `EveryplaceError` NOT_FOUND, and TYPE if types are given and it has none of them (E-013).
        """
        found = self._fields.get(name)
        if found is None:
            raise EveryplaceError(Code.NOT_FOUND, f"there is no field {name[:40]!r}")
        kind, data = found
        if kinds and kind not in kinds:
            raise EveryplaceError(Code.TYPE, f"field {name!r} is {kind.word}, not {kinds[0].word}")
        if kind is FieldType.FIELDS:
            return None if data is None else Fields.of_body(data)
        return decode(kind, data)

    def delete(self, name: str) -> None:
        """Delete a field. Raises `EveryplaceError` NOT_FOUND."""
        if self._fields.pop(name, None) is None:
            raise EveryplaceError(Code.NOT_FOUND, f"there is no field {name[:40]!r}")

    def type_of(self, name: str) -> FieldType:
        """Return the type of a field. Raises `EveryplaceError` NOT_FOUND."""
        found = self._fields.get(name)
        if found is None:
            raise EveryplaceError(Code.NOT_FOUND, f"there is no field {name[:40]!r}")
        return found.type

    def length_of(self, name: str) -> int:
        """Return the length of the value of a field in bytes, as in a dump (E-015). Raises `EveryplaceError`."""
        self.type_of(name)
        return len(self._fields[name].data or b"")

    @classmethod
    def of_body(cls, data: bytes) -> Fields:
        """Return the object whose `body` the bytes are. Raises `DumpError`."""
        type_name, fields = read_body(data)
        return cls(type_name, fields)

    def copy(self) -> Fields:
        """Return an equal object (E-014)."""
        return Fields(self.type, dict(self._fields))

    def encoded(self, name: str) -> Encoded | None:
        """Return a field as it stands in a dump; None if it is absent."""
        return self._fields.get(name)

    def put_encoded(self, name: str, field: Encoded) -> None:
        """Put a field of another fields object."""
        self._fields[name] = field

    def body(self) -> bytes:
        """Return the bytes of a dump behind its head: how it stands as a value in another fields object."""
        return body_of(self.type, self._fields)

    def body_and_index(self) -> tuple[bytes, bytes]:
        """Return the same, and the body of its index fields without type string (E-068)."""
        return body_and_index(self.type, self._fields)

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.put(name, value)

    def __delitem__(self, name: str) -> None:
        self.delete(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fields) and self.body() == other.body()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"({kind.word}){name}={_shown(self.get(name))}" for name, (kind, _) in self._fields.items())
        return f"<{self.type or 'Fields'} {shown}>"


def natural_type(value: Any) -> FieldType:
    """Return the type that a value of Python has when none is given. Raises `EveryplaceError` TYPE."""
    if isinstance(value, bool):
        return FieldType.BOOLEAN
    if isinstance(value, int):
        return FieldType.INT if value in _INT else FieldType.LONG
    if value is None:
        return FieldType.UNTYPED
    for python, kind in _NATURAL:
        if isinstance(value, python):
            return kind
    raise EveryplaceError(Code.TYPE, f"a {type(value).__name__} needs a type")


_NATURAL: Final[tuple[tuple[type, FieldType], ...]] = (
    (str, FieldType.UNICODE),
    (bytes, FieldType.UNTYPED),
    (float, FieldType.DOUBLE),
    (Fields, FieldType.FIELDS),
)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
