from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Handle, MQError, RetrievedMessage
from mqbridge.bridge.store.interface import StoreDamaged
from mqbridge.mappings.body import PIECE
from mqbridge.protocol.constants import MQFB, MQGMO, MQGS, MQMO, MQMT, MQOO, MQRC, MQRO, MQSS
from support.queue_manager.group_messages import END, SEGMENT, gid, item, items
from support.queue_manager.host import Host

FIRST, NEXT, WHOLE, LOGICAL = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT, MQGMO.COMPLETE_MSG, MQGMO.LOGICAL_ORDER
BOTH = MQOO.BROWSE | MQOO.INPUT_SHARED


@pytest.fixture
def handle(host: Host) -> Handle:
    host.local("Q")
    return host.open("Q", BOTH)


def read(host: Host, handle: Handle, options: int, *more: Any, **fields: Any) -> RetrievedMessage:
    got = host.read(handle, options, *more, **fields)
    assert got is not None
    return got


def reason_of(host: Host, handle: Handle, options: int, *more: Any, **fields: Any) -> int:
    with pytest.raises(MQError) as caught:
        host.read(handle, options, *more, **fields)
    return caught.value.reason


@pytest.mark.spec("mqi.md 12.5 row 1")
@pytest.mark.spec("mqi.md 12.5 row 6")
@pytest.mark.parametrize("options", [WHOLE, WHOLE | LOGICAL, WHOLE | FIRST])
def test_segments_become_one_message(host: Host, handle: Handle, options: int) -> None:
    host.put("Q", b"lo", msg_id=b"2", group_id=gid("A"), msg_flags=SEGMENT, offset=3, priority=3)
    host.put("Q", b"world", msg_id=b"3", group_id=gid("A"), msg_flags=END, offset=5, priority=3)
    host.put("Q", b"hel", msg_id=b"1", group_id=gid("A"), msg_flags=SEGMENT, priority=3)
    got = read(host, handle, options)
    md = got.message.md
    assert (got.message.data, got.length, got.reason) == (b"helloworld", 10, 0)
    assert (md.msg_id[:1], md.group_id, md.offset, md.msg_seq_number) == (b"1", gid("A"), 0, 1)
    assert md.msg_flags == SEGMENT | END
    assert (got.segment_status, got.group_status) == (MQSS.LAST_SEGMENT, MQGS.NOT_IN_GROUP)
    assert host.depth("Q") == (3 if options & FIRST else 0)


@pytest.mark.spec("mqi.md 12.5 row 2")
@pytest.mark.spec("mqi.md 21.9")
def test_a_message_that_lacks_a_segment_is_passed_over(host: Host, handle: Handle) -> None:
    items(host, "A/0 A/6; B/3; X B/0")
    assert [read(host, handle, WHOLE).message.data for _ in range(2)] == [b"X", b"B/0B/3;"]
    assert host.read(handle, WHOLE) is None
    assert host.depth("Q") == 2
    items(host, "A/3")
    assert read(host, handle, WHOLE).message.data == b"A/0A/3A/6;"


def test_a_whole_group_comes_message_by_message(host: Host, handle: Handle) -> None:
    items(host, "a2./5; a1 a2/0")
    host.put("Q", b"xx", group_id=gid("a"), msg_flags=8 | SEGMENT, msg_seq_number=2, offset=4)
    host.put("Q", b"yy", group_id=gid("a"), msg_flags=8 | 16 | END, msg_seq_number=2, offset=6)
    options = WHOLE | LOGICAL | MQGMO.ALL_MSGS_AVAILABLE
    got = read(host, handle, options)
    assert (got.message.data, got.group_status) == (b"a1", MQGS.MSG_IN_GROUP)
    assert host.read(handle, options & ~LOGICAL) is None
    got = read(host, handle, options)
    assert got.message.data == b"a2/0xxyy"
    assert host.depth("Q") == 1


UNIT, OUTSIDE = MQGMO.SYNCPOINT, MQGMO.NO_SYNCPOINT


