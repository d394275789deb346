"""JMS messages as message objects of Everyplace."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.jms_message import JmsKind, JmsMessage, is_jms
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

TIME: Final = 1_795_251_600_123
UID: Final = MessageUid("MOON", TIME)


def sent(message: JmsMessage) -> JmsMessage:
    """What arrives: put, dumped, restored."""
    found = message.message.copy()
    found.identify(UID)
    return JmsMessage.of(Message.of(restore(dump(found))), Address("ORDERS", "SATURN"), TIME + 5)


@pytest.mark.spec("E-555", "E-556", "E-557", "E-560", "E-561", "E-562", "E-563")
def test_the_sample_message_of_the_book() -> None:
    message = JmsMessage(JmsKind.TEXT, "Hello")
    message.message.priority = 7
    message.expiration = 0
    message.set_property("anInt", 12345, FieldType.INT)
    message.correlation_id, message.type = "order 17", "greeting"
    fields = message.message
    assert fields.get("MQe_JMS_VERSION", FieldType.SHORT) == 1
    assert fields.get("MQe_JMS_CLASS", FieldType.ASCII) == "jms_text"
    assert fields.get("MQe_JMS_BODY", FieldType.BYTE_ARRAY) == b"Hello"
    assert fields.get("Msg_Priority") == 7
    assert fields.get("Msg_CorrelID") == b"order 17"
    assert "Msg_ExpireTime" not in fields
    header = fields.get("MQe_JMS_HEADER", FieldType.FIELDS)
    assert header.get("MQe_JMS_DELIVERYMODE", FieldType.INT) == 2
    assert header.get("MQe_JMS_REDELIVERED", FieldType.BOOLEAN) is False
    assert header.get("MQe_JMS_TYPE", FieldType.UNICODE) == "greeting"
    assert fields.get("MQe_JMS_PROPERTIES", FieldType.FIELDS).get("anInt", FieldType.INT) == 12345
    found = sent(message)
    assert (found.kind, found.body, found.priority, found.expiration) == (JmsKind.TEXT, "Hello", 7, 0)
    assert (found.correlation_id, found.type, found.timestamp) == ("order 17", "greeting", TIME)
    assert (found.delivery_mode, found.redelivered, found.reply_to) == (2, False, "")
    assert found.destination == Address("ORDERS", "SATURN")
    assert not [name for name in (*found.message, *header) if "DESTINATION" in name.upper()]
    assert dict(found.properties) == {"anInt": 12345, "JMSXRcvTimestamp": TIME + 5}


@pytest.mark.spec("E-538", "E-556", "E-562")
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JmsKind.TEXT, "Grüße"),
        (JmsKind.TEXT, ""),
        (JmsKind.TEXT, None),
        (JmsKind.BYTES, b"\x00\xff"),
        (JmsKind.BYTES, b""),
        (JmsKind.OBJECT, b"\xac\xed\x00\x05p"),
        (JmsKind.OBJECT, None),
        (JmsKind.NONE, None),
    ],
)
def test_bodies(kind: JmsKind, body: Any) -> None:
    found = sent(JmsMessage(kind, body))
    assert (found.kind, found.body) == (kind, body)


@pytest.mark.spec("E-538")
@pytest.mark.parametrize("kind", [JmsKind.MAP, JmsKind.STREAM])
def test_maps_and_streams_are_not_supported(kind: JmsKind) -> None:
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage(kind)
    assert caught.value.code is Code.NOT_SUPPORTED
    received = JmsMessage(JmsKind.NONE).message
    received.put("MQe_JMS_CLASS", kind.value, FieldType.ASCII)
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage.of(received)
    assert caught.value.code is Code.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("kind", "body"), [(JmsKind.TEXT, b"bytes"), (JmsKind.BYTES, "text"), (JmsKind.OBJECT, "text"), (JmsKind.NONE, "")]
)
def test_a_body_of_another_type_is_refused(kind: JmsKind, body: Any) -> None:
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage(kind, body)
    assert caught.value.code is Code.TYPE


@pytest.mark.spec("E-543")
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (FieldType.BOOLEAN, True),
        (FieldType.BYTE, -128),
        (FieldType.SHORT, 32767),
        (FieldType.INT, -(2**31)),
        (FieldType.LONG, 2**63 - 1),
        (FieldType.FLOAT, 2.5),
        (FieldType.DOUBLE, 0.1),
        (FieldType.UNICODE, "Küche"),
    ],
)
def test_types_of_properties(kind: FieldType, value: Any) -> None:
    message = JmsMessage(JmsKind.NONE)
    message.set_property("value", value, kind)
    assert sent(message).properties["value"] == value
    assert message.message.get("MQe_JMS_PROPERTIES").type_of("value") is kind


@pytest.mark.spec("E-543", "E-550")
def test_plain_values_get_types_that_selectors_compare() -> None:
    message = JmsMessage(JmsKind.NONE)
    message.set_property("number", 1)
    message.set_property("weight", 1.0)
    group = message.message.get("MQe_JMS_PROPERTIES")
    assert (group.type_of("number"), group.type_of("weight")) == (FieldType.LONG, FieldType.DOUBLE)


@pytest.mark.spec("E-543", "E-546", "E-571")
@pytest.mark.parametrize("name", ["", "1a", "a b", "a-b", "and", "NULL", "größe", "JMSXOther", "JMS_IBM_Format"])
def test_names_of_properties_follow_rules(name: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage(JmsKind.NONE).set_property(name, 1)
    assert caught.value.code is Code.SYNTAX


@pytest.mark.parametrize(("value", "kind"), [(b"x", None), ([1], FieldType.INT_ARRAY), ("x", FieldType.INT)])
def test_other_types_of_properties_are_refused(value: Any, kind: FieldType | None) -> None:
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage(JmsKind.NONE).set_property("value", value, kind)
    assert caught.value.code is Code.TYPE


@pytest.mark.spec("E-543", "E-561")
def test_properties_of_a_received_message_are_read_only_until_they_are_cleared() -> None:
    message = JmsMessage(JmsKind.NONE)
    message.set_property("colour", "blue")
    message.set_property("JMSXGroupID", "g")
    message.set_property("JMSXGroupSeq", 2)
    assert "JMSXGroupID" in message.message.get("MQe_JMSX_PROPERTIES")
    assert "MQe_JMS_PS_PROPERTIES" not in message.message
    found = sent(message)
    with pytest.raises(EveryplaceError) as caught:
        found.set_property("colour", "red")
    assert caught.value.code is Code.NOT_ALLOWED
    assert found.properties["colour"] == "blue"
    found.clear_properties()
    found.set_property("colour", "red")
    assert dict(found.properties) == {"colour": "red"}


@pytest.mark.spec("E-558")
@pytest.mark.parametrize(
    ("text", "fields"), [("MOON+REPLIES", ("REPLIES", "MOON")), ("REPLIES", ("REPLIES", "")), ("", ("", ""))]
)
def test_reply_to_is_split_at_the_plus(text: str, fields: tuple[str, str]) -> None:
    message = JmsMessage(JmsKind.NONE)
    message.reply_to = text
    assert message.message.reply_to == fields
    assert message.reply_to == text


@pytest.mark.spec("E-559")
def test_the_message_id_is_24_bytes_of_the_uid_or_the_message_id() -> None:
    message = JmsMessage(JmsKind.NONE)
    assert message.message_id is None
    found = sent(message)
    assert found.message_id is not None
    assert found.message_id.startswith("ID:")
    assert len(bytes.fromhex(found.message_id[3:])) == 24
    assert found.message_id == sent(message).message_id
    other = message.message.copy()
    other.identify(MessageUid("MOON", TIME + 1))
    assert JmsMessage.of(other).message_id != found.message_id
    message.message.msg_id = b"M" * 24
    assert sent(message).message_id == "ID:" + b"M".hex() * 24


@pytest.mark.spec("E-557")
@pytest.mark.parametrize(
    "text",
    ["order 17", "ID:" + "41" * 24, "ID:" + "00" * 24, "ID:", "ID:xyz", "ID:AB", "größe", "tab\t", "", "x" * 99, "a\0"],
)
def test_correlation_ids_come_back(text: str) -> None:
    message = JmsMessage(JmsKind.NONE)
    message.correlation_id = text
    assert sent(message).correlation_id == text
    message.correlation_id = None
    assert sent(message).correlation_id is None


@pytest.mark.spec("E-564", "E-557")
def test_expiration_0_is_never_and_no_time_in_1970() -> None:
    message = JmsMessage(JmsKind.NONE)
    message.message.expire_at(0)
    found = sent(message)
    assert found.expiration == 0
    assert found.message.expires is None
    message.expiration = TIME + 1000
    assert sent(message).expiration == TIME + 1000
    message.expiration = 0
    assert "Msg_ExpireTime" not in message.message


def test_a_message_object_that_is_none() -> None:
    assert not is_jms(Message())
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage.of(Message())
    assert caught.value.code is Code.TYPE
    newer = JmsMessage(JmsKind.NONE).message
    newer.put("MQe_JMS_VERSION", 2, FieldType.SHORT)
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage.of(newer)
    assert caught.value.code is Code.NOT_SUPPORTED
    strange = JmsMessage(JmsKind.NONE).message
    strange.put("MQe_JMS_CLASS", "jms_video", FieldType.ASCII)
    with pytest.raises(EveryplaceError) as caught:
        JmsMessage.of(strange)
    assert caught.value.code is Code.DATA
    broken = JmsMessage(JmsKind.TEXT, "x")
    broken.message.put("MQe_JMS_BODY", b"\xff", FieldType.BYTE_ARRAY)
    with pytest.raises(EveryplaceError) as caught:
        _ = broken.body
    assert caught.value.code is Code.DATA


def test_the_delivery_mode_is_one_of_two() -> None:
    message = JmsMessage(JmsKind.NONE)
    message.delivery_mode = 1
    assert sent(message).delivery_mode == 1
    with pytest.raises(EveryplaceError):
        message.delivery_mode = 3
