"""What clients need to put poison messages aside (mqi.md 4.4, client-observed.md O-095, O-096)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQCA, MQGMO, MQIA, MQOO, MQPMO, MQQT, MQRC, SegmentType
from mqbridge.protocol.structures import API
from mqbridge.protocol.structures.inq import make_inq, parse_inq
from support.clients.program import ClientProgram, connects, with_clients

pytestmark = pytest.mark.spec("client-observed.md O-096")

BOTH = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.INQUIRE)
SYNCPOINT = int(MQGMO.SYNCPOINT)
ASKED = (int(MQIA.BACKOUT_THRESHOLD), int(MQIA.Q_TYPE), int(MQCA.BACKOUT_REQ_Q_NAME), int(MQCA.BASE_Q_NAME))
OBJECTS = """
    DEFINE QLOCAL(ASIDE)
    ALTER QLOCAL(TARGET) BOTHRESH(3) BOQNAME(ASIDE)
    DEFINE QALIAS(ALIAS) TARGET(TARGET)
"""


def inquire(client: ClientProgram, handle: int) -> tuple[tuple[int, int], list[int], list[bytes]]:
    """MQINQ as IBM's JMS client asks when a message comes again."""
    inq = make_inq(client.writer.order, ASKED, [0, 0], bytes(96)).build()[: 12 + 4 * len(ASKED)]
    answer = client.asks(client.call(SegmentType.MQINQ, inq, handle=handle))
    found = parse_inq(answer.body, API.size, answer.order, values=True)
    characters = bytes(found.char_attrs)
    return answer.outcome, list(found.int_attrs), [characters[:48].rstrip(), characters[48:96].rstrip()]


@pytest.fixture(params=[10, 0], ids=["shared", "not shared"])
def client(request: pytest.FixtureRequest) -> ClientProgram:
    stage, _ = with_clients(OBJECTS, conversations=request.param)
    return connects(stage, conversations=request.param)


def test_a_local_queue_says_where_poison_goes(client: ClientProgram) -> None:
    outcome, integers, texts = inquire(client, client.opens("TARGET", BOTH))
    assert outcome == (1, MQRC.SELECTOR_NOT_FOR_TYPE), "a local queue has no base queue"
    assert integers == [3, int(MQQT.LOCAL)]
    assert texts == [b"ASIDE", b"*" * 48]


def test_an_alias_names_its_base_queue_which_says_it(client: ClientProgram) -> None:
    outcome, integers, texts = inquire(client, client.opens("ALIAS", BOTH))
    assert outcome == (1, MQRC.SELECTOR_NOT_FOR_TYPE)
    assert integers == [-1, int(MQQT.ALIAS)]
    assert texts == [b"*" * 48, b"TARGET"]
    _, integers, texts = inquire(client, client.opens("TARGET", int(MQOO.INQUIRE)))
    assert (integers[0], texts[0]) == (3, b"ASIDE")


def received(client: ClientProgram, handle: int, options: int = SYNCPOINT) -> Any:
    return client.takes(handle, options) if client.shared else client.gets(handle, options)


def test_backouts_are_counted_in_what_a_client_gets(client: ClientProgram) -> None:
    handle = client.opens("ALIAS", BOTH)
    assert client.puts(b"poison", handle).outcome == (0, 0)
    for count in range(4):
        assert received(client, handle).md.backout_count == count
        assert client.backs_out() == (0, 0)
    assert received(client, handle, 0).md.backout_count == 4


def test_a_message_that_a_client_had_not_received_is_not_counted() -> None:
    stage, _ = with_clients(OBJECTS)
    first = connects(stage)
    handle = first.opens("TARGET", BOTH)
    assert first.puts(b"poison", handle).outcome == (0, 0)
    asked = first.request_msgs(handle, 0x18, get_msg_options=SYNCPOINT, max_msg_length=-1)
    assert len(first.sends(asked)) == 1
    assert first.sends(first.mqclose(handle, last_index=0))[-1].outcome == (0, 0)
    second = connects(stage)
    got = second.takes(second.opens("TARGET", BOTH))
    assert got is not None
    assert got.md.backout_count == 0


def test_poison_goes_aside_with_its_context(client: ClientProgram) -> None:
    source = client.opens("TARGET", int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.SAVE_ALL_CONTEXT))
    assert client.puts(b"poison", source, correl_id=b"c" * 24).outcome == (0, 0)
    got = received(client, source)
    aside = client.opens("ASIDE", int(MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT))
    options = int(MQPMO.SYNCPOINT | MQPMO.PASS_ALL_CONTEXT)
    kept = {"msg_id": got.md.msg_id, "correl_id": got.md.correl_id}
    assert client.puts(got.data, aside, options, {"context": source}, **kept).outcome == (0, 0)
    assert client.commits() == (0, 0)
    moved = received(client, client.opens("ASIDE", int(MQOO.INPUT_SHARED)))
    for field in ("msg_id", "correl_id", "user_identifier", "put_appl_name", "put_date", "put_time"):
        assert getattr(moved.md, field) == getattr(got.md, field), field
