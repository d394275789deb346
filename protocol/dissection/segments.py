"""Dissection of segments: the header, then the parts of the body, from front to back without a gap.

Nothing raises on bad input: a truncated structure is shown with its complete fields, and an error says where it ends.
``client_structures`` defines the parts of client segments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import LARGEST_SEGMENT, SegmentReader
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.segment import HEADERS, Segment
from mqbridge.protocol.structures import TSH

from .client_structures import EXTRA, LEFT_OVER
from .findings import Findings
from .headers import show_pcf
from .messages import dissect_data
from .segment_walk import NOWHERE, SECRET, stated_data_format, walk_body
from .shown import Shown, readable_ccsid, show, show_hex


def begins_segment(data: bytes) -> bool:
    """Return whether bytes begin with the id of a segment header."""
    return data[:4] in HEADERS


def dissect_segment(segment: Segment, findings: Findings, *, offset: int = 0, direction: str | None = None) -> Shown:
    """Dissect one complete segment. ``offset``: of its first byte in the input; added to all offsets shown."""
    return {
        "offset": offset,
        "length": segment.length,
        "direction": direction,
        "structures": _ShownSegment(segment.data, offset, findings).segment(),
    }


class _ShownSegment:
    """A reader that shows everything in a segment, possibly truncated. ``base``: added to offsets. ``out``: results."""

    def __init__(self, data: bytes, base: int, findings: Findings) -> None:
        self.data = data
        self.base = base
        self.findings = findings
        self.at = 0
        self.out: list[Shown] = []
        self.order = ByteOrder.LITTLE
        self.ccsid = 819
        self.cut = False

    def segment(self) -> list[Shown]:
        """Return the header and the structures behind it."""
        header = HEADERS.get(self.data[:4], TSH)
        place = next(slot.offset for slot in header.slots if slot.field.key == "byte_order")
        self.order = ByteOrder.BIG if self.data[place : place + 1] == b"\x01" else ByteOrder.LITTLE
        place = self.take(header)
        if not self.cut:
            fields = self.out[place]["fields"]
            self.ccsid = readable_ccsid(fields["CCSID"], ebcdic=self.data[0] >= 0x80)
            missing = fields["SegLength"] - len(self.data)
            walk_body(self, fields["SegmentType"], fields["ControlFlags1"], fields["ControlFlags2"])
            if missing > 0 and not self.cut:
                self.findings.error(self.base + len(self.data), f"segment ends {missing} bytes early")
            self.leave(LEFT_OVER)
        return self.out

    def take(
        self, structure: Structure[Any], most: int | None = None, *, name: str = "", ccsid: int | None = None
    ) -> int:
        """See :meth:`.segment_walk.StructureReader.take`: the index is that in :attr:`out`, or ``NOWHERE`` behind a
        truncated structure."""
        if self.cut:
            return NOWHERE
        end = len(self.data) if most is None else min(len(self.data), self.at + most)
        text = self.ccsid if ccsid is None else readable_ccsid(ccsid)
        shown, error = show(structure, self.data, self.at, end, self.order, text, self.base, name)
        self.out.append(shown)
        self.at += shown["length"]
        if error is not None:
            self.cut = True
            self.findings.error(error.offset, f"{error.structure} {error.reason}")
        return len(self.out) - 1

    def value(self, place: int, name: str) -> Any:
        """See :meth:`.segment_walk.StructureReader.value`."""
        return self.out[place]["fields"][name]

    def leave(self, name: str, end: int | None = None) -> None:
        """Show bytes in hexadecimal, up to ``end`` or to the end of the segment."""
        data = self.data[self.at : end]
        if data:
            shown = show_hex(name, self.base + self.at, data)
            self.out.append(shown if name != SECRET else {**shown, "hex": "00" * len(data)})
            self.at += len(data)

    def check_length(self, at: int, msh: int, name: str, true: int) -> None:
        """See :meth:`.segment_walk.StructureReader.check_length`."""
        stated = self.value(msh, name)
        if stated != true:
            self.findings.warn(self.base + at, f"MSH.{name} says {stated}, {true} bytes are there")

    def message_body(self, md: int, end: int, *, whole: bool) -> None:
        """See :meth:`.segment_walk.StructureReader.message_body`."""
        found = self.findings.separate()
        headers, body = dissect_data(
            self.data[self.at : end],
            *stated_data_format(self, md),
            found,
            base=self.base + self.at,
        )
        self.findings.warnings += found.warnings
        (self.findings.errors if whole else self.findings.warnings).extend(found.errors)
        self.out += headers
        if body["length"]:
            self.out.append({"structure": "data", **body})
        self.at = end

    def extra(self, end: int) -> None:
        """Show PCF of a queue manager, in the byte order that makes its first word a small number. Names of parameters
        are omitted: their numbers are not those of attributes (mq-wire.md 5.12)."""
        data = self.data[self.at : end]
        order = ByteOrder.BIG if data[:1] == b"\0" else ByteOrder.LITTLE
        for shown in show_pcf(data, 0, order, self.ccsid, self.base + self.at, self.findings):
            shown.get("names", {}).pop("Parameter", None)
            self.out.append(shown)
        last = self.out[-1]
        self.at = last["offset"] + last["length"] - self.base
        self.leave(EXTRA, end)


class SegmentStream:
    """Dissection of one direction of a connection: bytes in, dissected segments out, nothing lost.

    ``direction``: ``"initiator"``, ``"responder"`` or None, repeated in each segment. Bytes that form no segment end
    the stream with an error.
    """

    def __init__(self, findings: Findings, direction: str | None = None) -> None:
        self.findings = findings
        self.direction = direction
        self._reader = SegmentReader(LARGEST_SEGMENT)
        self._broken = False

    def feed(self, data: bytes) -> Iterator[Shown]:
        """Take bytes; yield the segments that they complete."""
        try:
            for segment in self._reader.feed(data):
                start = self._reader.offset - segment.length
                yield dissect_segment(segment, self.findings, offset=start, direction=self.direction)
        except FramingError as error:
            if not self._broken:
                self._broken = True
                self.findings.error(self._reader.offset, str(error))

    def finish(self) -> Iterator[Shown]:
        """End the stream; yield an incomplete segment as far as it was received."""
        rest = self._reader.rest
        if rest and not self._broken:
            structures = _ShownSegment(rest, self._reader.offset, self.findings).segment()
            yield {
                "offset": self._reader.offset,
                "length": len(rest),
                "direction": self.direction,
                "structures": structures,
            }


def dissect_segments(data: bytes, findings: Findings, *, direction: str | None = None) -> Iterator[Shown]:
    """Dissect a run of segments, the last of which may be truncated. Stops at bytes that form no segment."""
    stream = SegmentStream(findings, direction)
    yield from stream.feed(data)
    yield from stream.finish()
