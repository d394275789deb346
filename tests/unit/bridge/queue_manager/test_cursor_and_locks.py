from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, Handle, MQError, Waiter
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC
from support.queue_manager.host import Host

FIRST, NEXT, AGAIN = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT, MQGMO.BROWSE_MSG_UNDER_CURSOR
TAKE, LOCK, CUT = MQGMO.MSG_UNDER_CURSOR, MQGMO.LOCK, MQGMO.ACCEPT_TRUNCATED_MSG
BOTH = MQOO.BROWSE | MQOO.INPUT_SHARED


@pytest.fixture
def handle(host: Host) -> Handle:
    host.local("Q")
    for number in range(5):
        host.put("Q", b"%d" % number, correl_id=b"odd" if number % 2 else b"even")
    return host.open("Q", BOTH)


def data(host: Host, handle: Handle, options: int, **more: Any) -> bytes | None:
    got = host.read(handle, options, **more)
    return None if got is None else got.message.data


def reason_of(host: Host, handle: Handle, options: int, **more: Any) -> int:
    with pytest.raises(MQError) as caught:
        host.read(handle, options, **more)
    return caught.value.reason


def others(host: Host) -> list[bytes]:
    """What everybody else sees."""
    return host.contents("Q")


# The cursor


@pytest.mark.spec("mqi.md 11.1")
def test_the_cursor_begins_in_front_and_goes_on(host: Host, handle: Handle) -> None:
    assert [data(host, handle, NEXT) for _ in range(6)] == [b"0", b"1", b"2", b"3", b"4", None]
    assert data(host, handle, AGAIN) == b"4"
    assert [data(host, handle, FIRST), data(host, handle, FIRST), data(host, handle, NEXT)] == [b"0", b"0", b"1"]


@pytest.mark.spec("mqi.md 11.1")
def test_what_is_under_the_cursor_is_read_again_or_taken_whatever_is_matched(host: Host, handle: Handle) -> None:
    odd: dict[str, Any] = {"match": 2, "correl_id": b"odd".ljust(24, b"\0")}
    assert reason_of(host, handle, AGAIN) == reason_of(host, handle, TAKE) == MQRC.NO_MSG_UNDER_CURSOR
    assert [data(host, handle, NEXT, **odd), data(host, handle, NEXT, **odd)] == [b"1", b"3"]
    assert data(host, handle, AGAIN, match=2, correl_id=b"even".ljust(24, b"\0")) == b"3"
    assert data(host, handle, TAKE, match=2, correl_id=b"even".ljust(24, b"\0")) == b"3"
    assert others(host) == [b"0", b"1", b"2", b"4"]


@pytest.mark.spec("mqi.md 21.11")
@pytest.mark.spec("mqi.md 11.1")
def test_a_cursor_keeps_the_place_of_a_message_that_went(host: Host, handle: Handle) -> None:
    data(host, handle, NEXT)
    assert data(host, handle, NEXT) == b"1"
    assert data(host, handle, 0) == b"0"
    assert data(host, handle, AGAIN) == b"1", "a get moves no cursor"
    assert data(host, handle, 0) == b"1"
    assert reason_of(host, handle, AGAIN) == reason_of(host, handle, TAKE) == MQRC.NO_MSG_UNDER_CURSOR
    assert data(host, handle, NEXT) == b"2"


@pytest.mark.spec("mqi.md 11.1")
def test_a_message_that_somebody_has_got_or_locked_is_not_under_the_cursor(host: Host, handle: Handle) -> None:
    other = host.open("Q", BOTH)
    assert data(host, handle, FIRST) == data(host, other, FIRST | LOCK) == b"0"
    assert reason_of(host, handle, TAKE) == MQRC.NO_MSG_UNDER_CURSOR
    host.unlock(other)
    unit = host.begin()
    host.got("Q", unit)
    assert reason_of(host, handle, TAKE) == MQRC.NO_MSG_UNDER_CURSOR
    host.backout(unit)
    assert data(host, handle, TAKE) == b"0"


