"""Names of properties (mqi.md 15.3)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.properties import (
    MAX_NAME,
    Property,
    PropertyNameError,
    PropertyValueError,
    check_name,
    check_selectable,
    check_value,
)
from mqbridge.protocol.constants import MQRC, MQTYPE

pytestmark = pytest.mark.spec("mqi.md 15.3")


@pytest.mark.parametrize(
    "name",
    ["a", "_a", "$a", "Größe", "usr.a", "a.b.c", "mqext.Arm", "mqps.Top", "mq_usr.a.b", "MQ_USR.a.b", "jmsx",
     "n" * MAX_NAME],
)  # fmt: skip
def test_names_that_are_allowed(name: str) -> None:
    check_name(name)
    check_selectable(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "a.", ".a", "a..b", "1a", "a b", "a-b", "a\n", "a#", "JMSx", "JMS", "JMSPriority", "usr.JMSx", "null",
     "TRUE", "Between", "escape", "mq.a.b", "MQfoo.a.b", "Root.x", "Root.MQMD.Version"],
)  # fmt: skip
def test_names_that_are_not(name: str) -> None:
    with pytest.raises(PropertyNameError) as caught:
        check_name(name)
    assert caught.value.reason == MQRC.PROPERTY_NAME_ERROR


def test_a_name_too_long() -> None:
    with pytest.raises(PropertyNameError) as caught:
        check_name("n" * (MAX_NAME + 1))
    assert caught.value.reason == MQRC.PROPERTY_NAME_LENGTH_ERR


@pytest.mark.spec("mqi.md 15.4")
@pytest.mark.parametrize("name", ["JMSPriority", "JMSXGroupID", "Root.MQMD.MsgId", "Root.MQMD.OriginalLength"])
def test_selectors_know_more(name: str) -> None:
    check_selectable(name)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (MQTYPE.INT8, -128), (MQTYPE.INT16, 32767), (MQTYPE.INT32, -(2**31)), (MQTYPE.INT64, 2**63 - 1),
        (MQTYPE.FLOAT32, 0.5), (MQTYPE.FLOAT64, 1e300), (MQTYPE.BOOLEAN, False), (MQTYPE.STRING, ""),
        (MQTYPE.BYTE_STRING, b""), (MQTYPE.NULL, None), (MQTYPE.INT8, None),
    ],
)  # fmt: skip
def test_values_of_their_type(kind: MQTYPE, value: object) -> None:
    check_value(Property("a", kind, value))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (MQTYPE.INT8, 128), (MQTYPE.INT16, -32769), (MQTYPE.INT32, 2**31), (MQTYPE.INT64, 2**63), (MQTYPE.INT32, True),
        (MQTYPE.INT32, 1.0), (MQTYPE.FLOAT64, 1), (MQTYPE.BOOLEAN, 1), (MQTYPE.STRING, b"x"), (MQTYPE.BYTE_STRING, "x"),
        (MQTYPE.NULL, "x"),
    ],
)  # fmt: skip
def test_values_of_another_type(kind: MQTYPE, value: object) -> None:
    with pytest.raises(PropertyValueError):
        check_value(Property("a", kind, value))  # type: ignore[arg-type]


def test_types_that_values_suggest() -> None:
    kinds = [Property.of("a", value).type for value in (None, True, 1, 1.0, "x", b"x")]
    assert kinds == [MQTYPE.NULL, MQTYPE.BOOLEAN, MQTYPE.INT64, MQTYPE.FLOAT64, MQTYPE.STRING, MQTYPE.BYTE_STRING]
