"""Clients that wait in a get: who is woken, what ends a wait, and that the connection stays alive meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQPMO, MQRC
from support.wire.host import Client, Pending, WireHost

BROWSE_NEXT = int(MQGMO.BROWSE_NEXT)
FIQ = int(MQGMO.FAIL_IF_QUIESCING)
HEARTBEAT_INTERVAL = 300


@pytest.fixture(params=[0, 10], ids=["alone", "sharing"])
def host(request: pytest.FixtureRequest) -> WireHost:
    host = WireHost(request.param)
    host.local("Q")
    return host


@pytest.fixture
def alone() -> WireHost:
    host = WireHost()
    host.local("Q")
    return host


def waiting(host: WireHost, options: int = 0, **more: Any) -> Pending[Any]:
    """A client of its own that waits."""
    client = Client(host)
    handle = client.does(client.calls.open("Q", int(MQOO.BROWSE if options & BROWSE_NEXT else MQOO.INPUT_SHARED)))
    pending = client.line.start(client.calls.wait(handle, options, **more))
    assert not pending.done
    return pending


def served(waits: list[Pending[Any]]) -> list[bytes]:
    return [each.result.data for each in waits if each.done]


@pytest.mark.spec("mqi.md 8 row 5", "mqi.md 21.7", "client-observed.md O-082")
@pytest.mark.parametrize(("browsers", "getters"), [(0, 3), (3, 0), (2, 2)])
def test_whom_a_message_wakes(host: WireHost, browsers: int, getters: int) -> None:
    browsing = [waiting(host, BROWSE_NEXT) for _ in range(browsers)]
    getting = [waiting(host) for _ in range(getters)]
    host.put("Q", b"one")
    assert served(browsing) == [b"one"] * browsers
    assert served(getting) == [b"one"] * bool(getters)
    assert host.depth("Q") == (0 if getters else 1)
    host.put("Q", b"two")
    assert sorted(served(getting)) == [b"one", b"two"][:getters]
    assert served(browsing) == [b"one"] * browsers


@pytest.mark.spec("mqi.md 8 row 6")
def test_who_asks_for_an_id_comes_first(alone: WireHost) -> None:
    general, own = waiting(alone), Client(alone)
    handle = own.does(own.calls.open("Q", int(MQOO.INPUT_SHARED)))
    mine = b"mine".ljust(24, b"\0")
    options = int(MQGMO.WAIT)
    call = own.calls.get(handle, options, wait=-1, match=int(MQMO.MATCH_CORREL_ID), correl_id=mine)
    particular = own.line.start(call)
    assert not particular.done
    alone.put("Q", b"for me", correl_id=mine)
    assert particular.result.data == b"for me"
    assert not general.done
    alone.put("Q", b"for anybody", correl_id=bytes(24))
    assert general.result.data == b"for anybody"


@pytest.mark.spec("mqi.md 8 row 2", "mqi.md 21.8", "client-observed.md O-091")
def test_a_wait_ends_when_gets_are_inhibited(host: WireHost) -> None:
    waits = [waiting(host), waiting(host, BROWSE_NEXT)]
    host.alter(Kind.QLOCAL, "Q", GET="DISABLED")
    assert [each.reason for each in waits] == [MQRC.GET_INHIBITED] * 2


@pytest.mark.spec("mqi.md 8 row 3", "mqi.md 21.8", "client-observed.md O-091")
def test_a_wait_ends_when_everything_quiesces_if_it_asked_for_that(host: WireHost) -> None:
    asked, not_asked = waiting(host, FIQ), waiting(host)
    host.queue_manager.quiesce()
    host.pump()
    assert asked.reason == MQRC.Q_MGR_QUIESCING
    assert not not_asked.done
    host.put("Q", b"still")
    assert not_asked.result.data == b"still"


@pytest.mark.spec("mqi.md 8 row 1")
def test_a_wait_ends_by_itself(alone: WireHost) -> None:
    pending = waiting(alone, wait=700)
    alone.now += 0.6
    alone.time_passes()
    assert not pending.done
    alone.now += 0.2
    alone.time_passes()
    assert pending.reason == MQRC.NO_MSG_AVAILABLE
    client = Client(alone)
    handle = client.does(client.calls.open("Q", int(MQOO.INPUT_SHARED)))
    assert client.reason(client.calls.wait(handle, wait=-2)) == MQRC.WAIT_INTERVAL_ERROR


@pytest.mark.spec("mqi.md 8 row 4", "mqi.md 7.4 row 7")
def test_nothing_waits_without_being_asked_to_or_for_a_message_under_the_cursor(host: WireHost) -> None:
    client = Client(host)
    handle = client.does(client.calls.open("Q", int(MQOO.INPUT_SHARED | MQOO.BROWSE)))
    assert client.reason(client.calls.get(handle)) == MQRC.NO_MSG_AVAILABLE
    for options in (MQGMO.MSG_UNDER_CURSOR, MQGMO.BROWSE_MSG_UNDER_CURSOR):
        assert client.reason(client.calls.wait(handle, int(options))) == MQRC.NO_MSG_UNDER_CURSOR


@pytest.mark.spec("mqi.md 19 row 1", "client-observed.md O-121")
def test_heartbeats_flow_while_a_client_waits(alone: WireHost) -> None:
    pending = waiting(alone)
    for _ in range(4):
        alone.now += HEARTBEAT_INTERVAL
        alone.time_passes()
        assert not pending.done  # it has answered what came
    alone.put("Q", b"at last")
    assert pending.result.data == b"at last"


@pytest.mark.spec("mqi.md 4.2", "mqi.md 1")
def test_who_goes_while_waiting_takes_nothing(host: WireHost) -> None:
    client = Client(host)
    handle = client.does(client.calls.open("Q", int(MQOO.INPUT_SHARED)))
    client.line.start(client.calls.wait(handle))
    client.line.hang_up()
    host.put("Q", b"for another")
    assert host.contents("Q") == [b"for another"]
    assert not list(host.queue_manager.connections)


@pytest.mark.spec("client-observed.md O-101", "mq-wire.md 8.4")
def test_a_conversation_that_waits_holds_up_no_other_on_its_socket() -> None:
    host = WireHost(10)
    host.local("Q")
    host.local("OTHER")
    (patient, waits), (busy, works) = host.join(), host.join()
    handle = patient.perform(waits.open("Q", int(MQOO.INPUT_SHARED)))
    pending = patient.start(waits.wait(handle))
    other = busy.perform(works.open("OTHER", int(MQOO.INPUT_SHARED | MQOO.OUTPUT)))
    for number in range(5):
        busy.perform(works.put(other, b"%d" % number))
        assert busy.perform(works.get(other)).data == b"%d" % number
    own = busy.perform(works.open("Q", int(MQOO.OUTPUT)))
    busy.perform(works.put(own, b"for the patient one", int(MQPMO.SYNCPOINT)))
    assert not pending.done
    busy.perform(works.commit())
    assert pending.result.data == b"for the patient one"
    busy.perform(works.disconnect())
    busy.say(works.goodbye())
    assert len(list(host.queue_manager.connections)) == 2
    assert patient.perform(waits.take(handle)) is None
