"""A JMS message comes back from the AMQP message that it becomes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.amqp import from_amqp, to_amqp
from mqbridge.mappings.jms import JmsMessage, Typed

NOW = 1_800_000_000.0
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=20)
NAMES = st.from_regex(r"[a-zA-Z][a-zA-Z0-9]{0,8}", fullmatch=True).map(lambda name: f"x{name}")
PROPERTY_VALUES = st.one_of(
    st.builds(Typed, TEXTS, st.just("string")),
    st.builds(Typed, st.booleans(), st.just("boolean")),
    st.builds(Typed, st.integers(-128, 127), st.just("i1")),
    st.builds(Typed, st.integers(-(1 << 15), (1 << 15) - 1), st.just("i2")),
    st.builds(Typed, st.integers(-(1 << 31), (1 << 31) - 1), st.just("i4")),
    st.builds(Typed, st.integers(-(1 << 63), (1 << 63) - 1), st.just("i8")),
    st.builds(Typed, st.floats(width=32, allow_nan=False), st.just("r4")),
    st.builds(Typed, st.floats(allow_nan=False), st.just("r8")),
    st.just(Typed(None, "null")),
)
VALUES = PROPERTY_VALUES | st.builds(Typed, st.binary(max_size=9), st.just("bin.hex"))
CONTENTS = st.one_of(
    st.tuples(st.just("text"), st.none() | TEXTS),
    st.tuples(st.just("bytes"), st.binary(max_size=40)),
    st.tuples(st.just("object"), st.none() | st.binary(min_size=1, max_size=40)),
    st.tuples(st.just("map"), st.dictionaries(NAMES, VALUES, max_size=4)),
    st.tuples(st.just("stream"), st.lists(VALUES, max_size=4).map(tuple)),
    st.just(("none", None)),
)


@given(
    CONTENTS,
    st.dictionaries(NAMES, PROPERTY_VALUES, max_size=4),
    st.none() | NAMES,
    st.none() | NAMES,
    st.sampled_from((1, 2)),
    st.integers(0, 9),
)
def test_a_jms_message_comes_back(
    content: tuple[str, object],
    properties: dict[str, Typed],
    jms_type: str | None,
    correlation_id: str | None,
    delivery_mode: int,
    priority: int,
) -> None:
    kind, body = content
    jms = JmsMessage(
        kind,
        body,  # type: ignore[arg-type]
        properties=properties,
        type=jms_type,
        correlation_id=correlation_id,
        delivery_mode=delivery_mode,
        priority=priority,
        expiration=int(NOW * 1000) + 5000,
        timestamp=int(NOW * 1000),
    )
    back = from_amqp(to_amqp(jms, now=NOW), now=NOW)
    assert (back.kind, back.body, back.properties) == (jms.kind, jms.body, jms.properties)
    assert back.headers._replace(delivery_count=0) == jms.headers._replace(delivery_count=0)
