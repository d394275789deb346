"""Segment headers: TSH and TSHC of 28 bytes, TSHM of 36 bytes, mq-wire.md 2."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQENC, ControlFlags1, ControlFlags2, SegmentType
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.tsh import TshBig, TshcBig, TshcLittle, TshLittle, TshmBig, TshmLittle


def _order_name(byte_order: int) -> str:
    return {1: "big-endian", 2: "little-endian"}.get(byte_order, str(byte_order))


def _tail(n: Numbers) -> tuple[Any, ...]:
    """Return the fields of TSH and TSHM behind the length and the ids."""
    return (
        n.u8(
            "ByteOrder",
            "of all integers that are not said to be big-endian",
            names=_order_name,
            default=int(n.order),
        ),
        n.u8("SegmentType", "what the segment is", names=SegmentType),
        n.u8("ControlFlags1", "confirm, error, close, first and last", names=ControlFlags1),
        n.u8("ControlFlags2", "compression", names=ControlFlags2),
        raw("LUWID", 8, "logical unit of work of a message-channel batch, zeros elsewhere"),
        n.u32("Encoding", "numbers of the sender, informative", names=MQENC, default=546),
        n.u16("CCSID", "code page of the character fields of the segment", default=437),
        n.u16("Reserved", "0"),
    )


def _tsh(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`TSH` and a blank, or `TSHC`", default=b"TSH"),
        n.network_u32("SegLength", "length of the whole segment with this header, always big-endian", default=28),
        *_tail(n),
    )


def _tshm(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`TSHM`", since="FAP 9", default=b"TSHM"),
        n.network_u32("SegLength", "length of the whole segment with this header, always big-endian", default=36),
        n.network_u32("ConversationId", "conversation on this socket, always big-endian"),
        n.network_u32("RequestId", "request inside the conversation, repeated by its reply, always big-endian"),
        *_tail(n),
    )


TSH = Structure("TSH", _tsh, TshBig, TshLittle, spec="mq-wire.md 2.1")
"""Segment header of a connection that is not shared."""

TSHC = Structure("TSHC", _tsh, TshcBig, TshcLittle, spec="mq-wire.md 2.1")
"""Segment header for a shared connection as a whole; the layout of TSH."""

TSHM = Structure("TSHM", _tshm, TshmBig, TshmLittle, spec="mq-wire.md 2.2")
"""Segment header for one conversation of a shared connection."""
