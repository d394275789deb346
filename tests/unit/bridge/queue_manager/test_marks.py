from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, Handle, MQError, Waiter
from mqbridge.bridge.queue_manager.getting import marks as marks_of_handles
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQRC
from support.queue_manager.host import Host

FIRST, NEXT = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT
UNMARKED = MQGMO.UNMARKED_BROWSE_MSG
OWN = FIRST | UNMARKED | MQGMO.MARK_BROWSE_HANDLE
"""MQGMO_BROWSE_HANDLE: the first message not marked, marked for the handle."""
SHARED = FIRST | UNMARKED | MQGMO.MARK_BROWSE_CO_OP
"""MQGMO_BROWSE_CO_OP: the same for all handles that cooperate."""
CO_OP = MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.CO_OP
ALONE = MQOO.BROWSE | MQOO.INPUT_SHARED


@pytest.fixture
def queue(host: Host) -> str:
    host.local("Q")
    for number in range(4):
        host.put("Q", b"%d" % number)
    return "Q"


def data(host: Host, handle: Handle, options: int, **more: Any) -> bytes | None:
    got = host.read(handle, options, **more)
    return None if got is None else got.message.data


def unmarked(host: Host, handle: Handle) -> list[bytes]:
    """What a handle finds unmarked, marking nothing."""
    found = []
    options = FIRST | UNMARKED
    while (each := data(host, handle, options)) is not None:
        found.append(each)
        options = NEXT | UNMARKED
    return found


@pytest.mark.spec("mqi.md 11.3")
def test_a_handle_marks_for_itself(host: Host, queue: str) -> None:
    one, other = host.open(queue, ALONE), host.open(queue, CO_OP)
    assert [data(host, one, OWN), data(host, one, OWN)] == [b"0", b"1"]
    assert unmarked(host, one) == [b"2", b"3"]
    assert unmarked(host, other) == [b"0", b"1", b"2", b"3"]
    assert data(host, one, FIRST) == b"0", "who does not ask sees what is marked too"


@pytest.mark.spec("mqi.md 11.3")
def test_handles_that_cooperate_share_their_marks(host: Host, queue: str) -> None:
    one, other, stranger = host.open(queue, CO_OP), host.open(queue, CO_OP), host.open(queue, ALONE)
    assert [data(host, each, SHARED) for each in (one, other, one)] == [b"0", b"1", b"2"]
    assert unmarked(host, one) == unmarked(host, other) == [b"3"]
    assert unmarked(host, stranger) == [b"0", b"1", b"2", b"3"]
    assert data(host, one, OWN) == b"3"
    assert (unmarked(host, one), unmarked(host, other)) == ([], [b"3"])


@pytest.mark.spec("mqi.md 11.3")
def test_what_is_marked_already_is_refused_unless_only_unmarked_ones_are_asked_for(host: Host, queue: str) -> None:
    one, other = host.open(queue, CO_OP), host.open(queue, CO_OP)
    assert data(host, one, SHARED) == b"0"
    with pytest.raises(MQError) as caught:
        host.read(other, FIRST | MQGMO.MARK_BROWSE_CO_OP)
    assert caught.value.reason == MQRC.MSG_MARKED_BROWSE_CO_OP
    assert data(host, other, FIRST | MQGMO.MARK_BROWSE_HANDLE) == b"0"
    assert data(host, other, FIRST | MQGMO.MARK_BROWSE_HANDLE) == b"0"


@pytest.mark.spec("mqi.md 11.3")
def test_a_message_is_marked_and_got_by_its_token(host: Host, queue: str) -> None:
    one, other = host.open(queue, CO_OP), host.open(queue, CO_OP)
    tokens = []
    for options in (FIRST, NEXT, NEXT):
        got = host.read(one, options)
        assert got is not None
        tokens.append(got.token)
    by_token: dict[str, Any] = {"match": MQMO.MATCH_MSG_TOKEN, "token": tokens[2]}
    assert data(host, one, FIRST | MQGMO.MARK_BROWSE_CO_OP, **by_token) == b"2"
    assert unmarked(host, other) == [b"0", b"1", b"3"]
    assert data(host, other, 0, **by_token) == b"2"
    assert data(host, other, 0, **by_token) is None


@pytest.mark.spec("mqi.md 21.6")
@pytest.mark.spec("mqi.md 11.3")
@pytest.mark.parametrize("mark", [OWN, SHARED])
def test_marks_are_taken_back(host: Host, queue: str, mark: int) -> None:
    one, other = host.open(queue, CO_OP), host.open(queue, CO_OP)
    shared = mark == SHARED
    assert [data(host, one, mark), data(host, one, mark)] == [b"0", b"1"]
    take_back = FIRST | (MQGMO.UNMARK_BROWSE_CO_OP if shared else MQGMO.UNMARK_BROWSE_HANDLE)
    assert data(host, other if shared else one, take_back) == b"0"
    assert unmarked(host, one) == [b"0", b"2", b"3"]
    assert data(host, one, take_back) == b"0", "it succeeds though there is no mark"
    elsewhere = FIRST | (MQGMO.UNMARK_BROWSE_HANDLE if shared else MQGMO.UNMARK_BROWSE_CO_OP)
    data(host, one, elsewhere)
    data(host, one, (elsewhere & ~FIRST) | NEXT)
    assert unmarked(host, one) == [b"0", b"2", b"3"], "marks of the other kind stay"


