"""AMQP messages for property tests, of all types that JMS has."""

from __future__ import annotations

from hypothesis import strategies as st

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, AmqpType, BodyKind, Scalar

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SYMBOLS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
UINTS = st.integers(0, (1 << 32) - 1)
LONGS = st.integers(-(1 << 63), (1 << 63) - 1)
IDENTIFIERS = st.none() | TEXTS | st.binary(max_size=20) | st.uuids() | st.integers(0, (1 << 64) - 1)
SIMPLE = (
    st.none()
    | st.booleans()
    | LONGS
    | st.floats(allow_nan=False)
    | TEXTS
    | st.binary(max_size=20)
    | st.uuids()
    | st.builds(Scalar, st.just(AmqpType.BYTE), st.integers(-128, 127))
    | st.builds(Scalar, st.just(AmqpType.INT), st.integers(-(1 << 31), (1 << 31) - 1))
    | st.builds(Scalar, st.just(AmqpType.ULONG), st.integers(0, (1 << 64) - 1))
    | st.builds(Scalar, st.just(AmqpType.FLOAT), st.floats(width=32, allow_nan=False))
    | st.builds(Scalar, st.just(AmqpType.SYMBOL), SYMBOLS)
    | st.builds(Scalar, st.just(AmqpType.TIMESTAMP), LONGS)
)
BODIES = st.one_of(
    st.tuples(st.just(BodyKind.DATA), st.binary(max_size=300)),
    st.tuples(st.just(BodyKind.SEQUENCE), st.lists(SIMPLE, max_size=5)),
    st.tuples(st.just(BodyKind.VALUE), SIMPLE | st.dictionaries(TEXTS, SIMPLE, max_size=5)),
    st.just((BodyKind.NONE, None)),
)
PROPERTIES = st.builds(
    AmqpProperties,
    message_id=IDENTIFIERS,
    user_id=st.none() | st.binary(max_size=9),
    to=st.none() | TEXTS,
    subject=st.none() | TEXTS,
    reply_to=st.none() | TEXTS,
    correlation_id=IDENTIFIERS,
    content_type=st.none() | SYMBOLS,
    content_encoding=st.none() | SYMBOLS,
    absolute_expiry_time=st.none() | LONGS,
    creation_time=st.none() | LONGS,
    group_id=st.none() | TEXTS,
    group_sequence=st.none() | UINTS,
    reply_to_group_id=st.none() | TEXTS,
)
MESSAGES = st.builds(
    lambda body, **fields: AmqpMessage(*body, **fields),
    BODIES,
    properties=PROPERTIES,
    application_properties=st.dictionaries(TEXTS, SIMPLE, max_size=4),
    message_annotations=st.dictionaries(SYMBOLS, SIMPLE, max_size=4),
    durable=st.booleans(),
    priority=st.integers(0, 255),
    ttl=st.none() | UINTS,
    first_acquirer=st.booleans(),
    delivery_count=UINTS,
)
