"""The MQI of a client connection."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQPMO, MQRC, SegmentType
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.mqi_client import Calls, GetParameters, MessageTooLong, ObjectName
from mqbridge.protocol.mqi_client.gets import Gets
from mqbridge.protocol.structures import API
from mqbridge.protocol.structures.md import MD
from support.clients.mqi_parts import ORDER, ClientAlone, agreed

DESCRIPTOR = MD.codec(ORDER)(version=2).build()
ASYNCHRONOUS = int(MQPMO.ASYNC_RESPONSE | MQPMO.FAIL_IF_QUIESCING)


def calling() -> tuple[ClientAlone, Calls]:
    alone = ClientAlone(agreed())
    gets = Gets(alone.link, alone.conversation, alone.exchange)
    return alone, Calls(alone.link, alone.conversation, alone.exchange, gets)


def test_a_put_without_reply_is_done_when_it_is_sent() -> None:
    alone, calls = calling()
    call = calls.put(2, DESCRIPTOR, b"hello", ASYNCHRONOUS, 1000.0)
    assert (call.done, call.failed, alone.exchange.call, alone.link.drain()) == (True, False, None, [])
    assert [segment.type for segment in alone.sent()] == [SegmentType.MQPUT]


def test_it_is_not_sent_once_all_quiesces() -> None:
    alone, calls = calling()
    alone.conversation.quiescing = int(MQRC.Q_MGR_QUIESCING)
    call = calls.put1(ObjectName(name="Q"), DESCRIPTOR, b"hello", ASYNCHRONOUS, 1000.0)
    assert (call.done, call.reason, alone.sent()) == (True, MQRC.Q_MGR_QUIESCING, [])
    assert not calls.put(2, DESCRIPTOR, b"hello", 0, 1000.0).done


def test_a_message_that_the_channel_does_not_take_is_not_sent() -> None:
    alone, calls = calling()
    with pytest.raises(MessageTooLong) as caught:
        calls.put(2, DESCRIPTOR, bytes(10_001), 0, 1000.0)
    assert (caught.value.reason, alone.sent()) == (MQRC.DATA_LENGTH_ERROR, [])


def test_a_close_tells_the_last_message_that_was_taken() -> None:
    alone, calls = calling()
    calls.get(2, GetParameters(), 1000.0)
    with pytest.raises(LocalProtocolError, match="another call waits"):
        calls.close_object(2, 0, 1000.0)
    assert alone.exchange.call is not None
    alone.exchange.release(alone.exchange.call)
    alone.sent()
    calls.close_object(2, 0, 1001.0)
    (sent,) = alone.sent()
    assert API.codec(ORDER).parse(sent.body).comp_code == 0


def test_nothing_can_be_called_after_mqdisc() -> None:
    alone, calls = calling()
    call = calls.disconnect(1000.0)
    alone.exchange.finish(call)
    with pytest.raises(LocalProtocolError, match="Disconnecting"):
        calls.commit(1001.0)
