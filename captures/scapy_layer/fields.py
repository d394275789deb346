"""Fields of scapy made from fields of grammars: integers, text and ids, lists; with the grammar's names.

Values are those on the wire: integers as numbers, text and ids as bytes. Shown values are decoded, named, and without
passwords.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Final

import construct
from scapy.fields import Field as ScapyField
from scapy.packet import Packet
from scapy.volatile import RandBin, RandNum

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.dissection import MASK
from mqbridge.protocol.dissection.shown import name_of, readable_ccsid
from mqbridge.protocol.fields import Field
from mqbridge.protocol.text import decode_field, decode_text

Length = Callable[[dict[str, Any]], int]
"""Returns the length of a field in bytes or items, from the preceding values by attribute name."""

_EBCDIC: Final = 500
_LATIN_1: Final = 819


def value_context(packet: Packet | None) -> dict[str, Any]:
    """Return the values of a layer by attribute name, from which grammars compute lengths."""
    context: dict[str, Any] = {}
    if packet is not None:
        for field in packet.fields_desc:
            inner = getattr(field, "fld", field)
            if isinstance(inner, GrammarField):
                context[inner.about.key] = inner.value_for(packet, packet.getfieldval(field.name))
    return context


def byte_order(packet: Packet | None) -> ByteOrder:
    """Return the byte order of a layer."""
    return ByteOrder.LITTLE if packet is None else packet.mq_order()


class GrammarField(ScapyField[Any, Any]):
    """A field of a grammar. ``about``: its notes in the grammar."""

    __slots__ = ("about",)

    def __init__(self, about: Field, default: Any) -> None:
        self.about = about
        super().__init__(about.name, default, fmt="B")

    def value_for(self, packet: Packet, value: Any) -> Any:
        """Return the value to build if none was given."""
        return value

    def i2len(self, pkt: Packet, x: Any) -> int:
        """Return the length of a value in bytes."""
        return len(self.addfield(pkt, b"", x))

    def any2i(self, pkt: Packet | None, x: Any) -> Any:
        """Accept any value of a user."""
        return x

    def i2h(self, pkt: Packet | None, x: Any) -> Any:
        """Return the value for users, unchanged."""
        return x

    i2m = m2i = i2h


class IntegerField(GrammarField):
    """An integer in the byte order of the layer or, if ``network``, big-endian.

    ``counts``: name of the field whose bytes or items it counts if no value is given.
    """

    __slots__ = ("counts", "network", "signed", "width")

    def __init__(
        self, about: Field, width: int, *, signed: bool, network: bool, default: Any = None, counts: str = ""
    ) -> None:
        self.width = width
        self.signed = signed
        self.network = network
        self.counts = counts
        super().__init__(about, None if counts else default)

    def value_for(self, packet: Packet, value: Any) -> Any:
        """Return the given value, else the length it counts, else what the layer computes."""
        if value is not None:
            return value
        if self.counts:
            counted = packet.getfieldval(self.counts)
            return 0 if counted is None else len(encoded(packet, counted))
        return packet.mq_default(self.name)

    def addfield(self, pkt: Packet, s: bytes, val: Any) -> bytes:
        """Append the value."""
        number = int(self.value_for(pkt, val) or 0)
        order = ByteOrder.BIG if self.network else byte_order(pkt)
        low = -(1 << 8 * self.width - 1) if self.signed else 0
        if not low <= number < low + (1 << 8 * self.width):
            number &= (1 << 8 * self.width) - 1
            return s + number.to_bytes(self.width, order.endian)
        return s + number.to_bytes(self.width, order.endian, signed=self.signed)

    def getfield(self, pkt: Packet, s: bytes) -> tuple[bytes, int]:
        """Take the value off the front of bytes."""
        order = ByteOrder.BIG if self.network else byte_order(pkt)
        return s[self.width :], int.from_bytes(s[: self.width], order.endian, signed=self.signed)

    def i2repr(self, pkt: Packet | None, x: Any) -> str:
        """Return the number with its name, if it has one."""
        if not isinstance(x, int):
            return repr(x)
        name = name_of(self.about, x)
        return str(x) if name is None else f"{x} {name}"

    def randval(self) -> RandNum:
        """Return a random value for scapy's fuzz()."""
        return RandNum(0, (1 << 8 * self.width) - 1)


class TextField(GrammarField):
    """Text or bytes. ``length``: fixed, computed, or None for the remainder."""

    __slots__ = ("length",)

    def __init__(self, about: Field, length: int | Length | None, default: bytes = b"") -> None:
        self.length = length
        super().__init__(about, default)

    def any2i(self, pkt: Packet | None, x: Any) -> Any:
        """Encode text in the code page of the segment, padded with blanks; pad bytes as their kind requires."""
        if isinstance(x, str):
            x = encoded(pkt, x)
        if isinstance(x, bytes | bytearray) and isinstance(self.length, int):
            blank = (b"\x40" if ebcdic(pkt) else b" ") if self.about.kind == "char" else b"\0"
            return bytes(x).ljust(self.length, blank)
        return x

    def addfield(self, pkt: Packet, s: bytes, val: Any) -> bytes:
        """Append the bytes."""
        data = bytes(self.any2i(pkt, b"" if val is None else val))
        if self.length is not None and not isinstance(self.length, int) and not data and self.about.kind == "bytes":
            data = bytes(max(self.length(value_context(pkt)), 0))  # padding
        return s + data

    def getfield(self, pkt: Packet, s: bytes) -> tuple[bytes, bytes]:
        """Take the bytes off the front."""
        length = self.length
        if length is None:
            return b"", s
        if not isinstance(length, int):
            length = max(length(value_context(pkt)), 0)
        return s[length:], s[:length]

    def i2repr(self, pkt: Packet | None, x: Any) -> str:
        """Return text decoded, ids in hexadecimal, passwords masked."""
        if x is None:
            return "None"
        data = encoded(pkt, x)
        if self.about.secret:
            return MASK if data.strip(b" \0") else "''"
        if self.about.kind != "char":
            return data.hex() or "''"
        text = decoded(pkt, data, self.about.key)
        name = name_of(self.about, text)
        return repr(text) if name is None else f"{text!r} {name}"

    def randval(self) -> RandBin:
        """Return a random value for scapy's fuzz()."""
        return RandBin(self.length if isinstance(self.length, int) else RandNum(0, 64))


