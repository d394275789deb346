"""The walk through one segment, from its header to its last byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.protocol.constants import ControlFlags1, ControlFlags2, SegmentType
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.segment import HEADERS
from mqbridge.protocol.structures import (
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
from mqbridge.protocol.structures.initial_data import SMALLEST_ID
from mqbridge.protocol.structures.userid import SHORT_UID_SIZE

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
SECRET: Final = "compressed, not shown"
"""Bytes that may hold a password; nothing but how many they are is shown."""
_NOWHERE: Final = -1
_API: Final = range(0x81, 0xA0)
_CSH: Final = int(ControlFlags2.CSH)
_COMPRESSED: Final = int(ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP | ControlFlags2.CSH)
_FIRST: Final = int(ControlFlags1.FIRST)
_WHOLE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)


class SegmentWalk:
    """Goes through the bytes of one segment, which may be cut short.

    ``base``: added to offsets. ``out``: what was found so far; ``at``: where it goes on; ``cut``: whether a structure
    was cut short, so that nothing whole follows.
    """

    def __init__(self, data: bytes, base: int, findings: Findings) -> None:
        self.data = data
        self.base = base
        self.findings = findings
        self.at = 0
        self.out: list[Shown] = []
        self.order: ByteOrder = "little"
        self.ccsid = 819
        self.cut = False

    def segment(self) -> list[Shown]:
        """The header and all behind it."""
        header = HEADERS.get(self.data[:4], TSH)
        place = next(slot.offset for slot in header.slots if slot.field.key == "byte_order")
        self.order = "big" if self.data[place : place + 1] == b"\x01" else "little"
        place = self.take(header)
        if not self.cut:
            fields = self.out[place]["fields"]
            self.ccsid = readable_ccsid(fields["CCSID"], ebcdic=self.data[0] >= 0x80)
            missing = fields["SegLength"] - len(self.data)
            self.body(fields["SegmentType"], fields["ControlFlags1"], fields["ControlFlags2"])
            if missing > 0 and not self.cut:
                self.findings.error(self.base + len(self.data), f"segment ends {missing} bytes early")
            self.leave(LEFT_OVER)
        return self.out

    # steps

    def take(self, structure: Structure, most: int | None = None, *, name: str = "", ccsid: int | None = None) -> int:
        """Take a structure apart; its place in :attr:`out`, which it has where nothing is cut. ``most``: bytes that it
        may have. ``name``: to show, ``ccsid``: of its characters, where it is not that of the segment."""
        if self.cut:
            return _NOWHERE
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
        """A field of the structure at a place."""
        return self.out[place]["fields"][name]

    def leave(self, name: str, end: int | None = None) -> None:
        """Show bytes, up to ``end`` or to the end of the segment, as they are."""
        data = self.data[self.at : end]
        if data:
            shown = show_hex(name, self.base + self.at, data)
            self.out.append(shown if name != SECRET else {**shown, "hex": "00" * len(data)})
            self.at += len(data)

    def left(self) -> int:
        """Bytes from here to the end."""
        return len(self.data) - self.at

    # bodies

    def body(self, segment_type: int, flags1: int, flags2: int) -> None:
        """What stands behind the header, of which the numbers are."""
        if flags2 & _COMPRESSED:
            if segment_type in _API and flags2 & _CSH and flags1 & _FIRST:
                self.take(API)
                self.take(CSH)
            self.leave(SECRET if segment_type in _WITH_PASSWORDS else "compressed")
        elif (take := _BODIES.get(segment_type)) is not None:
            take(self, flags1)
        elif segment_type in _CALLS:
            self.client_call(segment_type, flags1)
        else:
            self.leave(str(SegmentType(segment_type)))

    def initial_data(self, _: int) -> None:
        """An ID of any level."""
        level = self.data[self.at + 4] if self.left() > 4 else 0
        known = min(initial_data_size(level), self.left())
        if known >= SMALLEST_ID:
            known = max(end for slot in ID.slots if (end := slot.offset + slot.size) <= known)
            self.take(ID.first(known))
        else:
            self.take(ID)

    def message_data(self, flags1: int) -> None:
        """A message of a channel, or a part of it."""
        if not flags1 & _FIRST:
            self.leave("data")  # a later part: headers stand in the first
            return
        begin = self.at
        msh = self.take(MSH)
        self.take(XQH)
        md = self.descriptor()
        if self.cut:
            return
        if flags1 & _WHOLE == _WHOLE:
            self.check_length(begin + 8, msh, "DataLength", self.left())
            self.check_length(begin + 16, msh, "MessageLength", len(self.data) - begin - MSH.size)
        self.message_body(md, len(self.data), whole=flags1 & _WHOLE == _WHOLE)

    def check_length(self, at: int, msh: int, name: str, true: int) -> None:
        """Warn where a length in the MSH, which is at place ``msh``, is not the true one; ``at``: where it stands."""
        stated = self.value(msh, name)
        if stated != true:
            self.findings.warn(self.base + at, f"MSH.{name} says {stated}, {true} bytes are there")

    def descriptor(self) -> int:
        """An MD of either version; its place."""
        version = int.from_bytes(self.data[self.at + 4 : self.at + 8], self.order)
        return self.take(MD if version == 2 else MD1)

    def message_body(self, md: int, end: int, *, whole: bool) -> None:
        """Headers and data that the descriptor at place ``md`` describes. Where they may be cut on purpose (``whole``
        is false) what cannot be read is no error."""
        found = Findings(read_folder=self.findings.read_folder)
        headers, body = dissect_data(
            self.data[self.at : end],
            *self.said_of_data(md),
            found,
            base=self.base + self.at,
        )
        self.findings.warnings += found.warnings
        (self.findings.errors if whole else self.findings.warnings).extend(found.errors)
        self.out += headers
        if body["length"]:
            self.out.append({"structure": "data", **body})
        self.at = end

    def said_of_data(self, md: int) -> tuple[str, int, int]:
        """Format, encoding and CCSID that the descriptor at a place states."""
        ccsid = self.value(md, "CodedCharSetId")
        return self.value(md, "Format"), self.value(md, "Encoding"), ccsid if ccsid > 0 else self.ccsid

    def status(self, _: int) -> None:
        """A STATUS of either form, or nothing."""
        if self.left():
            long = int.from_bytes(self.data[self.at : self.at + 4], self.order) >= STATUS.size
            self.take(STATUS if long else STATUS.first(8))

    def user_id(self, _: int) -> None:
        """A UID of either form."""
        self.take(UID if self.left() >= UID.size else UID.first(SHORT_UID_SIZE))

    def credentials(self, _: int) -> None:
        """A CAUT; where it is cut short, nothing behind it is shown."""
        self.take(conauth_form(self.data[self.at :], self.order))
        if self.cut:
            self.at = len(self.data)

    def client_call(self, segment_type: int, flags1: int) -> None:
        """A call of a client or the reply to it, and other segments of clients."""
        begin = self.at
        md = _NOWHERE
        for part in client_parts(segment_type, self.data[begin:], self.order, flags=flags1):
            end = begin + part.end
            if part.name == DATA and md != _NOWHERE and not self.cut:
                self.message_body(md, end, whole=False)
            elif part.name == EXTRA and not self.cut:
                self.extra(end)
            elif part.structure is None or self.cut:
                self.leave(part.name, end)
            else:
                place = self.take(part.structure, end - self.at, name=part.name, ccsid=part.ccsid)
                md = place if part.name == "MD" and not self.cut else md

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


_BODIES: Final[dict[int, Callable[[SegmentWalk, int], object]]] = {
    SegmentType.INITIAL_DATA: SegmentWalk.initial_data,
    SegmentType.MESSAGE_DATA: SegmentWalk.message_data,
    SegmentType.STATUS_DATA: SegmentWalk.status,
    SegmentType.RESET_DATA: lambda walk, _: walk.take(RESET),
    SegmentType.PING_DATA: lambda walk, _: walk.take(PING),
    SegmentType.USERID_DATA: SegmentWalk.user_id,
    SegmentType.CONAUTH_INFO: SegmentWalk.credentials,
}
"""How bodies are taken apart, given ControlFlags1; those that are not among these are calls of clients, or opaque."""
_CALLS: Final = frozenset(map(int, SegmentType)) - _OPAQUE - _BODIES.keys()
