"""JMSType of a provider in messages of MQ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, from_amqp
from mqbridge.mappings.amqp.types import subject_of_mq, type_of_mq
from mqbridge.mappings.jms import JmsMessage

URI = "mcd://mrm/set/type?format=fmt"


@pytest.mark.parametrize(
    ("kind", "subject", "jms_type"),
    [
        ("text", None, None),
        ("text", "", ""),
        ("text", "order", "order"),
        ("text", URI, URI),
        ("bytes", "mcd://xmlns", "mcd://xmlns"),
        ("map", URI, f"AMQP:{URI}"),
        ("none", URI, f"AMQP:{URI}"),
        ("text", "mcd://", "AMQP:mcd://"),
        ("text", "mcd://mrm/", "AMQP:mcd://mrm/"),
        ("text", "mcd://jms_map/set/type", "AMQP:mcd://jms_map/set/type"),
        ("text", f"AMQP:{URI}", f"AMQP:AMQP:{URI}"),
        ("text", "AMQP:order", "AMQP:order"),
    ],
)
def test_a_type_is_one_that_ibms_client_reads(kind: str, subject: str | None, jms_type: str | None) -> None:
    assert type_of_mq(kind, subject) == jms_type
    assert subject_of_mq(jms_type) == subject
    message = from_amqp(AmqpMessage(properties=AmqpProperties(subject=subject)), now=0)
    assert JmsMessage.of(message.message("queue:///Q", now=0)).type == type_of_mq("text", subject)


@given(st.sampled_from(("text", "map")), st.lists(st.sampled_from(("AMQP:", "mcd://", "mrm", "/", "?format=f"))))
def test_every_type_comes_back(kind: str, parts: list[str]) -> None:
    assert subject_of_mq(type_of_mq(kind, "".join(parts))) == "".join(parts)
