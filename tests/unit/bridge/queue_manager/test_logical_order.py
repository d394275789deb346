from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, Handle, MQError, UnitOfWork, Waiter
from mqbridge.protocol.constants import MQGMO, MQGS, MQMO, MQOO, MQRC, MQSEG, MQSS
from support.queue_manager.group_messages import gid, item, items
from support.queue_manager.group_tables import SEARCHED, THERE
from support.queue_manager.host import Host

FIRST, NEXT, LOGICAL, SYNC = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT, MQGMO.LOGICAL_ORDER, MQGMO.SYNCPOINT
ALL_MSGS, ALL_SEGMENTS, WHOLE = MQGMO.ALL_MSGS_AVAILABLE, MQGMO.ALL_SEGMENTS_AVAILABLE, MQGMO.COMPLETE_MSG
BOTH = MQOO.BROWSE | MQOO.INPUT_SHARED
MIXED = "X b2/0 a2. b1 Y a1 b2/4 b3. b2/8; C/0 Z C/3;"
"""Groups a and b, message C in segments, plain messages X, Y, Z; segments are as long as their names."""


@pytest.fixture
def handle(host: Host) -> Handle:
    host.local("Q")
    return host.open("Q", BOTH)


def data(host: Host, handle: Handle, options: int, unit: UnitOfWork | None = None, **more: Any) -> str | None:
    got = host.read(handle, options, unit, **more)
    return None if got is None else got.message.data.decode()


def all_of(host: Host, handle: Handle, options: int, **more: Any) -> list[str]:
    """Everything that one call after the other gives."""
    found = []
    while (each := data(host, handle, options, **more)) is not None:
        found.append(each)
    return found


def reason_of(host: Host, handle: Handle, options: int, unit: UnitOfWork | None = None, **more: Any) -> int:
    with pytest.raises(MQError) as caught:
        host.read(handle, options, unit, **more)
    return caught.value.reason


@pytest.mark.spec("mqi.md 4.3")
@pytest.mark.spec("mqi.md 12.3")
@pytest.mark.spec("mqi.md 21.2")
@pytest.mark.parametrize("options", [0, NEXT])
def test_logical_order_keeps_groups_together_where_their_first_item_is(
    host: Host, handle: Handle, options: int
) -> None:
    items(host, MIXED)
    expected = "X b1 b2/0 b2/4 b2/8; b3. Y a1 a2. C/0 C/3; Z"
    assert all_of(host, handle, options | LOGICAL) == expected.split()
    assert host.depth("Q") == (12 if options else 0)


@pytest.mark.spec("mqi.md 4.3")
def test_without_it_messages_come_as_they_arrived(host: Host, handle: Handle) -> None:
    items(host, MIXED)
    assert all_of(host, handle, NEXT) == MIXED.split()
    assert all_of(host, handle, 0) == MIXED.split()


@pytest.mark.spec("mqi.md 12.3")
@pytest.mark.spec("mqi.md 21.2")
@pytest.mark.parametrize("browses", [False, True])
@pytest.mark.parametrize(
    ("before", "ids", "expected"),
    SEARCHED,
)
def test_what_is_searched_in_logical_order(
    host: Host, handle: Handle, browses: bool, before: str, ids: dict[str, Any], expected: str | None
) -> None:
    for each in THERE:
        item(host, each, correl_id=gid(each[0]))
    options = LOGICAL | (NEXT if browses else 0)
    for each in before.split():
        first = {"match": MQMO.MATCH_GROUP_ID, "group_id": gid(each[0])} if each.endswith("/0") else {}
        assert data(host, handle, options, **first) == each
    assert data(host, handle, options, **ids) == expected


@pytest.mark.spec("mqi.md 12.3")
@pytest.mark.spec("mqi.md 21.2")
@pytest.mark.parametrize("browses", [False, True])
def test_physical_order_searches_by_match_options_alone(host: Host, handle: Handle, browses: bool) -> None:
    items(host, "a2 b1/4; b1/0 a1")
    options = NEXT if browses else 0
    by_number = MQMO.MATCH_MSG_SEQ_NUMBER | MQMO.MATCH_GROUP_ID
    assert data(host, handle, options, match=by_number, group_id=gid("b"), msg_seq_number=1) == "b1/4;"
    assert data(host, handle, options, match=MQMO.MATCH_OFFSET, offset=0) == ("b1/0" if browses else "a2")


