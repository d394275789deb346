"""An AMQP message comes back from the message of a queue that it becomes."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, AmqpType, BodyKind, Scalar, Value, from_amqp, to_amqp
from mqbridge.mappings.jms import JmsMessage

NOW = 1_800_000_000.0
MS = int(NOW * 1000)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
IDS = st.one_of(
    TEXTS,
    TEXTS.map(lambda text: f"ID:{text}"),
    st.from_regex(r"(AMQP:){0,3}ID:(AMQP_[A-Z]{1,9}:)?[0-9a-fA-F]{0,8}", fullmatch=True),
    st.binary(min_size=25, max_size=60),
    st.uuids(),
    st.integers(0, (1 << 64) - 1),
)
TYPES = TEXTS | st.from_regex(r"(AMQP:){0,2}mcd://[a-z_]{0,9}(/[a-z]{0,3}){0,3}(\?format=[a-z]{0,3})?", fullmatch=True)
NAMES = st.from_regex(r"(JMS_O)?[a-zé世_$][a-z0-9é世_$]{0,8}", fullmatch=True).map(lambda name: f"x{name}")
VALUES = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False),
    st.none(),
    st.builds(Scalar, st.just(AmqpType.BYTE), st.integers(-128, 127)),
    st.builds(Scalar, st.just(AmqpType.SHORT), st.integers(-(1 << 15), (1 << 15) - 1)),
    st.builds(Scalar, st.just(AmqpType.INT), st.integers(-(1 << 31), (1 << 31) - 1)),
    st.builds(Scalar, st.just(AmqpType.FLOAT), st.floats(width=32, allow_nan=False)),
)
ELEMENTS = VALUES | st.binary(max_size=9)
BODIES = st.one_of(
    st.tuples(st.just(5), st.just(BodyKind.VALUE), st.none() | TEXTS),
    st.tuples(st.just(3), st.just(BodyKind.DATA), st.binary(max_size=40)),
    st.tuples(st.just(1), st.just(BodyKind.DATA), st.binary(min_size=1, max_size=40)),
    st.tuples(
        st.just(2),
        st.just(BodyKind.VALUE),
        st.dictionaries(TEXTS.filter(lambda name: '"' not in name), ELEMENTS, max_size=4),
    ),
    st.tuples(st.just(4), st.just(BodyKind.SEQUENCE), st.lists(ELEMENTS, max_size=4)),
    st.just((0, BodyKind.VALUE, None)),
)
CONTENT_TYPES = {1: "application/x-java-serialized-object", 3: "application/octet-stream"}
GROUPS = st.one_of(
    st.just((None, None)),
    st.tuples(
        TEXTS | IDS.filter(lambda each: isinstance(each, str)), st.integers(1, 999_999_999) | st.just((1 << 32) - 1)
    ),
)


@given(BODIES, st.dictionaries(NAMES, VALUES, max_size=4), st.none() | IDS, st.none() | TYPES, GROUPS, st.booleans())
def test_an_amqp_message_comes_back_from_mq(
    body: tuple[int, BodyKind, Value],
    properties: dict[str, Value],
    correlation_id: str | bytes | uuid.UUID | int | None,
    subject: str | None,
    group: tuple[str | None, int | None],
    durable: bool,
) -> None:
    number, kind, value = body
    amqp = AmqpMessage(
        body_kind=kind,
        body=value,
        properties=AmqpProperties(
            correlation_id=correlation_id,
            subject=subject,
            content_type=CONTENT_TYPES.get(number),
            creation_time=MS,
            absolute_expiry_time=MS + 5000,
            group_id=group[0],
            group_sequence=group[1],
        ),
        application_properties=properties,
        message_annotations={"x-opt-jms-msg-type": Scalar(AmqpType.BYTE, number)},
        durable=durable,
        priority=7,
        ttl=5000,
    )
    message = from_amqp(amqp, now=NOW).message("queue:///Q", now=NOW)
    back = to_amqp(JmsMessage.of(message, now=NOW), now=NOW)
    assert back._replace(properties=back.properties._replace(message_id=None)) == amqp
