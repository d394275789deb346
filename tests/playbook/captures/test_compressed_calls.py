"""Compressed calls of clients: their messages have a row, with what calls and replies tell in clear."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.analysis.message_rows import pending_row
from mqbridge.captures.rules import Severity
from mqbridge.protocol.constants import MQGMO, MQOO, SegmentType
from mqbridge.protocol.observer import (
    MessageOutcome,
    MessageRoute,
    MessageSeen,
    MessageSettled,
    UnreadMessage,
    UnreadMessageSeen,
)
from mqbridge.protocol.observer.client import CallAnswered, CallMalformed
from support.rules.client_watch import MSG_ID, ClientWatch

SQUEEZED = b"\x94\0\0\2" + b"?" * 40
PUT, PUT1, GET = SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.MQGET
NO_SYNCPOINT, SYNCPOINT = int(MQGMO.NO_SYNCPOINT), int(MQGMO.SYNCPOINT)
IF_PERSISTENT, BROWSE = int(MQGMO.SYNCPOINT_IF_PERSISTENT), int(MQGMO.BROWSE_NEXT)


def compressed(segment: bytes) -> bytes:
    """The same with the flag of compressed data."""
    at = 19 if segment[:4] == b"TSHM" else 11
    return segment[:at] + bytes([segment[at] | 2]) + segment[at + 1 :]


def begun(name: str = "Q") -> ClientWatch:
    return ClientWatch().started().opens(name, options=int(MQOO.OUTPUT | MQOO.INPUT_SHARED))


def asks(watch: ClientWatch, kind: int, body: bytes = SQUEEZED, **how: Any) -> None:
    watch.caller(compressed(watch.segment(kind, watch.api(2, length=900), body, **how)))


def replies(watch: ClientWatch, kind: int, body: bytes = SQUEEZED, reason: int = 0, comp_code: int = 0) -> None:
    head = watch.api(2, comp_code or (2 if reason else 0), reason, 44 + len(body))
    watch.called(compressed(watch.segment(kind + 0x10, head, body)))


def told(watch: ClientWatch) -> tuple[UnreadMessage, MessageOutcome]:
    (seen,) = watch.seen(UnreadMessageSeen)
    settled = [one for one in watch.seen(MessageSettled) if one.message is seen.message]
    assert len(settled) == 1
    assert not watch.seen(MessageSeen)
    assert not watch.seen(CallMalformed)
    return seen.message, settled[0].fate


@pytest.mark.parametrize(("reason", "fate"), [(0, MessageOutcome.UNKNOWN), (2053, MessageOutcome.REFUSED)])
def test_a_put_tells_where_it_goes_and_how_it_ended(reason: int, fate: MessageOutcome) -> None:
    watch = begun()
    asks(watch, PUT)
    replies(watch, PUT, reason=reason)
    message, found = told(watch)
    assert found is fate
    assert (message.course, message.queue, message.handle) == (MessageRoute.PUT, "Q", 2)
    assert (message.length, message.whole, message.descriptor) == (len(SQUEEZED), False, b"")
    assert watch.seen(CallAnswered)[-1].reason == reason


def test_a_reply_in_clear_gives_the_descriptor() -> None:
    watch = begun()
    asks(watch, PUT)
    body = watch.put_body(b"")
    watch.replies(PUT, watch.descriptor(msg_id=MSG_ID) + body[364:], handle=2)
    message, fate = told(watch)
    assert fate is MessageOutcome.UNKNOWN
    _, _, back = pending_row(message, 1, "", AnalysisOptions("c"))
    assert MSG_ID.hex() in back
    assert (message.length, message.whole) == (len(SQUEEZED), False)


def test_segments_of_a_put_count_together() -> None:
    watch = begun()
    asks(watch, PUT1, flags=0x10)
    watch.caller(watch.segment(PUT1, b"?" * 30, flags=0x20))
    replies(watch, PUT1)
    message, _ = told(watch)
    assert message.length == len(SQUEEZED) + 30
    assert message.first.offset < message.last.offset


@pytest.mark.parametrize(
    ("options", "reason", "course", "fate"),
    [
        (NO_SYNCPOINT, 0, MessageRoute.GET, MessageOutcome.CONFIRMED),
        (IF_PERSISTENT, 0, MessageRoute.GET, MessageOutcome.UNKNOWN),
        (BROWSE, 0, MessageRoute.BROWSE, MessageOutcome.CONFIRMED),
        (NO_SYNCPOINT, 2080, MessageRoute.GET, MessageOutcome.REFUSED),
    ],
)
def test_a_get_that_is_answered_compressed(
    options: int, reason: int, course: MessageRoute, fate: MessageOutcome
) -> None:
    watch = begun()
    watch.asks_get(options)
    replies(watch, GET, reason=reason, comp_code=1 if reason else 0)
    message, found = told(watch)
    assert (message.course, found, message.queue, message.length) == (course, fate, "Q", len(SQUEEZED))


def test_a_get_under_syncpoint_is_settled_by_its_unit() -> None:
    watch = begun()
    watch.asks_get(SYNCPOINT)
    replies(watch, GET)
    assert not watch.seen(MessageSettled)
    watch.does(SegmentType.MQBACK)
    assert told(watch)[1] is MessageOutcome.BACKED_OUT


@pytest.mark.parametrize(("squeezed", "reason"), [(True, 0), (False, 2033)])
def test_no_row_where_there_may_be_no_message(squeezed: bool, reason: int) -> None:
    watch = begun()
    if squeezed:
        asks(watch, GET)  # whose options are not known
    else:
        watch.asks_get(NO_SYNCPOINT)
    replies(watch, GET, reason=reason)
    watch.end()
    assert not watch.seen(UnreadMessageSeen)
    assert not watch.seen(MessageSeen)
    assert watch.seen(CallAnswered)[-1].reason == reason


def test_streams_of_compressed_messages_are_not_taken_for_malformed_ones() -> None:
    watch = begun().requests()
    for _ in range(2):
        watch.called(compressed(watch.segment(SegmentType.ASYNC_MESSAGE, b"?" * 200, request=1)))
    watch.requests(index=2).closes().leaves()
    watch.end()
    assert not watch.seen(CallMalformed)
    assert not watch.seen(MessageSeen)
    assert [one.rule for one in watch.findings if one.severity in (Severity.ERROR, Severity.WARNING)] == []
    assert "C-533" in watch.rules()
