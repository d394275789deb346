"""Messages of links by JMS: what the descriptor says, and what addresses are."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping, address_of
from mqbridge.mappings.amqp import (
    Address,
    AddressKind,
    AmqpMappingError,
    AmqpMessage,
    AmqpProperties,
    AmqpType,
    BodyKind,
    Scalar,
)
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Moment
from mqbridge.protocol.constants import MQAT, MQFMT

NOW = 1_800_000_000.0
MAPPING = JmsMapping("warehouse")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("", None),
        ("stock.in", Address("stock.in")),
        ("topic://news/sport", Address("news/sport", AddressKind.TOPIC)),
    ],
)
def test_addresses(text, address):
    assert address_of(text) == address


def test_a_text_message_of_the_provider():
    amqp = AmqpMessage(
        BodyKind.VALUE,
        "hello",
        AmqpProperties(message_id="ID:1", creation_time=1_700_000_000_000),
        application_properties={"colour": "red"},
        durable=True,
        priority=7,
    )
    message = MAPPING.to_queue(amqp, "Q", NOW)
    md = message.md
    assert (md.persistence, md.priority, md.format) == (1, 7, "MQHRF2")
    assert (md.put_appl_type, md.put_appl_name) == (MQAT.QMGR, "warehouse")
    assert (md.put_date, md.put_time[:6]) == ("20270115", "080000")
    assert b"<Tms>1700000000000</Tms>" in message.data
    assert message.data.endswith(b"hello")
    back = MAPPING.to_provider(message, "topic://news", NOW)
    assert (back.body, back.application_properties) == ("hello", {"colour": "red"})
    assert back.properties.to == "news"
    assert back.message_annotations["x-opt-jms-dest"] == Scalar(AmqpType.BYTE, AddressKind.TOPIC)


def test_a_message_without_a_time_gets_that_of_its_arrival():
    message = MAPPING.to_queue(AmqpMessage(BodyKind.DATA, b"bytes"), "", NOW)
    assert (message.md.put_date, message.md.put_time[:6]) == ("20270115", "080000")


def test_times_follow_the_calendar_when_the_clock_is_set():
    later = Moment(NOW, NOW + 7200)
    message = MAPPING.to_queue(AmqpMessage(BodyKind.DATA, b"bytes", ttl=60_000), "Q", later)
    assert message.md.put_time[:4] == "1000"
    assert b"<Exp>%d</Exp>" % ((NOW + 7260) * 1000) in message.data
    assert MAPPING.to_provider(message, "stock.in", later).ttl == 60_000


def test_a_plain_message_of_a_queue():
    message = Message.build(b"plain", format=MQFMT.STRING, persistence=1, coded_char_set_id=1208, expiry=-1)
    amqp = MAPPING.to_provider(message, "stock.in", NOW)
    assert amqp.body == "plain"
    assert amqp.durable
    assert amqp.properties.to == "stock.in"


def test_what_is_left_of_expiry_counts_from_now():
    fields = {"put_date": "20200101", "put_time": "00000000"}
    message = Message.build(b"x", format=MQFMT.STRING, coded_char_set_id=1208, expiry=600, **fields)
    amqp = MAPPING.to_provider(message, "stock.in", NOW)
    assert (amqp.ttl, amqp.properties.absolute_expiry_time) == (60_000, int(NOW * 1000) + 60_000)


@pytest.mark.parametrize(
    "properties", [{f"p{number}": number for number in range(3000)}, {"p": "<" * 3001}], ids=["many", "references"]
)
def test_a_message_that_nobody_here_could_read_is_refused(properties):
    with pytest.raises(AmqpMappingError, match="more than 3000 tags and references"):
        MAPPING.to_queue(AmqpMessage(BodyKind.VALUE, "x", application_properties=properties), "Q", NOW)


def test_a_long_body_may_have_as_many_tags_as_it_likes():
    assert MAPPING.to_queue(AmqpMessage(BodyKind.VALUE, "<" * 9000), "Q", NOW).data.endswith(b"<" * 9000)
