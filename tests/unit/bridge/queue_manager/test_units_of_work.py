from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError, UnitState
from mqbridge.bridge.store.interface import PutRecord, StoreDamaged, StoreFull
from mqbridge.protocol.constants import MQGMO, MQRC
from support.queue_manager.host import Host

pytestmark = pytest.mark.spec("mqi.md 16.1")


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q")


@pytest.mark.spec("mqi.md 21.14")
@pytest.mark.spec("mqi.md 4.2 row 3")
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_put_is_invisible_outside_its_unit_until_commit(host: Host, queue: str, persistence: int) -> None:
    unit = host.begin()
    host.put(queue, b"one", unit, persistence=persistence)
    assert host.get(queue, host.begin()) is None
    assert host.get(queue) is None
    assert host.depth(queue) == 1
    host.commit(unit)
    assert host.outcomes == [None]
    assert unit.state is UnitState.COMMITTED
    assert host.got(queue).data == b"one"


@pytest.mark.spec("mqi.md 4.2 row 4")
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_get_is_hidden_until_commit_or_backout(host: Host, queue: str, persistence: int) -> None:
    host.put(queue, b"one", persistence=persistence)
    unit = host.begin()
    host.got(queue, unit)
    assert (host.get(queue), host.contents(queue), host.depth(queue)) == (None, [], 0)
    host.backout(unit)
    assert host.contents(queue) == [b"one"]
    unit = host.begin()
    host.got(queue, unit)
    host.commit(unit)
    assert host.contents(queue) == []
    assert list(host.store.scan_all()) == []


@pytest.mark.spec("mqi.md 21.13")
@pytest.mark.spec("mqi.md 4.3 row 4")
@pytest.mark.spec("mqi.md 16.1 row 5")
def test_backed_out_gets_return_to_their_places_with_their_count(host: Host, queue: str) -> None:
    for text in (b"1", b"2", b"3", b"4", b"5"):
        host.put(queue, text, persistence=1, msg_id=b"id" + text)
    unit = host.begin()
    host.got(queue, unit)
    host.got(queue, unit, match=1, msg_id=b"id4".ljust(24, b"\0"))
    host.got(queue, unit)
    host.put(queue, b"6", unit)
    assert host.contents(queue) == [b"3", b"5"]
    host.backout(unit)
    assert host.contents(queue) == [b"1", b"2", b"3", b"4", b"5"]
    assert [host.got(queue).md.backout_count for _ in range(5)] == [1, 1, 0, 1, 0]


@pytest.mark.spec("mqi.md 4.4")
def test_the_backout_count_of_persistent_messages_survives_a_restart(host: Host, queue: str) -> None:
    host.put(queue, persistence=1)
    for _ in range(2):
        unit = host.begin()
        host.got(queue, unit)
        host.backout(unit)
    host.restart()
    assert host.got(queue).md.backout_count == 2


@pytest.mark.spec("mqi.md 16.1 row 2")
def test_a_unit_with_nothing_in_it_commits_and_backs_out(host: Host) -> None:
    host.commit(host.begin())
    host.backout(host.begin())
    assert host.outcomes == [None]


def test_a_unit_that_touches_nothing_durable_is_done_at_once(host: Host, queue: str) -> None:
    host.hold = True
    unit = host.begin()
    host.put(queue, b"one", unit, persistence=0)
    host.commit(unit)
    assert host.outcomes == [None]
    assert host.contents(queue) == [b"one"]


def test_a_unit_is_visible_only_when_the_store_has_it(host: Host, queue: str) -> None:
    host.hold = True
    unit = host.begin()
    host.put(queue, b"one", unit, persistence=1)
    host.commit(unit)
    assert (host.outcomes, host.contents(queue)) == ([], [])
    assert unit.state is UnitState.COMMITTING
    host.queue_manager.backout(unit, host.now)
    host.hold = False
    host.pump()
    assert (host.outcomes, host.contents(queue)) == ([None], [b"one"])


def test_extra_operations_share_the_transaction(host: Host, queue: str) -> None:
    unit = host.begin()
    host.put(queue, b"one", unit, persistence=1)
    host.queue_manager.commit(unit, host.now, None, [PutRecord("channel", b"C", b"5")])
    (pending,) = host.queue_manager.take_commits()
    assert len(pending.operations) == 2
    assert pending.operations[-1] == PutRecord("channel", b"C", b"5")


@pytest.mark.spec("mqi.md 5.5 row 8")
def test_the_number_of_messages_in_a_unit_is_limited(host: Host, queue: str) -> None:
    host.alter_manager(MAXUMSGS=3)
    host.put(queue)
    unit = host.begin()
    host.got(queue, unit)
    host.put(queue, unit=unit)
    host.put(queue, unit=unit)
    for call in (lambda: host.put(queue, unit=unit), lambda: host.get(queue, unit)):
        with pytest.raises(MQError) as caught:
            call()
        assert caught.value.reason == MQRC.SYNCPOINT_LIMIT_REACHED
    host.commit(unit)
    assert host.depth(queue) == 2


