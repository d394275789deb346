"""Replies: one for each call, in the order and character set of the call."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQRC, ByteOrder, SegmentType
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.mqi import NO_HANDLE, Close, Commit, Disconnect, Get, Inquire, Notify
from mqbridge.protocol.mqi.calls import CallHead
from mqbridge.protocol.mqi.replies import Replies
from mqbridge.protocol.structures.gmo import make_gmo
from mqbridge.protocol.structures.md import MD
from support.clients.mqi_parts import ORDER, WRITER, Alone, agreed, outcome


def head(segment_type: int, number: int = 1, request: int = 7, handle: int = 0) -> CallHead:
    return CallHead(number, request, segment_type, ORDER, 819, handle, 0)


def waiting(
    kind: Any, segment_type: int, number: int = 1, handle: int = 0, **values: Any
) -> tuple[Alone, Replies, Any]:
    alone = Alone(agreed(conversations=number and 2, transmission_size=1000))
    conversation = alone.connected(number)
    call = kind(head(segment_type, number, handle=handle), **values)
    if not call.beside:
        conversation.waiting = call
    return alone, Replies(alone.link, alone.conversations, WRITER), call


@pytest.mark.parametrize(("number", "header"), [(1, "TSHM"), (0, "TSH")])
def test_a_reply_goes_to_the_conversation_of_its_call(number: int, header: str) -> None:
    alone, replies, call = waiting(Commit, SegmentType.MQCMIT, number)
    replies.answer(call)
    (sent,) = alone.sent()
    assert (sent.header.name, sent.type, sent.conversation_id) == (header, SegmentType.MQCMIT_REPLY, number)
    assert outcome(sent) == (0, 0, 0)
    assert alone.conversations.calling == []


def test_a_call_is_answered_once() -> None:
    _, replies, call = waiting(Commit, SegmentType.MQCMIT)
    replies.answer(call, reason=MQRC.BACKED_OUT)
    with pytest.raises(LocalProtocolError, match="answered before"):
        replies.refuse(call, MQRC.BACKED_OUT)


def test_nothing_goes_to_a_conversation_that_is_over() -> None:
    alone, replies, call = waiting(Commit, SegmentType.MQCMIT)
    alone.conversations.end_all()
    replies.answer(call)
    assert alone.sent() == []


def test_the_reply_to_mqdisc_moves_the_conversation() -> None:
    alone, replies, call = waiting(Disconnect, SegmentType.MQDISC)
    conversation = alone.conversations.by_id[1]
    conversation.state = type(conversation.state).DISCONNECTING
    replies.answer(call)
    assert conversation.state.value == "Disconnected"


@pytest.mark.parametrize("fails", [True, False])
def test_a_handle_is_gone_once_its_close_was_answered(fails: bool) -> None:
    alone, replies, call = waiting(Close, SegmentType.MQCLOSE, handle=2, options=0, last_index=0)
    alone.conversations.by_id[1].handles.add(2)
    if fails:
        replies.refuse(call, MQRC.OPTION_NOT_VALID_FOR_TYPE)
    else:
        replies.answer(call)
        assert outcome(*alone.sent())[2] == NO_HANDLE
    assert (2 in alone.conversations.by_id[1].handles) is fails


def test_what_comes_beside_a_call_leaves_that_call_waiting() -> None:
    alone, replies, call = waiting(Notify, SegmentType.SPI, connection_id=bytes(24), reason=0, spi=bytes(12))
    other = Commit(head(SegmentType.MQCMIT, request=6))
    alone.conversations.by_id[1].waiting = other
    replies.answer(call)
    assert alone.conversations.calling == [other]
    assert len(alone.sent()) == 1


def test_a_long_reply_takes_several_segments() -> None:
    descriptor = MD.codec(ORDER)(version=2).build()
    alone, replies, call = waiting(
        Get, SegmentType.MQGET, descriptor=descriptor, options=make_gmo(ORDER, 1), buffer_length=9000
    )
    replies.get(call, [b"x" * 2000, b"y" * 1000])
    sent = alone.sent()
    assert [segment.flags1 & 0x30 for segment in sent] == [0x10, 0, 0, 0x20]
    assert b"".join(segment.body for segment in sent).endswith(b"x" * 2000 + b"y" * 1000)


def test_a_client_that_kept_its_own_byte_order_is_answered_in_it() -> None:
    alone, replies, call = waiting(Inquire, SegmentType.MQINQ, selectors=(3,), int_attr_count=1, char_attr_length=0)
    call.order, call.ccsid = ByteOrder.BIG, 500
    replies.inquire(call, [5], b"")
    (sent,) = alone.sent()
    assert (sent.order, sent.ccsid, sent.encoding) == (ByteOrder.BIG, 500, SegmentWriter(ByteOrder.LITTLE).encoding)
