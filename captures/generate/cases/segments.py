"""Cases of the rules for segments (C-0nn)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    CALLER,
    CCSID,
    ENCODING,
    FLAGS_2,
    RESERVED,
    SEGMENT_TYPE,
    body_edit,
    both_say,
    case,
    channel,
    field,
    header,
    insert,
    proposed,
)
from mqbridge.captures.generate.conversation import MadeConversation
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.segment import SegmentWriter
from mqbridge.protocol.structures import MSH, XQH

_ID: Final = SegmentType.INITIAL_DATA
_MESSAGE: Final = SegmentType.MESSAGE_DATA
_STATUS: Final = SegmentType.STATUS_DATA
_RESYNC: Final = SegmentType.RESYNC_DATA
_USER: Final = SegmentType.USERID_DATA
_PLAIN: Final = channel()
_BIG: Final[dict[str, Any]] = {"sizes": (40_000,)}


def _shared_header(conversation: MadeConversation) -> None:
    """Request confirmation with a TSHM."""
    place = conversation.find(_STATUS, CALLER)
    segment = conversation.lines[place].segment
    writer = SegmentWriter(segment.order, segment.ccsid)
    conversation.change(place, lambda _: writer.build_shared(1, 1, _STATUS, flags1=segment.flags1))


def _other_order(conversation: MadeConversation) -> None:
    """Send the close in the other byte order."""
    place = conversation.find(_STATUS, CALLER, -1)
    segment = conversation.lines[place].segment
    conversation.change(
        place, lambda _: SegmentWriter(ByteOrder.BIG, segment.ccsid).build(_STATUS, flags1=segment.flags1)
    )


case("C-002", channel(header(_STATUS, SEGMENT_TYPE, b"\x7f", direction=CALLED)), _PLAIN)
case("C-003", channel(insert(_MESSAGE, CALLER, SegmentType.MQPUT, bytes(16), flags=0x30)), channel(quiet=700.0))
case("C-004", channel(_shared_header), _PLAIN)
case("C-005", channel(header(_MESSAGE, RESERVED, b"  ", nth=1)), _PLAIN)
case("C-006", channel(header(_MESSAGE, FLAGS_2, b"\x80", nth=1)), channel(header(_MESSAGE, FLAGS_2, b"\x08", nth=1)))
case(
    "C-007",
    channel(header(_MESSAGE, CCSID, (54_321).to_bytes(2, "little"), nth=1)),
    channel(header(_MESSAGE, CCSID, (437).to_bytes(2, "little"), nth=1)),
)
case(
    "C-008",
    channel(header(_MESSAGE, ENCODING, (0x777).to_bytes(4, "little"), nth=1)),
    channel(header(_MESSAGE, ENCODING, (0x311).to_bytes(4, "little"), nth=1)),
)
case("C-009", channel(header(_MESSAGE, ENCODING, (0x111).to_bytes(4, "little"), nth=1)), channel(order=ByteOrder.BIG))
case("C-010", channel(_other_order), channel(order=ByteOrder.BIG))
case("C-011", channel(*both_say("max_transmission_size", 20_000), **_BIG), channel(sizes=(19_000,)))
case(
    "C-012",
    channel(header(_MESSAGE, FLAGS_2, b"\x02", nth=1), sender={"fap_level": 9, "offered_fap_level": 9}),
    channel(sender={"fap_level": 9, "offered_fap_level": 9}),
)
case(
    "C-013",
    channel(header(_MESSAGE, FLAGS_2, b"\x01", nth=1), sender={"fap_level": 9, "offered_fap_level": 9}),
    channel(
        *both_say("hdr_comp_list", b"\x08\x00"),
        header(_MESSAGE, FLAGS_2, b"\x01", nth=1),
        sender={"fap_level": 9, "offered_fap_level": 9},
    ),
)
case("C-014", channel(body_edit(_ID, lambda body: body[:12], direction=CALLED)), _PLAIN)
case("C-015", channel(field(_MESSAGE, XQH, "version", 2, at=MSH.size, nth=1)), _PLAIN)
case("C-016", channel(proposed("reserved", 29_440)), _PLAIN)
case("C-017", channel(field(_MESSAGE, MSH, "unknown1", 4, nth=1)), _PLAIN)
case("C-018", channel(body_edit(_RESYNC, lambda body: body * 5, direction=CALLED), in_doubt=2), channel(in_doubt=2))
