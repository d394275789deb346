"""Fields of a segment by name and place, for comparing conversations and replacing values.

The parts of client segments are those of :mod:`protocol.dissection.client_structures`; those of message channels are
defined here. Text and lists of other sizes are bytes, and message data is ``data.bytes``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.protocol.constants import MQIA, ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.constants.attributes_character import character_length
from mqbridge.protocol.dissection import MASK
from mqbridge.protocol.dissection.client_structures import client_parts
from mqbridge.protocol.framing import LARGEST_SEGMENT, Segment, SegmentReader
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures import (
    ID,
    MD,
    MD1,
    MSH,
    PING,
    REQMSG_SELECTION,
    RESET,
    STATUS,
    UID,
    XQH,
    conauth_form,
)
from mqbridge.protocol.structures.userid import SHORT_UID_SIZE

_MATCHES: Final = (("MsgId", 0x01, 24), ("CorrelId", 0x02, 24), ("GroupId", 0x04, 24), ("MsgToken", 0x20, 16))
LONGEST_SHOWN: Final = 120
"""Maximum number of characters returned by :func:`shown_value`."""


@dataclass(frozen=True, slots=True)
class WireField:
    """One field. ``offset``: in the segment, header included. ``value``: number or bytes. ``secret``: whether it is a
    password."""

    structure: str
    name: str
    offset: int
    size: int
    value: Any
    secret: bool = False

    @property
    def key(self) -> str:
        """Structure and name: ``MD.MsgId``."""
        return f"{self.structure}.{self.name}"

    @property
    def place(self) -> slice:
        """Bytes of the segment that hold the field."""
        return slice(self.offset, self.offset + self.size)


_Part = tuple[str, Structure[Any] | None, int]
"""Name, layout (None for bytes) and end of a part of a body."""


def segments_of(data: bytes) -> list[Segment]:
    """Return all whole segments of a stream. Raises ``FramingError`` for other bytes."""
    return list(SegmentReader(LARGEST_SEGMENT).feed(data))


def fields_of(segment: Segment) -> Iterator[WireField]:
    """Yield the fields of a segment, header included, in order; padding is ``padding.bytes``. A truncated structure
    ends with its last whole field."""
    body, order = segment.body, segment.order
    start = segment.length - len(body)
    yield from _fields(segment.header, segment.header.name, segment.buffer[segment.start :][:start], 0, 0, order)
    if segment.type == SegmentType.INITIAL_DATA:
        yield from _fields(ID, "ID", body, 0, start, order)
        return
    at = 0
    for name, structure, end in _parts(segment, body):
        if structure is None:
            yield WireField(name, "bytes", start + at, end - at, body[at:end])
        elif name == "REQMSG" and end - at > REQMSG_SELECTION.size - 4:
            yield from _fields(REQMSG_SELECTION, "REQMSG", body, at, start, order)
            yield from _matches(body, at, start, order)
        elif name == "INQ":
            yield from _attributes(body[:end], at, start, order)
        else:
            yield from _fields(structure, name, body[:end], at, start, order)
        at = end


def values_of(segment: Segment) -> dict[str, Any]:
    """Return the values of a segment's fields by key; of equal keys the last."""
    return {field.key: field.value for field in fields_of(segment)}


def shown_value(value: Any, *, secret: bool = False) -> Any:
    """Return a value for users and JSON: integers unchanged, readable text as text, others in hexadecimal."""
    if secret and value:
        return MASK
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, bytes):
        text = value.rstrip(b" \0")
        readable = text.isascii() and text.decode("ascii").isprintable()
        shown = text.decode("ascii") if readable else value.hex()
    else:
        shown = str(value)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}… ({len(shown)} characters)"


