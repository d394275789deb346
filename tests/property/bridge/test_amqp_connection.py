"""AMQP at the edge: a message comes back from its bytes, and bytes of a provider raise nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from mqbridge.bridge.agents.linking.provider import Lost, Refused
from mqbridge.bridge.links.codec import decode, encode
from mqbridge.bridge.links.connection import AmqpConnection
from mqbridge.bridge.links.settings import ConnectionSettings
from mqbridge.mappings.amqp import AmqpMessage
from support.linking.amqp_messages import MESSAGES


@given(MESSAGES)
def test_a_message_comes_back_from_its_bytes(message: AmqpMessage) -> None:
    decoded = decode(encode(message))
    assert (decoded.message, decoded.error) == (message, "")


@given(MESSAGES, st.integers(0, 1 << 30), st.integers(0, 255))
def test_a_damaged_message_is_decoded_or_has_an_error(message: AmqpMessage, place: int, value: int) -> None:
    damaged = bytearray(encode(message))
    if damaged:
        damaged[place % len(damaged)] = value
    assert isinstance(decode(bytes(damaged)).error, str)
    assert isinstance(decode(bytes(damaged[: place % (len(damaged) + 1)])).error, str)


HELLO = b"AMQP\x03\x01\x00\x00"


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda rest: HELLO + rest))
def test_no_bytes_of_a_provider_raise_anything(data: bytes) -> None:
    connection = AmqpConnection(ConnectionSettings("us"), 1.0)
    connection.take()
    connection.receive_data(data, 2.0)
    connection.take()
    connection.lost("end of stream")
    events = connection.events()
    assert isinstance(events[-1], Lost | Refused)
    assert connection.over
    assert sum(isinstance(each, Lost) or (isinstance(each, Refused) and each.handle is None) for each in events) == 1
