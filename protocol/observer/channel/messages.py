"""MESSAGE_DATA as parsed by an observer: the relevant fields by one unpack, the rest raw.

Layouts: mq-wire.md 5.14, 7.4. The codec is derived from the same grammar as that of live channels.
"""

from __future__ import annotations

import struct
from typing import Any, Final, NamedTuple

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.observer.kept_data import KeptData, Source
from mqbridge.protocol.observer.observations import Place
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import SEGMENT_HEADERS

HEADERS: Final = SEGMENT_HEADERS.size
"""Length of TSH, MSH, XQH and MD in front of the data: 476 bytes."""

DESCRIPTOR: Final = HEADERS - 324
"""Offset of MD in the segment."""

FORMAT: Final = DESCRIPTOR + 32
"""Offset of its Format, mq-wire.md 5.7."""

TRANSMISSION_HEADER: Final = 428
"""Length of XQH and MD, which MSH.MessageLength includes and MSH.DataLength does not."""

_WANTED: Final = (
    "msh_struc_id",
    "msh_sequence_number",
    "msh_data_length",
    "msh_unknown1",
    "msh_message_length",
    "xqh_struc_id",
    "xqh_version",
    "xqh_remote_q_name",
    "xqh_remote_q_mgr_name",
)
MSH_IDS: Final = (b"MSH ", b"\xd4\xe2\xc8\x40")
XQH_IDS: Final = (b"XQH ", b"\xe7\xd8\xc8\x40")


class MessageHead(NamedTuple):
    """Raw headers in front of a message and its descriptor."""

    msh_id: bytes
    sequence_number: int
    data_length: int
    unknown: int
    message_length: int
    xqh_id: bytes
    xqh_version: int
    queue: bytes
    queue_manager: bytes


def _unpacker(order: ByteOrder) -> struct.Struct:
    codes = [slot.code if slot.field.key in _WANTED else f"{slot.size}x" for slot in SEGMENT_HEADERS.codec(order).SLOTS]
    return struct.Struct(order.prefix + "".join(codes))


UNPACKERS: Final = {int(order): _unpacker(order).unpack_from for order in ByteOrder}
"""Unpacks the values of a :class:`MessageHead` at the beginning of a segment, by its byte order."""


def read_head(segment: Segment) -> tuple[Any, ...]:
    """Return the values of a :class:`MessageHead` for a segment of at least :data:`HEADERS` bytes."""
    return UNPACKERS[segment.byte_order](segment.buffer, segment.start)


def odd_fields(head: MessageHead, segment: Segment) -> list[tuple[str, str, str, str, bool]]:
    """Return values of :class:`FieldSeen` for each header field with an invalid value."""
    wanted_ids = (MSH_IDS[segment.ebcdic], XQH_IDS[segment.ebcdic])
    found: list[tuple[str, str, str, str, bool]] = []
    if head.msh_id not in MSH_IDS:
        found.append(("MSH", "StrucId", wanted_ids[0].hex(), head.msh_id.hex(), True))
    if head.unknown:
        found.append(("MSH", "Unknown1", "0", str(head.unknown), False))
    if head.message_length != head.data_length + TRANSMISSION_HEADER:
        wanted = f"{head.data_length + TRANSMISSION_HEADER}, {TRANSMISSION_HEADER} more than DataLength"
        found.append(("MSH", "MessageLength", wanted, str(head.message_length), True))
    if head.xqh_id not in XQH_IDS:
        found.append(("XQH", "StrucId", wanted_ids[1].hex(), head.xqh_id.hex(), True))
    if head.xqh_version != 1:
        found.append(("XQH", "Version", "1", str(head.xqh_version), True))
    return found


class ObservedPartialMessage:
    """A split message whose last segment has not arrived. ``whole``: nothing of it was lost so far."""

    __slots__ = ("data", "first", "head", "last", "luwid", "segments", "source", "whole")

    def __init__(self, head: MessageHead, segment: Segment, place: Place, limit: int) -> None:
        self.head = head
        self.luwid = segment.luwid
        self.first = self.last = place
        self.segments = 1
        self.whole = True
        # The descriptor is kept longer than the receive buffer.
        descriptor = segment.buffer[segment.start + DESCRIPTOR : segment.start + HEADERS]
        self.source: Source = descriptor, segment.order, segment.ccsid
        self.data = KeptData(limit, self.source)
        self.data.add(segment.body_view[HEADERS - 28 :])

    def add(self, segment: Segment, place: Place) -> None:
        """Add the data of a later segment."""
        self.data.add(segment.body_view)
        self.segments += 1
        self.last = place
