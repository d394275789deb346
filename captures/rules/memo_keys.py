"""Memo keys of the most frequent observations; see ``captures.rules.catalogue``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from mqbridge.captures.rules import limits
from mqbridge.captures.rules.catalogue import memo_key
from mqbridge.protocol.inferred import ALIGNED_CLIENT_SEGMENTS
from mqbridge.protocol.observer.channel import ProposalAnswered, Proposed
from mqbridge.protocol.observer.client import CallAnswered
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import DescriptorSeen, MessageRoute, MessageSeen, SegmentSeen

_CHANNEL: Final = MessageRoute.CHANNEL
_PUT: Final = MessageRoute.PUT


@memo_key(SegmentSeen, "C-002", "C-003", "C-004", "C-005", "C-006", "C-007", "C-008", "C-009", "C-010")
def header(seen: SegmentSeen, connection: Observer) -> Hashable:
    """Return the header without length, ids, LUWID and the flags that define the segment."""
    segment = seen.segment
    known = segment.struc_id, segment.byte_order, segment.flags2, segment.tail
    return connection.kind, segment.type, known, seen.usual, seen.new_code


@memo_key(Proposed, "C-114", "C-116", "C-118", "C-119")
def proposal(seen: Proposed, connection: Observer) -> Hashable:
    """Return both statements, which are the same objects for equal bytes."""
    return seen.values, seen.answer, seen.round


@memo_key(
    ProposalAnswered, "C-101", "C-102", "C-103", "C-104", "C-105", "C-106", "C-107", "C-108", "C-109", "C-110", "C-111",
    "C-112", "C-113", "C-115", "C-117", "C-122",
)  # fmt: skip
def answer(seen: ProposalAnswered, connection: Observer) -> Hashable:
    """Return both statements, likewise."""
    return seen.values, seen.proposal


@memo_key(
    DescriptorSeen, "C-401", "C-402", "C-403", "C-404", "C-405", "C-406", "C-407", "C-408", "C-409", "C-410", "C-411",
    "C-413", "C-414", "C-416",
)  # fmt: skip
def descriptor(seen: DescriptorSeen, connection: Observer) -> Hashable:
    """Return StrucId to Persistence, ReplyToQ, PutApplType, MsgFlags."""
    message = seen.message
    raw = message.descriptor
    fields = raw[:48], raw[100:148], raw[272:276], raw[356:360]
    return message.course, message.order, len(raw), fields


@memo_key(MessageSeen, "C-412", "C-415", "C-424", "C-532", "C-704")
def message(seen: MessageSeen, connection: Observer) -> Hashable:
    """Return PutDate and PutTime unless all digits, Expiry, and whether there is a queue; None for excessive
    lengths."""
    message = seen.message
    raw, length, course = message.descriptor, message.length, message.course
    if length > limits.LARGE_MESSAGE:
        return None
    if course is _PUT:
        agreed = connection.agreed_client
        if agreed is not None and length > agreed.message_length:
            return None
    when = raw[304:320]
    fields = raw[16:20], b"" if when.isdigit() else when
    return course, message.order, fields, course is not _CHANNEL or not message.queue


@memo_key(CallAnswered, "C-508", "C-509", "C-510", "C-511", "C-512", "C-513", "C-514", "C-611", "C-706")
def call(seen: CallAnswered, connection: Observer) -> Hashable:
    """Return the difference between actual and stated reply length; None for calls that failed or were slow."""
    if seen.comp_code or seen.reason or seen.counted > seen.room + ALIGNED_CLIENT_SEGMENTS:
        return None
    if seen.answered.time - seen.asked.time > limits.SLOW_CALL:
        return None
    return seen.counted - seen.stated
