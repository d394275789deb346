"""The fields of a segment by name: where each stands, so that plays can compare and replace them.

A structure is found by :func:`protocol.dissection.client_structures.client_parts`; the bodies of INITIAL_DATA count as
the structure ``ID``. Text and lists of other sizes count as bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from attrs import frozen
from construct import SizeofError

from protocol.constants import MQIA, SegmentType
from protocol.constants.attribute_lengths import character_length
from protocol.dissection.client_structures import client_parts
from protocol.framing import Segment, SegmentReader
from protocol.structures import ID, REQMSG_SELECTION

LONGEST: Final = 1 << 28
_MATCHES: Final = (("MsgId", 0x01, 24), ("CorrelId", 0x02, 24), ("GroupId", 0x04, 24), ("MsgToken", 0x20, 16))


@frozen
class WireField:
    """One field. ``offset``: in the segment, header included; ``value``: its number, or its bytes."""

    structure: str
    name: str
    offset: int
    size: int
    value: Any

    @property
    def key(self) -> str:
        return f"{self.structure}.{self.name}"


def segments_of(data: bytes) -> list[Segment]:
    """All whole segments of a stream."""
    return list(SegmentReader(LONGEST).feed(data))


def fields_of(segment: Segment) -> Iterator[WireField]:
    """The fields of a segment, header included, from front to back; message data is ``data.bytes``, what fills a
    segment up ``padding.bytes``."""
    body, order = segment.body, segment.order
    start = segment.length - len(body)
    yield from _fields(segment.header, segment.header.name, segment.buffer[segment.start :][:start], 0, 0, order)
    if segment.type == SegmentType.INITIAL_DATA:
        yield from _fields(ID, "ID", body, 0, start, order)
        return
    at = 0
    for part in client_parts(segment.type, body, order, flags=segment.flags1):
        if part.structure is None:
            yield WireField(part.name, "bytes", start + at, part.end - at, body[at : part.end])
        elif part.name == "REQMSG" and part.end - at > REQMSG_SELECTION.size - 4:
            yield from _fields(REQMSG_SELECTION, "REQMSG", body, at, start, order)
            yield from _matches(body, at, start, order)
        elif part.name == "INQ":
            yield from _attributes(body[: part.end], at, start, order)
        else:
            yield from _fields(part.structure, part.name, body[: part.end], at, start, order)
        at = part.end


def _fields(structure: Any, name: str, body: bytes, at: int, start: int, order: Any) -> Iterator[WireField]:
    """The fields up to the first whose size depends on others; all behind it is ``rest``."""
    layout = _layout(structure, order)
    for subcon, size, field in layout:
        raw = body[at : at + size]
        if len(raw) < size:
            return
        value = subcon.parse(raw) if field.kind == "int" else raw
        yield WireField(name, field.name, start + at, size, value)
        at += size
    if len(layout) < len(structure.fields) and at < len(body):
        yield WireField(name, "rest", start + at, len(body) - at, body[at:])


@cache
def _layout(structure: Any, order: Any) -> tuple[tuple[Any, int, Any], ...]:
    found = []
    for subcon, field in zip(structure.grammar(order).subcons, structure.fields, strict=True):
        try:
            found.append((subcon, subcon.sizeof(), field))
        except SizeofError:
            break
    return tuple(found)


def _attributes(body: bytes, at: int, start: int, order: Any) -> Iterator[WireField]:
    """Counts, selectors, and each value under the number of its selector."""
    words = [int.from_bytes(body[place : place + 4], order, signed=True) for place in range(at, len(body) - 3, 4)]
    for place, name in enumerate(("SelectorCount", "IntAttrCount", "CharAttrLength")):
        yield WireField("INQ", name, start + at + 4 * place, 4, words[place])
    selectors = words[3 : 3 + words[0]]
    yield WireField("INQ", "Selectors", start + at + 12, 4 * len(selectors), selectors)
    at += 12 + 4 * len(selectors)
    integers = [selector for selector in selectors if selector <= MQIA.LAST][: words[1]]
    characters = [selector for selector in selectors if selector > MQIA.LAST]
    for selector, size in [*((one, 4) for one in integers), *((one, character_length(one)) for one in characters)]:
        raw = body[at : at + size]
        if len(raw) < size:
            return
        value = raw if selector > MQIA.LAST else int.from_bytes(raw, order, signed=True)
        yield WireField("INQ", str(selector), start + at, size, value)
        at += size


def _matches(body: bytes, at: int, start: int, order: Any) -> Iterator[WireField]:
    """The match values of a REQMSG, which are there as its MatchOptions says."""
    place = at + REQMSG_SELECTION.size
    options = int.from_bytes(body[place - 4 : place], order)
    for name, bit, size in _MATCHES:
        if options & bit:
            yield WireField("REQMSG", name, start + place, size, body[place : place + size])
            place += size
