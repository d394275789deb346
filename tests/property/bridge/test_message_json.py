"""Messages and their JSON form say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.message_json import MessageFormError, MessageView, message_from_json, message_pieces
from mqbridge.mappings.message import Message

NUMBERS = st.integers(-(2**31) + 1, 2**31 - 1)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,10}", fullmatch=True).filter(lambda name: not name.startswith("jms"))
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
PROPERTIES = st.dictionaries(
    NAMES,
    st.one_of(
        st.builds(lambda value: {"type": "string", "value": value}, PLAIN),
        st.builds(lambda value: {"type": "i4", "value": value}, NUMBERS),
        st.builds(lambda value: {"type": "boolean", "value": value}, st.booleans()),
        st.builds(lambda value: {"type": "r8", "value": value}, st.floats(allow_nan=False, allow_infinity=False)),
        st.builds(lambda value: {"type": "bin.hex", "value": value.hex()}, st.binary(max_size=8)),
    ),
    max_size=4,
)


def shown(message: Message, *, short: bool = False) -> Any:
    return json.loads(b"".join(message_pieces(message, short=short)))


@given(
    text=st.text(st.characters(codec="utf-8"), max_size=200),
    ccsid=st.sampled_from([1208, 1200, 13488, 1202]),
    encoding=st.sampled_from([273, 546]),
    properties=PROPERTIES,
)
def test_text_and_properties_come_back(text: str, ccsid: int, encoding: int, properties: dict[str, Any]) -> None:
    fields = {"CodedCharSetId": ccsid, "Encoding": encoding}
    message = message_from_json(json.dumps({"MQMD": fields, "properties": properties, "body": {"text": text}}))
    found = shown(message)
    assert found["body"]["text"] == text
    assert found["properties"] == properties
    assert bytes.fromhex(found["body"]["hex"]) == message.data[MessageView(message).offset :]
    assert shown(message, short=True)["body"].keys() == found["body"].keys() - {"hex"}


@given(
    data=st.binary(max_size=300),
    fields=st.fixed_dictionaries(
        {},
        optional={
            "MsgId": st.binary(max_size=24).map(bytes.hex),
            "CorrelId": st.binary(max_size=24).map(bytes.hex),
            "GroupId": st.binary(max_size=24).map(bytes.hex),
            "Report": st.integers(0, 2**32 - 1),
            "Expiry": NUMBERS,
            "Offset": st.integers(0, 2**31 - 1),
            "ReplyToQ": st.from_regex(r"[A-Z.]{0,48}", fullmatch=True),
            "Format": st.sampled_from(["", "MQSTR", "MYFORM", "MQHRF2", "MQDEAD", "MQXMIT", "MQADMIN"]),
        },
    ),
)
def test_any_message_put_again_is_the_same(data: bytes, fields: dict[str, Any]) -> None:
    message = message_from_json(json.dumps({"MQMD": fields, "body": {"hex": data.hex()}}))
    again = message_from_json(b"".join(message_pieces(message)))
    assert again.data == message.data == data
    assert again.raw_md == message.raw_md


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_anything_else_is_refused_with_one_error(line: bytes) -> None:
    with pytest.raises(MessageFormError):
        message_from_json(b"[" + line)


JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5), lambda inner: st.lists(inner, max_size=2), max_leaves=4
)


@given(
    st.dictionaries(
        st.sampled_from(["MQMD", "body", "properties", "headers", "headerBytes"]),
        JSON | st.dictionaries(st.sampled_from(["text", "hex", "ccsid", "MsgId", "Format", "n"]), JSON, max_size=3),
        max_size=4,
    )
)
def test_json_of_any_shape_gives_a_message_or_that_error(document: dict[str, Any]) -> None:
    try:
        message = message_from_json(json.dumps(document))
    except MessageFormError:
        return
    assert shown(message)["MQMD"]