@pytest.mark.spec("mqi.md 12.5 row 4")
@pytest.mark.spec("mqi.md 21.9")
@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize(
    ("options", "other_unit", "refused"),
    [(UNIT, False, False), (OUTSIDE, False, False), (OUTSIDE, True, True), (0, True, True)],
)
def test_joining_and_units_of_work(
    host: Host, handle: Handle, persistence: int, options: int, other_unit: bool, refused: bool
) -> None:
    items(host, "X A/0 A/3;", persistence=persistence)
    unit = host.begin() if options == UNIT else None
    assert read(host, handle, WHOLE | options, unit, unit_of_work_open=other_unit).message.data == b"X"
    if refused and persistence:
        reason = reason_of(host, handle, WHOLE | options, unit, unit_of_work_open=other_unit)
        assert reason == MQRC.UOW_NOT_AVAILABLE
        assert host.contents("Q") == [b"A/0", b"A/3;"]
        return
    done: list[Any] = []
    got = read(host, handle, WHOLE | options, unit, done.append, unit_of_work_open=other_unit)
    assert got.message.data == b"A/0A/3;"
    assert host.contents("Q") == []
    if unit is None:
        assert done == [None]
        assert host.depth("Q") == 0
        host.restart()
        assert host.depth("Q") == 0
        return
    assert unit.count == 3
    host.backout(unit)
    assert host.contents("Q") == [b"X", b"A/0", b"A/3;"]
    got = read(host, host.open("Q", BOTH), WHOLE, match=MQMO.MATCH_GROUP_ID, group_id=gid("A"))
    assert (got.message.data, got.message.md.backout_count) == (b"A/0A/3;", 1)


@pytest.mark.spec("mqi.md 12.5 row 4")
def test_what_fails_half_way_goes_back_and_the_unit_can_be_committed(
    host: Host, handle: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(host, "X A/0 A/3;", persistence=1)
    unit = host.begin()
    assert read(host, handle, WHOLE | UNIT, unit).message.data == b"X"
    read_whole, reads = host.store.read, []

    def failing(*arguments: Any) -> bytes:
        reads.append(arguments)
        if len(reads) > 1:
            raise StoreDamaged("torn page", "data.mdb")
        return read_whole(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(host.store, "read", failing)
        assert reason_of(host, handle, WHOLE | UNIT, unit) == MQRC.OBJECT_DAMAGED
    host.commit(unit)
    assert host.outcomes == [None]
    assert host.contents("Q") == [b"A/0", b"A/3;"]


@pytest.mark.spec("mqi.md 12.5 row 5")
@pytest.mark.spec("mqi.md 21.9")
@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"coded_char_set_id": 500}, MQRC.INCONSISTENT_CCSIDS),
        ({"encoding": 785}, MQRC.INCONSISTENT_ENCODINGS),
        ({"coded_char_set_id": 500, "encoding": 785}, MQRC.INCONSISTENT_CCSIDS),
    ],
)
def test_only_segments_of_one_form_are_joined(host: Host, handle: Handle, other: dict[str, int], reason: int) -> None:
    items(host, "A/0 A/3")
    items(host, "A/6 A/9;", **other)
    got = read(host, handle, WHOLE | LOGICAL)
    assert (got.message.data, got.reason, got.segment_status) == (b"A/0A/3", reason, MQSS.SEGMENT)
    assert host.contents("Q") == [b"A/6", b"A/9;"]
    assert host.read(host.open("Q", BOTH), WHOLE) is None
    assert reason_of(host, handle, WHOLE | LOGICAL) == MQRC.INCOMPLETE_MSG
    assert [read(host, handle, LOGICAL).message.data for _ in range(2)] == [b"A/6", b"A/9;"]


@pytest.mark.spec("mqi.md 7.3")
def test_the_cursor_must_stand_on_a_first_segment(host: Host, handle: Handle) -> None:
    items(host, "A/3; A/0")
    assert read(host, handle, FIRST).message.data == b"A/3;"
    for options in (MQGMO.BROWSE_MSG_UNDER_CURSOR, MQGMO.MSG_UNDER_CURSOR):
        assert reason_of(host, handle, WHOLE | options) == MQRC.INVALID_MSG_UNDER_CURSOR
    assert read(host, handle, NEXT).message.data == b"A/0"
    for options in (MQGMO.BROWSE_MSG_UNDER_CURSOR, MQGMO.MSG_UNDER_CURSOR):
        assert read(host, handle, WHOLE | options).message.data == b"A/0A/3;"
    assert host.depth("Q") == 0


@pytest.mark.spec("mqi.md 11.2 row 2")
@pytest.mark.spec("mqi.md 12.5 row 8")
def test_all_segments_are_locked_or_one(host: Host, handle: Handle) -> None:
    items(host, "A/0 X A/3; Y")
    other = host.open("Q", BOTH)
    assert read(host, handle, WHOLE | FIRST | MQGMO.LOCK).message.data == b"A/0A/3;"
    assert host.contents("Q") == [b"X", b"Y"]
    assert read(host, handle, NEXT | MQGMO.LOCK | WHOLE).message.data == b"X"
    assert host.contents("Q") == [b"A/0", b"A/3;", b"Y"]
    assert read(host, handle, NEXT | MQGMO.LOCK).message.data == b"A/3;"
    assert host.contents("Q") == [b"A/0", b"X", b"Y"]
    assert read(host, other, WHOLE | FIRST).message.data == b"X", "a locked segment keeps the message from others"
    host.unlock(handle)
    assert read(host, other, WHOLE | FIRST).message.data == b"A/0A/3;"


