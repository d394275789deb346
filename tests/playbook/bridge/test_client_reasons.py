"""Reason codes of calls that clients of IBM's do not make, but others may (mqi.md 20)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQOT, MQRC, SegmentType
from mqbridge.protocol.structures import make_od
from support.clients.program import connects, with_clients

pytestmark = pytest.mark.spec("mqi.md 20")

BOTH = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)
WAIT = int(MQGMO.WAIT)
FAILED = 2


@pytest.mark.parametrize("room", [0x80000000, 0xFFFFFFFF])
def test_a_negative_buffer_length_is_2005(room: int) -> None:
    stage, mars = with_clients(conversations=0)
    client = connects(stage, conversations=0)
    handle = client.opens("TARGET", BOTH)
    client.puts(b"data", handle)
    assert client.gets(handle, room=room).reason == MQRC.BUFFER_LENGTH_ERROR
    assert mars.depth("TARGET") == 1


@pytest.mark.parametrize("conversations", [0, 10])
def test_a_negative_wait_interval_is_2090(conversations: int) -> None:
    stage, _ = with_clients(conversations=conversations)
    client = connects(stage, conversations=conversations)
    handle = client.opens("TARGET", BOTH)
    if conversations:
        (told,) = client.sends(client.request_msgs(handle, 0x18, get_msg_options=WAIT, wait_interval=-2))
        assert told.stream.reason_code == MQRC.WAIT_INTERVAL_ERROR
    else:
        got = client.gets(handle, WAIT, gmo={"wait_interval": -2})
        assert (got.comp_code, got.reason) == (FAILED, MQRC.WAIT_INTERVAL_ERROR)


def test_waiting_for_a_token_is_2331() -> None:
    stage, _ = with_clients(conversations=0)
    client = connects(stage, conversations=0)
    handle = client.opens("TARGET", BOTH)
    gmo = {"match_options": int(MQMO.MATCH_MSG_TOKEN), "msg_token": b"t" * 16, "wait_interval": 1000}
    assert client.gets(handle, WAIT, gmo=gmo).reason == MQRC.MSG_TOKEN_ERROR
    assert client.gets(handle, 0, gmo=gmo).reason == MQRC.NO_MSG_AVAILABLE


def test_the_queue_manager_is_opened_without_a_name() -> None:
    stage, _ = with_clients()
    client = connects(stage)
    for name, outcome in (("MARS", (FAILED, MQRC.NAME_NOT_VALID_FOR_TYPE)), ("", (0, 0))):
        od = make_od(client.writer.order, object_type=int(MQOT.Q_MGR), object_name=name.ljust(48).encode())
        call = client.call(SegmentType.MQOPEN, od.build(), client.word(int(MQOO.INQUIRE)))
        assert client.asks(call).outcome == outcome


@pytest.mark.faulty_traffic
def test_a_header_that_is_none_is_refused_with_its_reason() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", BOTH)
    for name, reason in ((b"MQHDIST ", 2135), (b"MQDEAD  ", 2141), (b"MQHRF2  ", 2334), (b"MQXMIT  ", 2260)):
        assert client.puts(b"no header", handle, format=name).outcome == (FAILED, reason)
    assert mars.depth("TARGET") == 0