@pytest.mark.parametrize("ended", ["commit", "backout"])
def test_a_unit_that_has_ended_takes_no_more(host: Host, queue: str, ended: str) -> None:
    unit = host.begin()
    getattr(host, ended)(unit)
    with pytest.raises(MQError) as caught:
        host.put(queue, unit=unit)
    assert caught.value.reason == MQRC.BACKED_OUT
    with pytest.raises(MQError):
        host.commit(unit)


@pytest.mark.spec("mqi.md 16.1 row 4")
def test_a_unit_that_the_store_refuses_is_backed_out(host: Host, queue: str) -> None:
    host.put(queue, b"old", persistence=1)
    unit = host.begin()
    host.put(queue, b"new", unit, persistence=1)
    host.got(queue, unit)
    host.store.failure = StoreFull("the disk is full")
    host.commit(unit)
    (error,) = host.outcomes
    assert error is not None
    assert error.reason == MQRC.BACKED_OUT
    assert "the disk is full" in error.detail
    assert unit.state is UnitState.BACKED_OUT
    assert host.contents(queue) == [b"old"]
    assert host.depth(queue) == 1
    assert "AMQ7463" in host.logged()


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (StoreFull("full"), MQRC.Q_SPACE_NOT_AVAILABLE),
        (StoreDamaged("torn", "data.mdb"), MQRC.OBJECT_DAMAGED),
    ],
)
@pytest.mark.spec("mqi.md 4.2 row 5")
def test_a_single_put_or_get_is_told_the_stores_reason(
    host: Host, queue: str, failure: StoreFull | StoreDamaged, reason: int
) -> None:
    host.put(queue, b"old", persistence=1)
    host.store.failure = failure
    host.put(queue, b"new", persistence=1, then=host.then())
    host.get(queue, then=host.then())
    assert [error and error.reason for error in host.outcomes] == [reason, reason]
    host.store.failure = None
    assert host.contents(queue) == [b"old"]


@pytest.mark.spec("mqi.md 9")
def test_syncpoint_options_of_a_get(host: Host, queue: str) -> None:
    for persistence in (0, 1):
        for options, stays in (
            (MQGMO.SYNCPOINT, True),
            (MQGMO.NO_WAIT, True),
            (MQGMO.SYNCPOINT_IF_PERSISTENT, bool(persistence)),
            (MQGMO.NO_SYNCPOINT, False),
        ):
            host.put(queue, persistence=persistence)
            unit = host.begin()
            host.got(queue, unit, options=options)
            host.backout(unit)
            assert host.depth(queue) == stays
            if stays:
                host.got(queue)


def test_a_get_outside_a_unit_says_when_its_removal_is_on_disk(host: Host, queue: str) -> None:
    host.put(queue, persistence=1)
    host.put(queue, persistence=0)
    host.hold = True
    stored = host.get(queue, then=host.then())
    assert stored is not None
    assert (stored.held, host.outcomes) == (True, [])
    light = host.get(queue, then=host.then())
    assert light is not None
    assert (light.held, host.outcomes) == (False, [None])
    host.hold = False
    host.pump()
    assert host.outcomes == [None, None]


@pytest.mark.spec("mqi.md 4.4")
def test_only_persistent_messages_survive_a_restart(host: Host, queue: str) -> None:
    host.local("HIGH", NPMCLASS="HIGH")
    for name in (queue, "HIGH"):
        host.put(name, b"persistent", persistence=1)
        host.put(name, b"light", persistence=0)
    unit = host.begin()
    host.put(queue, b"uncommitted", unit, persistence=1)
    host.restart()
    assert host.contents(queue) == [b"persistent"]
    assert host.contents("HIGH") == [b"persistent", b"light"]
    assert host.got("HIGH").md.persistence == 1
    assert host.got("HIGH").md.persistence == 0


@pytest.mark.spec("mqi.md 4.3 row 1")
def test_order_by_priority_then_arrival_also_after_a_restart(host: Host) -> None:
    host.local("P")
    host.local("F", MSGDLVSQ="FIFO")
    for name in ("P", "F"):
        for number, priority in enumerate((0, 9, 4, 4, 0, 9)):
            host.put(name, b"%d" % number, priority=priority, persistence=1)
    host.restart()
    for name in ("P", "F"):
        host.put(name, b"6", priority=4, persistence=1)
    assert host.contents("P") == [b"1", b"5", b"2", b"3", b"6", b"0", b"4"]
    assert host.contents("F") == [b"0", b"1", b"2", b"3", b"4", b"5", b"6"]


@pytest.mark.spec("mqi.md 4.3 row 6")
def test_changing_the_sequence_does_not_reorder_what_is_there(host: Host, queue: str) -> None:
    from mqbridge.bridge.queue_manager.objects import Kind

    host.put(queue, b"high", priority=9)
    host.put(queue, b"low", priority=0)
    host.alter(Kind.QLOCAL, queue, MSGDLVSQ="FIFO")
    host.put(queue, b"late", priority=9)
    assert host.contents(queue) == [b"high", b"low", b"late"]
