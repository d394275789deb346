"""``mqbridge.decode`` gives what ``mqbridge decode --json`` shows."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import mqbridge
from mqbridge.bridge.cli import cli
from mqbridge.protocol.dissection.hex_text import HexTextError
from support.transcripts.client_transcripts import transcript


def test_segments_are_decoded_as_by_the_command() -> None:
    data = b"".join(segment.data for segment in transcript("auth-mqcsp").segments if segment.side == "client")
    result = CliRunner().invoke(cli, ["decode", "--json", "-"], input=data)
    assert mqbridge.decode(data) == json.loads(result.stdout)
    assert mqbridge.decode(data.hex()) == mqbridge.decode(data)
    assert "passw0rd" not in json.dumps(mqbridge.decode(data))


def test_a_message_is_decoded_with_its_properties() -> None:
    message = mqbridge.Message("hello", properties={"n": 1})
    found = mqbridge.decode(message.stored.raw_md + message.stored.data)
    assert (found["input"], found["complete"], found["body"]["text"]) == ("message", True, "hello")
    header = mqbridge.decode(message.stored.data, format="MQHRF2", ccsid=1208, encoding=546)
    assert header["structures"][0]["folders"][0]["values"] == [{"name": "n", "type": "i8", "value": 1}]


def test_what_cannot_be_decoded_is_an_error_in_the_result() -> None:
    found = mqbridge.decode(b"TSH \0\0\0\x1c\1\1")
    assert not found["complete"]
    assert found["errors"]
    with pytest.raises(HexTextError):
        mqbridge.decode("xyz")
