"""The walk through one segment: which structures stand behind its header, and in what order.

Who reads them is behind :class:`StructureReader`: :mod:`~protocol.dissection.segments` shows all that there is,
:mod:`~protocol.dissection.quick_segments` only values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from mqbridge.protocol.constants import ByteOrder, ControlFlags1, ControlFlags2, SegmentType
from mqbridge.protocol.grammar import Structure
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
    UID,
    XQH,
    conauth_form,
    initial_data_size,
)
from mqbridge.protocol.structures.initial_data import SMALLEST_ID
from mqbridge.protocol.structures.userid import SHORT_UID_SIZE

from .client_structures import DATA, EXTRA, client_parts

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
NOWHERE: Final = -1
_API: Final = range(0x81, 0xA0)
_CSH: Final = int(ControlFlags2.CSH)
_COMPRESSED: Final = int(ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP | ControlFlags2.CSH)
_FIRST: Final = int(ControlFlags1.FIRST)
_WHOLE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)


class StructureReader(Protocol):
    """Reads the structures of one segment from front to back.

    ``data``: the bytes of the segment, which may be cut short; ``at``: where reading goes on; ``cut``: whether a
    structure was cut short, so that nothing whole follows.
    """

    data: bytes
    at: int
    order: ByteOrder
    ccsid: int
    cut: bool

    def take(self, structure: Structure, most: int | None = None, *, name: str = "", ccsid: int | None = None) -> int:
        """Read a structure of at most ``most`` bytes; return its place, which counts only if nothing is cut.

        ``name``: to show, ``ccsid``: of its characters, if it is not that of the segment.
        """
        ...

    def value(self, place: int, name: str) -> Any:
        """Return a field of the structure at a place."""
        ...

    def leave(self, name: str, end: int | None = None) -> None:
        """Pass over bytes, up to ``end`` or to the end of the segment, that are no structure."""
        ...

    def check_length(self, at: int, msh: int, name: str, true: int) -> None:
        """Warn of a length in the MSH at place ``msh`` that is not the true one; ``at``: where it stands."""
        ...

    def message_body(self, md: int, end: int, *, whole: bool) -> None:
        """Read the headers and data that the descriptor at place ``md`` describes.

        If they may be cut on purpose (``whole`` is false), what cannot be read is no error.
        """
        ...

    def extra(self, end: int) -> None:
        """Read PCF of a queue manager behind a call (mq-wire.md 5.12)."""
        ...


def _left(reader: StructureReader) -> int:
    return len(reader.data) - reader.at


def walk_body(reader: StructureReader, segment_type: int, flags1: int, flags2: int) -> None:
    """Read the structures behind the header, whose numbers are given."""
    if flags2 & _COMPRESSED:
        if segment_type in _API and flags2 & _CSH and flags1 & _FIRST:
            reader.take(API)
            reader.take(CSH)
        reader.leave(SECRET if segment_type in _WITH_PASSWORDS else "compressed")
    elif (take := _BODIES.get(segment_type)) is not None:
        take(reader, flags1)
    elif segment_type in _CALLS:
        client_call(reader, segment_type, flags1)
    else:
        reader.leave(str(SegmentType(segment_type)))


def initial_data(reader: StructureReader, _: int) -> None:
    """An ID of any level."""
    level = reader.data[reader.at + 4] if _left(reader) > 4 else 0
    known = min(initial_data_size(level), _left(reader))
    if known >= SMALLEST_ID:
        known = max(end for slot in ID.slots if (end := slot.offset + slot.size) <= known)
        reader.take(ID.first(known))
    else:
        reader.take(ID)


def message_data(reader: StructureReader, flags1: int) -> None:
    """A message of a channel, or a part of it."""
    if not flags1 & _FIRST:
        reader.leave("data")  # a later part: headers stand in the first
        return
    begin = reader.at
    msh = reader.take(MSH)
    reader.take(XQH)
    md = descriptor(reader)
    if reader.cut:
        return
    if flags1 & _WHOLE == _WHOLE:
        reader.check_length(begin + 8, msh, "DataLength", _left(reader))
        reader.check_length(begin + 16, msh, "MessageLength", len(reader.data) - begin - MSH.size)
    reader.message_body(md, len(reader.data), whole=flags1 & _WHOLE == _WHOLE)


def descriptor(reader: StructureReader) -> int:
    """An MD of either version; its place."""
    version = int.from_bytes(reader.data[reader.at + 4 : reader.at + 8], reader.order.endian)
    return reader.take(MD if version == 2 else MD1)


def stated_data_format(reader: StructureReader, md: int) -> tuple[str, int, int]:
    """Format, encoding and CCSID that the descriptor at a place states."""
    ccsid = reader.value(md, "CodedCharSetId")
    return reader.value(md, "Format"), reader.value(md, "Encoding"), ccsid if ccsid > 0 else reader.ccsid


def status(reader: StructureReader, _: int) -> None:
    """A STATUS of either form, or nothing."""
    if _left(reader):
        long = int.from_bytes(reader.data[reader.at : reader.at + 4], reader.order.endian) >= STATUS.size
        reader.take(STATUS if long else STATUS.first(8))


def user_id(reader: StructureReader, _: int) -> None:
    """A UID of either form."""
    reader.take(UID if _left(reader) >= UID.size else UID.first(SHORT_UID_SIZE))


def credentials(reader: StructureReader, _: int) -> None:
    """A CAUT; where it is cut short, nothing behind it is shown."""
    reader.take(conauth_form(reader.data[reader.at :], reader.order))
    if reader.cut:
        reader.at = len(reader.data)


def client_call(reader: StructureReader, segment_type: int, flags1: int) -> None:
    """A call of a client or the reply to it, and other segments of clients."""
    begin = reader.at
    md = NOWHERE
    for part in client_parts(segment_type, reader.data[begin:], reader.order, flags=flags1):
        end = begin + part.end
        if part.name == DATA and md != NOWHERE and not reader.cut:
            reader.message_body(md, end, whole=False)
        elif part.name == EXTRA and not reader.cut:
            reader.extra(end)
        elif part.structure is None or reader.cut:
            reader.leave(part.name, end)
        else:
            place = reader.take(part.structure, end - reader.at, name=part.name, ccsid=part.ccsid)
            md = place if part.name == "MD" and not reader.cut else md


_BODIES: Final[dict[int, Callable[[StructureReader, int], object]]] = {
    SegmentType.INITIAL_DATA: initial_data,
    SegmentType.MESSAGE_DATA: message_data,
    SegmentType.STATUS_DATA: status,
    SegmentType.RESET_DATA: lambda reader, _: reader.take(RESET),
    SegmentType.PING_DATA: lambda reader, _: reader.take(PING),
    SegmentType.USERID_DATA: user_id,
    SegmentType.CONAUTH_INFO: credentials,
}
"""How bodies are taken apart, given ControlFlags1; those that are not among these are calls of clients, or opaque."""
_CALLS: Final = frozenset(map(int, SegmentType)) - _OPAQUE - _BODIES.keys()
