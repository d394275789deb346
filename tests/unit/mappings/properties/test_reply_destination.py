"""Property JMSReplyTo, set and read: URI and descriptor (jms-mapping.md 2.1, 2.2)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView
from mqbridge.mappings.properties.property import PropertyValueError
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQTYPE


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.parametrize(
    ("uri", "queue", "queue_manager"),
    [
        ("queue://QM/R?a=1&b=2", "R", "QM"),
        ("queue:///R", "R", ""),
        ("queue:///A/B?persistence=2", "A/B", ""),
        ("queue://QM/A/B", "A/B", "QM"),
        ("topic://a/b?x=1", "", ""),
    ],
)
def test_the_uri_of_a_queue_also_sets_the_descriptor(uri: str, queue: str, queue_manager: str) -> None:
    message = Message.build(b"x", reply_to_q="OLD", reply_to_q_mgr="OLDER")
    made = with_properties(message, [Property("JMSReplyTo", MQTYPE.STRING, uri)])
    assert (made.md.reply_to_q, made.md.reply_to_q_mgr) == (queue, queue_manager)
    assert PropertyView.of(made).get("JMSReplyTo") == PropertyView.of(made).get("jms.Rto") == uri


@pytest.mark.spec("jms-mapping.md 2.2")
def test_the_descriptor_counts_where_there_is_no_uri() -> None:
    assert PropertyView.of(Message.build(b"x", reply_to_q="A/B")).get("JMSReplyTo") == "queue:///A/B"


@pytest.mark.parametrize("uri", ["queue://", "queue:///" + "x" * 49, "topic://", "a b", ""])
def test_what_is_no_destination_is_refused(uri: str) -> None:
    with pytest.raises(PropertyValueError, match="JMSReplyTo"):
        with_properties(Message.build(b"x"), [Property("JMSReplyTo", MQTYPE.STRING, uri)])
