"""Values of properties, maps and streams in the types of JMS and AMQP."""

from __future__ import annotations

import uuid

import pytest

from mqbridge.mappings.amqp import AmqpMappingError, AmqpType, Array, Described, Scalar, Value
from mqbridge.mappings.amqp.typed_values import amqp_value, jms_value
from mqbridge.mappings.jms import Typed

PAIRS = [
    (Typed("x", "string"), "x"),
    (Typed(True, "boolean"), True),
    (Typed(-128, "i1"), Scalar(AmqpType.BYTE, -128)),
    (Typed(-32768, "i2"), Scalar(AmqpType.SHORT, -32768)),
    (Typed(5, "i4"), Scalar(AmqpType.INT, 5)),
    (Typed(5, "i8"), 5),
    (Typed(0.5, "r4"), Scalar(AmqpType.FLOAT, 0.5)),
    (Typed(0.1, "r8"), 0.1),
    (Typed("\ud800", "char"), Scalar(AmqpType.CHAR, "\ud800")),
    (Typed(b"\x00", "bin.hex"), b"\x00"),
    (Typed(None, "null"), None),
]


@pytest.mark.parametrize(("jms", "amqp"), PAIRS)
def test_each_type_of_jms_has_one_of_amqp(jms: Typed, amqp: Value) -> None:
    assert amqp_value(jms) == amqp
    assert type(amqp_value(jms)) is type(amqp)
    assert jms_value(amqp, "it") == jms


def test_a_null_with_a_type_is_null() -> None:
    assert amqp_value(Typed(None, "i4")) is None


@pytest.mark.parametrize(
    ("amqp", "jms"),
    [
        (Scalar(AmqpType.UBYTE, 255), Typed(255, "i2")),
        (Scalar(AmqpType.USHORT, 65535), Typed(65535, "i4")),
        (Scalar(AmqpType.UINT, (1 << 32) - 1), Typed((1 << 32) - 1, "i8")),
        (Scalar(AmqpType.ULONG, (1 << 63) - 1), Typed((1 << 63) - 1, "i8")),
        (Scalar(AmqpType.TIMESTAMP, -1), Typed(-1, "i8")),
        (Scalar(AmqpType.SYMBOL, "s"), Typed("s", "string")),
        (uuid.UUID(int=5), Typed("00000000-0000-0000-0000-000000000005", "string")),
    ],
)
def test_types_that_jms_lacks_become_wider(amqp: Value, jms: Typed) -> None:
    assert jms_value(amqp, "it") == jms


@pytest.mark.parametrize(
    ("amqp", "text"),
    [
        (Scalar(AmqpType.ULONG, 1 << 63), "it is an ulong beyond the range of a long"),
        (Scalar(AmqpType.CHAR, "\U0001f600"), "it is a char that Java does not have"),
        (Scalar(AmqpType.DECIMAL32, 0), "it is a decimal32, which JMS does not have"),
        (Scalar(AmqpType.DECIMAL64, 0), "it is a decimal64, which JMS does not have"),
        (Scalar(AmqpType.DECIMAL128, bytes(16)), "it is a decimal128, which JMS does not have"),
        (Array("int", ()), "it is an array of int, which JMS does not have"),
        (Described(1, 2), "it is a described value, which JMS does not have"),
        ([], "it is a list, which JMS does not have"),
        ({}, "it is a map, which JMS does not have"),
    ],
)
def test_what_jms_does_not_have_is_an_error(amqp: Value, text: str) -> None:
    with pytest.raises(AmqpMappingError, match=f"^{text}$"):
        jms_value(amqp, "it")
