"""JMS messages through the front door: they take and give messages of the client."""

from __future__ import annotations

import time

import pytest

import mqbridge
from mqbridge import Destination, JmsMessage, Typed
from mqbridge.mappings.jms import JmsFormatError


@pytest.mark.spec("jms-mapping.md 6")
def test_a_message_there_and_back() -> None:
    there = Destination.parse("queue://QM1/ORDERS?targetClient=0&persistence=2")
    message = JmsMessage("map", {"count": Typed(5, "i4"), "name": "abc"}, reply_to="topic://answers").message(there)
    assert isinstance(message, mqbridge.Message)
    assert message.persistent
    assert message.text == """<map><elt name="count" dt='i4'>5</elt><elt name="name">abc</elt></map>"""
    found = JmsMessage.of(message)
    assert (found.kind, found.body) == ("map", {"count": Typed(5, "i4"), "name": Typed("abc", "string")})
    assert (found.destination, found.reply_to) == (there, Destination.topic("answers"))
    assert abs(found.timestamp / 1000 - time.time()) < 60
    assert (found.priority, found.delivery_mode, found.expiration, found.type) == (4, 2, 0, None)
    assert (found.correlation_id, found.group_id, found.group_seq, found.properties) == (None, None, None, {})
    assert (found.redelivered, found.delivery_count) == (False, 1)
    assert found.message_id == "ID:" + "00" * 24
    assert found.provider_properties["JMS_IBM_Format"] == Typed("MQSTR", "string")
    assert found.headers.delivery_count == 1
    assert "JmsMessage" in repr(found)


@pytest.mark.spec("jms-mapping.md 11.9")
def test_a_reply_to_a_message_of_the_client() -> None:
    request = mqbridge.Message("question", reply_to="ANSWERS", reply_to_queue_manager="QM2", msg_id=b"\1" * 24)
    answer = JmsMessage.of(request).reply("text", "answer", properties={"good": True}).message()
    assert (answer.stored.data, answer.format) == (b"answer", "MQSTR")
    assert answer.correl_id == b"\1" * 24
    with pytest.raises(JmsFormatError, match="no destination for replies"):
        JmsMessage.of(mqbridge.Message("x")).reply("text", "answer")
