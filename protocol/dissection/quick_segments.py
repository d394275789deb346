"""The structures of whole segments with their fields and nothing else, for those who read very many.

:func:`quick_structures` gives what :func:`~protocol.dissection.segments.dissect_segment` shows behind the header of a
segment, but for names of values, offsets and findings. Where anything is not as in most segments (a structure is cut
short, or has a layout without a quick reader) all is told by that general way, so both always agree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from protocol.chain import HEADER_FORMATS, walk
from protocol.constants import MQFMT
from protocol.grammar import Structure
from protocol.segment import BIG_ENDIAN, HEADER_SIZES, Segment
from protocol.structures.rfh import RulesAndFormatting
from protocol.structures.rmh import Reference

from .client_structures import LEFT_OVER
from .findings import Findings
from .headers import PCF_FORMATS, link_name
from .quick_layouts import Shape, reader_of, record_reader, shape_of, texts_of
from .segment_walk import SECRET, SegmentWalk
from .segments import dissect_segment
from .shown import Shown, readable_ccsid

MAX_NAMES: Final = 1024
"""Names of formats, and CCSIDs, of which is kept what they mean."""

QuickStructure = tuple[Shape, Any]
"""Shape and values of a structure, in the order of its fields; of one that is not taken apart its bytes."""

_WITH_TEXTS: Final = (RulesAndFormatting, Reference)  # headers with fields behind their records


def quick_structures(segment: Segment) -> list[QuickStructure]:
    """What stands behind the header of a whole segment. Never raises, whatever the bytes."""
    try:
        return _QuickWalk(segment).out
    except _NotQuickError:
        return general_structures(segment)


def general_structures(segment: Segment) -> list[QuickStructure]:
    """The same by the general way."""
    _, *shown = dissect_segment(segment, Findings())["structures"]
    return [_of_shown(one) for one in shown]


def _of_shown(shown: Shown) -> QuickStructure:
    fields = shown.get("fields")
    if fields is None:
        return shape_of(shown["structure"], None), bytes.fromhex(shown["hex"])
    return shape_of(shown["structure"], tuple(fields)), tuple(fields.values())


@lru_cache(MAX_NAMES)
def _has_headers(message_format: str) -> bool:
    name = str(MQFMT(message_format))
    return name in HEADER_FORMATS or name in PCF_FORMATS


_readable = lru_cache(MAX_NAMES)(readable_ccsid)


class _NotQuickError(Exception):
    """There is something that only the general way tells."""


class _QuickWalk(SegmentWalk):
    """The same walk, but structures are read by quick readers, and nothing is shown of them but their values."""

    out: list[Any]

    def __init__(self, segment: Segment) -> None:
        super().__init__(segment.data, 0, Findings())
        self.order = "big" if segment.byte_order == BIG_ENDIAN else "little"
        self.ccsid = _readable(segment.ccsid, ebcdic=self.data[0] >= 0x80)
        self.texts = texts_of(self.ccsid, self.order)
        self.at = HEADER_SIZES[segment.struc_id]
        self.body(segment.type, segment.flags1, segment.flags2)
        self.leave(LEFT_OVER)

    def take(self, structure: Structure, most: int | None = None, *, name: str = "", ccsid: int | None = None) -> int:
        reader = reader_of(structure, self.order, name or structure.name)
        end = len(self.data) if most is None else min(len(self.data), self.at + most)
        texts = self.texts if ccsid is None else texts_of(_readable(ccsid), self.order)
        read = None if reader is None else reader(self.data, self.at, end, texts)
        if read is None:
            raise _NotQuickError
        shape, values, self.at = read
        self.out.append((shape, values))
        return len(self.out) - 1

    def value(self, place: int, name: str) -> Any:
        shape, values = self.out[place]
        return values[shape.fields.index(name)]

    def leave(self, name: str, end: int | None = None) -> None:
        stop = len(self.data) if end is None else min(end, len(self.data))
        length = stop - self.at
        if length > 0:
            raw = bytes(length) if name == SECRET else memoryview(self.data)[self.at : stop]
            self.out.append((shape_of(name, None), raw))
            self.at = stop

    def check_length(self, at: int, msh: int, name: str, true: int) -> None:
        pass

    def message_body(self, md: int, end: int, *, whole: bool) -> None:
        del whole
        message_format, encoding, ccsid = self.said_of_data(md)
        if _has_headers(message_format):
            self._headers(message_format, encoding, ccsid, end)
        self.leave("data", end)
        self.at = end

    def _headers(self, message_format: str, encoding: int, ccsid: int, end: int) -> None:
        chain = walk(message_format, encoding, ccsid, self.data[self.at : end])
        if chain.stopped is not None or chain.body_format in PCF_FORMATS:
            raise _NotQuickError
        for link in chain.links:
            header, record = link.header, link.header.record
            if header.known < record.SIZE or isinstance(header, _WITH_TEXTS):
                raise _NotQuickError
            text = texts_of(_readable(link.ccsid, ebcdic=bool(record.struc_id[0] & 0x80)), record.ORDER)
            start = self.at + link.offset
            codec: Any = type(record)
            read = record_reader(codec, link_name(link))(self.data, start, end, text)
            if read is None:
                raise _NotQuickError
            self.out.append(read[:2])
        self.at += chain.body_offset

    def extra(self, end: int) -> None:
        del end
        raise _NotQuickError
