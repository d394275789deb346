"""Formats of others: structures and objects by format name, handed in by whoever loads them.

The Format field of a descriptor or header names what follows. The formats of mq-wire.md 5.15 are known here; a
:class:`Formats` table adds others. One entry serves the header chain, dissection, data conversion and message trees::

    ORDER = Structure("ORDER", lambda n: Struct(char("Item", 8, "part number"), n.i32("Count", "pieces")))
    formats = Formats((Format("SHOPORD", ORDER),))
    formats.body("SHOPORD").parse(data, encoding, ccsid)        # {"Item": "BOLT", "Count": 5}

A structure that has the fields Format, Encoding and CodedCharSetId in its fixed part is a header of the chain, any
other is a body. Where a layout is not enough, the entry is an object with the three methods of :class:`DataFormat`.
The empty table is `NO_FORMATS`. Foreign code may raise anything: what is no ``MQBridgeError`` becomes a
``StructureError`` that names format and plug-in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

import construct

from .constants import MQFMT, STRUC_IDS, ByteOrder
from .errors import ConversionError, LocalProtocolError, MQBridgeError, StructureError
from .field_values import ReadText, WriteText, attribute_values, field_values, has_unknown_bytes
from .fields import notes
from .grammar import Structure
from .numbers import integer_order
from .plug_in_values import copied
from .records import Buffer
from .slots import slots_of
from .structures.bodies import Body
from .text import decode_text, encode_field, encode_text, is_ebcdic

MAX_BUILT: Final = 100 << 20
"""Most bytes that a plug-in may build or convert to: the longest message there is."""
MAX_SAID: Final = 200
"""Most characters of an error of a plug-in that are kept."""
FOREIGN_FAULTS: Final = (Exception, SystemExit)
"""What the code of others may raise."""
_NAME_LENGTH: Final = 8
_EBCDIC_LETTERS: Final = 0x80  # from here on, letters of EBCDIC; below, those of ASCII
_OWN_NAMES: Final = frozenset(("RFH2", *(struc_id.strip() for struc_id, _ in STRUC_IDS.values())))
_METHODS: Final = ("parse", "build", "convert")
_WHAT_FOLLOWS: Final = (("format", 8), ("encoding", None), ("coded_char_set_id", None))


class FormatError(MQBridgeError):
    """A plug-in cannot be an entry of the table: its name is not possible or taken, or it is no format."""


class DataFormat(Protocol):
    """An object that knows the data of one format. ``source`` and ``target``: Encoding and CodedCharSetId."""

    def parse(self, data: bytes, encoding: int, ccsid: int) -> Mapping[str, Any]:
        """Return values by name: text, numbers, bytes, None, lists and mappings of these. The mapping may read a value
        when it is asked for."""
        ...

    def build(self, values: Mapping[str, Any], encoding: int, ccsid: int) -> bytes:
        """Return the data of such values."""
        ...

    def convert(self, data: bytes, source: tuple[int, int], target: tuple[int, int]) -> bytes:
        """Return the data in another encoding and character set."""
        ...


class Format:
    """One format: its name, and a structure or an object that knows its data.

    ``origin`` says in messages where the plug-in comes from. ``structure``: None for an object. ``is_header``: whether
    further data follow it in a chain. Raises `FormatError`.
    """

    __slots__ = ("_code", "_fixed", "is_header", "name", "origin", "structure")

    def __init__(self, name: str, plug_in: Structure[Any] | DataFormat, origin: str = "") -> None:
        if not 0 < len(name) <= _NAME_LENGTH or not name.isascii() or not name.isprintable() or name != name.strip():
            raise FormatError(
                f"{name!r} is no format name: 1 to {_NAME_LENGTH} ASCII characters, no blanks around them"
            )
        if MQFMT(name).known:
            raise FormatError(f"{name} is a format of MQ's own")
        self.name = name
        self.origin = origin or name
        self.structure: Structure[Any] | None = None
        self._code: DataFormat | None = None
        self._fixed: Structure[Any] | None = None
        if isinstance(plug_in, Structure):
            self.structure = plug_in
            self._fixed = _header_part(plug_in)
        else:
            self._code = _checked(name, plug_in)
        self.is_header = self._fixed is not None
        if self._fixed is not None and not _OWN_NAMES.isdisjoint((name, self._fixed.name)):
            raise FormatError(f"format {name}: structure {self._fixed.name} has the name of one of MQ's own")

    def __repr__(self) -> str:
        return f"<Format {self.name} of {self.origin}>"

    def read_header(self, buffer: Buffer, offset: int, order: ByteOrder) -> Body:
        """Return the header at an offset: its fixed part, and what the structure has behind it. Raises
        ``StructureError``."""
        structure, fixed = self.structure, self._fixed
        assert structure is not None
        assert fixed is not None
        record = fixed.codec(order).parse(buffer, offset)
        first = fixed.slots[0].field
        if first.key == "struc_id" and record.struc_id not in _spellings(first.default):
            raise StructureError(structure.name, offset, f"StrucId is {record.struc_id!r}")
        end = offset + fixed.size
        if fixed is not structure:
            _, end = self._parsed(buffer, offset, order)
        elif "struc_length" in record.KEYS and record.struc_length != fixed.size:
            end = offset + record.struc_length
            if not offset + fixed.size < end <= len(buffer):
                raise StructureError(structure.name, offset, f"StrucLength is {record.struc_length}")
        return Body(record, fixed.size, bytes(buffer[offset + fixed.size : end]))

    def is_ebcdic(self, record: Any, ccsid: int) -> bool:
        """Return whether a header's text is EBCDIC: by its StrucId, else by the CCSID stated in front of it."""
        return record.struc_id[0] >= _EBCDIC_LETTERS if "struc_id" in record.KEYS else is_ebcdic(ccsid)

    def parse(self, data: bytes, encoding: int, ccsid: int) -> Mapping[str, Any]:
        """Return the values of data by IBM's or the plug-in's names.

        Text of a structure loses its padding; characters that its CCSID does not have leave the field as bytes. Raises
        ``StructureError``, ``ConversionError`` for an Encoding without byte order.
        """
        if self._code is not None:
            values = self._guarded(self._code.parse, bytes(data), encoding, ccsid)
            if not isinstance(values, Mapping):
                raise StructureError(self.name, 0, f"its plug-in {self.origin} returns no mapping")
            return values
        order = integer_order(encoding)
        return self.read_fields(data, order, lambda raw: _decoded(raw, ccsid, order))

    def values(self, data: bytes, encoding: int, ccsid: int) -> dict[str, Any]:
        """Return all values of data as :meth:`parse` does, in mappings and lists of Python's own.

        Raises ``StructureError`` also for what fails when it is asked for, and what ``plug_in_values.copied`` raises.
        """
        values = self.parse(data, encoding, ccsid)
        found: dict[str, Any] = self._guarded(copied, values, self.name)
        return found

    def build(self, values: Mapping[str, Any], encoding: int, ccsid: int) -> bytes:
        """Return the data of such values. Text of a fixed field is padded with blanks.

        Raises ``StructureError``, ``LocalProtocolError`` or ``ConversionError`` for values that do not fit.
        """
        if self._code is not None:
            return self._bytes_of(self._guarded(self._code.build, values, encoding, ccsid))
        order = integer_order(encoding)
        return self.write_fields(values, order, lambda value, length: _encoded(value, length, ccsid, order))

    def convert(self, data: bytes, source: tuple[int, int], target: tuple[int, int]) -> bytes:
        """Return the data as the plug-in's own code converts them; only for a format without structure. Raises
        ``StructureError``, and the plug-in's ``MQBridgeError``."""
        assert self._code is not None
        return self._bytes_of(self._guarded(self._code.convert, bytes(data), source, target))

    def read_fields(self, data: Buffer, order: ByteOrder, text: ReadText) -> dict[str, Any]:
        """Return the values of a structure by IBM's names, each text as the function makes it. Raises
        ``StructureError``, also for data behind the structure."""
        assert self.structure is not None
        values = self._whole(data, order)
        return field_values(self.structure.grammar(order), values, text)

    def write_fields(self, values: Mapping[str, Any], order: ByteOrder, text: WriteText) -> bytes:
        """Return a structure's data; ``text`` makes the bytes of a text for a field of so many bytes, None where the
        length varies. Raises ``LocalProtocolError``, and what the function raises."""
        structure = self.structure
        assert structure is not None
        made = attribute_values(structure.grammar(order), values, text, structure.name)
        try:
            return structure.build(made, order)
        except (StructureError, ConversionError, LocalProtocolError):
            raise
        except FOREIGN_FAULTS as error:  # a grammar of others may hold any code
            raise self.failed(error) from error

    def recode(self, data: Buffer, order: ByteOrder, target: ByteOrder, text: Callable[[bytes], bytes]) -> bytes:
        """Return a structure's data in another byte order, each text as the function makes it.

        Raises ``StructureError``; ``ConversionError`` if some bytes may be text or not; ``LocalProtocolError`` if a
        text of variable length no longer fits; and what the function raises.
        """
        assert self.structure is not None
        values = self._whole(data, order)
        grammar = self.structure.grammar(order)
        if has_unknown_bytes(grammar, values):
            raise ConversionError(f"{self.structure.name}: no field says whether some of the bytes are text")
        return self.write_fields(field_values(grammar, values, text), target, lambda raw, _: raw)

    def _whole(self, data: Buffer, order: ByteOrder) -> Mapping[str, Any]:
        values, end = self._parsed(data, 0, order)
        if end != len(data):
            raise StructureError(self.name, end, f"{len(data) - end} bytes follow")
        return values

    def _parsed(self, data: Buffer, offset: int, order: ByteOrder) -> tuple[Mapping[str, Any], int]:
        assert self.structure is not None
        try:
            return self.structure.parse_to(data, offset, order)
        except (StructureError, ConversionError):
            raise
        except FOREIGN_FAULTS as error:  # a grammar of others may hold any code
            raise self.failed(error, offset) from error

    def _guarded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except MQBridgeError:
            raise
        except FOREIGN_FAULTS as error:
            raise self.failed(error) from error

    def failed(self, error: BaseException, offset: int = 0) -> StructureError:
        """Return the error for one that the plug-in's code has raised at an offset."""
        try:
            text = str(error)[:MAX_SAID]
        except FOREIGN_FAULTS:
            text = "its text cannot be had"
        return StructureError(self.name, offset, f"its plug-in {self.origin} failed: {type(error).__name__}: {text}")

    def _bytes_of(self, made: Any) -> bytes:
        if not isinstance(made, bytes | bytearray | memoryview):
            raise StructureError(self.name, 0, f"its plug-in {self.origin} returns no bytes")
        if len(made) > MAX_BUILT:
            raise StructureError(self.name, 0, f"its plug-in {self.origin} returns {len(made)} bytes")
        return bytes(made)


