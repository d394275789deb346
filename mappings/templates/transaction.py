"""One kind of packet: its recogniser, its bytes that stay, its fields; parsing and building (M-161, M-171)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mqbridge.protocol.errors import StructureError

from .building import build_parts, joined
from .compiled_layout import number_keys, slot_reader
from .errors import PacketError
from .fields import Field, Size, SizeFrom
from .layout import Layout, Piece
from .types.field_type import Bytes
from .types.numbers import Base128
from .values import Context, Value, Values

Role: TypeAlias = Literal["initiator", "responder"]
"""An end of the connection: the one that opens it, or the one that is called."""
Sender: TypeAlias = Literal["initiator", "responder", "both"]


_Step: TypeAlias = tuple[str, Callable[[bytes], tuple[Value, bool]] | None, bytes | None]
"""Key, reader (None: the slot is the value) and expected bytes (None: a field) of a piece of the head."""


class Condition(NamedTuple):
    """Part of a recogniser: the packet has ``value`` at ``position``, in the bits of ``mask`` (as long as it)."""

    position: int
    value: bytes
    mask: bytes

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.position + len(self.value)

    @property
    def whole(self) -> bool:
        """Whether every bit counts."""
        return self.mask == b"\xff" * len(self.mask)

    def holds(self, packet: bytes | bytearray) -> bool:
        """Return whether a packet has it."""
        there = packet[self.position : self.end]
        if self.whole:
            return there == self.value
        return len(there) == len(self.value) and all(
            byte & bits == wanted for byte, bits, wanted in zip(there, self.mask, self.value, strict=True)
        )


class Transaction:
    """One kind of packet. ``sender``: who sends it. ``conditions``: its recogniser; without any, it is every packet."""

    __slots__ = (
        "_deciding",
        "_slots",
        "_steps",
        "conditions",
        "description",
        "fields",
        "layout",
        "maps",
        "name",
        "sender",
    )

    def __init__(
        self,
        name: str,
        sender: Sender,
        conditions: Sequence[Condition],
        fields: Sequence[Field],
        layout: Layout,
        description: str = "",
    ) -> None:
        self.name = name
        self.sender = sender
        self.conditions = tuple(conditions)
        self.fields: Mapping[str, Field] = {field.name: field for field in fields}
        self.layout = layout
        self.description = description
        self.maps: Mapping[str, str] = {field.map: field.name for field in fields if field.map}
        """The field of each name that is mapped (M-165)."""
        self._slots = slot_reader(layout.head)
        numbers = number_keys(layout.head)
        self._steps: Final = tuple(_step(piece, piece.key in numbers) for piece in layout.head)
        self._deciding = frozenset(
            piece.field.length.field
            for piece in layout.middle
            if piece.field is not None and isinstance(piece.field.length, SizeFrom)
        )

    def sent_by(self, role: Role) -> bool:
        """Return whether an end may send it."""
        return self.sender in (role, "both")

    @property
    def identity(self) -> str:
        """The field by which the other side knows a packet that comes again; empty if there is none."""
        return next((name for name, field in self.fields.items() if field.identity), "")

    @property
    def computed(self) -> frozenset[str]:
        """Names of the fields that are computed unless a value is given."""
        return frozenset(field.name for field in self.fields.values() if field.computed is not None)

    def parse(self, packet: bytes) -> Values:
        """Return the values of a packet. Raises `PacketError` where its length is not what its fields need."""
        layout = self.layout
        try:
            slots = self._slots(packet)
        except StructureError as error:
            piece = next(each for each in layout.head if each.offset == error.offset)
            raise self._short(piece, error.offset, piece.size, len(packet) - error.offset) from None
        fields: dict[str, Value] = {}
        kept: dict[str, bytes] = {}
        for (key, read, expected), slot in zip(self._steps, slots, strict=True):
            if expected is not None:
                if slot != expected:
                    kept[key] = slot
            elif read is None:
                fields[key] = slot
            else:
                value, exact = read(slot)
                fields[key] = value
                if not exact:
                    kept[key] = slot
        if layout.middle:
            self._parse_middle(packet, fields, kept)
        elif len(packet) != layout.head_size:
            raise self._beyond(packet, layout.head_size)
        return Values(self.name, fields, kept)

    def build(self, values: Values | Mapping[str, Value], context: Context) -> bytes:
        """Return the packet of some values, by name of field or by the name to which a field is mapped.

        What is not given is the field's constant, is computed, or is what the template has. Raises `BuildError`.
        """
        return joined(self.layout, self._parts(values, context))

    def completed(self, values: Values | Mapping[str, Value], context: Context) -> tuple[bytes, Values]:
        """Return the packet of some values, and all values that it has then."""
        packet = self.build(values, context)
        return packet, self.parse(packet)

    def anew(self, values: Values, changes: Mapping[str, Value]) -> Values:
        """Return values read from a packet for another one: computed fields are computed again, some are changed."""
        return values.without(self.computed - changes.keys()).changed(**changes)

    def differing(self, values: Values) -> tuple[tuple[int, int], ...]:
        """Return the ranges of a parsed packet in which its bytes are not the template's, but for those blanked."""
        found: list[tuple[int, int]] = []
        for piece in self.layout.head:
            raw = values.kept.get(piece.key) if piece.field is None else None
            for index, byte in enumerate(raw or b""):
                if byte == piece.bytes[index] or any(low <= index < high for low, high in piece.blank):
                    continue
                offset = piece.offset + index
                if found and found[-1][1] == offset:
                    found[-1] = (found[-1][0], offset + 1)
                else:
                    found.append((offset, offset + 1))
        return tuple(found)

    def places(self, packet: bytes) -> dict[str, tuple[int, int]]:
        """Return start and end of each field in a packet of this kind. Raises `PacketError`."""
        found = {piece.key: (piece.offset, piece.offset + piece.size) for piece in self.layout.head if piece.field}
        offset = self.layout.head_size
        end = len(packet) - self.layout.tail_size
        numbers = {name: self._number(name, packet, found) for name in self._deciding if name in found}
        for piece in self.layout.middle:
            size = self._size(piece, packet, offset, end, numbers)
            if size is None or offset + size > end:
                raise self._short(piece, offset, size or 1, end - offset)
            found[piece.key] = (offset, offset + size)
            offset += size
            if piece.key in self._deciding:
                numbers[piece.key] = self._number(piece.key, packet, found)
        if self.layout.middle and offset != end:
            raise self._beyond(packet, offset)
        for piece in self.layout.tail:
            found[piece.key] = (end + piece.offset, end + piece.offset + piece.size)
        return found

    def measure(self, buffer: bytes | bytearray, most: int) -> int | None:
        """Return the length of the packet that begins a buffer; None if the buffer is too short to say.

        ``most``: the longest that is allowed. Raises `PacketError` for a longer one, or where its length is no number.
        """
        layout = self.layout
        found = {
            piece.key: (piece.offset, piece.offset + piece.size) for piece in layout.head if piece.key in self._deciding
        }
        offset = layout.head_size
        if len(buffer) < offset and layout.middle:
            return None
        numbers = {name: self._number(name, buffer, found) for name in found}
        for piece in layout.middle:
            size = self._size(piece, buffer, offset, len(buffer), numbers)
            if size is None:
                return None
            if piece.key in self._deciding:
                if offset + size > len(buffer):
                    return None
                found[piece.key] = (offset, offset + size)
                numbers[piece.key] = self._number(piece.key, buffer, found)
            offset += size
            if offset > most:
                break
        total = offset + layout.tail_size
        if total > most:
            raise PacketError(self.name, "", 0, f"a packet of {total} bytes; {most} are allowed")
        return total

    def _parse_middle(self, packet: bytes, fields: dict[str, Value], kept: dict[str, bytes]) -> None:
        layout = self.layout
        offset = layout.head_size
        end = len(packet) - layout.tail_size
        if offset > end:
            raise self._short(layout.tail[0], max(end, 0), layout.tail_size, len(packet) - offset)
        for piece in layout.middle:
            size = self._size(piece, packet, offset, end, fields)
            if size is None or offset + size > end:
                raise self._short(piece, offset, size or 1, end - offset)
            self._read(piece, packet[offset : offset + size], fields, kept)
            offset += size
        if offset != end:
            raise self._beyond(packet, offset)
        for piece in layout.tail:
            start = end + piece.offset
            self._read(piece, packet[start : start + piece.size], fields, kept)

    def _read(self, piece: Piece, raw: bytes, fields: dict[str, Value], kept: dict[str, bytes]) -> None:
        assert piece.field is not None, "a field"
        value, exact = piece.field.type.read(raw)
        fields[piece.key] = value
        if not piece.size and not isinstance(value, bytes):
            exact = _written_free(piece.field, value) == raw
        if not exact:
            kept[piece.key] = raw

    def _size(
        self, piece: Piece, buffer: bytes | bytearray, offset: int, end: int, numbers: Mapping[str, Value]
    ) -> int | None:
        """How many bytes a piece of the middle has; None if that is not there."""
        assert piece.field is not None, "a field"
        length = piece.field.length
        if isinstance(length, int):
            return length
        if length is Size.REST:
            return max(end - offset, 0)
        if length is Size.OWN:
            assert isinstance(piece.field.type, Base128), "the only type with an end of its own"
            size = piece.field.type.size(buffer, offset)
            if size is None and len(buffer) - offset >= 10:
                raise PacketError(self.name, piece.key, offset, "the number has no end")
            return size
        assert isinstance(length, SizeFrom), "no other lengths"
        number = numbers[length.field]
        if not isinstance(number, int):
            raise PacketError(self.name, length.field, offset, f"the length of {piece.key!r} is {number!r:.60}")
        size = number * length.unit + length.plus
        if size < 0:
            raise PacketError(self.name, length.field, offset, f"the length of {piece.key!r} is {size}")
        return size

    def _number(self, name: str, buffer: bytes | bytearray, places: Mapping[str, tuple[int, int]]) -> Value:
        start, end = places[name]
        return self.fields[name].type.read(bytes(buffer[start:end]))[0]

    def _short(self, piece: Piece, offset: int, needed: int, there: int) -> PacketError:
        field = piece.key if piece.field is not None else ""
        return PacketError(self.name, field, offset, f"{needed} bytes needed, {max(there, 0)} there")

    def _beyond(self, packet: bytes, end: int) -> PacketError:
        return PacketError(self.name, "", end, f"{len(packet) - end} bytes behind the last field")

    def _parts(self, values: Values | Mapping[str, Value], context: Context) -> dict[str, bytes]:
        if isinstance(values, Values):
            return build_parts(self.name, self.layout, values.fields, values.kept, context)
        return build_parts(self.name, self.layout, values, {}, context)


def _written_free(field: Field, value: Value) -> bytes | None:
    """What is written for a value where no length is fixed; None if nothing can be."""
    try:
        return field.type.write(value, None)
    except ValueError:
        return None


def _step(piece: Piece, is_number: bool) -> _Step:
    if piece.field is None:
        return piece.key, None, piece.bytes
    if is_number or isinstance(piece.field.type, Bytes):
        return piece.key, None, None
    return piece.key, piece.field.type.read, None
