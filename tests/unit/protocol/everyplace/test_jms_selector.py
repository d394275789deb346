"""The subset of JMS selectors of Everyplace."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.filters import Filter, matches
from mqbridge.protocol.everyplace.jms_fields import JMS_VERSION, JmsKind
from mqbridge.protocol.everyplace.jms_message import JmsMessage
from mqbridge.protocol.everyplace.jms_selector import MAX_SELECTOR, Selector, selecting
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid

TIME: Final = 1_795_251_600_123


def message(**properties: Any) -> JmsMessage:
    found = JmsMessage(JmsKind.TEXT, "text")
    found.message.identify(MessageUid("MOON", TIME))
    for name, value in properties.items():
        found.set_property(name, *value) if isinstance(value, tuple) else found.set_property(name, value)
    return found


def selects(text: str, found: JmsMessage) -> bool:
    return Selector(text).accepts(found.message)


@pytest.mark.spec("E-545", "E-546", "E-548", "E-551")
@pytest.mark.parametrize(
    "selector",
    [
        "colour = 'blue'",
        "colour='blue'",
        "\tcolour\f=\r\n'blue' ",
        "owner = 'O''Hara'",
        "size = 7",
        "size = +7",
        "cold = -7",
        "weight = 2.5",
        "weight = 25e-1",
        "weight = .25E1",
        "ready = TRUE",
        "ready = true",
        "broken = FALSE",
        "colour = 'blue' AND size = 7",
        "colour = 'blue' and size = 7 And nothing is null",
        "$a_1 = 'x'",
        "nothing IS NULL",
        "empty = ''",
        "large = 9223372036854775807",
        "",
        "  ",
    ],
)
def test_what_is_selected(selector: str) -> None:
    found = message(
        colour="blue", owner="O'Hara", size=7, cold=-7, weight=2.5, ready=True, broken=False, empty="", large=2**63 - 1
    )
    found.set_property("$a_1", "x")
    assert selects(selector, found)


@pytest.mark.spec("E-548", "E-549", "E-550")
@pytest.mark.parametrize(
    "selector",
    [
        "colour = 'Blue'",
        "Colour = 'blue'",
        "colour = 7",
        "size = '7'",
        "size = 7.0",
        "weight = 2",
        "ready = 'TRUE'",
        "ready = 1",
        "one = TRUE",
        "narrow = 7",
        "single = 2.5",
        "colour IS NULL",
        "colour = 'blue' AND size = 8",
        "nothing = 'x'",
    ],
)
def test_what_is_not_selected(selector: str) -> None:
    found = message(
        colour="blue",
        size=7,
        weight=2.5,
        ready=True,
        one=1,
        narrow=(7, FieldType.INT),
        single=(2.5, FieldType.FLOAT),
    )
    assert not selects(selector, found)


@pytest.mark.spec("E-548", "E-546", "E-547")
@pytest.mark.parametrize(
    "selector",
    [
        "colour IS NOT NULL",
        "colour = 'blue' OR size = 7",
        "NOT colour = 'blue'",
        "size BETWEEN 1 AND 9",
        "colour LIKE 'b%'",
        "colour IN ('blue')",
        "size > 7",
        "size <> 7",
        "size <= 7",
        "size + 1 = 8",
        "size = 7 + 1",
        "(size = 7)",
        "7 = size",
        "size = colour",
        "size",
        "size =",
        "= 7",
        "size = 7 AND",
        "AND size = 7",
        "size = 7 colour = 'blue'",
        "colour = 'blue",
        'colour = "blue"',
        "size = 9223372036854775808",
        "size = 1e999",
        "size == 7",
        "size IS",
        "NULL = 7",
        "TRUE = TRUE",
        "between = 7",
        "1a = 7",
        "größe = 7",
        "size = 7;",
        "JMSExpiration = 0",
        "JMSDestination IS NULL",
        "JMSReplyTo IS NULL",
        "size = 0x7",
    ],
)
def test_everything_else_is_refused_when_the_filter_is_made(selector: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        selecting(selector)
    assert caught.value.code is Code.SYNTAX


def test_a_selector_has_a_limit() -> None:
    selecting("a = '" + "x" * (MAX_SELECTOR - 6) + "'")
    with pytest.raises(EveryplaceError) as caught:
        selecting("a = '" + "x" * MAX_SELECTOR + "'")
    assert caught.value.code is Code.TOO_LONG


@pytest.mark.spec("E-547", "E-550")
def test_header_fields() -> None:
    found = message()
    assert selects("JMSPriority = 4", found)
    assert selects("JMSDeliveryMode = 2", found)
    assert selects(f"JMSTimestamp = {TIME}", found)
    assert selects(f"JMSMessageID = '{found.message_id}'", found)
    assert selects("JMSCorrelationID IS NULL AND JMSType IS NULL", found)
    found.message.priority, found.correlation_id, found.type = 7, "order 17", "order"
    found.delivery_mode = 1
    assert selects("JMSPriority = 7 AND JMSCorrelationID = 'order 17' AND JMSType = 'order'", found)
    assert selects("JMSDeliveryMode = 1", found)
    for other in (
        "JMSPriority = '7'",
        "JMSPriority = 7.0",
        "JMSPriority = 8",
        "JMSType IS NULL",
        "JMSPriority IS NULL",
    ):
        assert not selects(other, found)
    unsent = JmsMessage(JmsKind.NONE)
    assert selects("JMSMessageID IS NULL AND JMSTimestamp IS NULL", unsent)


@pytest.mark.spec("E-552")
def test_a_selector_is_a_filter_beside_other_fields() -> None:
    wanted = selecting("colour = 'blue'")
    wanted.put("Msg_Priority", 7, FieldType.BYTE)
    chosen = Filter(wanted)
    assert chosen
    assert chosen.reads_messages
    assert set(chosen.index) == {"Msg_Priority"}
    assert not chosen.others
    blue = message(colour="blue")
    assert not matches(wanted, blue.message)
    blue.message.priority = 7
    assert matches(wanted, blue.message)
    assert chosen.accepts(blue.message)
    assert not chosen.accepts(message(colour="red").message)


@pytest.mark.spec("E-555")
def test_a_selector_means_jms_messages_alone() -> None:
    assert not Selector("").accepts(Message())
    unknown = Message()
    unknown.put(JMS_VERSION, 2, FieldType.SHORT)
    assert not Selector("").accepts(unknown)


def test_a_filter_with_a_selector_of_a_wrong_form_is_refused() -> None:
    wanted = selecting("")
    assert Filter(wanted).selector is not None
    wanted["MQe_JMS_SELECTOR"] = "a OR b"
    with pytest.raises(EveryplaceError):
        Filter(wanted)
    wanted["MQe_JMS_SELECTOR"] = 7
    with pytest.raises(EveryplaceError):
        Filter(wanted)
