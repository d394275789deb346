"""Fast codecs derived from the grammars: Construct defines the layout, ``struct`` reads and writes it.

:func:`compile_layout` walks a grammar of fixed layout (``Bytes`` of known length, integers, and structures of these)
and generates a class with one slot per field. ``parse(buffer, offset=0)`` unpacks all fields in one call; ``build()``
packs them in one call. Nothing is decoded: character fields stay bytes, so parsing costs well under a microsecond and
``build`` returns the original bytes. Callers decode text, names and code pages when they need them.

A big-endian field in a little-endian structure (the length in a segment header, mq-wire.md 1.2) is unpacked as bytes
and converted afterwards. In a run of structures (TSH, MSH, XQH and MD as one), slots are prefixed with the name of
their part: ``md_msg_id``.

A buffer that is too short raises the same ``StructureError`` as the grammar; a value that does not fit its field raises
``LocalProtocolError``. Property tests hold both readers equal on arbitrary input.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import construct

from .constants import ByteOrder
from .errors import LocalProtocolError, StructureError
from .fields import Field, notes


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a fixed layout: its description, offset and ``struct`` code.

    ``swapped``: the field is big-endian in a little-endian layout.
    """

    field: Field
    offset: int
    size: int
    code: str
    swapped: bool

    @property
    def length(self) -> int | None:
        """Number of bytes that a value must have; None for an integer."""
        return self.size if self.code.endswith("s") else None


class Record:
    """A parsed structure with one slot per field: characters and ids as bytes, integers as ``int``.

    Each layout and byte order has its own generated class. Fields may be passed by keyword;
    the others hold their defaults. Records of one class are equal if all fields are equal.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    NAME: ClassVar[str]
    ORDER: ClassVar[ByteOrder]
    SIZE: ClassVar[int]
    SLOTS: ClassVar[tuple[Slot, ...]]
    KEYS: ClassVar[tuple[str, ...]]

    if TYPE_CHECKING:

        def __init__(self, **values: Any) -> None: ...

        def __getattr__(self, key: str) -> Any: ...

        def __setattr__(self, key: str, value: Any) -> None: ...

        @classmethod
        def parse(cls, buffer: bytes | bytearray | memoryview, offset: int = 0) -> Self:
            """Read ``SIZE`` bytes at ``offset`` (from 0). Raises ``StructureError`` when fewer are there."""
            raise NotImplementedError

        def build(self) -> bytes:
            """The ``SIZE`` bytes. Raises ``LocalProtocolError`` when a value does not fit its field."""
            raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """Return raw values by attribute name, in layout order."""
        return {key: getattr(self, key) for key in self.KEYS}

    def copy(self, **changes: Any) -> Self:
        """Return a new record of the same class with some fields changed."""
        return type(self)(**{**self.as_dict(), **changes})

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, key) == getattr(other, key) for key in self.KEYS)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.KEYS)
        return f"{self.NAME}({shown})"


def slots_of(grammar: Any, order: ByteOrder) -> tuple[Slot, ...]:
    """Return the fields of a fixed layout in order; fields of nested structures are prefixed with the part's name.

    Raises ``TypeError`` for anything but integers, ``Bytes`` of known length and structures of these.
    """
    slots = []
    offset = 0
    for field, code, big in _walk(grammar, "", ""):
        size = struct.calcsize("<" + code)
        swapped = big and order is ByteOrder.LITTLE and size > 1 and not code.endswith("s")
        if not big and order is ByteOrder.BIG:
            raise TypeError(f"{field.name} is little-endian in a big-endian layout")
        if swapped and code.islower():
            raise TypeError(f"{field.name} is signed and big-endian in a little-endian layout")
        slots.append(Slot(field, offset, size, code, swapped))
        offset += size
    return tuple(slots)


def _walk(grammar: Any, key_prefix: str, name_prefix: str) -> Iterator[tuple[Field, str, bool]]:
    for subcon in grammar.subcons:
        inner = subcon
        while isinstance(inner, construct.Renamed):
            inner = inner.subcon
        if isinstance(inner, construct.Struct):
            yield from _walk(inner, f"{key_prefix}{subcon.name}_", f"{name_prefix}{subcon.name.upper()}.")
            continue
        name = subcon.name or ""
        field = notes(subcon) or Field(name, name, "part", subcon.docs)
        field = replace(field, key=key_prefix + field.key, name=name_prefix + field.name)
        if isinstance(inner, construct.FormatField):
            yield field, inner.fmtstr[1:], inner.fmtstr[0] == ">" or inner.length == 1
        elif isinstance(inner, construct.Bytes) and isinstance(inner.length, int):
            yield field, f"{inner.length}s", True
        else:
            raise TypeError(f"{field.name} has no fixed layout: {inner!r}")


def short_input(name: str, field: str, offset: int, needed: int, there: int) -> StructureError:
    """Return the error for a structure that ends inside ``field``, which begins at ``offset``."""
    return StructureError(name, offset, f"ends inside {field}: {needed} bytes needed, {there} there")


def unfit_value(name: str, field: str, value: object, size: int | None) -> LocalProtocolError:
    """Return the error for a value that does not fit its field; ``size`` in bytes, None for an integer."""
    if size is not None and isinstance(value, bytes | bytearray | memoryview):
        return LocalProtocolError(f"{name}.{field}: {size} bytes needed, {len(value)} given")
    return LocalProtocolError(f"{name}.{field}: value {value!r} does not fit")


def compile_layout(name: str, grammar: Any, order: ByteOrder) -> type[Record]:
    """Generate the record class of a fixed layout. Raises ``TypeError`` if the layout is not fixed."""
    slots = slots_of(grammar, order)
    keys = tuple(slot.field.key for slot in slots)
    if len(set(keys)) != len(keys):
        raise TypeError(f"{name}: a field name stands twice")
    codes = (f"{slot.size}s" if slot.swapped else slot.code for slot in slots)
    layout = struct.Struct(order.prefix + "".join(codes))
    if layout.size != grammar.sizeof():
        raise TypeError(f"{name}: {layout.size} bytes compiled, {grammar.sizeof()} in the grammar")
    namespace: dict[str, Any] = {
        "Record": Record,
        "_new": object.__new__,
        "_unpack": layout.unpack_from,
        "_pack": layout.pack,
        "_error": struct.error,
        "_number": int.from_bytes,
        "_short": _short,
        "_unfit": _unfit,
        "_defaults": tuple(slot.field.default for slot in slots),
    }
    exec(_class_source(name, slots), namespace)
    made: type[Record] = namespace[name]
    made.NAME, made.ORDER, made.SIZE, made.SLOTS, made.KEYS = name, order, layout.size, slots, keys
    made.__doc__ = f"{name}, {layout.size} bytes, {order.endian}-endian."
    made.__module__ = __name__
    return made


def _class_source(name: str, slots: tuple[Slot, ...]) -> str:
    keys = [slot.field.key for slot in slots]
    targets = ", ".join("self." + key for key in keys)
    swapped = [key for key, slot in zip(keys, slots, strict=True) if slot.swapped]
    numbers = "".join(f"        self.{key} = _number(self.{key}, 'big')\n" for key in swapped)
    packed = ", ".join(
        f"self.{key}.to_bytes({slot.size}, 'big')" if slot.swapped else "self." + key
        for key, slot in zip(keys, slots, strict=True)
    )
    checked = [(key, slot.length) for key, slot in zip(keys, slots, strict=True) if slot.length is not None]
    lengths = "".join(f"len(self.{key}), " for key, _ in checked)
    wanted = tuple(length for _, length in checked)
    arguments = ", ".join(f"{key}=_defaults[{index}]" for index, key in enumerate(keys))
    settings = "; ".join(f"self.{key} = {key}" for key in keys)
    return f"""
