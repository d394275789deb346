"""The quick way from a message to the AMQP message finds what the careful one finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.amqp import Address, AddressKind, AmqpMessage, quick_to_amqp, to_amqp
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError

from .test_jms_through_amqp import CONTENTS, NAMES, NOW, PROPERTY_VALUES, TEXTS

MILLISECONDS = int(NOW * 1000)
IDS = (
    st.none()
    | TEXTS.map(lambda text: f"x{text}")
    | st.binary(min_size=24, max_size=24)
    | st.sampled_from(("ID:ab", ""))
)
JMS = st.builds(
    lambda content, **headers: JmsMessage(*content, **headers),
    CONTENTS,
    properties=st.dictionaries(NAMES, PROPERTY_VALUES, max_size=3),
    type=st.none() | NAMES,
    correlation_id=IDS,
    delivery_mode=st.sampled_from((1, 2)),
    priority=st.integers(0, 9),
    expiration=st.sampled_from((0, MILLISECONDS + 5000)),
    timestamp=st.sampled_from((0, 1, MILLISECONDS)),
    group_id=st.none() | st.just("group"),
    reply_to=st.none() | st.just("queue:///ANSWERS"),
)
USUAL = st.builds(
    lambda content, **headers: JmsMessage(*content, timestamp=MILLISECONDS, **headers),
    st.tuples(st.just("text"), TEXTS) | st.tuples(st.just("bytes"), st.binary(max_size=40)),
    properties=st.dictionaries(NAMES, PROPERTY_VALUES, max_size=3),
    correlation_id=st.none() | st.sampled_from(("order 7", "ID:" + "ab" * 24)),
    delivery_mode=st.sampled_from((1, 2)),
    priority=st.integers(0, 9),
)
THERE = st.sampled_from(
    ("queue:///ORDERS", "topic://a/b", "queue:///ORDERS?targetClient=1", "queue:///ORDERS?persistence=1&CCSID=37")
).map(Destination.parse)
ADDRESSES = st.none() | st.builds(Address, NAMES, st.sampled_from(AddressKind))


def careful(message: Message, to: Address | None) -> AmqpMessage | None:
    """None where the message is refused."""
    try:
        return to_amqp(JmsMessage.of(message, now=NOW), now=NOW, to=to)
    except MQBridgeError:
        return None


def check(message: Message, to: Address | None) -> None:
    quick = quick_to_amqp(message, now=NOW, to=to)
    if quick is not None:
        found = careful(message, to)
        assert found is not None
        assert repr(plain(quick)) == repr(plain(found))


def plain(message: AmqpMessage) -> dict[str, object]:
    """What a message has, so that NaN equals NaN."""
    annotations = dict(message.message_annotations)
    return {**message._asdict(), "message_annotations": annotations}


@given(JMS, THERE, ADDRESSES)
def test_messages_of_all_kinds(jms: JmsMessage, there: Destination, to: Address | None) -> None:
    try:
        message = jms.message(there, now=NOW)
    except MQBridgeError:
        return
    check(message, to)


@given(USUAL, ADDRESSES)
def test_usual_messages_go_the_quick_way(jms: JmsMessage, to: Address | None) -> None:
    message = jms.message("queue:///ORDERS", now=NOW)
    assert quick_to_amqp(message, now=NOW, to=to) is not None
    check(message, to)


@given(USUAL, st.integers(0, 1 << 20), st.binary(min_size=1, max_size=3), st.booleans())
def test_damaged_messages(jms: JmsMessage, place: int, damage: bytes, in_descriptor: bool) -> None:
    message = jms.message("queue:///ORDERS", now=NOW)
    raw, data = message.raw_md, message.data
    if in_descriptor:
        place %= len(raw) - len(damage)
        raw = raw[:place] + damage + raw[place + len(damage) :]
    else:
        place %= len(data)
        data = data[:place] + damage + data[place + len(damage) :]
    check(Message(raw, data, order=message.order, ccsid=message.ccsid), None)


@pytest.mark.parametrize(
    "jms",
    [
        JmsMessage("text", None, timestamp=1),
        JmsMessage("none", timestamp=1),
        JmsMessage("text", "x", timestamp=1, reply_to="queue:///ANSWERS"),
        JmsMessage("text", "x", timestamp=1, group_id="g"),
        JmsMessage("text", "x", timestamp=1, type="t"),
        JmsMessage("map", {"x": 1}, timestamp=1),
    ],
    ids=repr,
)
def test_what_is_unusual_goes_the_careful_way(jms: JmsMessage) -> None:
    message = jms.message("queue:///ORDERS", now=NOW)
    assert quick_to_amqp(message, now=NOW) is None
    assert careful(message, None) is not None
