"""Selectors of Everyplace against a naive match, and any text as a selector or JMS message."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace import jms_fields
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.jms_message import JmsKind, JmsMessage
from mqbridge.protocol.everyplace.jms_selector import MAX_SELECTOR, Selector, selecting
from mqbridge.protocol.everyplace.message import Message

NAMES: Final = ("colour", "size", "weight", "ready", "$a_1")
TEXTS: Final = st.text(st.sampled_from("ab' "), max_size=3)
NUMBERS: Final = st.integers(-2, 2) | st.sampled_from([2**63 - 1, -(2**63)])
FLOATS: Final = st.sampled_from([0.0, -1.5, 2.0, 1e10])
PROPERTIES: Final = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(
        st.tuples(TEXTS, st.just(FieldType.UNICODE)),
        st.tuples(NUMBERS, st.just(FieldType.LONG)),
        st.tuples(st.integers(-2, 2), st.just(FieldType.INT)),
        st.tuples(FLOATS, st.sampled_from([FieldType.DOUBLE, FieldType.FLOAT])),
        st.tuples(st.booleans(), st.just(FieldType.BOOLEAN)),
    ),
)
COMPARISONS: Final = st.lists(
    st.tuples(st.sampled_from(NAMES), st.none() | TEXTS | NUMBERS | FLOATS | st.booleans()), max_size=4
)
SPACE: Final = st.sampled_from([" ", "\t", "\f", "\r\n", "  "])


def literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).upper() if isinstance(value, bool) else repr(value)


def naive(comparisons: list[tuple[str, Any]], properties: dict[str, tuple[Any, FieldType]]) -> bool:
    """What the selector means."""
    kinds = {str: FieldType.UNICODE, bool: FieldType.BOOLEAN, int: FieldType.LONG, float: FieldType.DOUBLE}
    for name, wanted in comparisons:
        there = properties.get(name)
        if wanted is None:
            if there is not None:
                return False
        elif there is None or there[1] is not kinds[type(wanted)] or there[0] != wanted:
            return False
    return True


@pytest.mark.spec("E-545", "E-548", "E-549", "E-550", "E-551", "E-552")
@given(COMPARISONS, PROPERTIES, st.data())
def test_a_selector_means_what_its_comparisons_mean(
    comparisons: list[tuple[str, Any]], properties: dict[str, tuple[Any, FieldType]], data: st.DataObject
) -> None:
    message = JmsMessage(JmsKind.NONE)
    for name, (value, kind) in properties.items():
        message.set_property(name, value, kind)
    texts = []
    for name, wanted in comparisons:
        space = data.draw(SPACE)
        texts.append(f"{name}{space}IS{space}NULL" if wanted is None else f"{name}={space}{literal(wanted)}")
    text = " AND ".join(texts)
    expected = naive(comparisons, properties)
    assert Selector(text).accepts(message.message) is expected
    assert Filter(selecting(text)).accepts(message.message) is expected


@pytest.mark.spec("E-548")
@given(
    st.text(max_size=30)
    | st.lists(
        st.sampled_from(["colour", "=", "'x'", "7", "2.5", "AND", "OR", "IS", "NULL", "NOT", "(", "TRUE", ","]),
        max_size=8,
    ).map(" ".join)
)
def test_any_text_is_a_selector_or_refused(text: str) -> None:
    with contextlib.suppress(EveryplaceError):
        Selector(text).accepts(JmsMessage(JmsKind.NONE).message)


def test_a_selector_of_the_longest_text_is_read_in_no_time() -> None:
    for text in ("a = 1 AND " * 409 + "a = 1", "'" * MAX_SELECTOR, "1" * MAX_SELECTOR, " " * MAX_SELECTOR, "a=" * 2048):
        with contextlib.suppress(EveryplaceError):
            Selector(text).accepts(JmsMessage(JmsKind.NONE).message)


@pytest.mark.spec("E-555", "E-567")
@given(
    st.dictionaries(
        st.sampled_from([*jms_fields.FIELDS, "Msg_CorrelID", "Msg_Priority", "Msg_ExpireTime"]),
        st.none()
        | st.integers(-2, 2)
        | st.text(max_size=5)
        | st.binary(max_size=5)
        | st.sampled_from(["jms_text", "jms_map"])
        | st.dictionaries(
            st.sampled_from(["colour", "MQe_JMS_TYPE", "MQe_JMS_DELIVERYMODE"]), st.integers(0, 3) | st.text(max_size=3)
        ),
    )
)
def test_any_message_object_is_read_as_jms_message_or_refused(values: dict[str, Any]) -> None:
    message = Message()
    for name, value in values.items():
        if isinstance(value, dict):
            inner = Fields()
            for each, content in value.items():
                inner[each] = content
            message[name] = inner
        else:
            message[name] = value
    with contextlib.suppress(EveryplaceError):
        found = JmsMessage.of(message)
        for read in (
            lambda: found.body,
            lambda: found.properties,
            lambda: found.correlation_id,
            lambda: found.expiration,
            lambda: found.priority,
            lambda: found.delivery_mode,
            lambda: found.type,
            lambda: found.reply_to,
        ):
            with contextlib.suppress(EveryplaceError):
                read()
    Selector("colour = 'x' AND JMSType = 'y' AND JMSPriority = 4").accepts(message)
