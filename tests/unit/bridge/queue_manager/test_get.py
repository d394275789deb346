from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Cursor, GetOptions, MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreDamaged
from mqbridge.protocol.constants import MQGMO, MQMO, MQRC
from support.queue_manager.direct_calls import browse as browse_target
from support.queue_manager.host import Host


@pytest.fixture
def queue(host: Host) -> str:
    host.local("Q")
    for number in range(6):
        host.put(
            "Q",
            b"%d" % number,
            msg_id=b"m%d" % (number % 3),
            correl_id=b"c%d" % (number % 2),
            group_id=b"g%d" % (number // 3),
            msg_flags=8,
            msg_seq_number=number + 1,
        )
    return "Q"


def padded(text: bytes) -> bytes:
    return text.ljust(24, b"\0")


@pytest.mark.spec("mqi.md 10.1")
@pytest.mark.parametrize(
    ("match", "ids", "expected"),
    [
        (MQMO.NONE, {"msg_id": b"m2"}, b"0"),
        (MQMO.MATCH_MSG_ID, {"msg_id": b"m2"}, b"2"),
        (MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, {"msg_id": b"m2", "correl_id": b"c1"}, b"5"),
        (MQMO.MATCH_CORREL_ID, {"correl_id": b"c1"}, b"1"),
        (MQMO.MATCH_GROUP_ID, {"group_id": b"g1"}, b"3"),
        (MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER, {"group_id": b"g1", "msg_seq_number": 5}, b"4"),
        (MQMO.MATCH_MSG_SEQ_NUMBER, {"msg_seq_number": 6}, b"5"),
        (MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, {}, b"0"),
        (MQMO.MATCH_MSG_ID, {"msg_id": b"none"}, None),
        (MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, {"msg_id": b"m2", "correl_id": b"none"}, None),
        (MQMO.MATCH_OFFSET, {"offset": 5}, None),
    ],
)
def test_match_options(host: Host, queue: str, match: int, ids: dict[str, Any], expected: bytes | None) -> None:
    ids = {key: padded(value) if isinstance(value, bytes) else value for key, value in ids.items()}
    got = host.get(queue, match=match, **ids)
    assert (got and got.message.data) == expected


@pytest.mark.spec("mqi.md 10.1")
def test_ids_are_found_after_gets_puts_and_backouts_too(host: Host, queue: str) -> None:
    by_id: dict[str, Any] = {"match": 1, "msg_id": padded(b"m1")}
    unit = host.begin()
    assert host.got(queue, unit, **by_id).data == b"1"
    assert host.got(queue, unit, **by_id).data == b"4"
    assert host.get(queue, **by_id) is None
    host.put(queue, b"new", msg_id=b"m1")
    host.backout(unit)
    assert [host.got(queue, **by_id).data for _ in range(3)] == [b"1", b"4", b"new"]
    assert host.contents(queue) == [b"0", b"2", b"3", b"5"]


def test_getting_by_an_id_that_many_share_gives_them_in_order(host: Host) -> None:
    host.local("Q", MAXDEPTH=100_000)
    for number in range(3_000):
        host.put("Q", b"%d" % number, correl_id=b"same", priority=number % 2)
    got = [int(host.got("Q", match=2, correl_id=padded(b"same")).data) for _ in range(3_000)]
    assert got == [*range(1, 3_000, 2), *range(0, 3_000, 2)]


@pytest.mark.spec("mqi.md 10.2")
def test_a_token_names_exactly_one_message(host: Host, queue: str) -> None:
    host.local("OTHER")
    host.put("OTHER", b"other")
    source = host.queue_manager.resolve(queue)
    cursor = Cursor()
    for _ in range(3):
        browsed = browse_target(host.queue_manager, source, cursor, GetOptions(MQGMO.BROWSE_NEXT), host.now)
    assert browsed is not None
    assert (len(browsed.token), browsed.message.data) == (16, b"2")
    assert host.get("OTHER", match=MQMO.MATCH_MSG_TOKEN, token=browsed.token) is None
    assert host.got(queue, match=MQMO.MATCH_MSG_TOKEN, token=browsed.token).data == b"2"
    assert host.get(queue, match=MQMO.MATCH_MSG_TOKEN, token=browsed.token) is None


@pytest.mark.spec("mqi.md 21.12")
@pytest.mark.spec("mqi.md 13")
def test_a_message_longer_than_the_room_stays_or_is_cut(host: Host) -> None:
    host.local("Q")
    host.put("Q", b"0123456789")
    failed = host.get("Q", max_length=4)
    assert failed is not None
    assert (failed.reason, failed.message.data, failed.length) == (MQRC.TRUNCATED_MSG_FAILED, b"0123", 10)
    assert host.depth("Q") == 1
    probe = host.get("Q", max_length=0)
    assert probe is not None
    assert (probe.message.data, probe.length) == (b"", 10)
    cut = host.get("Q", max_length=4, options=MQGMO.ACCEPT_TRUNCATED_MSG)
    assert cut is not None
    assert (cut.reason, cut.message.data, cut.length) == (MQRC.TRUNCATED_MSG_ACCEPTED, b"0123", 10)
    assert host.depth("Q") == 0
    host.put("Q", b"0123")
    fits = host.get("Q", max_length=4)
    assert fits is not None
    assert fits.reason == 0


def reason_of(host: Host, *arguments: Any, **options: Any) -> int:
    with pytest.raises(MQError) as caught:
        host.get(*arguments, **options)
    return caught.value.reason


@pytest.mark.spec("mqi.md 8 row 2")
def test_gets_can_be_inhibited_at_the_queue_and_at_an_alias(host: Host, queue: str) -> None:
    host.define(Kind.QALIAS, "A", TARGET="Q")
    assert host.got("A").data == b"0"
    host.alter(Kind.QALIAS, "A", GET="DISABLED")
    assert reason_of(host, "A") == MQRC.GET_INHIBITED
    assert host.got("Q").data == b"1"
    host.alter(Kind.QLOCAL, "Q", GET="DISABLED")
    assert reason_of(host, "Q") == MQRC.GET_INHIBITED


def test_what_is_not_local_gives_nothing(host: Host) -> None:
    host.transmission("SATURN")
    host.define(Kind.QREMOTE, "R", RNAME="THERE", RQMNAME="SATURN")
    assert reason_of(host, "R") == MQRC.OPTION_NOT_VALID_FOR_TYPE
    with pytest.raises(MQError):
        host.queue_manager.local_queue("R")


def test_a_deleted_queue_says_so_to_those_who_still_have_it(host: Host, queue: str) -> None:
    target = host.queue_manager.local_queue(queue)
    host.delete(Kind.QLOCAL, queue)
    for call in (
        lambda: host.queue_manager.get(target, GetOptions(), None, host.now),
        lambda: browse_target(host.queue_manager, target, Cursor(), GetOptions(), host.now),
    ):
        with pytest.raises(MQError) as caught:
            call()
        assert caught.value.reason == MQRC.Q_DELETED


@pytest.mark.spec("mqi.md 7.3")
@pytest.mark.parametrize("options", [0x2000000 | 0x4000000, MQGMO.LOCK, MQGMO.SET_SIGNAL])
def test_options_that_need_another_or_exclude_one_are_refused(host: Host, queue: str, options: int) -> None:
    assert reason_of(host, queue, options=options) == MQRC.OPTIONS_ERROR


@pytest.mark.parametrize("options", [MQGMO.LOGICAL_ORDER, MQGMO.COMPLETE_MSG, MQGMO.ALL_MSGS_AVAILABLE])
def test_what_needs_a_handle_is_refused_without_one_and_not_ignored(host: Host, queue: str, options: int) -> None:
    assert reason_of(host, queue, options=options) == MQRC.OPTIONS_ERROR


def test_a_damaged_message_stays_and_its_getter_is_told(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.local("Q")
    host.put("Q", persistence=1)

    def read(*_: object) -> bytes:
        raise StoreDamaged("torn page", "data.mdb")

    with monkeypatch.context() as patched:
        patched.setattr(host.store, "read", read)
        assert reason_of(host, "Q") == MQRC.OBJECT_DAMAGED
    assert "AMQ7472" in host.logged()
    assert host.got("Q").data == b"data"


# Browsing


def browse(host: Host, queue: str, cursor: Cursor, **options: Any) -> bytes | None:
    got = browse_target(host.queue_manager, host.queue_manager.resolve(queue), cursor, GetOptions(**options), host.now)
    return got and got.message.data


FIRST, NEXT, UNDER = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT, MQGMO.BROWSE_MSG_UNDER_CURSOR


@pytest.mark.spec("mqi.md 11.1")
def test_a_cursor_goes_along_the_queue_and_begins_again(host: Host, queue: str) -> None:
    cursor = Cursor()
    assert [browse(host, queue, cursor, options=NEXT) for _ in range(3)] == [b"0", b"1", b"2"]
    assert browse(host, queue, cursor, options=UNDER) == b"2"
    assert browse(host, queue, cursor, options=FIRST) == b"0"
    assert browse(host, queue, cursor, options=NEXT, match=1, msg_id=padded(b"m2")) == b"2"
    assert browse(host, queue, cursor, options=NEXT, match=1, msg_id=padded(b"m2")) == b"5"
    assert browse(host, queue, cursor, options=NEXT) is None
    assert browse(host, queue, cursor, options=UNDER) == b"5"
    assert host.depth(queue) == 6


@pytest.mark.spec("mqi.md 21.11")
@pytest.mark.spec("mqi.md 11.1 row 4")
def test_a_cursor_keeps_its_place_when_the_message_under_it_goes(host: Host, queue: str) -> None:
    cursor = Cursor()
    browse(host, queue, cursor, options=FIRST)
    browse(host, queue, cursor, options=NEXT)
    host.got(queue)
    host.got(queue)
    with pytest.raises(MQError) as caught:
        browse(host, queue, cursor, options=UNDER)
    assert caught.value.reason == MQRC.NO_MSG_UNDER_CURSOR
    assert browse(host, queue, cursor, options=NEXT) == b"2"


@pytest.mark.spec("mqi.md 21.12")
@pytest.mark.spec("mqi.md 11.1 row 5")
def test_a_browse_that_fails_does_not_move_the_cursor(host: Host) -> None:
    host.local("Q")
    host.put("Q", b"short")
    host.put("Q", b"much too long")
    host.put("Q", b"end")
    cursor = Cursor()
    browse(host, "Q", cursor, options=NEXT, max_length=5)
    assert browse(host, "Q", cursor, options=NEXT, max_length=5) == b"much "
    assert browse(host, "Q", cursor, options=UNDER) == b"short"
    assert browse(host, "Q", cursor, options=NEXT | MQGMO.ACCEPT_TRUNCATED_MSG, max_length=5) == b"much "
    assert browse(host, "Q", cursor, options=NEXT) == b"end"


@pytest.mark.spec("mqi.md 11.1 row 8")
def test_what_comes_behind_the_cursor_is_met_only_from_the_front(host: Host) -> None:
    host.local("Q")
    host.put("Q", b"first", priority=4)
    cursor = Cursor()
    assert browse(host, "Q", cursor, options=NEXT) == b"first"
    host.put("Q", b"high", priority=9)
    host.put("Q", b"equal", priority=4)
    host.put("Q", b"low", priority=0)
    assert [browse(host, "Q", cursor, options=NEXT) for _ in range(3)] == [b"equal", b"low", None]
    assert browse(host, "Q", cursor, options=FIRST) == b"high"


@pytest.mark.spec("mqi.md 11.1 row 11")
def test_uncommitted_puts_and_gets_are_passed_over(host: Host, queue: str) -> None:
    unit = host.begin()
    host.got(queue, unit)
    host.put(queue, b"new", unit)
    assert host.contents(queue) == [b"1", b"2", b"3", b"4", b"5"]
    cursor = Cursor()
    browse(host, queue, cursor, options=FIRST)
    host.backout(unit)
    assert browse(host, queue, cursor, options=FIRST) == b"0"
