"""ASYNC, the header of ASYNC_MESSAGE: in front of a message that a server sends on request, mq-wire.md 5.11.

The first segment of a message carries the long form, a queue name of any length and padding, then MD and data; later
segments carry the first 24 bytes and go on with the data.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct, this

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.async_message import AsyncBig, AsyncLittle, AsyncMoreBig, AsyncMoreLittle


def _every_segment(n: Numbers) -> tuple[Any, ...]:
    return (
        n.u32("Version", "1", default=1),
        n.i32("ObjectHandle", "queue handle"),
        n.u32("MessageIndex", "counts the messages of the handle from 1"),
        n.u32("GlobalMessageIndex", "counts the messages of the conversation from 1"),
        n.u32("SegmentLength", "bytes of message data in this segment"),
        n.u16("SegmentIndex", "0 in the first segment of a message"),
        n.u16("SelectionIndex", "that of the request"),
    )


def _first_segment(n: Numbers) -> tuple[Any, ...]:
    return (
        n.u32("ReasonCode", "0, or why the message is cut", since="first segment", names=MQRC),
        n.u32("TotalMsgLength", "bytes of data that are delivered", since="first segment"),
        n.u32("ActualMsgLength", "bytes of data on the queue", since="first segment"),
        raw("MsgToken", 16, "message token", since="first segment"),
        n.u16("Status", "not known", since="first segment"),
        n.u8("ResolvedQNameLength", "bytes of the queue name that follows", since="first segment"),
    )


ASYNC_MORE = Structure(
    "ASYNC", lambda n: Struct(*_every_segment(n)), AsyncMoreBig, AsyncMoreLittle, spec="mq-wire.md 5.11"
)
"""The header of later segments, 24 bytes."""

ASYNC = Structure(
    "ASYNC", lambda n: Struct(*_every_segment(n), *_first_segment(n)), AsyncBig, AsyncLittle, spec="mq-wire.md 5.11"
)
"""The header of the first segment up to the length of the queue name, 55 bytes."""

_ALIGNMENT: Final = 4


def _named(n: Numbers) -> Any:
    return Struct(
        *_every_segment(n),
        *_first_segment(n),
        char("ResolvedQName", this.resolved_q_name_length, "queue that the message came from", since="first segment"),
        raw("Padding", -(ASYNC.size + this.resolved_q_name_length) % _ALIGNMENT, "up to a multiple of four"),
    )


ASYNC_NAMED = Structure("ASYNC", _named, spec="mq-wire.md 5.11")
"""The header of the first segment with the queue name and its padding."""


def async_name(name: bytes) -> bytes:
    """Return a queue name with its padding for :data:`ASYNC`: header and name end at a multiple of four."""
    return name + bytes(-(ASYNC.size + len(name)) % _ALIGNMENT)


def async_name_size(length: int) -> int:
    """Return the bytes of a queue name of ``length`` bytes with its padding."""
    return length + -(ASYNC.size + length) % _ALIGNMENT
