"""A channel of clients is stopped with MODE(QUIESCE) and started: what those learn who still hold their connection."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQMODE, MQOO, MQPMO, MQRC, SegmentType, SocketAction
from support.clients.program import CHANNEL, ClientProgram, connects, with_clients
from support.gateway.stage import Station

pytestmark = pytest.mark.spec("client-observed.md O-044")

OUTPUT = int(MQOO.OUTPUT)
FAILS = int(MQPMO.FAIL_IF_QUIESCING)
ASYNC = int(MQPMO.ASYNC_RESPONSE)
REFUSED, STARTED, QUIESCING = int(MQRC.CHANNEL_NOT_AVAILABLE), 0, 3
STOP = f"STOP CHANNEL({CHANNEL}) MODE(QUIESCE)"
START = f"START CHANNEL({CHANNEL})"


@pytest.fixture
def both() -> tuple[Station, ClientProgram]:
    stage, mars = with_clients()
    return mars, connects(stage)


def told(client: ClientProgram) -> list[int]:
    return [each.socket.type for each in client.hears() if each.type == SegmentType.SOCKET_ACTION]


def another(client: ClientProgram, number: int) -> int:
    """The reason with which the MQCONN of a further conversation is answered; refused, it ends."""
    answer = client.asks(client.socket_action(number, SocketAction.START_CONVERSATION))
    assert answer.socket.type == SocketAction.CONVERSATION_STARTED, "others would be a fault to IBM's client"
    reason = client.asks(client.mqconn("MARS", conversation=number)).outcome[1]
    if reason:
        client.sends(client.socket_action(number, SocketAction.END_CONVERSATION))
    return reason


def status(mars: Station) -> list[tuple[str, str]]:
    return [(row["STATUS"], row["STOPREQ"]) for row in mars.rows(f"DISPLAY CHSTATUS({CHANNEL}) ALL")]


@pytest.mark.parametrize("ends", ["STOPPED", "INACTIVE"])
def test_once_it_is_started_further_conversations_are_taken(both: tuple[Station, ClientProgram], ends: str) -> None:
    mars, client = both
    mars.enters(f"{STOP} STATUS({ends})")
    client.stage.wait(0.05)
    assert told(client) == [QUIESCING]
    assert status(mars) == [("STOPPING", "YES")]
    assert another(client, 3) == REFUSED
    mars.enters(START)
    assert status(mars) == [("RUNNING", "NO")]
    assert another(client, 5) == STARTED
    client.conversation = 5
    handle = client.opens("TARGET", OUTPUT | int(MQOO.FAIL_IF_QUIESCING))
    assert client.puts(b"new", handle, FAILS).outcome == (0, 0)
    client.conversation = 1
    assert client.asks(client.mqopen("TARGET", OUTPUT)).outcome == (0, 0), "the old one goes on"
    assert client.disconnects() == (0, 0)
    client.sends(client.socket_action(1, SocketAction.END_CONVERSATION))
    client.conversation = 5
    assert client.puts(b"still", handle, FAILS).outcome == (0, 0)
    mars.enters(STOP)
    client.stage.wait(0.05)
    assert told(client) == [QUIESCING]
    assert another(client, 7) == REFUSED
    assert client.disconnects() == (0, 0)
    client.sends(client.socket_action(5, SocketAction.END_CONVERSATION))
    assert client.gone, "the last one has left"


def test_a_connection_without_conversations_may_stay_after_the_start(both: tuple[Station, ClientProgram]) -> None:
    mars, client = both
    mars.enters(STOP)
    client.stage.wait(0.05)
    mars.enters(START)
    assert told(client) == [QUIESCING]
    assert client.disconnects() == (0, 0)
    client.sends(client.socket_action(1, SocketAction.END_CONVERSATION))
    assert not client.gone
    assert another(client, 3) == STARTED


def test_a_queue_manager_that_ends_takes_no_further_conversation(both: tuple[Station, ClientProgram]) -> None:
    mars, client = both
    channel_manager = mars.gateway.channel_manager
    channel_manager.stopping = True
    for end in channel_manager.channels.named(CHANNEL).clients:
        mars.call(lambda end=end: end.stop(MQMODE.QUIESCE, mars.clock.now))
        end.started_again()
    client.stage.wait(0.05)
    assert told(client) == [SocketAction.Q_MGR_QUIESCING]
    assert another(client, 3) == MQRC.Q_MGR_QUIESCING


@pytest.mark.spec("mqi.md 5.5")
@pytest.mark.parametrize("syncpoint", [True, False])
def test_puts_without_answer_into_a_stopping_channel(both: tuple[Station, ClientProgram], syncpoint: bool) -> None:
    mars, client = both
    handle = client.opens("TARGET", OUTPUT)
    options = ASYNC | FAILS | (int(MQPMO.SYNCPOINT) if syncpoint else int(MQPMO.NO_SYNCPOINT))
    client.sends(client.put_segment(b"before", handle, options))
    mars.enters(STOP)
    client.stage.wait(0.05)
    assert told(client) == [QUIESCING]
    assert client.sends(client.put_segment(b"after", handle, options)) == [], "no answer may be sent (O-063)"
    assert client.sends(client.put_segment(b"does not ask", handle, options & ~FAILS)) == []
    assert client.commits() == ((2, MQRC.BACKED_OUT) if syncpoint else (0, 0))
    found = client.status_of_puts()
    assert (found.comp_code, found.reason) == (2, MQRC.CONNECTION_QUIESCING)
    assert (found.put_success_count, found.put_failure_count) == (2, 1)
    assert mars.manager.queue("TARGET").depth == (0 if syncpoint else 2)
