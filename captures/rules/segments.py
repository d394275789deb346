"""Rules for segments: headers, byte order and code page, lengths, compression, fields (C-0nn).

Bytes that form no segment are found by C-912.
"""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.captures.rules.negotiated_values import technique
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.numbers import is_known_encoding, order_of
from mqbridge.protocol.observer.channel import ChannelCompressedSeen, FieldSeen, SegmentUnreadable
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import ConnectionKind, SegmentSeen, SegmentTooLong
from mqbridge.protocol.segment import HEADER_SIZES
from mqbridge.protocol.text import CODECS

_CHANNEL_TYPES: Final = frozenset((*range(SegmentType.INITIAL_DATA, SegmentType.USERID_DATA), SegmentType.HEARTBEAT))
_EITHER: Final = frozenset((SegmentType.RENEGOTIATE_DATA,))
_ONLY_CHANNELS: Final = frozenset((SegmentType.RESYNC_DATA, SegmentType.RESET_DATA, SegmentType.MESSAGE_DATA))
_UNKNOWN_FLAGS_2: Final = 0xF0


@rule("C-002", Severity.ERROR, "Unknown segment type", spec="mq-wire.md 3")
def segment_type(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Types 0x10 to 0x7F, 0x80, 0x90, 0xA0 and 0xB0 are unused.

    expected: a type of the table; seen: type 0x7F
    """
    kind = SegmentType(seen.segment.type)
    return None if kind.known else Deviation("a type of the table", f"type {kind}")


@rule("C-003", Severity.ERROR, "Segment type of another kind of channel", spec="mq-wire.md 3")
def kind_of_channel(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Calls on a message channel, or messages of queue managers on a client channel.

    expected: a segment of message channels; seen: MQPUT
    """
    kind = SegmentType(seen.segment.type)
    if not kind.known:
        return None
    if connection.kind is ConnectionKind.MESSAGE_CHANNEL and kind not in _CHANNEL_TYPES and kind not in _EITHER:
        return Deviation("a segment of message channels", str(kind))
    if connection.kind is ConnectionKind.CLIENT_CONNECTION and kind in _ONLY_CHANNELS:
        return Deviation("a segment of client channels", str(kind))
    return None


@rule("C-004", Severity.ERROR, "Shared conversation header on a message channel", spec="mq-wire.md 2.2")
def header_variant(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Only client channels have conversation ids; TSHC, which has none, occurs on a few segments.

    expected: TSH; seen: TSHM
    """
    segment = seen.segment
    if connection.kind is ConnectionKind.MESSAGE_CHANNEL and segment.header.name == "TSHM":
        return Deviation("TSH", "TSHM")
    return None


@rule("C-005", Severity.WARNING, "Reserved bytes of a segment header not zero", spec="mq-wire.md 2.1")
def reserved(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """The last two bytes of every header are reserved.

    expected: Reserved 0; seen: 8224
    """
    tail, order = seen.segment.tail, seen.segment.order
    value = int.from_bytes(tail[6:8], order.endian)
    return Deviation("Reserved 0", str(value)) if value else None


@rule("C-006", Severity.WARNING, "Unknown bits of ControlFlags2", spec="mq-wire.md 4.2")
def control_flags(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Only four bits are defined.

    expected: bits 0x0F at most; seen: 0x80
    """
    flags = seen.segment.flags2
    return Deviation("bits 0x0F at most", f"0x{flags:02X}") if flags & _UNKNOWN_FLAGS_2 else None


@rule("C-007", Severity.WARNING, "CCSID of a segment without a conversion", spec="mq-wire.md 1.5")
def segment_ccsid(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Names in the segment cannot be read; a live channel refuses it (AMQ9541).

    expected: a CCSID with a conversion; seen: 54321
    """
    ccsid = seen.segment.ccsid
    if not seen.new_code:
        return None
    return None if ccsid in CODECS or not ccsid else Deviation("a CCSID with a conversion", str(ccsid))


@rule("C-008", Severity.WARNING, "Invalid encoding of a segment", spec="mq-wire.md 1.5")
def segment_encoding(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Integer, decimal and float nibble; other values of the upper bits occur and are ignored.

    expected: a known value in each of the three lowest digits; seen: 0x0777
    """
    encoding = seen.segment.encoding
    if seen.new_code and not is_known_encoding(encoding):
        return Deviation("a known value in each of the three lowest digits", f"0x{encoding:04X}")
    return None


@rule("C-009", Severity.INFO, "Encoding and byte order of a segment differ", spec="mq-wire.md 1.2")
def encoding_and_order(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """ByteOrder counts; queue managers sometimes state a different Encoding.

    expected: integers little-endian as ByteOrder says; seen: Encoding 0x0111
    """
    segment = seen.segment
    if seen.new_code and order_of(segment.encoding) not in (None, segment.order):
        expected = f"integers {segment.order.endian}-endian as ByteOrder says"
        return Deviation(expected, f"Encoding 0x{segment.encoding:04X}")
    return None


@rule("C-010", Severity.INFO, "Byte order or CCSID changed", spec="mq-wire.md 1.2")
def changed_code(seen: SegmentSeen, connection: Observer) -> Deviation | None:
    """Allowed, because every segment states its own, but readers that remember the first one fail.

    expected: little-endian, CCSID 819, as before; seen: big-endian, CCSID 819
    """
    if seen.usual is None or not seen.new_code:
        return None
    segment = seen.segment
    order, ccsid = seen.usual
    if (segment.byte_order, segment.ccsid) == (order, ccsid):
        return None
    expected = f"{ByteOrder(order).endian}-endian, CCSID {ccsid}, as before"
    return Deviation(expected, f"{segment.order.endian}-endian, CCSID {segment.ccsid}")


@rule("C-011", Severity.INFERRED, "Segment longer than agreed", spec="mq-wire.md 6.2")
def segment_length(seen: SegmentTooLong, connection: Observer) -> Deviation | None:
    """Whether the header counts is inferred, so one header more is accepted.

    expected: at most 32766 bytes; seen: 40000 bytes
    """
    if seen.length <= seen.agreed + max(HEADER_SIZES.values()):
        return None
    return Deviation(f"at most {seen.agreed} bytes", f"{seen.length} bytes")


@rule("C-012", Severity.INFO, "Compressed segments not read", spec="mq-wire.md 4.2")
def compressed(seen: ChannelCompressedSeen, connection: Observer) -> Deviation:
    """The layout of compressed segments is not public: only the parts in clear are judged.

    expected: segments that can be read; seen: message data compressed (agreed: ZLIBFAST)
    """
    agreed = [""] * 2 if seen.agreed is None else [f" (agreed: {technique(number)})" for number in seen.agreed]
    pairs = zip(("headers", "message data"), (seen.header, seen.data), agreed, strict=True)
    parts = [f"{name} compressed{how}" for name, there, how in pairs if there]
    return Deviation("segments that can be read", " and ".join(parts) or "a compression header")


@rule("C-013", Severity.INFERRED, "Compression not agreed", spec="mq-wire.md 7.2")
def compression_not_agreed(seen: ChannelCompressedSeen, connection: Observer) -> Deviation | None:
    """Compression bits must not appear unless a technique was agreed.

    expected: no compression; seen: headers compressed
    """
    if seen.agreed is None:
        return None
    pairs = zip(("headers", "message data"), (seen.header, seen.data), seen.agreed, strict=True)
    wrong = [name for name, there, agreed in pairs if there and not agreed]
    return Deviation("no compression of these", f"{' and '.join(wrong)} compressed") if wrong else None


@rule("C-014", Severity.ERROR, "Unreadable body of a segment", spec="mq-wire.md 5")
def unreadable(seen: SegmentUnreadable, connection: Observer) -> Deviation | None:
    """The body is shorter than the structure that the segment type requires.

    expected: at least 44 bytes behind the header; seen: 12 bytes
    """
    if seen.what == "RESYNC_DATA":
        return None
    return Deviation(f"{seen.what}: {seen.expected}", seen.seen)


@rule("C-015", Severity.ERROR, "Invalid value of a field", spec="mq-wire.md 5")
def field(seen: FieldSeen, connection: Observer) -> Deviation | None:
    """Structure ids, versions and lengths of the structures of message channels.

    expected: XQH.Version 1; seen: 2
    """
    if seen.certain and not seen.field.startswith("Reserved") and seen.field != "MessageLength":
        return Deviation(f"{seen.structure}.{seen.field} {seen.expected}", seen.seen)
    return None


@rule("C-016", Severity.WARNING, "Reserved field not zero", spec="mq-wire.md 1.3")
def reserved_field(seen: FieldSeen, connection: Observer) -> Deviation | None:
    """Reserved and unused numeric fields are zero.

    expected: ID.Reserved 0; seen: 29440
    """
    if seen.certain and seen.field.startswith("Reserved"):
        return Deviation(f"{seen.structure}.{seen.field} {seen.expected}", seen.seen)
    return None


@rule("C-017", Severity.INFERRED, "Unusual value of a field", spec="mq-wire.md 5.14")
def inferred_field(seen: FieldSeen, connection: Observer) -> Deviation | None:
    """Values that are the same in every capture, although no document defines them.

    expected: MSH.Unknown1 0; seen: 4
    """
    return None if seen.certain else Deviation(f"{seen.structure}.{seen.field} {seen.expected}", seen.seen)


@rule("C-018", Severity.INFERRED, "Unknown layout of RESYNC_DATA", spec="mq-wire.md 7.3")
def unknown_resync(seen: SegmentUnreadable, connection: Observer) -> Deviation | None:
    """The layout that we send ourselves is an assumption.

    expected: RESYNC_DATA: a length of 8 and a sequence number; seen: 40 bytes
    """
    return Deviation(f"RESYNC_DATA: {seen.expected}", seen.seen) if seen.what == "RESYNC_DATA" else None