@pytest.mark.spec("mqi.md 10.1 row 5")
@pytest.mark.spec("mqi.md 10.1 row 6")
def test_superfluous_match_options_must_agree(host: Host, handle: Handle) -> None:
    items(host, "a1 a2.")
    number: dict[str, Any] = {"match": MQMO.MATCH_MSG_SEQ_NUMBER}
    offset: dict[str, Any] = {"match": MQMO.MATCH_OFFSET}
    assert reason_of(host, handle, LOGICAL, **number, msg_seq_number=2) == MQRC.MATCH_OPTIONS_ERROR
    assert reason_of(host, handle, LOGICAL, **offset, offset=5) == MQRC.MATCH_OPTIONS_ERROR
    assert data(host, handle, LOGICAL, **number, msg_seq_number=1) == "a1"
    other: dict[str, Any] = {"match": MQMO.MATCH_GROUP_ID, "group_id": gid("b")}
    assert reason_of(host, handle, LOGICAL, **other) == MQRC.MATCH_OPTIONS_ERROR
    assert reason_of(host, handle, LOGICAL, **number, msg_seq_number=3) == MQRC.MATCH_OPTIONS_ERROR
    assert data(host, handle, LOGICAL, match=MQMO.MATCH_GROUP_ID, group_id=gid("a")) == "a2."


@pytest.mark.spec("mqi.md 11.1 row 10")
def test_browse_first_leaves_a_group_and_failing_changes_nothing(host: Host, handle: Handle) -> None:
    items(host, "a1 b1 a2. b2.")
    assert data(host, handle, FIRST | LOGICAL) == "a1"
    none: dict[str, Any] = {"match": MQMO.MATCH_GROUP_ID, "group_id": gid("none")}
    assert data(host, handle, FIRST | LOGICAL, **none) is None
    assert data(host, handle, NEXT | LOGICAL) == "a2."
    assert data(host, handle, NEXT | LOGICAL) == "b1"
    assert data(host, handle, FIRST | LOGICAL) == "a1"


@pytest.mark.spec("mqi.md 12.2")
def test_gets_and_browses_stand_in_their_own_places(host: Host, handle: Handle) -> None:
    items(host, "a1 a2 a3.")
    assert [data(host, handle, NEXT | LOGICAL) for _ in range(2)] == ["a1", "a2"]
    assert data(host, handle, LOGICAL) == "a1"
    assert data(host, handle, NEXT | LOGICAL) == "a3."
    assert data(host, handle, LOGICAL) == "a2"


def warning_of(host: Host, handle: Handle, options: int, unit: UnitOfWork | None = None, **more: Any) -> int:
    got = host.read(handle, options, unit, **more)
    assert got is not None
    return got.reason


@pytest.mark.spec("mqi.md 12.4")
@pytest.mark.spec("mqi.md 21.3")
@pytest.mark.parametrize("begun", ["a1", "a1/0", "D/0"])
def test_a_get_without_logical_order_within_a_group_warns_once(host: Host, handle: Handle, begun: str) -> None:
    items(host, f"{begun} X Y")
    assert data(host, handle, LOGICAL) == begun
    reason = MQRC.INCOMPLETE_GROUP if begun == "a1" else MQRC.INCOMPLETE_MSG
    assert warning_of(host, handle, 0) == reason
    assert warning_of(host, handle, 0) == 0, "the place in the group was overwritten"


@pytest.mark.spec("mqi.md 12.4")
@pytest.mark.spec("mqi.md 21.3")
@pytest.mark.parametrize("logical", [True, False])
@pytest.mark.parametrize("unit_first", [True, False])
def test_a_group_is_got_all_in_units_of_work_or_all_outside(
    host: Host, handle: Handle, logical: bool, unit_first: bool
) -> None:
    """The four cells of 2245: the call before with or without logical order, this one too."""
    items(host, "a1 a2 a3.")
    first, second = (SYNC, 0) if unit_first else (0, SYNC)

    def unit_for(options: int) -> UnitOfWork | None:
        return host.begin() if options else None

    before = LOGICAL if logical else 0
    assert data(host, handle, before | first, unit_for(first)) == "a1"
    assert reason_of(host, handle, LOGICAL | second, unit_for(second)) == MQRC.INCONSISTENT_UOW
    assert host.depth("Q") == 2
    expected = MQRC.INCONSISTENT_UOW if logical else 0
    assert warning_of(host, handle, second, unit_for(second)) == expected
    assert data(host, handle, LOGICAL | second, unit_for(second)) == "a3."


