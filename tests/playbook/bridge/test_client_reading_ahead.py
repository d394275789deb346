"""A client that reads ahead and has found nothing: its next get says nothing, and waits for what comes."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQGMO, MQOO, NotificationCode, RequestFlags, SegmentType
from support.clients.program import GotMessage, connects, with_clients

pytestmark = pytest.mark.spec("client-observed.md O-083", "client-observed.md O-085")

ROOM = 102400
WAITS = RequestFlags.WAITING | RequestFlags.SELECTION
CHECKS = RequestFlags.WAITING | RequestFlags.CHECK


def test_messages_come_behind_a_check_that_found_none() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", int(MQOO.INPUT_SHARED))
    ahead = {"get_msg_options": int(MQGMO.WAIT | MQGMO.NO_SYNCPOINT), "requested": ROOM, "queue_status": 1}
    assert client.sends(client.request_msgs(handle, WAITS, wait_interval=300, **ahead)) == []
    (answer,) = client.sends(client.request_msgs(handle, CHECKS, **ahead))
    assert answer.notification == (handle, NotificationCode.CHECK_MSG, 0)
    for data in (b"one", b"two"):
        mars.put("TARGET", data)
        (message,) = client.sends()
        assert message.type == SegmentType.ASYNC_MESSAGE
        assert GotMessage.of_stream(message).data == data
    assert client.asks(client.mqclose(handle, 1)).outcome == (0, 0)
    stage.wait(0.05)
    assert mars.contents("TARGET") == [b"two"]  # what had not arrived goes back
