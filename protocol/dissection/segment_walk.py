"""The structures of one segment behind its header, in order.

A :class:`StructureReader` reads them: that of :mod:`~protocol.dissection.segments` shows everything, that of
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
"""Bytes that may hold a password: only their number is shown."""
NOWHERE: Final = -1
_API: Final = range(0x81, 0xA0)
_CSH: Final = int(ControlFlags2.CSH)
_COMPRESSED: Final = int(ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP | ControlFlags2.CSH)
_FIRST: Final = int(ControlFlags1.FIRST)
_WHOLE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)


class StructureReader(Protocol):
    """Reads the structures of one segment from front to back.

    ``data``: bytes of the segment, possibly truncated. ``at``: current offset. ``cut``: a structure was truncated, so
    that nothing complete follows.
    """

    data: bytes
    at: int
    order: ByteOrder
    ccsid: int
    cut: bool

    def take(
        self, structure: Structure[Any], most: int | None = None, *, name: str = "", ccsid: int | None = None
    ) -> int:
        """Read a structure of at most ``most`` bytes; return its index, valid unless it was truncated.

        ``name``: shown in place of the structure's. ``ccsid``: of its characters, if not that of the segment.
        """
        ...

    def value(self, place: int, name: str) -> Any:
        """Return the value of a field of the structure with this index."""
        ...

    def leave(self, name: str, end: int | None = None) -> None:
        """Take bytes without structure, up to ``end`` or to the end of the segment, under a name."""
        ...

    def check_length(self, at: int, msh: int, name: str, true: int) -> None:
        """Warn if the length ``name`` in the MSH with index ``msh`` is not the true one; ``at``: its offset."""
        ...

    def message_body(self, md: int, end: int, *, whole: bool) -> None:
        """Read the headers and data described by the descriptor with index ``md``.

        If they may be incomplete (``whole`` is false), errors in them are warnings.
        """
        ...

    def extra(self, end: int) -> None:
        """Read the PCF that a queue manager adds to a reply (mq-wire.md 5.12)."""
        ...


def _left(reader: StructureReader) -> int:
    return len(reader.data) - reader.at


def walk_body(reader: StructureReader, segment_type: int, flags1: int, flags2: int) -> None:
    """Read the structures behind the header, given its segment type and control flags."""
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
    """Read an ID of any FAP level."""
    level = reader.data[reader.at + 4] if _left(reader) > 4 else 0
    known = min(initial_data_size(level), _left(reader))
    if known >= SMALLEST_ID:
        known = max(end for slot in ID.slots if (end := slot.offset + slot.size) <= known)
        reader.take(ID.first(known))
    else:
        reader.take(ID)


def message_data(reader: StructureReader, flags1: int) -> None:
    """Read a message of a message channel, or a part of one."""
    if not flags1 & _FIRST:
        reader.leave("data")  # a later part: the headers are in the first
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
    """Read an MD of either version; return its index."""
    version = int.from_bytes(reader.data[reader.at + 4 : reader.at + 8], reader.order.endian)
    return reader.take(MD if version == 2 else MD1)


def stated_data_format(reader: StructureReader, md: int) -> tuple[str, int, int]:
    """Return Format, Encoding and CCSID of the data, from the descriptor with this index."""
    ccsid = reader.value(md, "CodedCharSetId")
    return reader.value(md, "Format"), reader.value(md, "Encoding"), ccsid if ccsid > 0 else reader.ccsid


def status(reader: StructureReader, _: int) -> None:
    """Read a STATUS of either form, or an empty body."""
    if _left(reader):
        long = int.from_bytes(reader.data[reader.at : reader.at + 4], reader.order.endian) >= STATUS.size
        reader.take(STATUS if long else STATUS.first(8))


def user_id(reader: StructureReader, _: int) -> None:
    """Read a UID of either form."""
    reader.take(UID if _left(reader) >= UID.size else UID.first(SHORT_UID_SIZE))


def credentials(reader: StructureReader, _: int) -> None:
    """Read a CAUT; if it is truncated, nothing behind it is shown."""
    reader.take(conauth_form(reader.data[reader.at :], reader.order))
    if reader.cut:
        reader.at = len(reader.data)


def client_call(reader: StructureReader, segment_type: int, flags1: int) -> None:
    """Read a call, a reply, or another segment of a client connection."""
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
"""Readers of bodies, called with ControlFlags1; other bodies are those of client connections, or opaque."""
_CALLS: Final = frozenset(map(int, SegmentType)) - _OPAQUE - _BODIES.keys()
