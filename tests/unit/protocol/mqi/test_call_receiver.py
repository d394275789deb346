"""Segments become calls, whole or in parts; what comes at the wrong time is refused."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQRC, SegmentType
from mqbridge.protocol.mqi import CallRefused, Close, Commit, Delivery, Disconnect, Put
from mqbridge.protocol.mqi.call_receiver import CallReceiver
from mqbridge.protocol.mqi.replies import Replies
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from support.clients.mqi_parts import ORDER, WRITER, Alone, agreed, api, outcome, shared

FIRST, MIDDLE, LAST = 0x10, 0x00, 0x20


def receiver(**changes: int) -> tuple[Alone, CallReceiver]:
    alone = Alone(agreed(**changes))
    alone.connected(1)
    replies = Replies(alone.link, alone.conversations, WRITER)
    return alone, CallReceiver(alone.link, alone.conversations, replies)


def put(data: bytes, options: int = 0x20000) -> bytes:
    head = MD.codec(ORDER)(version=2).build() + make_pmo(ORDER, 2, options=options).build()
    return api(2) + head + len(data).to_bytes(4, ORDER.endian) + data


def test_a_call_is_counted_and_waits() -> None:
    alone, calls = receiver()
    calls.segment(shared(SegmentType.MQCMIT, api(), request=9), 1005.0)
    (call,) = alone.link.drain()
    assert isinstance(call, Commit)
    assert (call.conversation, call.request, call.room) == (1, 9, 4096)
    assert alone.conversations.calling == [call]
    assert (alone.link.wire.counters.messages, alone.link.wire.counters.last_message) == (1, 1005.0)


def test_a_put_comes_in_parts_and_keeps_its_pieces() -> None:
    alone, calls = receiver()
    body = put(b"x" * 9000)
    for at, flags in ((0, FIRST), (4000, MIDDLE), (8000, LAST)):
        assert not alone.link.drain()
        calls.segment(shared(SegmentType.MQPUT, body[at : at + 4000], flags=flags), 1000.0)
    (call,) = alone.link.drain()
    assert isinstance(call, Put)
    assert b"".join(call.data) == b"x" * 9000  # type: ignore[arg-type]


def test_a_put_that_is_too_long_fails_and_its_data_are_not_kept() -> None:
    alone, calls = receiver(max_message_length=5000)
    body = put(b"x" * 9000)
    calls.segment(shared(SegmentType.MQPUT, body[:4000], flags=FIRST), 1000.0)
    partial = alone.conversations.by_id[1].partial
    assert partial is not None
    assert not partial.keep
    calls.segment(shared(SegmentType.MQPUT, body[4000:], flags=LAST), 1000.0)
    (refused,) = alone.link.drain()
    assert isinstance(refused, CallRefused)
    assert refused.reason == MQRC.MSG_TOO_BIG_FOR_CHANNEL
    assert outcome(*alone.sent())[:2] == (2, MQRC.MSG_TOO_BIG_FOR_CHANNEL)


@pytest.mark.parametrize(("flags", "what"), [((FIRST, FIRST), "inside another"), ((MIDDLE,), "without its first")])
def test_parts_in_a_wrong_order_are_a_fault(flags: tuple[int, ...], what: str) -> None:
    _, calls = receiver()
    *before, last = (shared(SegmentType.MQCMIT, api(), flags=each) for each in flags)
    for each in before:
        calls.segment(each, 1000.0)
    with pytest.raises(ChannelError, match=what):
        calls.segment(last, 1000.0)


def test_a_second_call_beside_one_that_waits_is_refused_and_the_first_goes_on() -> None:
    alone, calls = receiver()
    calls.segment(shared(SegmentType.MQCMIT, api()), 1000.0)
    (first,) = alone.link.drain()
    calls.segment(shared(SegmentType.MQBACK, api(), request=8), 1000.0)
    assert outcome(*alone.sent())[:2] == (2, MQRC.CALL_IN_PROGRESS)
    assert alone.conversations.calling == [first]


def test_mqdisc_moves_the_conversation() -> None:
    alone, calls = receiver()
    calls.segment(shared(SegmentType.MQDISC, api()), 1000.0)
    (call,) = alone.link.drain()
    assert isinstance(call, Disconnect)
    assert alone.conversations.by_id[1].state.value == "Disconnecting"


def test_a_close_stops_the_delivery_and_has_what_was_not_received() -> None:
    alone, calls = receiver()
    conversation = alone.conversations.by_id[1]
    delivery = conversation.deliveries[2] = Delivery(conversation.stream, 2)
    delivery._sent += [(1, 1, "first", True), (2, 2, "second", True)]
    calls.segment(shared(SegmentType.MQCLOSE, api(2, comp_code=1) + bytes(4)), 1000.0)
    (call,) = alone.link.drain()
    assert isinstance(call, Close)
    assert (call.unreceived, delivery.take_arrived(), delivery.closed) == (["second"], ("first",), True)
