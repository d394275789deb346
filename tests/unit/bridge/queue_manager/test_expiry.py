from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import Cursor, GetOptions
from mqbridge.bridge.queue_manager.queues.expiry import SCAN_INTERVAL
from mqbridge.mappings.mq import unwrap
from mqbridge.protocol.constants import MQGMO
from support.queue_manager.direct_calls import browse
from support.queue_manager.host import Host

pytestmark = pytest.mark.spec("mqi.md 4.4")


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q")


def scan(host: Host) -> None:
    host.queue_manager.timeout(host.now)
    host.pump()


@pytest.mark.parametrize("persistence", [0, 1])
def test_a_message_gives_its_remaining_time(host: Host, queue: str, persistence: int) -> None:
    host.put(queue, expiry=600, persistence=persistence)
    host.put(queue, persistence=persistence)
    host.now += 12.34
    assert host.got(queue).md.expiry == 477
    assert host.got(queue).md.expiry == -1


@pytest.mark.parametrize("persistence", [0, 1])
def test_an_expired_message_is_never_got_and_counts_until_it_is_met(host: Host, queue: str, persistence: int) -> None:
    host.put(queue, b"old", expiry=10, persistence=persistence)
    host.put(queue, b"new", persistence=persistence)
    host.now += 1
    assert host.depth(queue) == 2
    assert host.got(queue).data == b"new"
    assert host.depth(queue) == 0
    assert list(host.store.scan_all()) == []


@pytest.mark.spec("mqi.md 21.15")
def test_an_expired_message_is_never_browsed_or_found_by_its_id(host: Host, queue: str) -> None:
    for text in (b"a", b"b", b"c"):
        host.put(queue, text, msg_id=b"same", expiry=10 if text != b"c" else -1, persistence=1)
    host.now += 1
    cursor = Cursor()
    options = GetOptions(MQGMO.BROWSE_NEXT)
    got = browse(host.queue_manager, host.queue_manager.resolve(queue), cursor, options, host.now)
    assert got is not None
    assert got.message.data == b"c"
    assert host.got(queue, match=1, msg_id=b"same".ljust(24, b"\0")).data == b"c"


def test_a_scan_discards_what_nobody_gets(host: Host, queue: str) -> None:
    host.put(queue, expiry=100, persistence=1)
    host.put(queue, expiry=50, persistence=0)
    host.put(queue, persistence=1)
    due = host.queue_manager.next_timeout()
    assert due == host.now + 5
    host.now = due
    scan(host)
    assert host.depth(queue) == 2
    due = host.queue_manager.next_timeout()
    assert due is not None
    host.now = due
    scan(host)
    assert host.depth(queue) == 1
    assert host.queue_manager.next_timeout() is None


def test_a_scan_discards_so_many_and_another_follows_at_once(
    host: Host, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.turns.UNITS_IN_A_TURN", 1_600)
    host.gives_turns = False
    for _ in range(10):
        host.put(queue, expiry=5)
    host.now += 10
    left = []
    for _ in range(3):
        assert host.queue_manager.next_timeout() <= host.now
        scan(host)
        left.append(host.depth(queue))
    assert left == [6, 2, 0]


def test_scans_keep_a_distance(host: Host, queue: str) -> None:
    host.now += 10
    for expiry in (1, 2, 3):
        host.put(queue, expiry=expiry)
    host.now += 0.1
    scan(host)
    assert host.depth(queue) == 2
    assert host.queue_manager.next_timeout() == pytest.approx(host.now + SCAN_INTERVAL)


def test_expiry_goes_on_over_a_restart(host: Host, queue: str) -> None:
    host.put(queue, b"old", expiry=50, persistence=1)
    host.put(queue, b"new", expiry=500, persistence=1)
    host.restart(after=20)
    assert host.got(queue).data == b"new"


@pytest.mark.spec("mqi.md 4.4")
def test_a_message_that_expires_while_it_is_got_stays_got_and_expires_when_it_comes_back(
    host: Host, queue: str
) -> None:
    host.put(queue, b"one", expiry=10, persistence=1)
    unit = host.begin()
    host.got(queue, unit)
    host.now += 5
    scan(host)
    host.backout(unit)
    assert host.depth(queue) == 1
    assert host.get(queue) is None
    assert host.depth(queue) == 0


@pytest.mark.spec("channels.md 10 row 1")
def test_expiry_runs_on_a_transmission_queue_and_travels(host: Host) -> None:
    host.transmission("SATURN")
    host.put("THERE", queue_manager="SATURN", expiry=600)
    host.now += 10
    outer = host.got("SATURN")
    assert outer.md.expiry == 500
    assert unwrap(outer).message.md.expiry == 500


def test_what_was_got_long_ago_does_not_fill_the_memory_of_deadlines(host: Host, queue: str) -> None:
    for _ in range(5_000):
        host.put(queue, expiry=1_000_000)
        host.got(queue)
    found = host.queue_manager.queue(queue)
    assert found is not None
    assert len(found.deadlines._heap) < 2_000
