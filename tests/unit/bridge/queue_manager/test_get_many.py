"""Many messages got at once are those that as many gets would have given."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.outcomes import Done, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.queues.bodies import LAZY_BODY
from mqbridge.bridge.store.interface import StoreDamaged
from mqbridge.mappings.body import as_bytes
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.constants.lengths import MQXQH_LENGTH_1
from support.queue_manager.channel_agent import Agent
from support.queue_manager.host import Host

LONG = b"x" * (LAZY_BODY + 1)


def data(found: RetrievedMany) -> list[bytes]:
    return [as_bytes(message.body)[MQXQH_LENGTH_1:] for message in found.messages]


@pytest.fixture
def queue(host: Host) -> str:
    host.transmission("Q", MSGDLVSQ="PRIORITY")
    host.define(Kind.QREMOTE, "R", RNAME="T", RQMNAME="S", XMITQ="Q")
    return "R"


@pytest.fixture
def mixed(host: Host, queue: str) -> Host:
    host.put(queue, b"two", persistence=1, priority=3)
    host.put(queue, b"three", persistence=0, priority=3)
    host.put(queue, b"one", persistence=1, priority=9)
    host.put(queue, LONG, persistence=1, priority=1)
    host.put(queue, b"four", persistence=1, priority=2)
    return host


def test_they_come_in_order_wherever_they_are_kept(mixed: Host) -> None:
    agent = Agent(mixed)
    found = agent.get_many()
    bodies = data(found)
    assert bodies == [b"one", b"two", b"three", b"four", LONG]
    assert [message.md.priority for message in found.messages] == [9, 3, 3, 2, 1]
    assert [len(message) - MQXQH_LENGTH_1 for message in found.messages] == list(map(len, bodies))
    assert found.stored == (True, True, False, True, True)
    assert mixed.queue_manager.queue("Q").uncommitted_gets == 5
    assert agent.get_many() == RetrievedMany((), (), ())
    agent.asks(Backout(1, found.tokens))
    singly = [mixed.got("Q") for _ in found.messages]
    assert [message.md.backout_count for message in singly] == [1] * 5
    assert [message.data[MQXQH_LENGTH_1:] for message in singly] == bodies


def test_the_commit_takes_them_away(mixed: Host) -> None:
    agent = Agent(mixed)
    found = agent.get_many()
    assert len(found.messages) == 5
    assert agent.asks(Commit(1, tokens=found.tokens)) == Done()
    assert list(mixed.store.scan_all()) == []
    assert mixed.queue_manager.queue("Q").uncommitted_gets == 0


@pytest.mark.parametrize(
    ("most", "room", "expected"), [(2, 9999, 2), (5, 432, 2), (5, 431, 1), (5, 0, 0), (0, 9999, 0)]
)
def test_number_and_bytes_are_limited(mixed: Host, most: int, room: int, expected: int) -> None:
    assert len(Agent(mixed).get_many(most=most, room=room).messages) == expected


@pytest.mark.spec("mqi.md 16.1")
def test_no_more_than_a_unit_of_work_may_hold(mixed: Host) -> None:
    mixed.alter_manager(MAXUMSGS=2)
    agent = Agent(mixed)
    assert len(agent.get_many().messages) == 2
    with pytest.raises(MQError) as raised:
        agent.get_many(uncommitted=2)
    assert raised.value.reason == MQRC.SYNCPOINT_LIMIT_REACHED
    assert mixed.queue_manager.queue("Q").visible == 3


def test_expired_ones_are_passed_over_and_the_rest_of_a_life_is_told(host: Host, queue: str) -> None:
    host.put(queue, b"short", expiry=10, persistence=1)
    host.put(queue, b"long", expiry=100, persistence=1)
    host.now += 4
    found = Agent(host).get_many()
    assert data(found) == [b"long"]
    assert found.messages[0].md.expiry == 60


def test_it_is_for_transmission_queues(host: Host) -> None:
    host.local("Q")
    with pytest.raises(MQError) as raised:
        Agent(host).get_many()
    assert raised.value.reason == MQRC.XMIT_Q_USAGE_ERROR


def test_a_damaged_message_leaves_all_where_they_were(mixed: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent(mixed)

    def read_many(*_: object) -> list[bytes]:
        raise StoreDamaged("torn page", "data.mdb")

    with monkeypatch.context() as patched:
        patched.setattr(mixed.store, "read_many", read_many)
        with pytest.raises(MQError) as raised:
            agent.get_many()
    assert raised.value.reason == MQRC.OBJECT_DAMAGED
    mixed.pump()
    assert "AMQ7472" in mixed.logged()
    assert mixed.queue_manager.queue("Q").uncommitted_gets == 0
    assert mixed.queue_manager.queue("Q").visible == 5
    monkeypatch.setattr(mixed.store, "read_many", lambda _, positions: [b"cut"] * len(positions))
    with pytest.raises(MQError):
        agent.get_many()
    assert mixed.queue_manager.queue("Q").visible == 5