@pytest.mark.spec("mqi.md 12.5 row 3")
def test_the_room_must_do_for_the_whole(host: Host, handle: Handle) -> None:
    items(host, "A/0 A/3;")
    got = read(host, handle, WHOLE, max_length=6)
    assert (got.reason, got.length, got.message.data) == (MQRC.TRUNCATED_MSG_FAILED, 7, b"A/0A/3")
    assert host.depth("Q") == 2
    got = read(host, handle, WHOLE | MQGMO.ACCEPT_TRUNCATED_MSG, max_length=6)
    assert (got.reason, got.length, got.message.data) == (MQRC.TRUNCATED_MSG_ACCEPTED, 7, b"A/0A/3")
    assert host.depth("Q") == 0


def test_long_segments_are_not_copied_until_they_are_read(host: Host, handle: Handle) -> None:
    long = bytes(range(256)) * (PIECE // 256) + b"and more"
    host.put("Q", long, group_id=gid("A"), msg_flags=SEGMENT, persistence=1)
    host.put("Q", long, group_id=gid("A"), msg_flags=SEGMENT, offset=len(long), persistence=1)
    host.put("Q", b"end", group_id=gid("A"), msg_flags=END, offset=2 * len(long), persistence=1)
    unit = host.begin()
    got = read(host, handle, WHOLE | UNIT, unit)
    assert not isinstance(got.message.body, bytes)
    assert got.message.body.read(len(long) - 4, 8) == b"more\0\1\2\3"  # type: ignore[union-attr]
    assert got.message.data == long + long + b"end"
    host.backout(unit)
    assert read(host, handle, WHOLE).message.data == long + long + b"end"


@pytest.mark.spec("mqi.md 12.5 row 4")
def test_every_segment_confirms_its_delivery(host: Host, handle: Handle) -> None:
    host.local("REPLY")
    for each in ("A/0", "A/3;"):
        item(host, each, report=MQRO.COD_WITH_DATA, reply_to_q="REPLY")
    read(host, handle, WHOLE)
    assert host.contents("REPLY") == [b"A/0", b"A/3;"]
    reports = host.open("REPLY", BOTH)
    joined = read(host, reports, WHOLE)
    assert (joined.message.data, joined.message.md.feedback) == (b"A/0A/3;", MQFB.COD)


# Reports on segments


def report(host: Host, segment: str, feedback: int, data: bytes, length: int) -> None:
    item(host, segment, data, msg_type=MQMT.REPORT, feedback=feedback, original_length=length)


@pytest.mark.spec("mqi.md 12.5 row 7")
@pytest.mark.spec("mqi.md 21.9")
def test_reports_of_one_kind_are_joined_and_filled_with_zeros(host: Host, handle: Handle) -> None:
    report(host, "A/0", MQFB.COA, b"abc", 5)
    report(host, "A/0", MQFB.COD, b"", 5)
    report(host, "A/5;", MQFB.COD, b"", 2)
    assert read(host, handle, WHOLE).message.data == bytes(7)
    assert host.read(handle, WHOLE) is None
    report(host, "A/5;", MQFB.COA, b"xy", 2)
    got = read(host, handle, WHOLE)
    assert (got.message.data, got.message.md.feedback) == (b"abc\0\0xy", MQFB.COA)


@pytest.mark.spec("mqi.md 12.6 row 6")
def test_one_report_of_any_kind_for_each_segment_is_enough_to_be_available(host: Host, handle: Handle) -> None:
    available = MQGMO.ALL_SEGMENTS_AVAILABLE
    report(host, "A/0", MQFB.COA, b"", 5)
    assert host.read(handle, available | FIRST) is None
    report(host, "A/5;", MQFB.COD, b"", 2)
    assert read(host, handle, available | FIRST).message.md.feedback == MQFB.COA
    assert host.read(handle, WHOLE | FIRST) is None


def test_reports_on_segments_are_known_again_after_a_restart(host: Host, handle: Handle) -> None:
    fields: dict[str, Any] = {"msg_type": MQMT.REPORT, "feedback": MQFB.COA, "persistence": 1}
    item(host, "A/0", b"", original_length=5, **fields)
    item(host, "A/5;", b"xy", original_length=2, **fields)
    host.restart()
    assert read(host, host.open("Q", BOTH), WHOLE).message.data == bytes(5) + b"xy"


def test_reports_and_their_originals_do_not_mix(host: Host, handle: Handle) -> None:
    items(host, "A/0")
    report(host, "A/3;", MQFB.COA, b"", 4)
    assert host.read(handle, WHOLE) is None
    items(host, "A/3;")
    assert read(host, handle, WHOLE).message.data == b"A/0A/3;"