@pytest.mark.spec("mqi.md 12.4")
@pytest.mark.spec("mqi.md 21.3")
def test_a_call_in_logical_order_that_cannot_go_on_fails(host: Host, handle: Handle) -> None:
    items(host, "X a1/0 a1/4; a2.")
    assert data(host, handle, FIRST) == "X"
    take = MQGMO.MSG_UNDER_CURSOR
    for before in (LOGICAL, 0):
        assert data(host, handle, before, match=MQMO.MATCH_GROUP_ID, group_id=gid("a")) == "a1/0"
        assert reason_of(host, handle, LOGICAL | take) == MQRC.INCOMPLETE_MSG
        assert reason_of(host, handle, LOGICAL | WHOLE) == MQRC.INCOMPLETE_MSG
        assert data(host, handle, LOGICAL) == "a1/4;"
        assert reason_of(host, handle, LOGICAL | take) == MQRC.INCOMPLETE_GROUP
        assert data(host, handle, LOGICAL) == "a2."
        items(host, "a1/0 a1/4; a2.")
    assert data(host, handle, LOGICAL | take) == "X"


@pytest.mark.spec("mqi.md 12.4")
@pytest.mark.spec("mqi.md 21.3")
@pytest.mark.parametrize(
    ("options", "calls", "reason"),
    [
        (BOTH, [LOGICAL], MQRC.INCOMPLETE_GROUP),
        (BOTH, [LOGICAL, LOGICAL], MQRC.INCOMPLETE_MSG),
        (BOTH, [LOGICAL, LOGICAL, LOGICAL, LOGICAL], 0),
        (BOTH, [0], 0),
        (BOTH, [LOGICAL, 0], 0),
        (BOTH, [FIRST | LOGICAL], 0),
        (MQOO.BROWSE, [FIRST | LOGICAL], 0),
    ],
)
def test_closing_within_a_group_warns(host: Host, options: int, calls: list[int], reason: int) -> None:
    host.local("Q")
    items(host, "a1 a2/0 a2/4; a3.")
    handle = host.open("Q", options)
    for call in calls:
        host.read(handle, call)
    assert host.close(handle) == reason


@pytest.mark.spec("mqi.md 12.4 row 3")
def test_a_program_goes_on_within_a_group_after_it_has_begun_anew(host: Host, handle: Handle) -> None:
    items(host, "a1 a2 a3 a4.")
    by_place = MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER
    assert data(host, handle, 0, match=by_place, group_id=gid("a"), msg_seq_number=2) == "a2"
    assert all_of(host, handle, LOGICAL) == ["a3", "a4.", "a1"]


@pytest.mark.spec("mqi.md 13 row 2")
def test_a_message_too_long_leaves_the_place_in_the_group(host: Host, handle: Handle) -> None:
    items(host, "a1 a2.")
    assert warning_of(host, handle, LOGICAL, max_length=0) == MQRC.TRUNCATED_MSG_FAILED
    assert data(host, handle, LOGICAL) == "a1"
    assert warning_of(host, handle, LOGICAL, max_length=0) == MQRC.TRUNCATED_MSG_FAILED
    assert data(host, handle, LOGICAL) == "a2."


@pytest.mark.spec("mqi.md 12.4 row 4")
@pytest.mark.parametrize(
    ("name", "group", "segment"),
    [
        ("X", MQGS.NOT_IN_GROUP, MQSS.NOT_A_SEGMENT),
        ("a1", MQGS.MSG_IN_GROUP, MQSS.NOT_A_SEGMENT),
        ("a1.", MQGS.LAST_MSG_IN_GROUP, MQSS.NOT_A_SEGMENT),
        ("a1/0", MQGS.MSG_IN_GROUP, MQSS.SEGMENT),
        ("a1./0;", MQGS.LAST_MSG_IN_GROUP, MQSS.LAST_SEGMENT),
    ],
)
def test_the_status_of_what_was_got(host: Host, handle: Handle, name: str, group: MQGS, segment: MQSS) -> None:
    item(host, name)
    got = host.read(handle, FIRST)
    assert got is not None
    assert (got.group_status, got.segment_status, got.segmentation) == (group, segment, MQSEG.INHIBITED)
    host.put("Q", msg_flags=1)
    got = host.read(handle, NEXT)
    assert got is not None
    assert (got.group_status, got.segmentation) == (MQGS.NOT_IN_GROUP, MQSEG.ALLOWED)


# Only what is complete


@pytest.mark.spec("mqi.md 12.6")
@pytest.mark.spec("mqi.md 21.10")
@pytest.mark.parametrize("options", [ALL_MSGS, ALL_MSGS | LOGICAL, ALL_MSGS | NEXT, ALL_MSGS | LOGICAL | NEXT])
def test_groups_that_lack_something_are_not_given(host: Host, handle: Handle, options: int) -> None:
    items(host, "a1 b1 b3. c1 c2/0 c2/5; c3.")
    assert data(host, handle, options) is None
    assert host.depth("Q") == 7
    items(host, "b2")
    assert data(host, handle, options) == "b1"
    host.put("Q", b"c2/4", group_id=gid("c"), msg_flags=8 | 2 | 4, msg_seq_number=2, offset=4)
    fresh = host.open("Q", BOTH)
    assert data(host, fresh, options, match=MQMO.MATCH_GROUP_ID, group_id=gid("c")) == "c1"