class Formats:
    """Formats by name. Raises `FormatError` if two have the same name."""

    __slots__ = ("_bodies", "_headers", "of_headers")

    def __init__(self, formats: Iterable[Format] = ()) -> None:
        self._headers: dict[str, Format] = {}
        self._bodies: dict[str, Format] = {}
        for each in formats:
            other = self.get(each.name)
            if other is not None:
                raise FormatError(f"format {each.name} is given twice: by {other.origin} and by {each.origin}")
            (self._headers if each.is_header else self._bodies)[each.name] = each
        self.of_headers: Formats = Formats(self._headers.values()) if self._bodies else self
        """The table without the formats of bodies."""

    def get(self, name: str) -> Format | None:
        """Return a format, header or body; None if it is not in the table."""
        return self._headers.get(name) or self._bodies.get(name)

    def header(self, name: str) -> Format | None:
        """Return the format of a header; None if there is none of this name."""
        return self._headers.get(name)

    def body(self, name: str) -> Format | None:
        """Return the format of a body; None if there is none of this name."""
        return self._bodies.get(name)

    def __len__(self) -> int:
        """Return the number of formats."""
        return len(self._headers) + len(self._bodies)

    def __iter__(self) -> Iterator[Format]:
        """Iterate over the formats, headers first."""
        yield from self._headers.values()
        yield from self._bodies.values()


