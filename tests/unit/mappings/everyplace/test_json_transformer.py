"""The transformer ``json`` of Everyplace: free fields as JSON text, and back."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from mqbridge.mappings.everyplace import JsonTransformer
from mqbridge.mappings.inferred import DUMP_FORMAT
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.message import Style
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE, text_message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

ORDERS: Final = Address("ORDERS", "SATURN")
NOW: Final = 1_795_251_600.0


def free(**fields: Any) -> EveryplaceMessage:
    message = EveryplaceMessage("com.example.Order")
    message.identify(MessageUid("MOON", 1_795_251_600_000))
    for name, value in fields.items():
        message[name] = value
    return message


def to_mq(message: EveryplaceMessage) -> Message:
    return JsonTransformer().to_mq(message, ORDERS, MQPMO.NONE, NOW).message


def from_mq(text: str, **fields: Any) -> EveryplaceMessage:
    return JsonTransformer().from_mq(
        Message.build(text.encode(), format="MQSTR", coded_char_set_id=1208, **fields), ORDERS, NOW
    )


@pytest.mark.spec("E-426", "E-427")
def test_free_fields_are_json_text_and_properties_are_in_the_descriptor() -> None:
    inner = Fields()
    inner["street"] = "Hauptstraße"
    message = free(meter=17, celsius=21.5, name="Küche", on=True, nothing=None, raw=b"\x00\xff", at=inner)
    message.put("steps", [1, 2, 3], FieldType.SHORT_ARRAY)
    message.put("none", [], FieldType.INT_ARRAY)
    message.put("no_bytes", b"", FieldType.BYTE_ARRAY)
    message.priority, message.style, message.correl_id = 7, Style.REQUEST, b"c"
    found = to_mq(message)
    assert (found.md.format, found.md.coded_char_set_id) == ("MQSTR", 1208)
    assert (found.md.priority, found.md.msg_type, found.md.correl_id) == (7, 1, b"c".ljust(24, b"\0"))
    assert json.loads(found.data) == {
        "meter": 17,
        "celsius": 21.5,
        "name": "Küche",
        "on": True,
        "nothing": None,
        "raw": {"base64": "AP8="},
        "at": {"street": "Hauptstraße"},
        "steps": [1, 2, 3],
        "none": None,
        "no_bytes": None,
    }


def test_json_text_becomes_free_fields() -> None:
    found = from_mq(
        '{"meter": 17, "large": 4294967296, "celsius": 21.5, "on": true, "nothing": null, "raw": {"base64": "AP8="},'
        ' "at": {"street": "Hauptstra\\u00dfe"}, "steps": [1, 2], "far": [1, 4294967296], "mixed": [1, 2.5],'
        ' "words": ["a", "b"], "none": []}',
        priority=3,
        expiry=10,
        reply_to_q="REPLIES",
    )
    assert found.type == ""
    assert found.uid is None
    assert (found.priority, found.get("Msg_ExpireTime"), found.reply_to) == (3, 1000, ("REPLIES", ""))
    assert {name: (found.type_of(name), found.get(name)) for name in found if not name.startswith("Msg_")} == {
        "meter": (FieldType.INT, 17),
        "large": (FieldType.LONG, 2**32),
        "celsius": (FieldType.DOUBLE, 21.5),
        "on": (FieldType.BOOLEAN, True),
        "nothing": (FieldType.UNTYPED, None),
        "raw": (FieldType.UNTYPED, b"\x00\xff"),
        "at": (FieldType.FIELDS, found.get("at")),
        "steps": (FieldType.INT_ARRAY, (1, 2)),
        "far": (FieldType.LONG_ARRAY, (1, 2**32)),
        "mixed": (FieldType.DOUBLE_ARRAY, (1.0, 2.5)),
        "words": (FieldType.UNICODE_ARRAY, ("a", "b")),
        "none": (FieldType.UNTYPED, None),
    }
    assert found.get("at").get("street") == "Hauptstraße"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_funnelled(value: float) -> None:
    message = free(celsius=value)
    found = to_mq(message)
    assert found.md.format == DUMP_FORMAT
    assert JsonTransformer().from_mq(found, ORDERS, NOW) == message
    ambiguous = Fields()
    ambiguous["base64"] = "AP8="
    assert to_mq(free(inner=ambiguous)).md.format == DUMP_FORMAT
    assert to_mq(free(base64="AP8=")).md.format == DUMP_FORMAT


@pytest.mark.parametrize(
    "text",
    [
        "two apples",
        "[1]",
        "17",
        '{"a": 1, "a": 2}',
        '{"a:b": 1}',
        '{"": 1}',
        '{"a": [{"b": 1}]}',
        '{"a": [1, "b"]}',
        '{"a": [true]}',
        '{"a": 1e999}',
        '{"a": [1e999]}',
        '{"a": NaN}',
        '{"a": 18446744073709551616}',
        '{"a": [18446744073709551616]}',
        '{"a": "\\ud800"}',
        '{"a": {"base64": "?"}}',
        '{"base64": "AP8="}',
        '{"Msg_Time": 1}',
        '{"MQ_Data": 1}',
        '{"a": ' * 40 + "1" + "}" * 40,
        "[" * 100_000,
        '{"a": ' * 100_000,
        "{",
        "",
    ],
    ids=lambda text: text[:20],
)
def test_other_text_is_a_message_of_mq_style(text: str) -> None:
    found = from_mq(text)
    assert found.type == MQ_STYLE
    assert (found.get(DATA) if text else b"") == text.encode()


def test_a_member_called_base64_that_is_no_text_is_a_field() -> None:
    assert from_mq('{"a": {"base64": 1}}').get("a").get("base64") == 1


def test_text_in_another_code_page_is_read() -> None:
    found = JsonTransformer().from_mq(
        Message.build('{"name": "Küche"}'.encode("cp037"), format="MQSTR", coded_char_set_id=37), ORDERS, NOW
    )
    assert found.get("name") == "Küche"
    unknown = Message.build(b"{}", format="MQSTR", coded_char_set_id=9999)
    assert JsonTransformer().from_mq(unknown, ORDERS, NOW).type == MQ_STYLE
    assert JsonTransformer().from_mq(Message.build(b"{}"), ORDERS, NOW).type == MQ_STYLE


def test_mq_style_messages_are_mapped_field_by_field() -> None:
    message = text_message("two apples")
    message.identify(MessageUid("MOON", 5))
    assert to_mq(message).data == b"two apples"
    message["colour"] = "red"
    assert to_mq(message).md.format == DUMP_FORMAT
    assert to_mq(free(MQ_Data=b"data")).md.format == DUMP_FORMAT


def test_it_has_no_parameters() -> None:
    with pytest.raises(EveryplaceError):
        JsonTransformer().activate(["pretty"])
