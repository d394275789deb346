"""What transformers of Everyplace make of a message comes back, or is refused with an error of Everyplace."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.everyplace import BaseTransformer, JmsTransformer, JsonTransformer, Transformer
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO, ByteOrder
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.jms_message import JmsKind, JmsMessage
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.message import Style
from mqbridge.protocol.everyplace.mq_style import DATA, ENCODING, MQ_FIELDS, MQ_STYLE, MSG_TYPE, MqField
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import STYLE
from mqbridge.protocol.everyplace.uid import MessageUid

ORDERS: Final = Address("ORDERS", "SATURN")
NOW: Final = 1_795_251_600.0
MILLISECONDS: Final = int(NOW * 1000)
TRANSFORMERS: Final = (BaseTransformer(), JsonTransformer(), JmsTransformer())
IDS: Final = st.binary(min_size=1, max_size=24).filter(any)
PRINTABLE: Final = st.characters(min_codepoint=33, max_codepoint=126)
VALUES: Final[dict[FieldType, st.SearchStrategy[Any]]] = {
    FieldType.UNTYPED: st.none() | st.binary(max_size=20),
    FieldType.UNICODE: st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
    FieldType.ASCII: st.text(PRINTABLE, max_size=10),
    FieldType.BOOLEAN: st.booleans(),
    FieldType.SHORT: st.integers(-(2**15), 2**15 - 1),
    FieldType.INT: st.integers(-(2**31), 2**31 - 1),
    FieldType.LONG: st.integers(-(2**63), 2**63 - 1),
    FieldType.DOUBLE: st.floats(),
    FieldType.BYTE_ARRAY: st.binary(min_size=1, max_size=20),
    FieldType.INT_ARRAY: st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=4),
    FieldType.UNICODE_ARRAY: st.lists(st.text(PRINTABLE, max_size=5), min_size=1, max_size=4),
}
FREE: Final = st.dictionaries(
    st.text(st.sampled_from("abcXYZ019_ -.%$"), min_size=1, max_size=8),
    st.sampled_from(list(VALUES)).flatmap(lambda kind: st.tuples(st.just(kind), VALUES[kind])),
    max_size=5,
)


def as_fields(values: dict[str, Any]) -> Fields:
    found = Fields()
    for name, value in values.items():
        found[name] = value
    return found


NATURAL: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(PRINTABLE, max_size=10)
    | st.binary(max_size=10),
    lambda inner: st.dictionaries(st.text(st.sampled_from("abcXYZ"), min_size=1, max_size=4), inner, max_size=3).map(
        as_fields
    ),
    max_leaves=8,
)


def with_properties(draw: st.DrawFn, message: EveryplaceMessage) -> None:
    """Give a message some of the properties that an MQMD has."""
    message.identify(MessageUid("MOON", MILLISECONDS - draw(st.integers(0, 100_000))))
    message.priority = draw(st.none() | st.integers(0, 9))
    message.msg_id = draw(st.none() | IDS.map(lambda found: found.ljust(24, b"\0")))
    message.correl_id = draw(st.none() | IDS.map(lambda found: found.ljust(24, b"\0")))
    message.reply_to = draw(st.sampled_from([("", ""), ("REPLIES", ""), ("REPLIES", "MOON")]))
    if draw(st.booleans()):
        message.style = draw(st.sampled_from([Style.REQUEST, Style.REPLY]))


@st.composite
def free_messages(draw: st.DrawFn) -> EveryplaceMessage:
    message = EveryplaceMessage(draw(st.sampled_from(["", "com.example.Order"])))
    with_properties(draw, message)
    for name, (kind, value) in draw(FREE).items():
        message.put(name, value, kind)
    return message


def _own_value(row: MqField) -> st.SearchStrategy[Any]:
    if isinstance(row.default, int):
        return st.integers(1000, 2**31 - 1) if row is not ENCODING else st.sampled_from([546, 785])
    if isinstance(row.default, str):
        return st.text(PRINTABLE, min_size=1, max_size=row.length)
    return st.binary(min_size=1, max_size=row.length).filter(lambda found: found[-1] != 0)


@st.composite
def style_messages(draw: st.DrawFn) -> EveryplaceMessage:
    message = EveryplaceMessage(MQ_STYLE)
    with_properties(draw, message)
    for row in draw(st.sets(st.sampled_from(MQ_FIELDS))):
        message.put(row.field, draw(_own_value(row)), row.types[0])
    if MSG_TYPE.field in message and STYLE in message:
        # Of two words for one thing an MQMD has one.
        del message[STYLE]
    data = draw(st.binary(max_size=50))
    if data:
        message.put(DATA, data, FieldType.BYTE_ARRAY)
    return message


def through_mq(transformer: Transformer, message: EveryplaceMessage) -> EveryplaceMessage:
    return transformer.from_mq(transformer.to_mq(message, ORDERS, MQPMO.NONE, NOW).message, ORDERS, NOW)


@pytest.mark.spec("E-429", "E-439")
@given(free_messages())
def test_a_funnelled_message_comes_back_identical(message: EveryplaceMessage) -> None:
    assert through_mq(BaseTransformer(), message) == message


@pytest.mark.spec("E-428", "E-432", "E-435", "E-437")
@given(style_messages())
def test_an_mq_style_message_comes_back_but_for_its_uid(message: EveryplaceMessage) -> None:
    found = through_mq(BaseTransformer(), message)
    assert found.uid is None
    uid = message.uid
    assert uid is not None
    found.identify(uid)
    assert found == message


@given(st.dictionaries(st.text(st.sampled_from("abcXYZ"), min_size=1, max_size=4), NATURAL, max_size=5))
def test_fields_of_natural_types_come_back_through_json(values: dict[str, Any]) -> None:
    message = EveryplaceMessage.of(as_fields(values))
    assert through_mq(JsonTransformer(), message) == message


@given(free_messages())
def test_json_is_one_text_however_often_a_message_passes(message: EveryplaceMessage) -> None:
    transformer = JsonTransformer()
    first = transformer.to_mq(message, ORDERS, MQPMO.NONE, NOW).message
    again = transformer.from_mq(first, ORDERS, NOW)
    assert transformer.to_mq(again, ORDERS, MQPMO.NONE, NOW).message == first


@st.composite
def jms_messages(draw: st.DrawFn) -> JmsMessage:
    kind = draw(st.sampled_from([JmsKind.TEXT, JmsKind.BYTES, JmsKind.OBJECT, JmsKind.NONE]))
    bodies: dict[JmsKind, st.SearchStrategy[Any]] = {
        JmsKind.TEXT: st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
        JmsKind.BYTES: st.binary(max_size=10),
        JmsKind.OBJECT: st.none() | st.binary(min_size=1, max_size=10),
        JmsKind.NONE: st.none(),
    }
    found = JmsMessage(kind, draw(bodies[kind]))
    with_properties(draw, found.message)
    if STYLE in found.message:
        # JMS has no such word.
        del found.message[STYLE]
    found.correlation_id = draw(st.none() | st.text(PRINTABLE, min_size=1).filter(lambda text: text[:3] != "ID:"))
    found.type = draw(st.none() | st.text(st.sampled_from("abc"), min_size=1))
    found.delivery_mode = draw(st.sampled_from([1, 2]))
    found.expiration = draw(st.just(0) | st.integers(MILLISECONDS + 1, MILLISECONDS + 10**9))
    for name in draw(st.sets(st.text(st.sampled_from("xyz"), min_size=1, max_size=3), max_size=4)):
        found.set_property(
            name, draw(st.text(PRINTABLE) | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.floats())
        )
    return found


def seen(message: JmsMessage) -> tuple[object, ...]:
    """What a program sees of a JMS message, apart from what receiving adds."""
    own = {name: repr(value) for name, value in message.properties.items() if not name.startswith("JMS")}
    header = (message.message_id, message.timestamp, message.correlation_id, message.expiration, message.priority)
    return message.kind, message.body, header, message.reply_to, message.delivery_mode, message.type, own


@pytest.mark.spec("E-433", "E-555", "E-557", "E-559")
@given(jms_messages())
def test_a_jms_message_comes_back_as_programs_see_it(message: JmsMessage) -> None:
    assert seen(JmsMessage.of(through_mq(JmsTransformer(), message.message))) == seen(message)


@pytest.mark.spec("E-426", "E-430")
@given(
    st.binary(max_size=60) | free_messages().map(lambda message: message.body()),
    st.sampled_from(["", "MQSTR", "EVFIELDS", "MQHRF2"]),
    st.sampled_from([8, 112, 0x4D5165, 2**31, 2**32 - 1]),
    st.integers(-(2**31), 2**31 - 1),
    st.sampled_from([0, 1208, 37, -1, 65535]),
    st.sampled_from(ByteOrder),
    st.sampled_from([1208, 500]),
)
def test_any_message_of_mq_is_taken_or_refused(
    data: bytes, format: str, msg_type: int, expiry: int, coded: int, order: ByteOrder, ccsid: int
) -> None:
    given_message = Message.build(
        data, order=order, ccsid=ccsid, format=format, msg_type=msg_type, expiry=expiry, coded_char_set_id=coded
    )
    for transformer in TRANSFORMERS:
        try:
            transformer.from_mq(given_message, ORDERS, NOW).check()
        except EveryplaceError:
            assert format == "EVFIELDS"


@given(st.binary(min_size=364, max_size=364))
def test_a_descriptor_of_any_bytes_is_taken_or_refused(raw: bytes) -> None:
    for version in (1, 2):
        found = Message(b"MD  " + version.to_bytes(4, "little") + raw[8:], b"{}", order=ByteOrder.LITTLE, ccsid=1208)
        for transformer in TRANSFORMERS:
            with contextlib.suppress(EveryplaceError):
                transformer.from_mq(found, ORDERS, NOW).check()
