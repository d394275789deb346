"""Segments as plain data: the header, then whatever the body is made of, from front to back without a hole.

Nothing here raises on bad input: a structure that is cut short is shown with its whole fields, and an error says where
it ends. What client segments are made of is said by ``client_structures``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from protocol.constants import ControlFlags1, ControlFlags2, SegmentType
from protocol.errors import FramingError
from protocol.framing import LARGEST_SEGMENT, SegmentReader
from protocol.grammar import Structure
from protocol.numbers import ByteOrder
from protocol.segment import HEADERS, Segment
from protocol.structures import (
    API,
    CSH,
    ID,
    MD,
    MD1,
    MSH,
    PING,
    RESET,
    STATUS,
    TSH,
    UID,
    XQH,
    conauth_form,
    initial_data_size,
)
from protocol.structures.initial_data import SMALLEST_ID
from protocol.structures.userid import SHORT_UID_SIZE

from .client_structures import DATA, EXTRA, LEFT_OVER, client_parts
from .findings import Findings
from .headers import show_pcf
from .messages import dissect_data
from .shown import Shown, readable_ccsid, show, show_hex

_OPAQUE: Final = frozenset(
    (
        SegmentType.RESYNC_DATA,
        SegmentType.SECURITY_DATA,
        SegmentType.HEARTBEAT,
        SegmentType.RENEGOTIATE_DATA,
    )
)  # no public layout, mq-wire.md 5.14
_WITH_PASSWORDS: Final = frozenset((SegmentType.USERID_DATA, SegmentType.CONAUTH_INFO))
_SECRET: Final = "compressed, not shown"
_API: Final = range(0x81, 0xA0)
_COMPRESSED: Final = ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP | ControlFlags2.CSH
_WHOLE: Final = ControlFlags1.FIRST | ControlFlags1.LAST


def begins_segment(data: bytes) -> bool:
    """Whether the bytes begin with the id of a segment header."""
    return data[:4] in HEADERS


def dissect_segment(segment: Segment, findings: Findings, *, offset: int = 0, direction: str | None = None) -> Shown:
    """One whole segment. ``offset``: of its first byte in the input, to which all offsets shown are relative."""
    return {
        "offset": offset,
        "length": segment.length,
        "direction": direction,
        "structures": _Walk(segment.data, offset, findings).segment(),
    }


class SegmentStream:
    """One direction of a connection, taken apart as it comes: bytes in, segments out, none of them lost.

    ``direction``: ``"initiator"``, ``"responder"`` or None, repeated in each segment. Bytes that are no segment end
    the stream with an error.
    """

    def __init__(self, findings: Findings, direction: str | None = None) -> None:
        self.findings = findings
        self.direction = direction
        self._reader = SegmentReader(LARGEST_SEGMENT)
        self._broken = False

    def feed(self, data: bytes) -> Iterator[Shown]:
        """Take bytes; give the segments that are whole by now."""
        try:
            for segment in self._reader.feed(data):
                start = self._reader.offset - segment.length
                yield dissect_segment(segment, self.findings, offset=start, direction=self.direction)
        except FramingError as error:
            if not self._broken:
                self._broken = True
                self.findings.error(self._reader.offset, str(error))

    def finish(self) -> Iterator[Shown]:
        """The stream is over: give what there is of a segment that is not whole."""
        rest = self._reader.rest
        if rest and not self._broken:
            structures = _Walk(rest, self._reader.offset, self.findings).segment()
            yield {
                "offset": self._reader.offset,
                "length": len(rest),
                "direction": self.direction,
                "structures": structures,
            }


def dissect_segments(data: bytes, findings: Findings, *, direction: str | None = None) -> Iterator[Shown]:
    """A run of segments, the last of which may be cut short. Stops at bytes that are no segment."""
    stream = SegmentStream(findings, direction)
    yield from stream.feed(data)
    yield from stream.finish()


class _Walk:
    """Goes through the bytes of one segment, which may be cut short."""

    def __init__(self, data: bytes, base: int, findings: Findings) -> None:
        self.data = data
        self.base = base
        self.findings = findings
        self.at = 0
        self.out: list[Shown] = []
        self.order: ByteOrder = "little"
        self.ccsid = 819
        self.cut = False  # a structure was cut short: nothing whole follows

    def segment(self) -> list[Shown]:
        header = HEADERS.get(self.data[:4], TSH)
        place = next(slot.offset for slot in header.slots if slot.field.key == "byte_order")
        self.order = "big" if self.data[place : place + 1] == b"\x01" else "little"
        fields = self.take(header)
        if not self.cut:
            self.ccsid = readable_ccsid(fields["CCSID"], ebcdic=self.data[0] >= 0x80)
            missing = fields["SegLength"] - len(self.data)
            self.body(fields["SegmentType"], fields["ControlFlags1"], fields["ControlFlags2"])
            if missing > 0 and not self.cut:
                self.findings.error(self.base + len(self.data), f"segment ends {missing} bytes early")
            self.leave(LEFT_OVER)
        return self.out

    # steps

    def take(
        self, structure: Structure, most: int | None = None, *, name: str = "", ccsid: int | None = None
    ) -> dict[str, Any]:
        """Take a structure apart; its fields by IBM's names. ``most``: bytes that it may have. ``name``: to show,
        ``ccsid``: of its characters, where it is not that of the segment."""
        if self.cut:
            return {}
        end = len(self.data) if most is None else min(len(self.data), self.at + most)
        text = self.ccsid if ccsid is None else readable_ccsid(ccsid)
        shown, error = show(structure, self.data, self.at, end, self.order, text, self.base, name)
        self.out.append(shown)
        self.at += shown["length"]
        if error is not None:
            self.cut = True
            self.findings.error(error.offset, f"{error.structure} {error.reason}")
        fields: dict[str, Any] = shown["fields"]
        return fields

    def leave(self, name: str, end: int | None = None) -> None:
        """Show bytes, up to ``end`` or to the end of the segment, as they are."""
        data = self.data[self.at : end]
        if data:
            shown = show_hex(name, self.base + self.at, data)
            self.out.append(shown if name != _SECRET else {**shown, "hex": "00" * len(data)})
            self.at += len(data)

    def left(self) -> int:
        return len(self.data) - self.at

    # bodies

    def body(self, segment_type: int, flags1: int, flags2: int) -> None:
        if flags2 & _COMPRESSED:
            if segment_type in _API and flags2 & ControlFlags2.CSH and flags1 & ControlFlags1.FIRST:
                self.take(API)
                self.take(CSH)
            self.leave(_SECRET if segment_type in _WITH_PASSWORDS else "compressed")
        elif segment_type == SegmentType.INITIAL_DATA:
            self.initial_data()
        elif segment_type == SegmentType.MESSAGE_DATA:
            self.message_data(flags1)
        elif segment_type == SegmentType.STATUS_DATA:
            if self.left():
                long = int.from_bytes(self.data[self.at : self.at + 4], self.order) >= STATUS.size
                self.take(STATUS if long else STATUS.first(8))
        elif segment_type == SegmentType.RESET_DATA:
            self.take(RESET)
        elif segment_type == SegmentType.PING_DATA:
            self.take(PING)
        elif segment_type == SegmentType.USERID_DATA:
            self.take(UID if self.left() >= UID.size else UID.first(SHORT_UID_SIZE))
        elif segment_type == SegmentType.CONAUTH_INFO:
            self.take(conauth_form(self.data[self.at :], self.order))
            if self.cut:
                self.at = len(self.data)
        elif segment_type in _OPAQUE or not SegmentType(segment_type).known:
            self.leave(str(SegmentType(segment_type)))
        else:
            self.client_call(segment_type, flags1)

    def initial_data(self) -> None:
        level = self.data[self.at + 4] if self.left() > 4 else 0
        known = min(initial_data_size(level), self.left())
        if known >= SMALLEST_ID:
            known = max(end for slot in ID.slots if (end := slot.offset + slot.size) <= known)
            self.take(ID.first(known))
        else:
            self.take(ID)

    def message_data(self, flags1: int) -> None:
        if not flags1 & ControlFlags1.FIRST:
            self.leave("data")  # a later part: headers stand in the first
            return
        begin = self.at
        msh = self.take(MSH)
        self.take(XQH)
        md = self.descriptor()
        if self.cut:
            return
        if flags1 & _WHOLE == _WHOLE:
            self.check_length(begin + 8, "MSH.DataLength", msh["DataLength"], self.left())
            self.check_length(begin + 16, "MSH.MessageLength", msh["MessageLength"], len(self.data) - begin - MSH.size)
        self.message_body(md, len(self.data), whole=flags1 & _WHOLE == _WHOLE)

    def check_length(self, at: int, name: str, stated: int, true: int) -> None:
        if stated != true:
            self.findings.warn(self.base + at, f"{name} says {stated}, {true} bytes are there")

    def descriptor(self) -> dict[str, Any]:
        version = int.from_bytes(self.data[self.at + 4 : self.at + 8], self.order)
        return self.take(MD if version == 2 else MD1)

    def message_body(self, md: dict[str, Any], end: int, *, whole: bool) -> None:
        """Headers and data that a descriptor describes. Where they may be cut on purpose (``whole`` is false) what
        cannot be read is no error."""
        found = Findings(read_folder=self.findings.read_folder)
        headers, body = dissect_data(
            self.data[self.at : end],
            md["Format"],
            md["Encoding"],
            md["CodedCharSetId"] if md["CodedCharSetId"] > 0 else self.ccsid,
            found,
            base=self.base + self.at,
        )
        self.findings.warnings += found.warnings
        (self.findings.errors if whole else self.findings.warnings).extend(found.errors)
        self.out += headers
        if body["length"]:
            self.out.append({"structure": "data", **body})
        self.at = end

    def client_call(self, segment_type: int, flags1: int) -> None:
        begin = self.at
        md: dict[str, Any] = {}
        for part in client_parts(segment_type, self.data[begin:], self.order, flags=flags1):
            end = begin + part.end
            if part.name == DATA and md and not self.cut:
                self.message_body(md, end, whole=False)
            elif part.name == EXTRA and not self.cut:
                self.extra(end)
            elif part.structure is None or self.cut:
                self.leave(part.name, end)
            else:
                fields = self.take(part.structure, end - self.at, name=part.name, ccsid=part.ccsid)
                md = fields if part.name == "MD" and not self.cut else md

    def extra(self, end: int) -> None:
        """PCF of a queue manager, in the byte order that makes a small number of its first word. Its parameters have
        numbers of their own, which are not those of attributes (mq-wire.md 5.12)."""
        data = self.data[self.at : end]
        order: ByteOrder = "big" if data[:1] == b"\0" else "little"
        for shown in show_pcf(data, 0, order, self.ccsid, self.base + self.at, self.findings):
            shown.get("names", {}).pop("Parameter", None)
            self.out.append(shown)
        last = self.out[-1]
        self.at = last["offset"] + last["length"] - self.base
        self.leave(EXTRA, end)
