"""Fast dissection of complete segments: structures and field values only.

:func:`quick_structures` returns what :func:`~protocol.dissection.segments.dissect_segment` shows behind the header of a
segment, without names of values, offsets and findings. For a truncated structure, or a layout without a fast reader, it
uses ``dissect_segment`` itself, so both always agree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from mqbridge.protocol.chain import HEADER_FORMATS, walk
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.segment import HEADER_SIZES, Segment
from mqbridge.protocol.structures.rfh import RulesAndFormatting
from mqbridge.protocol.structures.rmh import Reference

from .client_structures import LEFT_OVER
from .findings import Findings
from .headers import PCF_FORMATS, link_name
from .quick_layouts import MAX_VALUE, QuickReader, Shape, Texts, reader_of, record_reader, shape_of, texts_of
from .segment_walk import SECRET, stated_data_format, walk_body
from .segments import dissect_segment
from .shown import readable_ccsid

MAX_NAMES: Final = 1024
"""Maximum number of cached formats, and of cached CCSIDs."""

QuickStructures = tuple[tuple[Shape, ...], list[str]]
"""Shapes of structures, and the texts of all their fields in one list."""

_WITH_TEXTS: Final = (RulesAndFormatting, Reference)  # headers with fields behind their records
_BODY: Final = "data"
_BODY_SHAPE: Final = shape_of(_BODY, ("Length",), frozenset((0,)))
_BYTES: Final = ("",)


def quick_structures(segment: Segment) -> QuickStructures:
    """Return the structures behind the header of a whole segment; only the length of a message's body. Never raises."""
    try:
        quick = _QuickSegment(segment)
    except _NotQuickError:
        return general_structures(segment)
    return tuple(quick.shapes), quick.texts


def general_structures(segment: Segment) -> QuickStructures:
    """Return the same as :func:`quick_structures` by ``dissect_segment``."""
    shapes: list[Shape] = []
    texts: list[str] = []
    _, *structures = dissect_segment(segment, Findings())["structures"]
    for shown in structures:
        name, fields = shown["structure"], shown.get("fields")
        if fields is not None:
            numbers = frozenset(place for place, value in enumerate(fields.values()) if isinstance(value, int))
            shapes.append(shape_of(name, tuple(fields), numbers, uncut=True))
            texts += map(str, fields.values())
        elif name == _BODY:
            shapes.append(_BODY_SHAPE)
            texts.append(str(shown["length"]))
        else:
            shapes.append(shape_of(name, _BYTES))
            texts.append(shown["hex"][:MAX_VALUE])
    return tuple(shapes), texts


@lru_cache(MAX_NAMES)
def _has_headers(message_format: str) -> bool:
    name = str(MQFMT(message_format))
    return name in HEADER_FORMATS or name in PCF_FORMATS


@lru_cache(MAX_NAMES)
def _code_page(ccsid: int, ebcdic: bool, order: ByteOrder) -> tuple[int, Texts[bytes]]:
    """Return the CCSID in which characters are decoded, and the cache of its texts."""
    readable = readable_ccsid(ccsid, ebcdic=ebcdic)
    return readable, texts_of(readable, order)


class _NotQuickError(Exception):
    """The segment needs the general dissection."""


class _QuickSegment:
    """A :class:`~.segment_walk.StructureReader` that uses fast readers and keeps values only."""

    def __init__(self, segment: Segment) -> None:
        self.data = segment.data
        self.cut = False  # truncated segments go to the general dissection
        self.order = segment.order
        self.ccsid, self.code_page = _code_page(segment.ccsid, self.data[0] >= 0x80, self.order)
        self.shapes: list[Shape] = []
        self.starts: list[int] = []
        self.texts: list[str] = []
        self.at = HEADER_SIZES[segment.struc_id]
        walk_body(self, segment.type, segment.flags1, segment.flags2)
        self.leave(LEFT_OVER)

    def take(
        self, structure: Structure[Any], most: int | None = None, *, name: str = "", ccsid: int | None = None
    ) -> int:
        reader = reader_of(structure, self.order, name or structure.name)
        if reader is None:
            raise _NotQuickError
        end = len(self.data)
        if most is not None and self.at + most < end:
            end = self.at + most
        code_page = self.code_page if ccsid is None else _code_page(ccsid, False, self.order)[1]
        return self.read(reader, self.at, end, code_page)

    def read(self, reader: QuickReader, start: int, end: int, code_page: Texts[bytes]) -> int:
        """Read a structure; return its index in ``shapes``."""
        self.starts.append(len(self.texts))
        read = reader(self.data, start, end, code_page, self.texts)
        if read is None:
            raise _NotQuickError
        shape, self.at = read
        self.shapes.append(shape)
        return len(self.shapes) - 1

    def value(self, place: int, name: str) -> Any:
        shape = self.shapes[place]
        field = shape.fields.index(name)
        text = self.texts[self.starts[place] + field]
        return int(text) if field in shape.numbers else text

    def leave(self, name: str, end: int | None = None) -> None:
        stop = len(self.data) if end is None else min(end, len(self.data))
        length = stop - self.at
        if length <= 0:
            return
        self.starts.append(len(self.texts))
        if name == _BODY:
            self.shapes.append(_BODY_SHAPE)
            self.texts.append(str(length))
        else:
            shown = min(length, MAX_VALUE // 2)
            raw = bytes(shown) if name == SECRET else self.data[self.at : self.at + shown]
            self.shapes.append(shape_of(name, _BYTES))
            self.texts.append(raw.hex())
        self.at = stop

    def check_length(self, at: int, msh: int, name: str, true: int) -> None:
        pass

    def message_body(self, md: int, end: int, *, whole: bool) -> None:
        message_format, encoding, ccsid = stated_data_format(self, md)
        if _has_headers(message_format):
            self._headers(message_format, encoding, ccsid, end)
        self.leave(_BODY, end)
        self.at = end

    def _headers(self, message_format: str, encoding: int, ccsid: int, end: int) -> None:
        begin = self.at
        chain = walk(message_format, encoding, ccsid, self.data[begin:end])
        if chain.stopped is not None or chain.body_format in PCF_FORMATS:
            raise _NotQuickError
        for link in chain.links:
            header, record = link.header, link.header.record
            if header.known < record.SIZE or isinstance(header, _WITH_TEXTS):
                raise _NotQuickError
            codec: Any = type(record)
            _, code_page = _code_page(link.ccsid, bool(record.struc_id[0] & 0x80), record.ORDER)
            self.read(record_reader(codec, link_name(link)), begin + link.offset, end, code_page)
        self.at = begin + chain.body_offset

    def extra(self, end: int) -> None:
        raise _NotQuickError