@pytest.mark.spec("mqi.md 11.1")
@pytest.mark.spec("mqi.md 21.12")
def test_a_browse_that_is_cut_moves_the_cursor_only_when_that_was_accepted(host: Host, handle: Handle) -> None:
    host.put("Q", b"a long one")
    assert data(host, handle, NEXT, max_length=1) == b"0"
    assert data(host, handle, NEXT, match=2, correl_id=bytes(24), max_length=0) == b""
    assert data(host, handle, AGAIN) == b"0"
    got = host.read(handle, NEXT | CUT, max_length=0)
    assert got is not None
    assert (got.reason, got.length, got.message.data) == (MQRC.TRUNCATED_MSG_ACCEPTED, 1, b"")
    assert data(host, handle, AGAIN) == b"1"


@pytest.mark.spec("mqi.md 21.12")
@pytest.mark.parametrize("browses", [False, True])
@pytest.mark.parametrize("accepted", [False, True])
def test_truncation(host: Host, handle: Handle, browses: bool, accepted: bool) -> None:
    options = (NEXT if browses else 0) | (CUT if accepted else 0)
    handle.remembered()
    got = host.read(handle, options, max_length=0)
    assert got is not None
    assert got.reason == (MQRC.TRUNCATED_MSG_ACCEPTED if accepted else MQRC.TRUNCATED_MSG_FAILED)
    assert host.depth("Q") == (4 if accepted and not browses else 5)
    assert (handle.cursor.position != b"") is (accepted and browses)


@pytest.mark.spec("mqi.md 11.1")
def test_what_arrives_with_a_higher_priority_is_met_only_from_the_front(host: Host, handle: Handle) -> None:
    host.put("Q", b"low", priority=0)
    host.alter(Kind.QLOCAL, "Q", DEFPRTY=4)
    assert data(host, handle, FIRST) == b"0"
    host.put("Q", b"high", priority=9)
    assert [data(host, handle, NEXT) for _ in range(6)] == [b"1", b"2", b"3", b"4", b"low", None]
    assert data(host, handle, FIRST) == b"high"


@pytest.mark.spec("mqi.md 11.1")
def test_the_order_that_browse_first_chose_stays(host: Host, handle: Handle) -> None:
    logical = MQGMO.LOGICAL_ORDER
    assert data(host, handle, FIRST) == b"0"
    assert reason_of(host, handle, NEXT | logical) == MQRC.INCONSISTENT_BROWSE
    assert data(host, handle, NEXT) == b"1"
    assert data(host, handle, FIRST | logical) == b"0"
    assert reason_of(host, handle, NEXT) == MQRC.INCONSISTENT_BROWSE
    assert data(host, handle, NEXT | logical) == b"1"
    fresh = host.open("Q", BOTH)
    assert data(host, fresh, NEXT | logical) == b"0"
    assert reason_of(host, fresh, NEXT) == MQRC.INCONSISTENT_BROWSE


@pytest.mark.spec("mqi.md 11.1")
@pytest.mark.spec("mqi.md 21.14")
def test_what_is_uncommitted_is_passed_over(host: Host, handle: Handle) -> None:
    unit = host.begin()
    host.put("Q", b"new", unit)
    host.read(handle, MQGMO.SYNCPOINT, unit)
    assert [data(host, handle, NEXT) for _ in range(5)] == [b"1", b"2", b"3", b"4", None]


@pytest.mark.spec("mqi.md 21.15")
def test_a_message_expires_under_the_cursor_and_under_a_lock(host: Host) -> None:
    host.local("Q")
    for number in range(3):
        host.put("Q", b"%d" % number, expiry=20)
    handle = host.open("Q", BOTH)
    assert data(host, handle, FIRST | LOCK) == b"0"
    host.now += 3
    assert reason_of(host, handle, AGAIN) == MQRC.NO_MSG_UNDER_CURSOR
    assert data(host, handle, NEXT) is None
    assert host.depth("Q") == 0
    assert host.unlock(handle) == MQRC.NO_MSG_LOCKED


# Locks