class {name}(Record):
    __slots__ = {tuple(keys)!r}

    def __init__(self, *, {arguments}):
        {settings}

    @classmethod
    def parse(cls, buffer, offset=0, *, _unpack=_unpack, _new=_new):
        self = _new(cls)
        try:
            ({targets},) = _unpack(buffer, offset)
        except _error:
            raise _short(cls, buffer, offset) from None
{numbers}        return self

    def build(self, *, _pack=_pack):
        try:
            if ({lengths}) == {wanted!r}:
                return _pack({packed})
        except (_error, TypeError, OverflowError, AttributeError):
            pass
        raise _unfit(self)
"""


def _short(codec: type[Record], buffer: bytes | bytearray | memoryview, offset: int) -> StructureError:
    there = max(len(buffer) - offset, 0)
    cut = next(slot for slot in codec.SLOTS if slot.offset + slot.size > there)
    return short_input(codec.NAME, cut.field.name, offset + cut.offset, cut.size, there - cut.offset)


def _unfit(record: Record) -> LocalProtocolError:
    for slot in record.SLOTS:
        value = getattr(record, slot.field.key)
        if not fits(slot, value):
            return unfit_value(record.NAME, slot.field.name, value, slot.length)
    return LocalProtocolError(f"{record.NAME} cannot be built")


def fits(slot: Slot, value: object) -> bool:
    """Return whether a slot can hold a value."""
    if slot.length is not None:
        return isinstance(value, bytes | bytearray) and len(value) == slot.length
    try:
        struct.pack("<" + slot.code, value)
    except struct.error:
        return False
    return True


def template(record: Record, *varying: str) -> Callable[..., bytes]:
    """Return a function that builds the bytes of ``record`` with some fields replaced.

    ``template(header, "tsh_luwid", "md_msg_id")`` returns a function of two values; all other fields are packed once,
    here. Raises ``KeyError`` for an unknown field name; the function raises ``LocalProtocolError`` for a value that
    does not fit.
    """
    unknown = set(varying) - set(record.KEYS)
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    fixed = record.build()
    codes, values, lengths, wanted = [], [], [], []
    namespace: dict[str, Any] = {"_error": struct.error, "_unfit": _unfit, "_record": record}
    position = 0
    for slot in sorted((slot for slot in record.SLOTS if slot.field.key in varying), key=lambda slot: slot.offset):
        key = slot.field.key
        if slot.offset > position:
            codes.append(f"{slot.offset - position}s")
            values.append(f"_c{position}")
            namespace[f"_c{position}"] = fixed[position : slot.offset]
        codes.append(f"{slot.size}s" if slot.swapped else slot.code)
        values.append(f"{key}.to_bytes({slot.size}, 'big')" if slot.swapped else key)
        if slot.length is not None:
            lengths.append(f"len({key}), ")
            wanted.append(slot.length)
        position = slot.offset + slot.size
    codes.append(f"{record.SIZE - position}s")
    values.append(f"_c{position}")
    namespace[f"_c{position}"] = fixed[position:]
    namespace["_pack"] = struct.Struct(record.ORDER.prefix + "".join(codes)).pack
    changes = ", ".join(f"{key}={key}" for key in varying)
    source = f"""
def build({", ".join(varying)}):
    try:
        if ({"".join(lengths)}) == {tuple(wanted)!r}:
            return _pack({", ".join(values)})
    except (_error, TypeError, OverflowError, AttributeError):
        pass
    raise _unfit(_record.copy({changes}))
"""
    exec(source, namespace)
    built: Callable[..., bytes] = namespace["build"]
    return built