def _parts(segment: Segment, body: bytes) -> Iterator[_Part]:
    """Yield the parts of a body in order, without gaps."""
    kind, size = segment.type, len(body)
    if kind == SegmentType.MESSAGE_DATA:
        yield from _message(segment, body)
    elif kind == SegmentType.STATUS_DATA:
        if size:
            long = int.from_bytes(body[:4], segment.order.endian) >= STATUS.size
            yield from _one("STATUS", STATUS if long else STATUS.first(8), size)
    elif kind == SegmentType.RESET_DATA:
        yield from _one("RESET", RESET, size)
    elif kind == SegmentType.PING_DATA:
        yield from _one("PING", PING, size)
    elif kind == SegmentType.USERID_DATA:
        yield from _one("UID", UID if size >= UID.size else UID.first(SHORT_UID_SIZE), size)
    elif kind == SegmentType.CONAUTH_INFO:
        # One part: if its lengths are wrong, the password may be anywhere in it.
        yield "CAUT", conauth_form(body, segment.order), size
    else:
        for part in client_parts(kind, body, segment.order, flags=segment.flags1):
            yield part.name, part.structure, part.end


def _one(name: str, structure: Structure[Any], size: int) -> Iterator[_Part]:
    """Yield a structure, and unexplained bytes behind it."""
    try:
        end = min(structure.size, size)
    except TypeError:  # of variable size, up to the end
        end = size
    yield name, structure, end
    if end < size:
        yield "left-over", None, size


def _message(segment: Segment, body: bytes) -> Iterator[_Part]:
    end = 0
    if segment.flags1 & ControlFlags1.FIRST:
        version = int.from_bytes(body[MSH.size + XQH.size + 4 :][:4], segment.order.endian)
        descriptor = MD if version == 2 else MD1
        for name, structure in (("MSH", MSH), ("XQH", XQH), ("MD", descriptor)):
            begin, end = end, min(end + structure.size, len(body))
            if end > begin:
                yield name, structure, end
    if end < len(body):
        yield "data", None, len(body)


def _fields(
    structure: Structure[Any], name: str, body: bytes, at: int, start: int, order: ByteOrder
) -> Iterator[WireField]:
    """Yield the fields up to the first whose size depends on others; the remainder is ``rest``."""
    layout = structure.leading(order)
    for subcon, size, field in layout:
        raw = body[at : at + size]
        if len(raw) < size:
            return
        value = subcon.parse(raw) if field.kind == "int" else raw
        yield WireField(name, field.name, start + at, size, value, field.secret)
        at += size
    if len(layout) < len(structure.fields) and at < len(body):
        secret = any(field.secret for field in structure.fields)
        yield WireField(name, "rest", start + at, len(body) - at, body[at:], secret)


def _attributes(body: bytes, at: int, start: int, order: ByteOrder) -> Iterator[WireField]:
    """Yield counts, selectors, and each value under the number of its selector."""
    words = [
        int.from_bytes(body[place : place + 4], order.endian, signed=True) for place in range(at, len(body) - 3, 4)
    ]
    for place, name in enumerate(("SelectorCount", "IntAttrCount", "CharAttrLength")):
        if place < len(words):
            yield WireField("INQ", name, start + at + 4 * place, 4, words[place])
    if len(words) < 3:
        return
    selectors = words[3 : 3 + max(words[0], 0)]
    yield WireField("INQ", "Selectors", start + at + 12, 4 * len(selectors), selectors)
    at += 12 + 4 * len(selectors)
    integers = [selector for selector in selectors if selector <= MQIA.LAST][: max(words[1], 0)]
    characters = [selector for selector in selectors if selector > MQIA.LAST]
    for selector, size in [*((one, 4) for one in integers), *((one, character_length(one)) for one in characters)]:
        raw = body[at : at + size]
        if len(raw) < size:
            return
        value = raw if selector > MQIA.LAST else int.from_bytes(raw, order.endian, signed=True)
        yield WireField("INQ", str(selector), start + at, size, value)
        at += size


def _matches(body: bytes, at: int, start: int, order: ByteOrder) -> Iterator[WireField]:
    """Yield the match values of a REQMSG, as present according to its MatchOptions."""
    place = at + REQMSG_SELECTION.size
    options = int.from_bytes(body[place - 4 : place], order.endian)
    for name, bit, size in _MATCHES:
        if options & bit:
            yield WireField("REQMSG", name, start + place, size, body[place : place + size])
            place += size