@pytest.mark.spec("mqi.md 11.2")
def test_a_locked_message_is_there_for_its_handle_alone(host: Host, handle: Handle) -> None:
    assert data(host, handle, FIRST | LOCK) == b"0"
    assert others(host) == [b"1", b"2", b"3", b"4"]
    assert host.depth("Q") == 5
    assert host.got("Q").data == b"1"
    assert data(host, handle, AGAIN | LOCK) == b"0"
    assert data(host, handle, NEXT | LOCK) == b"2"
    assert others(host) == [b"0", b"3", b"4"], "one lock for a handle"


@pytest.mark.spec("mqi.md 11.2")
@pytest.mark.parametrize("options", [TAKE, 0])
def test_the_handle_takes_what_it_has_locked(host: Host, handle: Handle, options: int) -> None:
    data(host, handle, FIRST | LOCK)
    unit = host.begin()
    got = host.read(handle, options | MQGMO.SYNCPOINT, unit)
    assert got is not None
    assert got.message.data == b"0"
    assert host.unlock(handle) == MQRC.NO_MSG_LOCKED
    host.backout(unit)
    assert others(host) == [b"0", b"1", b"2", b"3", b"4"]


@pytest.mark.spec("mqi.md 11.2")
def test_a_get_of_another_message_leaves_the_lock(host: Host, handle: Handle) -> None:
    data(host, handle, FIRST | LOCK)
    assert data(host, handle, 0, match=2, correl_id=b"odd".ljust(24, b"\0")) == b"1"
    assert others(host) == [b"2", b"3", b"4"]
    assert host.unlock(handle) == 0
    assert others(host) == [b"0", b"2", b"3", b"4"]


NONE_THERE: dict[str, Any] = {"match": 2, "correl_id": b"none".ljust(24, b"\0")}
TOO_LONG: dict[str, Any] = {"max_length": 0}


@pytest.mark.spec("mqi.md 21.5")
@pytest.mark.spec("mqi.md 11.2")
@pytest.mark.parametrize(
    ("options", "more", "outcome", "locked"),
    [
        (NEXT, {}, 0, b""),
        (NEXT | LOCK, {}, 0, b"1"),
        (FIRST, {}, 0, b""),
        (FIRST | LOCK, {}, 0, b"0"),
        (NEXT | CUT, TOO_LONG, MQRC.TRUNCATED_MSG_ACCEPTED, b""),
        (NEXT | LOCK | CUT, TOO_LONG, MQRC.TRUNCATED_MSG_ACCEPTED, b"1"),
        (NEXT, TOO_LONG, MQRC.TRUNCATED_MSG_FAILED, b"0"),
        (NEXT | LOCK, TOO_LONG, MQRC.TRUNCATED_MSG_FAILED, b"0"),
        (NEXT, NONE_THERE, MQRC.NO_MSG_AVAILABLE, b""),
        (NEXT | LOCK, NONE_THERE, MQRC.NO_MSG_AVAILABLE, b""),
        (NEXT | MQGMO.LOGICAL_ORDER, {}, MQRC.INCONSISTENT_BROWSE, b"0"),
        (NEXT | FIRST, {}, MQRC.OPTIONS_ERROR, b"0"),
        (AGAIN, {}, 0, b""),
        (AGAIN | LOCK, {}, 0, b"0"),
        (AGAIN | CUT, TOO_LONG, MQRC.TRUNCATED_MSG_ACCEPTED, b""),
        (AGAIN, TOO_LONG, MQRC.TRUNCATED_MSG_FAILED, b"0"),
        (AGAIN | NEXT, {}, MQRC.OPTIONS_ERROR, b"0"),
    ],
)
def test_what_becomes_of_a_lock(
    host: Host, handle: Handle, options: int, more: dict[str, Any], outcome: int, locked: bytes
) -> None:
    assert data(host, handle, FIRST | LOCK) == b"0"
    try:
        got = host.read(handle, options, **more)
        reason = int(MQRC.NO_MSG_AVAILABLE) if got is None else got.reason
    except MQError as error:
        reason = error.reason
    assert reason == outcome
    missing = {b"0", b"1", b"2", b"3", b"4"} - set(others(host))
    assert missing == ({locked} if locked else set())
    assert host.depth("Q") == 5
    assert host.unlock(handle) == (0 if locked else MQRC.NO_MSG_LOCKED)