NO_FORMATS: Final = Formats()


def _header_part(structure: Structure[Any]) -> Structure[Any] | None:
    """Return the structure of the fields in front of the first one of variable size, if they say what follows."""
    try:
        subcons = structure.grammar(ByteOrder.BIG).subcons
        structure.grammar(ByteOrder.LITTLE)
        bare = next((subcon.name for subcon in subcons if notes(subcon) is None), None)
        if bare is not None or not subcons:
            raise FormatError(f"structure {structure.name}: {bare!r} is no field of mqbridge.protocol.fields")
        for count in range(len(subcons), 0, -1):
            lengths = _lengths(subcons[:count])
            if lengths is not None:
                says = all(key in lengths and lengths[key] == length for key, length in _WHAT_FOLLOWS)
                return None if not says else structure if count == len(subcons) else structure.head(count)
    except FormatError:
        raise
    except Exception as error:  # a grammar of others may hold any code
        raise FormatError(f"structure {structure.name}: {type(error).__name__}: {error}") from error
    return None


def _lengths(subcons: list[Any]) -> dict[str, int | None] | None:
    """Return the lengths of fields, None of numbers, by attribute name; None if one of them varies."""
    try:
        return {slot.field.key: slot.length for slot in slots_of(construct.Struct(*subcons), ByteOrder.BIG)}
    except TypeError:
        return None


def _checked(name: str, plug_in: Any) -> DataFormat:
    missing = [method for method in _METHODS if not callable(getattr(plug_in, method, None))]
    if isinstance(plug_in, type):
        raise FormatError(f"format {name}: {plug_in.__name__} is a class, an object is expected")
    if missing:
        raise FormatError(f"format {name}: {type(plug_in).__name__} is no Structure and has no {', '.join(missing)}")
    found: DataFormat = plug_in
    return found


def _spellings(struc_id: bytes) -> tuple[bytes, bytes]:
    return struc_id, struc_id.decode("latin_1").encode("cp500")


def _decoded(raw: bytes, ccsid: int, order: ByteOrder) -> str | bytes:
    try:
        return decode_text(raw, ccsid, order=order).rstrip(" \0")
    except ConversionError:
        return raw


def _encoded(value: Any, length: int | None, ccsid: int, order: ByteOrder) -> Any:
    if not isinstance(value, str):
        return value
    return encode_text(value, ccsid, order=order) if length is None else encode_field(value, length, ccsid, order=order)
