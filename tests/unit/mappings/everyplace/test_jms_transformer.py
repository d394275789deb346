"""The transformer ``jms`` of Everyplace, row by row (jms-mapping.md 9)."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.everyplace import JmsTransformer
from mqbridge.mappings.inferred import DUMP_FORMAT
from mqbridge.mappings.jms import JmsMessage as MqJmsMessage
from mqbridge.mappings.jms import Typed
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.jms_message import JmsKind, JmsMessage, is_jms
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.mq_style import MQ_STYLE
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

ORDERS: Final = Address("ORDERS", "SATURN")
NOW: Final = 1_795_251_600.0
TIME: Final = int(NOW * 1000)
UID: Final = MessageUid("MOON", TIME - 1000)


def to_mq(message: JmsMessage) -> MqJmsMessage:
    if message.message.uid is None:
        message.message.identify(UID)
    found = JmsTransformer().to_mq(message.message, ORDERS, MQPMO.SYNCPOINT, NOW)
    assert found.options == MQPMO.SYNCPOINT
    return MqJmsMessage.of(found.message, now=NOW)


def from_mq(message: MqJmsMessage) -> JmsMessage:
    raw = message.message(Destination.queue("REPLIES", "MOON"), now=NOW)
    raw.md.msg_id = b"M" * 24
    return JmsMessage.of(JmsTransformer().from_mq(raw, ORDERS, NOW))


@pytest.mark.spec(
    "E-433", "E-555", "E-556", "E-557", "E-560", "E-561", "E-562", "jms-mapping.md 9", "jms-mapping.md 11.14"
)
def test_the_sample_message_of_the_book_as_a_program_of_mq_sees_it() -> None:
    message = JmsMessage(JmsKind.TEXT, "Hello")
    message.message.priority = 7
    message.expiration = 0
    message.set_property("anInt", 12345, FieldType.INT)
    found = to_mq(message)
    assert (found.kind, found.body, found.priority, found.expiration) == ("text", "Hello", 7, 0)
    assert found.properties == {"anInt": Typed(12345, "i4")}
    assert (found.delivery_mode, found.timestamp) == (2, UID.time)
    assert found.message_id == message.message_id
    assert found.destination == Destination.queue("ORDERS", "SATURN")


@pytest.mark.spec("E-433", "jms-mapping.md 9.2", "jms-mapping.md 9.6")
def test_header_fields_of_a_device_are_those_of_mq() -> None:
    message = JmsMessage(JmsKind.BYTES, b"\x00\xff")
    message.reply_to, message.correlation_id, message.type = "MOON+REPLIES", "order 17", "order"
    message.delivery_mode, message.expiration = 1, TIME + 10_000
    found = to_mq(message)
    assert (found.kind, found.body) == ("bytes", b"\x00\xff")
    assert found.reply_to == Destination.queue("REPLIES", "MOON")
    assert (found.correlation_id, found.type, found.delivery_mode) == ("order 17", "order", 1)
    assert found.expiration == TIME + 10_000
    raw = JmsTransformer().to_mq(message.message, ORDERS, MQPMO.NONE, NOW).message
    assert (raw.md.expiry, raw.md.persistence, raw.md.priority, raw.md.msg_type) == (100, 0, 4, 1)
    assert raw.md.correl_id == b"order 17".ljust(24, b"\0")


@pytest.mark.spec("E-433", "jms-mapping.md 9.4")
@pytest.mark.parametrize(
    ("kind", "body", "there"),
    [
        (JmsKind.TEXT, "Grüße", "text"),
        (JmsKind.TEXT, "", "text"),
        (JmsKind.TEXT, None, "text"),
        (JmsKind.BYTES, b"", "bytes"),
        (JmsKind.OBJECT, b"\xac\xed\x00\x05p", "object"),
        (JmsKind.NONE, None, "none"),
    ],
)
def test_kinds_and_bodies_go_both_ways(kind: JmsKind, body: Any, there: str) -> None:
    found = to_mq(JmsMessage(kind, body))
    assert (found.kind, found.body) == (there, body)
    back = from_mq(MqJmsMessage(there, body))
    assert (back.kind, back.body) == (kind, body)


@pytest.mark.spec("E-433", "E-543", "jms-mapping.md 9.3")
def test_properties_keep_their_types_both_ways() -> None:
    values = {
        "a": Typed(True, "boolean"),
        "b": Typed(-128, "i1"),
        "c": Typed(-1, "i2"),
        "d": Typed(1, "i4"),
        "e": Typed(2**40, "i8"),
        "f": Typed(2.5, "r4"),
        "g": Typed(0.1, "r8"),
        "h": Typed("Küche", "string"),
        "i": Typed(None, "null"),
    }
    device = from_mq(MqJmsMessage("none", properties=values))
    kinds = device.message.get("MQe_JMS_PROPERTIES")
    assert [kinds.type_of(name).word for name in "abcdefgh"] == [
        "boolean", "byte", "short", "int", "long", "float", "double", "unicode",
    ]  # fmt: skip
    assert to_mq(device).properties == values


@pytest.mark.spec("E-433", "E-557", "E-558", "E-559", "E-561", "jms-mapping.md 9.2")
def test_a_message_of_mqs_jms_as_a_device_sees_it() -> None:
    found = from_mq(
        MqJmsMessage(
            "text",
            "two apples",
            properties={"colour": "red", "JMSXGroupID": "g", "JMSXGroupSeq": 2, "JMS_IBM_Feedback": 5},
            type="order",
            correlation_id="order 17",
            reply_to="queue://SATURN/REPLIES?targetClient=1",
            delivery_mode=1,
            priority=7,
            expiration=TIME + 5000,
            timestamp=TIME - 99,
        )
    )
    assert (found.body, found.type, found.correlation_id) == ("two apples", "order", "order 17")
    assert (found.reply_to, found.delivery_mode, found.priority) == ("SATURN+REPLIES", 1, 7)
    assert (found.expiration, found.timestamp, found.redelivered) == (TIME + 5000, TIME - 99, False)
    assert found.message_id == "ID:" + b"M".hex() * 24
    assert found.message.uid is None
    properties = found.properties
    assert (properties["colour"], properties["JMSXGroupID"], properties["JMSXGroupSeq"]) == ("red", "g", 2)
    assert properties["JMS_IBM_Feedback"] == 5
    assert properties["JMSXDeliveryCount"] == 1


@pytest.mark.spec("E-559")
def test_an_answer_of_a_device_names_the_request_as_mq_does() -> None:
    request = from_mq(MqJmsMessage("text", "how many?", reply_to="queue://SATURN/REPLIES"))
    reply = JmsMessage(JmsKind.TEXT, "two")
    reply.correlation_id = request.message_id
    found = JmsTransformer()
    reply.message.identify(UID)
    raw = found.to_mq(reply.message, ORDERS, MQPMO.NONE, NOW).message
    assert raw.md.correl_id == b"M" * 24
    assert MqJmsMessage.of(raw).correlation_id == request.message_id


@pytest.mark.spec("E-564", "E-435")
def test_expiry_in_milliseconds_and_tenths() -> None:
    message = JmsMessage(JmsKind.NONE)
    message.message.expire_after(11_001)
    assert to_mq(message).expiration == UID.time + 11_001
    raw = JmsTransformer().to_mq(message.message, ORDERS, MQPMO.NONE, NOW).message
    assert raw.md.expiry == 101
    never = JmsMessage(JmsKind.NONE)
    never.message.expire_at(0)
    assert to_mq(never).expiration == 0
    assert from_mq(MqJmsMessage("none")).expiration == 0


@pytest.mark.spec("E-433", "E-538")
@pytest.mark.parametrize(
    "message",
    [
        MqJmsMessage("map", {"a": 1}),
        MqJmsMessage("stream", [1, "b"]),
        MqJmsMessage("text", "reply to a topic", reply_to="topic://answers"),
        MqJmsMessage("none", properties={"größe": 1}),
    ],
    ids=["map", "stream", "topic", "name"],
)
def test_what_everyplace_has_no_jms_for_is_an_mq_style_message(message: MqJmsMessage) -> None:
    raw = message.message(Destination.queue("REPLIES", "MOON"), now=NOW)
    found = JmsTransformer().from_mq(raw, ORDERS, NOW)
    assert found.type == MQ_STYLE
    found.identify(UID)
    back = JmsTransformer().to_mq(found, ORDERS, MQPMO.NONE, NOW).message
    assert MqJmsMessage.of(back).body == MqJmsMessage.of(raw).body


@pytest.mark.spec("E-433")
@pytest.mark.parametrize("form", ["MQSTR", "MQHRF2", ""])
def test_a_message_without_jms_folders_is_an_mq_style_message(form: str) -> None:
    assert JmsTransformer().from_mq(Message.build(b"text", format=form), ORDERS, NOW).type == MQ_STYLE


@pytest.mark.spec("E-433", "E-429")
def test_messages_that_are_not_jms_or_more_than_jms_are_funnelled() -> None:
    free = EveryplaceMessage()
    free.identify(UID)
    more = JmsMessage(JmsKind.TEXT, "text").message
    more.identify(UID)
    more["celsius"] = 21.5
    for message in (free, more):
        found = JmsTransformer().to_mq(message, ORDERS, MQPMO.NONE, NOW).message
        assert found.md.format == DUMP_FORMAT
        assert JmsTransformer().from_mq(found, ORDERS, NOW) == message


@pytest.mark.spec("E-433", "E-571")
def test_what_a_jms_message_of_mq_cannot_have_is_refused() -> None:
    for name, value, code in (
        ("Msg_ReplyToQ", "Q" * 49, Code.TOO_LONG),
        ("Msg_ReplyToQ", "Q%/%Q!", Code.BRIDGE_MQ_REFUSED),
        ("Msg_MsgID", b"x" * 25, Code.BRIDGE_ID_TOO_LONG),
        ("MQe_JMS_CLASS", "jms_video", Code.DATA),
        ("MQe_JMS_CLASS", "jms_map", Code.NOT_SUPPORTED),
        ("MQe_JMS_PROPERTIES", 7, Code.TYPE),
    ):
        message = JmsMessage(JmsKind.TEXT, "text").message
        message.identify(UID)
        message[name] = value
        with pytest.raises(EveryplaceError) as caught:
            JmsTransformer().to_mq(message, ORDERS, MQPMO.NONE, NOW)
        assert caught.value.code is code, (name, caught.value)


def test_long_correlation_ids_pass() -> None:
    message = JmsMessage(JmsKind.NONE)
    message.correlation_id = "x" * 60
    assert to_mq(message).correlation_id == "x" * 60
    assert from_mq(MqJmsMessage("none", correlation_id="x" * 60)).correlation_id == "x" * 60


def test_it_has_no_parameters_and_marks_what_it_makes() -> None:
    with pytest.raises(EveryplaceError):
        JmsTransformer().activate(["x"])
    assert is_jms(from_mq(MqJmsMessage("none")).message)
