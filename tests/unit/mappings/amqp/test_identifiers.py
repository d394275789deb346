"""Ids of AMQP as JMS's text: each row is what Qpid JMS does."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.amqp import AmqpMappingError, correlation_id_text, identifier_of, message_id_text
from mqbridge.mappings.amqp.identifiers import correlation_id_of_mq, identifier_of_mq
from mqbridge.mappings.jms import JmsMessage

UUID = uuid.UUID("b7f25bd1-2fc1-4b1c-9c31-6e6d4c5b0b7a")
IDENTIFIERS = st.none() | st.text(max_size=40) | st.binary(max_size=20) | st.uuids() | st.integers(0, (1 << 64) - 1)


@pytest.mark.parametrize(
    ("identifier", "message_id", "correlation_id"),
    [
        (None, None, None),
        ("ID:qpid:1:1-1", "ID:qpid:1:1-1", "ID:qpid:1:1-1"),
        ("order 5", "ID:AMQP_NO_PREFIX:order 5", "order 5"),
        ("", "ID:AMQP_NO_PREFIX:", ""),
        (UUID, f"ID:AMQP_UUID:{UUID}", f"ID:AMQP_UUID:{UUID}"),
        (0, "ID:AMQP_ULONG:0", "ID:AMQP_ULONG:0"),
        ((1 << 64) - 1, "ID:AMQP_ULONG:18446744073709551615", "ID:AMQP_ULONG:18446744073709551615"),
        (b"\x0f\xa0", "ID:AMQP_BINARY:0FA0", "ID:AMQP_BINARY:0FA0"),
        (b"", "ID:AMQP_BINARY:", "ID:AMQP_BINARY:"),
        ("ID:AMQP_UUID:x", "ID:AMQP_STRING:ID:AMQP_UUID:x", "ID:AMQP_STRING:ID:AMQP_UUID:x"),
        ("ID:AMQP_STRING:x", "ID:AMQP_STRING:ID:AMQP_STRING:x", "ID:AMQP_STRING:ID:AMQP_STRING:x"),
        ("ID:AMQP_NO_PREFIX:x", "ID:AMQP_STRING:ID:AMQP_NO_PREFIX:x", "ID:AMQP_STRING:ID:AMQP_NO_PREFIX:x"),
        ("ID:AMQP_OTHER:x", "ID:AMQP_OTHER:x", "ID:AMQP_OTHER:x"),
    ],
)
def test_an_identifier_is_the_text_of_qpid_jms_and_comes_back(
    identifier: object, message_id: str | None, correlation_id: str | None
) -> None:
    assert message_id_text(identifier) == message_id  # type: ignore[arg-type]
    assert correlation_id_text(identifier) == correlation_id  # type: ignore[arg-type]
    assert identifier_of(message_id) == identifier
    assert identifier_of(correlation_id) == identifier


@given(IDENTIFIERS)
def test_every_identifier_comes_back(identifier: str | bytes | uuid.UUID | int | None) -> None:
    assert identifier_of(message_id_text(identifier)) == identifier
    assert identifier_of(correlation_id_text(identifier)) == identifier


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        (None, None),
        ("order 5", "order 5"),
        ("", ""),
        ("ID:414d51", "ID:414d51"),
        ("ID:414D51", "ID:414D51"),
        ("ID:414", "AMQP:ID:414"),
        ("ID:qpid:1:1-1", "AMQP:ID:qpid:1:1-1"),
        ("AMQP:ID:qpid:1:1-1", "AMQP:AMQP:ID:qpid:1:1-1"),
        ("AMQP:order", "AMQP:order"),
        (UUID, f"AMQP:ID:AMQP_UUID:{UUID}"),
        (5, "AMQP:ID:AMQP_ULONG:5"),
        (b"\xfe" * 24, b"\xfe" * 24),
        (b"\xfe" * 25, "AMQP:ID:AMQP_BINARY:" + "FE" * 25),
        (b"", "AMQP:ID:AMQP_BINARY:"),
    ],
)
def test_a_correlation_id_in_mq_is_one_that_ibms_client_reads(identifier: object, text: str | bytes | None) -> None:
    assert correlation_id_of_mq(identifier) == text  # type: ignore[arg-type]
    read = f"ID:{text.hex()}" if isinstance(text, bytes) else text
    assert JmsMessage("none", correlation_id=text).correlation_id == read
    if not isinstance(text, bytes):
        assert identifier_of_mq(text) == identifier


@given(IDENTIFIERS)
def test_every_identifier_but_few_bytes_comes_back_from_mq(identifier: str | bytes | uuid.UUID | int | None) -> None:
    text = correlation_id_of_mq(identifier)
    assert text == identifier if isinstance(text, bytes) else identifier_of_mq(text) == identifier


@pytest.mark.parametrize(
    "text",
    [
        "ID:AMQP_UUID:",
        "ID:AMQP_UUID:b7f25bd1",
        "ID:AMQP_UUID:{b7f25bd1-2fc1-4b1c-9c31-6e6d4c5b0b7a}",
        "ID:AMQP_ULONG:",
        "ID:AMQP_ULONG:-1",
        "ID:AMQP_ULONG:18446744073709551616",
        "ID:AMQP_ULONG:1_0",
        "ID:AMQP_ULONG:٣",
        "ID:AMQP_BINARY:0",
        "ID:AMQP_BINARY:0G",
        "ID:AMQP_BINARY:0 1",
    ],
)
def test_a_mark_without_a_value_of_its_type_is_an_error(text: str) -> None:
    with pytest.raises(AmqpMappingError, match="is no id"):
        identifier_of(text)