class NumbersField(GrammarField):
    """A list of ``count`` integers."""

    __slots__ = ("count", "signed", "width")
    islist = 1

    def __init__(self, about: Field, width: int, count: Length, *, signed: bool) -> None:
        self.width = width
        self.count = count
        self.signed = signed
        super().__init__(about, [])

    def addfield(self, pkt: Packet, s: bytes, val: Any) -> bytes:
        """Append all numbers."""
        order = byte_order(pkt)
        return s + b"".join(number.to_bytes(self.width, order.endian, signed=number < 0) for number in val or ())

    def getfield(self, pkt: Packet, s: bytes) -> tuple[bytes, list[int]]:
        """Take the numbers off the front of bytes."""
        order = byte_order(pkt)
        count = min(self.count(value_context(pkt)), len(s) // self.width)
        end = count * self.width
        places = range(0, end, self.width)
        numbers = [int.from_bytes(s[at : at + self.width], order.endian, signed=self.signed) for at in places]
        return s[end:], numbers

    def i2repr(self, pkt: Packet | None, x: Any) -> str:
        """Return the list."""
        return repr(x)


def ebcdic(packet: Packet | None) -> bool:
    """Whether the sender of a layer's segment writes ids in EBCDIC."""
    return packet is not None and bool(packet.mq_ebcdic())


def decoded(packet: Packet | None, data: bytes, key: str = "") -> str:
    """Return the text of a field, decoded from its code page."""
    if key == "struc_id":
        return decode_text(data, _EBCDIC if data[:1] >= b"\x80" else _LATIN_1)
    ccsid = _LATIN_1 if packet is None else packet.mq_ccsid()
    return decode_field(data, readable_ccsid(ccsid, ebcdic=ebcdic(packet)), order=byte_order(packet))


def encoded(packet: Packet | None, value: Any) -> Any:
    """Return the bytes of a text given by a user; lists unchanged."""
    if isinstance(value, str):
        return value.encode("cp500" if ebcdic(packet) else "latin-1")
    return value if isinstance(value, list) else bytes(value)


def fields_of(
    grammar: Any, abouts: dict[str, Field], network: frozenset[str], computed: Container[str] = ()
) -> list[GrammarField]:
    """Return the fields of a grammar.

    ``abouts``: notes by attribute name. ``network``: fields that are always big-endian. ``computed``: names of fields
    without a default.
    """
    counted = {
        expression: about.name
        for subcon in grammar.subcons
        if (about := abouts.get(subcon.name)) is not None
        and (expression := _counted_by(_innermost(subcon))) is not None
    }
    return [
        _field(abouts[subcon.name], _innermost(subcon), network, counted, computed)
        for subcon in grammar.subcons
        if subcon.name in abouts
    ]


def _field(
    about: Field, subcon: Any, network: frozenset[str], counted: dict[str, str], computed: Container[str]
) -> GrammarField:
    if isinstance(subcon, construct.FormatField):
        return IntegerField(
            about,
            subcon.length,
            signed=subcon.fmtstr[-1].islower(),
            network=about.key in network,
            default=None if about.name in computed else about.default,
            counts=counted.get(about.key, ""),
        )
    if isinstance(subcon, construct.Bytes):
        length = subcon.length
        if isinstance(length, int):
            return TextField(about, length, _default(about, length))
        return TextField(about, length)
    if isinstance(subcon, construct.IfThenElse):
        inner = subcon.thensubcon
        condition, size = subcon.condfunc, inner.length
        return TextField(about, lambda context: size if condition(context) else 0)
    if isinstance(subcon, construct.Array) and isinstance(subcon.subcon, construct.FormatField):
        item = subcon.subcon
        return NumbersField(about, item.length, subcon.count, signed=item.fmtstr[-1].islower())
    return TextField(about, None)


def _default(about: Field, length: int) -> bytes:
    return bytes(about.default if about.default is not None else length)


def _innermost(subcon: Any) -> Any:
    while isinstance(subcon, construct.Renamed):
        subcon = subcon.subcon
    return subcon


def _counted_by(subcon: Any) -> str | None:
    """Return the attribute name of the field that alone determines the length of another."""
    expression = getattr(subcon, "length", None) if isinstance(subcon, construct.Bytes) else None
    if isinstance(subcon, construct.Array):
        expression = subcon.count
    path = repr(expression)
    if isinstance(expression, construct.expr.Path) and path.startswith("this['") and path.count("'") == 2:
        return path.split("'")[1]
    return None
