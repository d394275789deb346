"""Addresses of AMQP messages and the annotations that say what they are."""

from __future__ import annotations

import pytest

from mqbridge.mappings.amqp import (
    Address,
    AddressKind,
    AmqpMessage,
    AmqpProperties,
    AmqpType,
    Scalar,
    Value,
    destination_address,
    reply_address,
)


@pytest.mark.parametrize(
    ("value", "old", "kind"),
    [
        (Scalar(AmqpType.BYTE, 0), None, AddressKind.QUEUE),
        (Scalar(AmqpType.BYTE, 1), None, AddressKind.TOPIC),
        (Scalar(AmqpType.BYTE, 2), None, AddressKind.TEMPORARY_QUEUE),
        (Scalar(AmqpType.BYTE, 3), "queue", AddressKind.TEMPORARY_TOPIC),
        (None, "queue", AddressKind.QUEUE),
        (None, "topic", AddressKind.TOPIC),
        (None, "queue , temporary", AddressKind.TEMPORARY_QUEUE),
        (None, "temporary,topic", AddressKind.TEMPORARY_TOPIC),
        (None, "", AddressKind.TOPIC),
        (None, None, AddressKind.TOPIC),
        (Scalar(AmqpType.BYTE, 9), None, AddressKind.TOPIC),
        (Scalar(AmqpType.INT, 0), None, AddressKind.TOPIC),
        ("queue", 5, AddressKind.TOPIC),
    ],
)
def test_the_kind_of_an_address(value: Value, old: Value, kind: AddressKind) -> None:
    def annotations(key: str, old_key: str) -> dict[str, Value]:
        return {name: each for name, each in ((key, value), (old_key, old)) if each is not None}

    sent = AmqpMessage(
        properties=AmqpProperties(to="stock", reply_to="answers"),
        message_annotations=annotations("x-opt-jms-dest", "x-opt-to-type")
        | annotations("x-opt-jms-reply-to", "x-opt-reply-type"),
    )
    assert destination_address(sent, AddressKind.TOPIC) == Address("stock", kind)
    assert reply_address(sent, AddressKind.TOPIC) == Address("answers", kind)


def test_no_address() -> None:
    assert destination_address(AmqpMessage()) is None
    assert reply_address(AmqpMessage(properties=AmqpProperties(reply_to=""))) is None
