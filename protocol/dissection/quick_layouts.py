"""Fast readers of structures, made once for each layout from its grammar.

A reader returns the field values of :func:`~protocol.dissection.shown.show` as text, without names of values and
offsets, and nothing for a truncated structure. All fields are read by one ``struct``, and each has a function that
gives its text: a look-up where values repeat. For a layout whose lengths are stated in fields (``this`` expressions of
the grammar) there is a reader for each combination of lengths.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import call
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import construct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Field, notes
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Record, Slot
from mqbridge.protocol.slots import slots_of
from mqbridge.protocol.text import decode_field

from .shown import masked, struc_id_text

MAX_READERS: Final = 2048
"""Maximum number of cached readers, and of those for the lengths of one layout."""
MAX_CODE_PAGES: Final = 8
"""Maximum number of code pages with cached texts."""
MAX_TEXTS: Final = 4096
"""Maximum number of cached texts of one code page; then the cache is cleared."""
LONGEST_KEPT_TEXT: Final = 256
"""Longest raw value whose text is cached, in bytes."""
LONGEST_VARYING: Final = 1 << 16
"""Longest field of variable length that fast readers support, in bytes."""
MAX_NUMBERS: Final = 1 << 14
"""Maximum number of cached texts of numbers."""
MAX_VALUE: Final = 1024
"""Characters of a value that readers return."""

Raw = TypeVar("Raw", bytes, int)


ShowField: TypeAlias = Callable[[Any], str]
"""Gives the text of a raw value: bytes, or a number."""

NO_LISTS: Final[Mapping[str, str]] = {}


@dataclass(slots=True, eq=False)
class Shape:
    """Name and field names (IBM's) of a structure as read; each field has one text.

    ``numbers``: indexes of the fields that are numbers. ``uncut``: texts may be longer than :data:`MAX_VALUE`.
    Unparsed bytes are one field with an empty name, in hexadecimal. Compared by identity.
    """

    name: str
    fields: tuple[str, ...]
    numbers: frozenset[int] = frozenset()
    uncut: bool = False


@lru_cache(MAX_READERS)
def shape_of(
    name: str, fields: tuple[str, ...], numbers: frozenset[int] = frozenset(), *, uncut: bool = False
) -> Shape:
    """Return the shape with these values; equal arguments give the same object."""
    return Shape(name, fields, numbers, uncut)


class Texts(dict[Raw, str], Generic[Raw]):
    """Cache of texts by their raw values. It holds at most ``most`` entries and is cleared when it is full."""

    __slots__ = ("_most", "_text", "of_fields")

    def __init__(self, text: Callable[[Raw], str], most: int = MAX_TEXTS) -> None:
        super().__init__()
        self.of_fields: dict[_FixedReader, list[ShowField]] = {}
        """By reader: the functions of its fields, those of characters with these texts."""
        self._text: Callable[[Raw], str] = text
        self._most = most

    def __missing__(self, raw: Raw) -> str:
        text = self._text(raw)
        if isinstance(raw, int) or len(raw) <= LONGEST_KEPT_TEXT:
            if len(self) >= self._most:
                self.clear()
            self[raw] = text
        return text


@lru_cache(MAX_CODE_PAGES)
def texts_of(ccsid: int, order: ByteOrder) -> Texts[bytes]:
    """Return the cache of texts of a CCSID, which must be decodable. ``order``: byte order of the structure."""
    return Texts(lambda raw: decode_field(raw, ccsid, order=order)[:MAX_VALUE])


_STRUC_IDS: Final = Texts[bytes](struc_id_text)
_NUMBERS: Final = Texts[int](str, MAX_NUMBERS)
_BIG_ENDIAN: Final = Texts[bytes](lambda raw: str(int.from_bytes(raw, "big")), MAX_NUMBERS)


class QuickReader(Protocol):
    """Reads structures of one layout in one byte order."""

    def __call__(
        self, data: bytes, start: int, end: int, texts: Texts[bytes], out: list[str], /
    ) -> tuple[Shape, int] | None:
        """Append the texts of the structure at ``start`` to ``out``; return its shape and its end, None if it exceeds
        ``end``. ``texts``: cache of its code page."""


@lru_cache(MAX_READERS)
def reader_of(structure: Structure[Any], order: ByteOrder, name: str) -> QuickReader | None:
    """Return the reader of a structure that is shown under a name; None for an unsupported layout.

    Supported: fields of fixed length, followed by bytes and lists of numbers whose length or presence the fixed fields
    state.
    """
    try:
        slots = slots_of(structure.grammar(order), order)
    except TypeError:
        return _varying(structure, order, name)
    return _fixed(name, slots, order, structure.fields)


@lru_cache(MAX_READERS)
def record_reader(codec: type[Record], name: str) -> QuickReader:
    """Return the reader of all fields of a class of records."""
    return _fixed(name, codec.SLOTS, codec.ORDER, [slot.field for slot in codec.SLOTS])


def _fixed(
    name: str, slots: Sequence[Slot], order: ByteOrder, shown: Iterable[Field], lists: Mapping[str, str] = NO_LISTS
) -> QuickReader:
    """Return the reader of these slots. ``lists``: for lists of numbers in them, their ``struct`` formats."""
    keys = {field.key for field in shown}
    chosen = [slot for slot in slots if slot.field.key in keys]
    numbers = frozenset(
        number for number, slot in enumerate(chosen) if not slot.field.secret and (slot.swapped or slot.length is None)
    )
    shape = shape_of(name, tuple(slot.field.name for slot in chosen), numbers)
    functions = [_function(slot, lists.get(slot.field.key)) for slot in chosen]
    return _FixedReader(shape, _layout(slots, order, keys), functions).read


class _FixedReader:
    """Reads one layout in one byte order. ``functions``: of each field, None for characters of the code page."""

    __slots__ = ("_functions", "_shape", "_size", "_unpack")

    def __init__(self, shape: Shape, layout: struct.Struct, functions: list[ShowField | None]) -> None:
        self._shape = shape
        self._size = layout.size
        self._unpack = layout.unpack_from
        self._functions = functions

    def read(
        self, data: bytes, start: int, end: int, texts: Texts[bytes], out: list[str], /
    ) -> tuple[Shape, int] | None:
        """See :class:`QuickReader`."""
        stop = start + self._size
        if stop > end:
            return None
        functions = texts.of_fields.get(self)
        if functions is None:
            functions = self._with(texts)
        out.extend(map(call, functions, self._unpack(data, start)))
        return self._shape, stop

    def _with(self, texts: Texts[bytes]) -> list[ShowField]:
        if len(texts.of_fields) >= MAX_READERS:
            texts.of_fields.clear()
        of_page = texts.__getitem__
        made = texts.of_fields[self] = [of_page if each is None else each for each in self._functions]
        return made


def _layout(slots: Sequence[Slot], order: ByteOrder, keys: Container[str]) -> struct.Struct:
    """Return what reads the fields with these keys, and skips the others; swapped ones are bytes."""
    return struct.Struct(
        order.prefix
        + "".join(
            f"{slot.size}x" if slot.field.key not in keys else f"{slot.size}s" if slot.swapped else slot.code
            for slot in slots
        )
    )


def _function(slot: Slot, numbers: str | None) -> ShowField | None:
    """Return the function that gives the text of a raw value; ``numbers``: ``struct`` format of a list."""
    if numbers is not None:
        unpack = struct.Struct(numbers).unpack
        return lambda raw: str([*unpack(raw)])[:MAX_VALUE]
    if slot.field.secret:
        return masked
    if slot.swapped:
        return _BIG_ENDIAN.__getitem__
    if slot.length is None:
        return _NUMBERS.__getitem__
    if slot.field.kind == "char":
        return _STRUC_IDS.__getitem__ if slot.field.key == "struc_id" else None
    return bytes.hex if slot.size <= MAX_VALUE // 2 else _beginning


def _beginning(raw: bytes) -> str:
    return raw[: MAX_VALUE // 2].hex()


class _Tail(NamedTuple):
    """A field behind those of fixed length. ``length``: its length in bytes by their values, None if it is absent.
    ``code``: for a list, the ``struct`` code of one number, with the byte order."""

    field: Field
    length: Callable[[Any], int | None]
    code: str = ""


def _varying(structure: Structure[Any], order: ByteOrder, name: str) -> QuickReader | None:
    subcons = structure.grammar(order).subcons
    tails: list[_Tail] = []
    head: tuple[Slot, ...] = ()
    for count in range(len(subcons), 0, -1):
        try:
            head = slots_of(construct.Struct(*subcons[:count]), order)
            break
        except TypeError:
            tail = _tail(subcons[count - 1])
            if tail is None:
                return None
            tails.insert(0, tail)
    try:
        saying = _asked(tails, {slot.field.key: 0 for slot in head})
    except KeyError:
        return None
    chosen = [slot for slot in head if slot.field.key in saying]
    if any(slot.swapped or slot.length is not None for slot in chosen):
        return None
    lengths = _layout(head, order, saying)
    size, lengths_at = lengths.size, lengths.unpack_from

    @lru_cache(MAX_READERS)
    def with_lengths(*said: int) -> QuickReader | None:
        context = dict(zip((slot.field.key for slot in chosen), said, strict=True))
        slots, offset = list(head), size
        lists: dict[str, str] = {}
        for tail in tails:
            length = tail.length(context)
            if length is None:
                continue
            if not 0 <= length <= LONGEST_VARYING:
                return None
            if tail.code:
                lists[tail.field.key] = f"{tail.code[0]}{length // struct.calcsize(tail.code)}{tail.code[1:]}"
            slots.append(Slot(tail.field, offset, length, f"{length}s", False))
            offset += length
        return _fixed(name, slots, order, structure.fields, lists)

    def read(data: bytes, start: int, end: int, texts: Texts[bytes], out: list[str], /) -> tuple[Shape, int] | None:
        if start + size > end:
            return None
        reader = with_lengths(*lengths_at(data, start))
        return None if reader is None else reader(data, start, end, texts, out)

    return read


def _tail(subcon: Any) -> _Tail | None:
    """Return the tail for bytes, optional bytes or a list of numbers; None for any other field."""
    field = notes(subcon)
    inner = _bare(subcon)
    if field is None:
        return None
    if isinstance(inner, construct.Bytes) and callable(inner.length):
        return _Tail(field, inner.length)
    if isinstance(inner, construct.Array) and isinstance(inner.subcon, construct.FormatField) and callable(inner.count):
        count, size = inner.count, inner.subcon.length
        return _Tail(field, lambda context: size * count(context), inner.subcon.fmtstr)
    if not isinstance(inner, construct.IfThenElse) or _bare(inner.elsesubcon) is not construct.Pass:
        return None
    there, condition = _bare(inner.thensubcon), inner.condfunc
    if not isinstance(there, construct.Bytes) or not isinstance(there.length, int) or not callable(condition):
        return None
    length = there.length
    return _Tail(field, lambda context: length if condition(context) else None)


def _bare(subcon: Any) -> Any:
    while isinstance(subcon, construct.Renamed):
        subcon = subcon.subcon
    return subcon


class _Noting:
    """A mapping that records which keys were read."""

    __slots__ = ("asked", "values")

    def __init__(self, values: dict[str, int]) -> None:
        self.values = values
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> int:
        self.asked.add(key)
        return self.values[key]


def _asked(tails: Iterable[_Tail], head: dict[str, int]) -> set[str]:
    """Return the keys of the fields that state lengths. Raises ``KeyError`` for one that does not precede all tails."""
    noting = _Noting(head)
    for tail in tails:
        tail.length(noting)
    return noting.asked