@pytest.mark.spec("mqi.md 21.6")
@pytest.mark.spec("mqi.md 11.3")
@pytest.mark.parametrize("mark", [OWN, SHARED])
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_get_ends_a_mark_even_if_it_is_backed_out(host: Host, mark: int, persistence: int) -> None:
    host.local("Q")
    host.put("Q", b"0", persistence=persistence)
    one = host.open("Q", CO_OP)
    assert data(host, one, mark) == b"0"
    unit = host.begin()
    assert host.got("Q", unit).data == b"0"
    host.backout(unit)
    assert unmarked(host, one) == [b"0"]
    assert data(host, one, mark) == b"0"
    unit = host.begin()
    assert data(host, one, MQGMO.SYNCPOINT | MQGMO.MSG_UNDER_CURSOR) == b"0"
    assert unmarked(host, one) == []


@pytest.mark.spec("mqi.md 21.6")
def test_a_lock_leaves_marks_alone(host: Host, queue: str) -> None:
    one, other = host.open(queue, CO_OP), host.open(queue, CO_OP)
    assert [data(host, one, SHARED), data(host, one, OWN)] == [b"0", b"1"]
    assert data(host, other, FIRST | MQGMO.LOCK) == b"0"
    host.unlock(other)
    assert unmarked(host, one) == [b"2", b"3"]


@pytest.mark.spec("mqi.md 21.6")
@pytest.mark.spec("mqi.md 11.3")
def test_marks_end_with_their_handles(host: Host, queue: str) -> None:
    one, other = host.open(queue, CO_OP), host.open(queue, CO_OP)
    assert [data(host, one, SHARED), data(host, one, OWN)] == [b"0", b"1"]
    host.close(one)
    assert unmarked(host, other) == [b"1", b"2", b"3"], "the set goes on while one of it is open"
    host.close(other)
    assert unmarked(host, host.open(queue, CO_OP)) == [b"0", b"1", b"2", b"3"]


@pytest.mark.spec("mqi.md 21.6")
@pytest.mark.spec("mqi.md 11.3")
def test_shared_marks_end_by_themselves(host: Host, queue: str) -> None:
    host.alter_manager(MARKINT=3000)
    one = host.open(queue, CO_OP)
    assert [data(host, one, SHARED), data(host, one, OWN)] == [b"0", b"1"]
    host.now += 2
    assert data(host, one, SHARED) == b"2"
    host.now += 1
    assert unmarked(host, one) == [b"0", b"3"]
    host.alter_manager(MARKINT="NOLIMIT")
    assert data(host, one, SHARED) == b"0"
    host.now += 100_000
    assert unmarked(host, one) == [b"2", b"3"]


@pytest.mark.spec("mqi.md 11.3")
def test_an_expired_message_is_not_marked_any_more(host: Host) -> None:
    host.local("Q")
    host.put("Q", expiry=10)
    one = host.open("Q", CO_OP)
    assert data(host, one, SHARED) == b"data"
    host.now += 2
    host.put("Q", b"new")
    assert unmarked(host, one) == [b"new"]


@pytest.mark.spec("mqi.md 11.3")
def test_who_waits_for_unmarked_messages_is_woken_when_one_becomes_so(host: Host, queue: str) -> None:
    one, other = host.open(queue, CO_OP), host.open(queue, CO_OP)
    for _ in range(4):
        data(host, one, SHARED)

    def wait(owner: str) -> None:
        assert data(host, other, SHARED) is None
        waiter = Waiter(owner, GetOptions(SHARED | MQGMO.WAIT), handle=other)
        host.queue_manager.wait(other.target, waiter, host.now)
        host.pump()

    wait("taken back")
    assert host.woken() == []
    assert data(host, one, FIRST | MQGMO.UNMARK_BROWSE_CO_OP) == b"0"
    assert host.woken() == [("taken back", 0)]
    data(host, other, SHARED)
    wait("its time is up")
    assert host.queue_manager.next_timeout() == host.now + 5
    host.now += 5
    host.queue_manager.timeout(host.now)
    host.pump()
    assert host.woken()[1:] == [("its time is up", 0)]
    for _ in range(4):
        data(host, other, SHARED)
    wait("new")
    host.put(queue, b"new")
    assert host.woken()[2:] == [("new", 0)]


@pytest.mark.interpreted("sets a constant")
def test_marks_of_messages_that_are_gone_do_not_gather(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks_of_handles, "_CLEAN_AT", 8)
    host.local("Q")
    handle = host.open("Q", CO_OP)
    for number in range(100):
        host.put("Q", b"%d" % number)
        assert data(host, handle, OWN) == b"%d" % number
        assert data(host, handle, SHARED & ~UNMARKED) == b"%d" % number
        host.got("Q")
        assert len(handle.remembered().marks) <= 9
    queue = host.queue_manager.queue("Q")
    assert queue is not None
    assert queue.co_op_marks is None or len(queue.co_op_marks) <= 1
