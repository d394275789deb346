"""A selector with many messages to look at: others have their turn meanwhile, and the get can be ended."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.calls.gets import PendingGet
from mqbridge.protocol.constants import MQGMO, MQMF, MQMO, MQOO, MQRC, RequestFlags, SegmentType, SpiVerb
from mqbridge.protocol.structures import SPI, SPNI, make_od, spi_base
from support.clients.playbook import Answer
from support.clients.program import ClientProgram, GotMessage, connects, with_clients
from support.gateway.stage import Station

MESSAGES, IN_A_TURN = 20, 1
IN_AND_OUT = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)
UNSHARED_AND_SHARED = pytest.mark.parametrize("conversations", [0, 10])


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.turns.UNITS_IN_A_TURN", MESSAGES + 10)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When searches had another turn."""
    found: list[float] = []
    on = PendingGet._turn

    def turn(self: PendingGet, now: float) -> None:
        found.append(now)
        on(self, now)

    monkeypatch.setattr(PendingGet, "_turn", turn)
    return found


def searching(conversations: int, selector: str) -> tuple[ClientProgram, Station, int, int]:
    """A client on a queue with messages of priorities 0 to 9: its handle with the selector, and one without."""
    stage, mars = with_clients("ALTER QLOCAL(TARGET) MSGDLVSQ(FIFO)", conversations=conversations)
    client = connects(stage, conversations=conversations)
    plain = client.opens("TARGET", IN_AND_OUT)
    for number in range(MESSAGES):
        assert client.puts(b"%d" % number, plain, priority=9 if number == MESSAGES - 1 else 1).outcome == (0, 0)
    order = client.writer.order
    od = make_od(order, 4, object_name=b"TARGET".ljust(48), strings={"selection_string": selector.encode()})
    answer = client.asks(client.call(SegmentType.MQOPEN, od.build(), client.word(IN_AND_OUT)))
    assert answer.outcome == (0, 0)
    return client, mars, int(answer.api.object_handle), plain


def asks_for(client: ClientProgram, handle: int, *, wait: int = 0, bits: int = 0) -> bytes:
    """A get as this client makes it; ``wait``: WaitInterval; ``bits``: further options."""
    bits |= int((MQGMO.WAIT if wait else MQGMO.NO_WAIT) | MQGMO.NO_SYNCPOINT)
    if not client.shared:
        return client.get_segment(handle, bits, gmo={"wait_interval": wait, "match_options": int(MQMO.NONE)})
    flags = RequestFlags.WAITING | RequestFlags.SELECTION if wait else 0x1E
    return client.request_msgs(handle, flags, get_msg_options=bits, wait_interval=wait)


def message(client: ClientProgram, answers: list[Answer]) -> GotMessage:
    kind = SegmentType.ASYNC_MESSAGE if client.shared else SegmentType.MQGET_REPLY
    (found,) = [answer for answer in answers if answer.type == kind]
    return GotMessage.of_stream(found) if client.shared else GotMessage.of_reply(found)


@UNSHARED_AND_SHARED
def test_what_comes_behind_a_long_search_is_answered_first(conversations: int, turns: list[float]) -> None:
    client, _, handle, plain = searching(conversations, "JMSPriority > 5")
    answers = client.sends(asks_for(client, handle), client.put_segment(b"more", plain))
    assert answers[0].type == SegmentType.MQPUT_REPLY
    assert message(client, answers).data == b"%d" % (MESSAGES - 1)
    assert len(turns) == (MESSAGES - 1) // IN_A_TURN


@UNSHARED_AND_SHARED
def test_a_search_that_finds_nothing_says_so_or_waits(conversations: int, turns: list[float]) -> None:
    client, _, handle, plain = searching(conversations, "JMSPriority = 0")
    (told,) = client.sends(asks_for(client, handle))
    assert told.type == SegmentType.NOTIFICATION if client.shared else told.outcome == (2, MQRC.NO_MSG_AVAILABLE)
    assert len(turns) == MESSAGES // IN_A_TURN
    assert client.sends(asks_for(client, handle, wait=-1)) == []
    assert len(turns) == MESSAGES // IN_A_TURN  # all of them are remembered
    if client.shared:
        answers = client.sends(client.put_segment(b"at last", plain, priority=0))
        assert message(client, answers).data == b"at last"


@UNSHARED_AND_SHARED
def test_a_search_through_incomplete_groups_ends(conversations: int, turns: list[float]) -> None:
    stage, mars = with_clients(conversations=conversations)
    for number in range(MESSAGES):
        fields = {"group_id": b"%024d" % number, "msg_seq_number": 1, "msg_flags": int(MQMF.MSG_IN_GROUP)}
        mars.put("TARGET", b"alone", **fields)
    client = connects(stage, conversations=conversations)
    handle = client.opens("TARGET", int(MQOO.INPUT_SHARED))
    (answer,) = client.sends(asks_for(client, handle, bits=int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE)))
    assert answer.type == SegmentType.NOTIFICATION if client.shared else answer.outcome == (2, MQRC.NO_MSG_AVAILABLE)
    assert 1 <= len(turns) <= 2 * MESSAGES


def test_a_search_is_ended_as_a_wait_is() -> None:
    client, mars, handle, _ = searching(10, "JMSPriority > 5")
    (connection,) = mars.manager.connections
    order = client.writer.order
    cancels = client.call(
        SegmentType.SPI,
        SPI.codec(order)(verb=SpiVerb.NOTIFY, version=1, max_reply_size=12).build(),
        spi_base("SPNU").codec(order)().build(),
        SPNI.codec(order)(reason=int(MQRC.XWAIT_CANCELED), connection_id=connection.id).build(),
    )
    answers = client.sends(asks_for(client, handle, wait=-1), cancels)
    assert message(client, answers).reason == MQRC.XWAIT_CANCELED
    assert mars.depth("TARGET") == MESSAGES


@UNSHARED_AND_SHARED
def test_a_client_that_is_gone_is_not_searched_for(conversations: int, turns: list[float]) -> None:
    client, mars, handle, _ = searching(conversations, "JMSPriority > 5")
    client._stream.send(0, asks_for(client, handle))
    client.breaks_off()
    assert len(turns) <= 1
    assert mars.depth("TARGET") == MESSAGES
