"""Descriptors in the byte order and code page of a queue manager elsewhere."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.everyplace.mq.descriptors import descriptor_in
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder

pytestmark = pytest.mark.spec("E-392", "E-406")
ID = bytes(range(200, 224))
OTHERS = [(ByteOrder.LITTLE, 819), (ByteOrder.LITTLE, 500), (ByteOrder.BIG, 1208), (ByteOrder.BIG, 1047)]


def message(user: str) -> Message:
    return Message.build(b"", msg_id=ID, format="MQSTR", reply_to_q="REPLIES", user_identifier=user, priority=3)


@pytest.mark.parametrize(("order", "ccsid"), OTHERS)
@pytest.mark.parametrize("user", ["moon", "Gärtner"])
def test_a_descriptor_reads_the_same_in_another_form(order: ByteOrder, ccsid: int, user: str) -> None:
    found = Message(descriptor_in(message(user), order, ccsid), b"", order=order, ccsid=ccsid).md
    assert (found.msg_id, found.priority) == (ID, 3)
    assert (found.format, found.reply_to_q, found.user_identifier) == ("MQSTR", "REPLIES", user)


def test_one_whose_text_is_the_same_bytes_stays_as_it_is() -> None:
    assert descriptor_in(message("moon"), ByteOrder.LITTLE, 819) == message("moon").raw_md
    assert descriptor_in(message("Gärtner"), ByteOrder.LITTLE, 1208) == message("Gärtner").raw_md
    assert descriptor_in(message("Gärtner"), ByteOrder.LITTLE, 819) != message("Gärtner").raw_md