@pytest.mark.spec("mqi.md 12.6 row 3")
@pytest.mark.spec("mqi.md 21.10")
def test_within_a_group_all_messages_available_says_nothing_in_logical_order(host: Host, handle: Handle) -> None:
    items(host, "a1 a2 a3.")
    assert all_of(host, handle, ALL_MSGS | LOGICAL) == ["a1", "a2", "a3."]


@pytest.mark.spec("mqi.md 12.6 row 4")
@pytest.mark.spec("mqi.md 21.10")
def test_in_physical_order_it_must_be_switched_off_after_the_first(host: Host, handle: Handle) -> None:
    items(host, "a1 a2 a3.")
    assert data(host, handle, ALL_MSGS) == "a1"
    assert data(host, handle, ALL_MSGS) is None
    assert data(host, handle, 0) == "a2"


@pytest.mark.spec("mqi.md 12.6 row 5")
def test_the_check_reserves_nothing(host: Host, handle: Handle) -> None:
    items(host, "a1 a2.")
    assert data(host, handle, ALL_MSGS | LOGICAL) == "a1"
    host.got("Q")
    assert data(host, handle, ALL_MSGS | LOGICAL) is None


@pytest.mark.spec("mqi.md 12.6")
def test_segments_of_a_message_that_lacks_some_are_not_given(host: Host, handle: Handle) -> None:
    items(host, "D/0 a1/0 E/0 E/3 X E/6; a2.")
    assert all_of(host, host.open("Q", BOTH), NEXT | ALL_SEGMENTS) == ["E/0", "E/3", "X", "E/6;", "a2."]
    assert all_of(host, handle, ALL_SEGMENTS | LOGICAL) == ["E/0", "E/3", "E/6;", "X"]
    items(host, "D/3;")
    assert data(host, handle, ALL_SEGMENTS) == "D/0"
    assert data(host, handle, ALL_SEGMENTS) == "a2."


def test_what_is_locked_or_got_by_others_is_missing(host: Host, handle: Handle) -> None:
    items(host, "a1 a2.")
    other = host.open("Q", BOTH)
    host.read(other, FIRST | MQGMO.LOCK)
    assert data(host, handle, ALL_MSGS | LOGICAL) is None
    assert data(host, other, ALL_MSGS | LOGICAL | FIRST | MQGMO.LOCK) == "a1"
    host.unlock(other)
    unit = host.begin()
    host.got("Q", unit)
    assert data(host, handle, ALL_MSGS | LOGICAL) is None
    host.backout(unit)
    assert all_of(host, handle, ALL_MSGS | LOGICAL) == ["a1", "a2."]


def test_an_expired_item_is_missing(host: Host, handle: Handle) -> None:
    item(host, "a1")
    item(host, "a2.", expiry=10)
    host.now += 2
    host.queue_manager.timeout(host.now)
    assert data(host, handle, ALL_MSGS | LOGICAL) is None


@pytest.mark.spec("mqi.md 8 row 1")
def test_who_waits_for_a_whole_group_is_woken_by_its_last_item(host: Host, handle: Handle) -> None:
    waiter = Waiter("whole", GetOptions(ALL_MSGS | LOGICAL | MQGMO.WAIT), handle=handle)
    items(host, "a1")
    host.queue_manager.wait(handle.target, waiter, host.now)
    items(host, "a3. b2")
    assert host.woken() == []
    items(host, "a2")
    assert host.woken() == [("whole", 0)]
    assert all_of(host, handle, ALL_MSGS | LOGICAL) == ["a1", "a2", "a3."]


def test_who_waits_for_the_next_item_is_not_woken_by_others(host: Host, handle: Handle) -> None:
    items(host, "a1")
    assert data(host, handle, LOGICAL) == "a1"
    waiter = Waiter("next", GetOptions(LOGICAL | MQGMO.WAIT), handle=handle)
    host.queue_manager.wait(handle.target, waiter, host.now)
    items(host, "X a3. b1")
    assert host.woken() == []
    items(host, "a2")
    assert host.woken() == [("next", 0)]


def test_a_group_is_found_after_a_restart(host: Host) -> None:
    host.local("Q")
    items(host, "a2/5; a1 a2/0", persistence=1)
    host.put("Q", b"a2/4", group_id=gid("a"), msg_flags=8 | 16 | 2 | 4, msg_seq_number=2, offset=4, persistence=1)
    host.restart()
    handle = host.open("Q", BOTH)
    assert all_of(host, handle, ALL_MSGS | LOGICAL) == ["a1", "a2/0", "a2/4"]