@pytest.mark.spec("mqi.md 11.2")
def test_a_message_under_the_cursor_is_locked_later(host: Host, handle: Handle) -> None:
    data(host, handle, NEXT)
    data(host, handle, NEXT)
    assert data(host, handle, AGAIN | LOCK) == b"1"
    assert others(host) == [b"0", b"2", b"3", b"4"]


@pytest.mark.spec("mqi.md 11.2")
def test_unlocking_and_closing_set_free(host: Host, handle: Handle) -> None:
    assert host.unlock(handle) == MQRC.NO_MSG_LOCKED
    data(host, handle, FIRST | LOCK)
    with pytest.raises(MQError) as caught:
        host.unlock(handle, int(MQGMO.WAIT))
    assert caught.value.reason == MQRC.OPTIONS_ERROR
    assert host.unlock(handle) == 0
    assert others(host)[0] == b"0"
    data(host, handle, FIRST | LOCK)
    host.close(handle)
    assert others(host)[0] == b"0"


@pytest.mark.spec("mqi.md 11.2")
def test_a_message_set_free_wakes_who_waits(host: Host, handle: Handle) -> None:
    data(host, handle, FIRST | LOCK)
    for _ in range(4):
        host.got("Q")
    waiter = Waiter("waits")
    host.queue_manager.wait(host.queue_manager.resolve("Q"), waiter, host.now)
    host.pump()
    assert host.woken() == []
    host.unlock(handle)
    assert host.woken() == [("waits", 0)]


@pytest.mark.spec("mqi.md 7.4 row 1")
def test_a_waiting_browse_that_locks_counts_as_a_get(host: Host, handle: Handle) -> None:
    while host.get("Q"):
        pass
    for owner, options in (("locks", NEXT | LOCK), ("locks too", NEXT | LOCK), ("browses", NEXT), ("too", NEXT)):
        own = host.open("Q", BOTH)
        waiter = Waiter(owner, GetOptions(options), handle=own)
        host.queue_manager.wait(own.target, waiter, host.now)
    host.put("Q", b"one")
    assert sorted(host.woken()) == [("browses", 0), ("locks", 0), ("too", 0)]


@pytest.mark.spec("mqi.md 11.1")
def test_who_waits_to_browse_on_is_not_woken_by_what_lies_behind(host: Host, handle: Handle) -> None:
    while data(host, handle, NEXT) is not None:
        pass
    waiter = Waiter("browses", GetOptions(NEXT | MQGMO.WAIT), handle=handle)
    host.queue_manager.wait(handle.target, waiter, host.now)
    host.pump()
    assert host.woken() == []
    host.put("Q", b"new")
    assert host.woken() == [("browses", 0)]
    assert data(host, handle, NEXT) == b"new"


def test_a_lock_keeps_the_queue_from_being_deleted_by_its_close(host: Host) -> None:
    host.define(Kind.QMODEL, "M", DEFTYPE="PERMDYN")
    handle = host.open("M", BOTH | MQOO.OUTPUT, dynamic_name="D")
    host.put("D", b"kept")
    data(host, handle, FIRST | LOCK)
    with pytest.raises(MQError) as caught:
        host.close(handle, 1)
    assert caught.value.reason == MQRC.Q_NOT_EMPTY
    host.close(handle)
    assert host.contents("D") == [b"kept"]


def test_a_lock_on_a_queue_that_is_deleted_is_gone(host: Host) -> None:
    host.define(Kind.QMODEL, "M", DEFTYPE="TEMPDYN")
    creator = host.open("M", MQOO.OUTPUT, dynamic_name="D")
    handle = host.open("D", BOTH)
    host.put("D", b"gone")
    data(host, handle, FIRST | LOCK)
    host.close(creator)
    assert reason_of(host, handle, AGAIN) == MQRC.Q_DELETED
    assert host.close(handle) == 0
