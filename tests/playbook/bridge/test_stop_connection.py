"""STOP CONN: an operator ends one program; its socket and the other programs on it go on."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC, RequestFlags, SegmentType
from support.clients.program import ClientProgram, connects, with_clients
from support.clients.scene import ClientScene
from support.gateway.stage import Station

pytestmark = [pytest.mark.spec("channels.md 17.2"), pytest.mark.spec("mqi.md 1")]

BOTH = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)
BROKEN = (2, int(MQRC.CONNECTION_BROKEN))


def stops(mars: Station, row: dict[str, str]) -> None:
    assert mars.types(f"STOP CONN({row['CONN']}) EXTCONN({row['EXTCONN']})").responses[0].amq == "AMQ8457"


def reads(client: ClientProgram, handle: int, *, wait: bool) -> list[int]:
    """Asks for a message of a shared queue; the reasons that are told."""
    flags = RequestFlags.SELECTION | (RequestFlags.WAITING if wait else 0)
    options = int(MQGMO.NO_SYNCPOINT | (MQGMO.WAIT if wait else 0))
    told = client.sends(client.request_msgs(handle, flags, get_msg_options=options, wait_interval=-1))
    return [answer.stream.reason_code for answer in told if answer.type == SegmentType.ASYNC_MESSAGE]


@pytest.mark.parametrize("conversations", [10, 0])
def test_the_next_call_is_told_and_the_unit_of_work_is_backed_out(conversations: int) -> None:
    stage, mars = with_clients("DEFINE QLOCAL(KEPT)", conversations=conversations)
    mars.put("KEPT", b"kept")
    client = connects(stage, conversations=conversations)
    handle = client.opens("TARGET", BOTH)
    assert client.puts(b"in the unit", handle, int(MQPMO.SYNCPOINT)).outcome == (0, 0)
    kept = client.opens("KEPT", BOTH)
    if not conversations:
        assert client.gets(kept, int(MQGMO.SYNCPOINT)).data == b"kept"
    (row,) = mars.rows("DISPLAY CONN(*) ALL")
    assert row["UOWSTATE"] == "ACTIVE"
    stops(mars, row)
    assert mars.is_refused("DISPLAY CONN(*)", "AMQ8147") is None
    assert mars.contents("KEPT") == [b"kept"]
    assert mars.depth("TARGET") == 0
    assert client.puts(b"too late", handle).outcome == BROKEN
    assert client.commits() == BROKEN
    assert client.disconnects() == (0, 0)
    assert mars.depth("TARGET") == 0


def test_a_get_that_waits_is_told_at_once() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    assert reads(client, client.opens("TARGET", BOTH), wait=True) == []
    (row,) = mars.rows("DISPLAY CONN(*) ALL")
    stops(mars, row)
    (told,) = [answer for answer in client.sends() if answer.type == SegmentType.ASYNC_MESSAGE]
    assert told.stream.reason_code == MQRC.CONNECTION_BROKEN
    mars.put("TARGET", b"for others")
    assert client.hears() == []
    assert mars.contents("TARGET") == [b"for others"]


def test_a_get_without_sharing_that_waits_is_told_at_once() -> None:
    stage, mars = with_clients(conversations=0)
    client = connects(stage, conversations=0)
    handle = client.opens("TARGET", BOTH)
    assert client.sends(client.get_segment(handle, int(MQGMO.WAIT), gmo={"wait_interval": -1})) == []
    (row,) = mars.rows("DISPLAY CONN(*) ALL")
    stops(mars, row)
    (told,) = client.sends()
    assert told.outcome == BROKEN


def test_messages_that_are_asked_for_later_do_not_come() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", BOTH)
    mars.put("TARGET", b"stays")
    (row,) = mars.rows("DISPLAY CONN(*) ALL")
    stops(mars, row)
    assert reads(client, handle, wait=False) == [MQRC.CONNECTION_BROKEN]
    assert mars.contents("TARGET") == [b"stays"]


def test_the_other_programs_of_the_socket_go_on() -> None:
    scene = ClientScene()
    before = {row["CONN"] for row in scene.mars.rows("DISPLAY CONN(*) WHERE(UOWSTATE EQ ACTIVE) ALL")}
    rows = scene.mars.rows("DISPLAY CONN(*) ALL")
    first_of_bad = rows[2]
    stops(scene.mars, first_of_bad)
    assert {row["CONN"] for row in scene.mars.rows("DISPLAY CONN(*) WHERE(UOWSTATE EQ ACTIVE) ALL")} == before - {
        first_of_bad["CONN"]
    }
    assert scene.bad.puts(b"no more", scene.handle).outcome == BROKEN
    scene.bad.conversation = 3
    assert scene.bad.commits() == (0, 0)
    assert scene.mars.contents("TARGET") == [b"other"]


@pytest.mark.parametrize("name", ["0000000000000001", "nonsense", "1' EXTCONN('zz"])
def test_a_connection_that_is_none(name: str) -> None:
    stage, mars = with_clients()
    connects(stage)
    mars.is_refused(f"STOP CONN('{name}')", "AMQ8147" if "EXT" not in name else "AMQ8405")
    assert len(mars.rows("DISPLAY CONN(*)")) == 1
