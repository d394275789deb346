from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import NO_ID, GetOptions, MQError, Waiter
from mqbridge.bridge.queue_manager.getting import selection, waiter
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQGMO, MQMO, MQRC
from support.queue_manager.host import Host


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q")


def wait(host: Host, owner: str, queue: str = "Q", until: float | None = None, **options: Any) -> Waiter:
    waiter = Waiter(owner, GetOptions(**options), until)
    host.queue_manager.wait(host.queue_manager.resolve(queue), waiter, host.now)
    host.pump()
    return waiter


def padded(text: bytes) -> bytes:
    return text.ljust(24, b"\0")


@pytest.mark.spec("mqi.md 21.7")
@pytest.mark.spec("mqi.md 8 row 5")
def test_one_message_wakes_one_getter(host: Host, queue: str) -> None:
    for owner in "abc":
        wait(host, owner)
    host.put(queue)
    assert host.woken() == [("a", 0)]
    unit = host.begin()
    host.put(queue, unit=unit, persistence=1)
    assert len(host.woken()) == 1
    host.put(queue, unit=unit, persistence=1)
    host.commit(unit)
    assert host.woken() == [("a", 0), ("b", 0), ("c", 0)]
    host.put(queue)
    assert len(host.woken()) == 3


@pytest.mark.spec("mqi.md 21.7")
@pytest.mark.spec("mqi.md 8 row 5")
def test_browsers_are_woken_all_and_getters_one(host: Host, queue: str) -> None:
    for owner in ("browser 1", "browser 2"):
        wait(host, owner, options=MQGMO.BROWSE_NEXT)
    for owner in ("getter 1", "getter 2"):
        wait(host, owner)
    host.put(queue)
    assert sorted(host.woken()) == [("browser 1", 0), ("browser 2", 0), ("getter 1", 0)]


@pytest.mark.spec("mqi.md 8 row 6")
def test_those_who_ask_for_an_id_come_first_and_only_for_theirs(host: Host, queue: str) -> None:
    wait(host, "any")
    wait(host, "mine", match=1, msg_id=padded(b"mine"))
    wait(host, "answer", match=2, correl_id=padded(b"question"))
    host.put(queue, msg_id=b"mine")
    assert host.woken() == [("mine", 0)]
    host.put(queue, correl_id=b"question")
    assert host.woken() == [("mine", 0), ("answer", 0)]
    host.put(queue, correl_id=b"other")
    assert host.woken()[-1] == ("any", 0)


@pytest.mark.spec("mqi.md 8 row 5")
@pytest.mark.interpreted("counts calls of a function")
def test_of_many_who_wait_for_replies_only_one_is_asked(
    host: Host, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        wait(host, f"{number}", match=MQMO.MATCH_CORREL_ID, correl_id=padded(b"%d" % number))
    wait(host, "any")
    asked: list[bytes] = []

    def matches(row: bytes, options: GetOptions) -> bool:
        asked.append(options.correl_id)
        return real(row, options)

    real = waiter.matches
    monkeypatch.setattr(waiter, "matches", matches)
    host.put(queue, correl_id=padded(b"70"))
    assert host.woken() == [("70", 0)]
    host.put(queue, correl_id=padded(b"none"))
    assert host.woken() == [("70", 0), ("any", 0)]
    assert asked == [padded(b"70"), NO_ID]


def test_a_message_that_is_there_wakes_at_once(host: Host, queue: str) -> None:
    host.put(queue)
    wait(host, "late")
    wait(host, "other", match=1, msg_id=padded(b"none"))
    assert host.woken() == [("late", 0)]


def test_a_message_that_comes_back_wakes(host: Host, queue: str) -> None:
    host.put(queue)
    unit = host.begin()
    host.got(queue, unit)
    wait(host, "waiting")
    host.backout(unit)
    assert host.woken() == [("waiting", 0)]


@pytest.mark.spec("mqi.md 8 row 1")
def test_a_wait_ends_when_its_time_is_up(host: Host, queue: str) -> None:
    wait(host, "ever")
    wait(host, "five", until=host.now + 5)
    wait(host, "nine", until=host.now + 9)
    assert host.queue_manager.next_timeout() == host.now + 5
    host.now += 5
    host.queue_manager.timeout(host.now)
    host.pump()
    assert host.woken() == [("five", MQRC.NO_MSG_AVAILABLE)]
    assert host.queue_manager.next_timeout() == host.now + 4


@pytest.mark.spec("mqi.md 21.8")
@pytest.mark.spec("mqi.md 8 row 2")
@pytest.mark.parametrize("kind", [Kind.QLOCAL, Kind.QALIAS])
def test_inhibiting_gets_ends_waits(host: Host, queue: str, kind: Kind) -> None:
    host.define(Kind.QALIAS, "A", TARGET="Q")
    wait(host, "direct")
    wait(host, "through", "A")
    host.alter(kind, {"QLOCAL": "Q", "QALIAS": "A"}[kind], GET="DISABLED")
    ended = dict(host.woken())
    assert ended["through"] == MQRC.GET_INHIBITED
    assert ("direct" in ended) is (kind is Kind.QLOCAL)
    with pytest.raises(MQError):
        wait(host, "new", "A")


@pytest.mark.spec("mqi.md 21.8")
@pytest.mark.spec("mqi.md 8 row 3")
def test_quiescing_ends_the_waits_of_those_who_asked(host: Host, queue: str) -> None:
    wait(host, "stays")
    wait(host, "ends", options=MQGMO.FAIL_IF_QUIESCING)
    host.queue_manager.quiesce()
    host.pump()
    assert host.woken() == [("ends", MQRC.Q_MGR_QUIESCING)]
    with pytest.raises(MQError) as caught:
        host.get(queue, options=MQGMO.FAIL_IF_QUIESCING)
    assert caught.value.reason == MQRC.Q_MGR_QUIESCING
    host.put(queue)
    assert host.woken()[-1] == ("stays", 0)


def test_deleting_the_queue_ends_waits(host: Host, queue: str) -> None:
    wait(host, "waiting")
    host.delete(Kind.QLOCAL, queue)
    assert host.woken() == [("waiting", MQRC.Q_DELETED)]


def test_a_cancelled_waiter_is_not_woken_and_one_that_was_passes_its_turn_on(host: Host, queue: str) -> None:
    first, second, third = (wait(host, owner) for owner in "abc")
    host.queue_manager.cancel_wait(first)
    host.put(queue)
    assert host.woken() == [("b", 0)]
    host.queue_manager.cancel_wait(second)
    host.pump()
    assert host.woken() == [("b", 0), ("c", 0)]
    host.got(queue)
    host.queue_manager.cancel_wait(third)
    assert host.woken() == [("b", 0), ("c", 0)]


@pytest.mark.interpreted("counts calls of a function")
def test_who_passes_a_turn_on_does_not_look_through_the_queue(
    host: Host, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        host.put(queue, correl_id=padded(b"%d" % number))
    wanted: dict[str, Any] = {"match": MQMO.MATCH_CORREL_ID, "correl_id": padded(b"mine")}
    first, _ = wait(host, "first", **wanted), wait(host, "second", **wanted)
    host.put(queue, correl_id=padded(b"mine"))
    asked: list[bytes] = []

    def matches(row: bytes, *rest: Any) -> bool:
        asked.append(row)
        return real(row, *rest)

    real = selection._matches
    monkeypatch.setattr(selection, "_matches", matches)
    host.queue_manager.cancel_wait(first)
    host.pump()
    assert host.woken() == [("first", 0), ("second", 0)]
    assert len(set(asked)) == 1
