"""The quick way from an AMQP message to the message that is put writes what the careful one writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, AmqpType, BodyKind, Scalar, from_amqp, quick_from_amqp
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError
from support.linking.amqp_messages import MESSAGES, SIMPLE

NOW = 1_800_000_000.0
NAMES = st.sampled_from(
    ("colour", "JMSXGroupID", "JMS_IBM_Format", "JMSType", "a.b", "x y", "NULL", "_AMQ_DUPL_ID", "xml")
)
TEXTS = st.text(max_size=20)
TYPES = st.integers(-1, 6).map(lambda number: Scalar(AmqpType.BYTE, number))
TIMES = st.sampled_from((None, 0, 1, 10**12 - 1, 10**12, 1_800_000_000_123, 10**13 - 1, 10**13))
THERE = st.sampled_from(
    ("queue:///ORDERS", "topic://a/b", "queue:///ORDERS?targetClient=1", "queue:///ORDERS?persistence=1&priority=3")
).map(Destination.parse)
ANNOTATIONS = st.fixed_dictionaries(
    {}, optional={"x-opt-jms-msg-type": TYPES, "x-opt-jms-dest": TYPES, "x-opt-delivery-time": st.integers(0, 1 << 45)}
)


def usual(kind: int, body: str | bytes, *, durable: bool, priority: int, **properties: object) -> AmqpMessage:
    return AmqpMessage(
        BodyKind.VALUE if isinstance(body, str) else BodyKind.DATA,
        body,
        AmqpProperties("ID:1", to="out", creation_time=1_800_000_000_123, content_type="x"),
        {**properties},  # type: ignore[arg-type]
        {"x-opt-jms-msg-type": Scalar(AmqpType.BYTE, kind), "x-opt-jms-dest": Scalar(AmqpType.BYTE, 0)},
        durable=durable,
        priority=priority,
    )


USUAL = st.builds(
    lambda content, properties, durable, priority: usual(*content, durable=durable, priority=priority, **properties),
    st.tuples(st.just(5), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
    | st.tuples(st.just(3), st.binary(max_size=20)),
    st.dictionaries(
        st.from_regex(r"[a-z]{2,6}[0-9]", fullmatch=True),
        SIMPLE.filter(lambda each: not isinstance(each, bytes)),
        max_size=3,
    ),
    st.booleans(),
    st.integers(0, 255),
)


def check(message: AmqpMessage, there: Destination) -> None:
    quick = quick_from_amqp(message, destination=there)
    if quick is None:
        return
    careful = from_amqp(message, now=NOW, destination=there).message(now=NOW)
    assert shown(quick) == shown(careful)


def shown(message: Message) -> tuple[object, ...]:
    return message.raw_md, message.data, message.order, message.ccsid


@given(MESSAGES, ANNOTATIONS, TIMES, THERE)
def test_any_messages(
    message: AmqpMessage, annotations: dict[str, object], sent: int | None, there: Destination
) -> None:
    for properties in (message.properties, AmqpProperties()):
        timed = properties._replace(creation_time=sent)
        check(message._replace(message_annotations=annotations, properties=timed, ttl=None), there)


@given(USUAL, THERE)
def test_usual_messages(message: AmqpMessage, there: Destination) -> None:
    check(message, there)


@given(USUAL, st.dictionaries(NAMES, SIMPLE, max_size=2), THERE)
def test_odd_properties(message: AmqpMessage, odd: dict[str, object], there: Destination) -> None:
    check(message._replace(application_properties={**message.application_properties, **odd}), there)


@pytest.mark.parametrize("body", ["text", b"bytes", "", b"", "\u20ac" * 1000])
@pytest.mark.parametrize("properties", [{}, {"colour": "red & blue", "count": Scalar(AmqpType.INT, 5), "none": None}])
def test_what_is_usual_goes_the_quick_way(body: str | bytes, properties: dict[str, object]) -> None:
    message = usual(5 if isinstance(body, str) else 3, body, durable=True, priority=4, **properties)
    there = Destination.queue("ORDERS")
    assert quick_from_amqp(message, destination=there) is not None
    check(message, there)


@pytest.mark.parametrize(
    "message",
    [
        usual(5, "\ud800", durable=True, priority=4),
        usual(5, "x", durable=True, priority=4, JMSType="no property"),
        usual(5, "x", durable=True, priority=4, picture=b"binary"),
    ],
    ids=repr,
)
def test_what_is_refused_is_left_to_the_careful_way(message: AmqpMessage) -> None:
    there = Destination.queue("ORDERS")
    assert quick_from_amqp(message, destination=there) is None
    with pytest.raises(MQBridgeError):
        from_amqp(message, now=NOW, destination=there).message(now=NOW)
