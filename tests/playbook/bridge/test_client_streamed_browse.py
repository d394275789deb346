"""Where a streamed browse starts over, and what streamed messages tell of groups and segments."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQGMO, MQMF, MQOO, MQPMO, MessageStatus, SegmentType
from support.clients.program import CHECK, ClientProgram, connects, with_clients

ACCESS = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE)
FIRST = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT)
"""How IBM's client asks for the first message."""


def data_of(client: ClientProgram, handle: int, options: int) -> bytes | None:
    got = client.takes(handle, options)
    return None if got is None else got.data


@pytest.mark.spec("client-observed.md O-098")
def test_a_browse_of_the_first_message_starts_over() -> None:
    stage, _ = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", ACCESS)
    for text in (b"one", b"two"):
        assert client.puts(text, handle).outcome == (0, 0)
    following = int(MQGMO.BROWSE_NEXT)
    assert [data_of(client, handle, each) for each in (FIRST, following, FIRST, following, following)] == [
        b"one",
        b"two",
        b"one",
        b"two",
        None,
    ]


@pytest.mark.spec("mqi.md 12.4")
@pytest.mark.parametrize(
    ("flags", "status"),
    [
        (0, 0),
        (MQMF.SEGMENTATION_ALLOWED, MessageStatus.SEGMENTATION_ALLOWED),
        (MQMF.MSG_IN_GROUP, MessageStatus.MSG_IN_GROUP),
        (MQMF.LAST_MSG_IN_GROUP, MessageStatus.LAST_MSG_IN_GROUP),
        (MQMF.SEGMENT, MessageStatus.SEGMENT),
        (MQMF.LAST_SEGMENT, MessageStatus.LAST_SEGMENT),
        (MQMF.MSG_IN_GROUP | MQMF.LAST_SEGMENT, MessageStatus.MSG_IN_GROUP | MessageStatus.LAST_SEGMENT),
    ],
)
def test_the_status_tells_of_groups_and_segments(flags: int, status: int) -> None:
    stage, _ = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", ACCESS)
    assert client.puts(b"x", handle, int(MQPMO.LOGICAL_ORDER), msg_flags=int(flags)).outcome == (0, 0)
    message, _ = client.sends(client.request_msgs(handle, CHECK, get_msg_options=0, mqmd_version=2))
    assert message.type == SegmentType.ASYNC_MESSAGE
    assert message.stream.status == MessageStatus.SEEN | status
