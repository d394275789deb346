from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Handle, MQError, PutOptions, UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC, MQRO, ByteOrder
from mqbridge.protocol.structures.rfh2 import make_rfh2
from support.queue_manager.direct_calls import put_message
from support.queue_manager.group_messages import END, GROUP, LAST, SEGMENT, gid
from support.queue_manager.group_tables import ALLOWED, IN_LOGICAL_ORDER, IN_PHYSICAL_ORDER
from support.queue_manager.host import Host

LOGICAL = MQPMO.LOGICAL_ORDER
NONE = bytes(24)


@pytest.fixture
def handle(host: Host) -> Handle:
    host.local("Q")
    return host.open("Q", MQOO.OUTPUT)


def put(
    host: Host,
    handle: Handle,
    flags: int,
    options: int = LOGICAL,
    unit: UnitOfWork | None = None,
    data: bytes = b"four",
    **fields: Any,
) -> tuple[Message, int]:
    """Puts through the handle; the message as it was stored, and the warning."""
    message = Message.build(data, msg_flags=flags, **{"offset": 0, **fields})
    try:
        reason = put_message(host.queue_manager, handle, message, PutOptions(options), unit, host.now)
    finally:
        host.pump()
    return message, reason


def reason_of(host: Host, handle: Handle, flags: int, options: int = LOGICAL, *more: Any, **fields: Any) -> int:
    before = host.depth("Q")
    with pytest.raises(MQError) as caught:
        put(host, handle, flags, options, *more, **fields)
    assert host.depth("Q") == before
    return caught.value.reason


def place_of(message: Message) -> tuple[bytes, int, int]:
    md = message.md
    return md.group_id, md.msg_seq_number, md.offset


GIVEN: dict[str, Any] = {"group_id": gid("given"), "msg_seq_number": 7, "offset": 9}


@pytest.mark.spec("mqi.md 6.2")
@pytest.mark.spec("mqi.md 21.4")
@pytest.mark.parametrize(
    ("before", "flags", "expected"),
    IN_LOGICAL_ORDER,
)
def test_in_logical_order_the_queue_manager_says_where_a_message_stands(
    host: Host, handle: Handle, before: list[int], flags: int, expected: tuple[str, int, int]
) -> None:
    previous = [put(host, handle, each)[0] for each in before]
    message, warning = put(host, handle, flags, **GIVEN)
    group_id, number, offset = place_of(message)
    assert (number, offset, warning) == (*expected[1:], 0)
    earlier = previous[-1].md.group_id if previous else b""
    kinds = {NONE: "none", earlier: "previous"}
    assert kinds.get(group_id, "new") == expected[0]
    assert group_id != gid("given")


@pytest.mark.spec("mqi.md 6.2")
@pytest.mark.spec("mqi.md 21.4")
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize(
    ("flags", "expected"),
    IN_PHYSICAL_ORDER,
)
def test_in_physical_order_the_program_says_it(
    host: Host, handle: Handle, given: bool, flags: int, expected: tuple[str, int, int]
) -> None:
    fields = {**GIVEN, "group_id": gid("given") if given else NONE}
    message, warning = put(host, handle, flags, 0, **fields)
    group_id, number, offset = place_of(message)
    assert (number, offset, warning) == (*expected[1:], 0)
    if expected[0] == "none":
        assert group_id == NONE
    else:
        assert (group_id == gid("given")) is given
        assert group_id != NONE


@pytest.mark.spec("mqi.md 6.1")
@pytest.mark.parametrize(("flags", "stored"), [(LAST, LAST | GROUP), (END, END | SEGMENT), (0x4001, 0x4001)])
def test_flags_imply_others_and_some_unknown_ones_are_left(host: Host, handle: Handle, flags: int, stored: int) -> None:
    message, _ = put(host, handle, flags & ~0x4000, 0)
    assert message.md.msg_flags == stored & ~0x4000
    assert reason_of(host, handle, 0x800, 0) == MQRC.MSG_FLAGS_ERROR


@pytest.mark.spec("mqi.md 6.3 row 1")
@pytest.mark.spec("mqi.md 5.2 row 5")
def test_logical_order_needs_a_handle_and_the_second_version(host: Host, handle: Handle) -> None:
    with pytest.raises(MQError) as caught:
        put_message(host.queue_manager, handle, Message.build(), PutOptions(LOGICAL), None, host.now)
    assert caught.value.reason == MQRC.WRONG_MD_VERSION
    with pytest.raises(MQError) as caught:
        host.put("Q", options=PutOptions(LOGICAL), msg_flags=GROUP)
    assert caught.value.reason == MQRC.OPTIONS_ERROR
    with pytest.raises(MQError) as caught:
        put(host, host.open("Q", MQOO.BROWSE), 0)
    assert caught.value.reason == MQRC.NOT_OPEN_FOR_OUTPUT


@pytest.mark.spec("mqi.md 6.3 row 3")
def test_what_is_begun_must_be_finished(host: Host, handle: Handle) -> None:
    put(host, handle, GROUP)
    assert reason_of(host, handle, 0) == MQRC.INCOMPLETE_GROUP
    put(host, handle, GROUP | SEGMENT)
    assert reason_of(host, handle, GROUP) == MQRC.INCOMPLETE_MSG
    assert reason_of(host, handle, SEGMENT) == MQRC.INCOMPLETE_GROUP
    put(host, handle, LAST | END)
    put(host, handle, SEGMENT)
    assert reason_of(host, handle, 0) == MQRC.INCOMPLETE_MSG
    put(host, handle, END)
    assert put(host, handle, 0)[1] == 0


@pytest.mark.spec("mqi.md 6.3 row 3")
@pytest.mark.parametrize(
    ("begun", "reason"), [(GROUP, MQRC.INCOMPLETE_GROUP), (SEGMENT, MQRC.INCOMPLETE_MSG), (LAST, 0), (END, 0), (0, 0)]
)
def test_a_put_without_logical_order_and_a_close_warn_within_a_group(
    host: Host, handle: Handle, begun: int, reason: int
) -> None:
    put(host, handle, begun)
    assert put(host, handle, 0, 0)[1] == reason
    assert put(host, handle, 0, 0)[1] == 0
    put(host, handle, begun)
    assert host.close(handle) == reason


@pytest.mark.spec("mqi.md 6.3 row 3")
def test_a_version_1_message_within_a_group_warns_too(host: Host, handle: Handle) -> None:
    put(host, handle, GROUP)
    message = Message.build(b"plain")
    assert put_message(host.queue_manager, handle, message, PutOptions(), None, host.now) == MQRC.INCOMPLETE_GROUP
    put(host, handle, GROUP, 0)
    assert host.close(handle) == 0, "the last put was in physical order"


@pytest.mark.spec("mqi.md 6.3 row 4")
@pytest.mark.parametrize("unit_first", [True, False])
def test_a_group_is_put_all_in_units_of_work_or_all_outside(host: Host, handle: Handle, unit_first: bool) -> None:
    units = (host.begin(), None) if unit_first else (None, host.begin())
    put(host, handle, GROUP, LOGICAL, units[0])
    assert reason_of(host, handle, GROUP, LOGICAL, units[1]) == MQRC.INCONSISTENT_UOW
    assert put(host, handle, GROUP, 0, units[1])[1] == MQRC.INCONSISTENT_UOW
    put(host, handle, LAST, LOGICAL, units[1])


@pytest.mark.spec("mqi.md 6.3 row 4")
@pytest.mark.parametrize(("first", "second", "refused"), [(1, 0, True), (0, 1, True), (1, 2, False), (0, 2, True)])
def test_a_group_is_all_persistent_or_all_not(host: Host, first: int, second: int, refused: bool) -> None:
    host.local("Q", DEFPSIST="YES")
    handle = host.open("Q", MQOO.OUTPUT)
    put(host, handle, GROUP, persistence=first)
    if refused:
        assert reason_of(host, handle, GROUP, persistence=second) == MQRC.INCONSISTENT_PERSISTENCE
    else:
        put(host, handle, GROUP, persistence=second)


@pytest.mark.spec("mqi.md 6.3 row 5")
@pytest.mark.parametrize(
    ("flags", "fields", "reason"),
    [
        (SEGMENT, {"data": b""}, MQRC.SEGMENT_LENGTH_ZERO),
        (END, {"data": b""}, 0),
        (SEGMENT, {"offset": 1_000_000_000}, MQRC.OFFSET_ERROR),
        (SEGMENT, {"offset": 999_999_999}, 0),
        (GROUP, {"msg_seq_number": 0}, MQRC.MSG_SEQ_NUMBER_ERROR),
        (GROUP, {"msg_seq_number": 1_000_000_000}, MQRC.MSG_SEQ_NUMBER_ERROR),
        (GROUP, {"msg_seq_number": 999_999_999}, 0),
        (0, {"msg_seq_number": 0}, 0),
        (SEGMENT, {"original_length": -2}, MQRC.ORIGINAL_LENGTH_ERROR),
        (SEGMENT, {"original_length": -1}, 0),
    ],
)
def test_ranges(host: Host, handle: Handle, flags: int, fields: dict[str, Any], reason: int) -> None:
    if reason:
        assert reason_of(host, handle, flags, 0, **fields) == reason
    else:
        put(host, handle, flags, 0, **fields)


def test_a_put_that_fails_leaves_the_place_in_the_group(host: Host) -> None:
    host.local("Q", MAXDEPTH=2)
    handle = host.open("Q", MQOO.OUTPUT)
    put(host, handle, GROUP)
    put(host, handle, GROUP)
    assert reason_of(host, handle, GROUP) == MQRC.Q_FULL
    host.got("Q")
    message, _ = put(host, handle, LAST)
    assert message.md.msg_seq_number == 3


# Segmentation by the queue manager

LONG = bytes(range(100))


def physical(host: Host, queue: str = "Q") -> list[tuple[bytes, int, int]]:
    """Data, offset and flags of everything on a queue, in order."""
    handle = host.open(queue, MQOO.BROWSE)
    found = []
    while (got := host.read(handle, MQGMO.BROWSE_NEXT)) is not None:
        found.append((got.message.data, got.message.md.offset, got.message.md.msg_flags))
    return found


@pytest.mark.spec("mqi.md 6.4 row 1")
@pytest.mark.spec("mqi.md 6.4 row 2")
@pytest.mark.parametrize("where", ["queue", "queue manager"])
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_message_too_long_is_cut_where_that_is_allowed(host: Host, where: str, persistence: int) -> None:
    host.local("Q", MAXMSGL=45 if where == "queue" else 4_194_304)
    if where != "queue":
        host.alter_manager(MAXMSGL=32_768)
    data = LONG if where == "queue" else LONG * 700
    size = 32 if where == "queue" else 32_768
    with pytest.raises(MQError) as caught:
        host.put("Q", data, persistence=persistence)
    assert caught.value.reason == (MQRC.MSG_TOO_BIG_FOR_Q if where == "queue" else MQRC.MSG_TOO_BIG_FOR_Q_MGR)
    done: list[Any] = []
    message = host.put("Q", data, msg_flags=ALLOWED, persistence=persistence, correl_id=b"c", then=done.append)
    assert done == [None]
    assert message.md.msg_flags == ALLOWED
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    flags = ALLOWED | SEGMENT
    expected = [(piece, number * size, flags) for number, piece in enumerate(pieces)]
    expected[-1] = (*expected[-1][:2], flags | END)
    assert physical(host) == expected
    unit = host.begin()
    ids = [host.got("Q", unit).md for _ in pieces]
    assert ids[0].msg_id == message.md.msg_id
    assert len({md.msg_id for md in ids}) == len(pieces)
    assert {(md.group_id, md.correl_id, md.persistence) for md in ids} == {
        (message.md.group_id, message.md.correl_id, persistence)
    }
    host.backout(unit)
    whole = host.read(host.open("Q", MQOO.INPUT_SHARED), MQGMO.COMPLETE_MSG)
    assert whole is not None
    assert whole.message.data == data


@pytest.mark.spec("mqi.md 6.4 row 4")
@pytest.mark.parametrize(
    ("flags", "last"), [(SEGMENT | ALLOWED, False), (END | ALLOWED, True), (SEGMENT, None), (GROUP | ALLOWED, True)]
)
def test_a_segment_may_be_cut_further(host: Host, flags: int, last: bool | None) -> None:
    host.local("Q", MAXMSGL=64)
    handle = host.open("Q", MQOO.OUTPUT)
    fields: dict[str, Any] = {"group_id": gid("g"), "data": LONG, "offset": 16}
    if last is None:
        assert reason_of(host, handle, flags, 0, **fields) == MQRC.MSG_TOO_BIG_FOR_Q
        return
    put(host, handle, flags, 0, **fields)
    start = 16 if flags & (SEGMENT | END) else 0
    inner = flags & (GROUP | ALLOWED) | SEGMENT
    expected = [(LONG[:64], start, inner), (LONG[64:], start + 64, inner | END if last else inner)]
    assert physical(host) == expected


@pytest.mark.spec("mqi.md 6.4 row 3")
@pytest.mark.parametrize(
    ("persistence", "in_unit", "other_unit", "refused"),
    [(1, True, False, False), (1, False, False, False), (1, False, True, True), (0, False, True, False)],
)
def test_cutting_and_units_of_work(
    host: Host, persistence: int, in_unit: bool, other_unit: bool, refused: bool
) -> None:
    host.local("Q", MAXMSGL=64)
    unit = host.begin() if in_unit else None
    options = PutOptions(unit_of_work_open=other_unit)
    if refused:
        with pytest.raises(MQError) as caught:
            host.put("Q", LONG, unit, options=options, msg_flags=ALLOWED, persistence=persistence)
        assert caught.value.reason == MQRC.UOW_NOT_AVAILABLE
        assert host.depth("Q") == 0
        return
    host.put("Q", LONG, unit, options=options, msg_flags=ALLOWED, persistence=persistence)
    assert len(physical(host)) == (0 if in_unit else 2)
    if unit is not None:
        assert unit.count == 2
        host.commit(unit)
        assert len(physical(host)) == 2


def test_all_segments_are_put_or_none(host: Host) -> None:
    host.local("Q", MAXMSGL=16, MAXDEPTH=5)
    unit = host.begin()
    host.put("Q", b"first", unit)
    with pytest.raises(MQError) as caught:
        host.put("Q", LONG, unit, msg_flags=ALLOWED)
    assert caught.value.reason == MQRC.Q_FULL
    assert unit.count == 1
    host.alter_manager(MAXUMSGS=4)
    with pytest.raises(MQError) as caught:
        host.put("Q", LONG[:60], unit, msg_flags=ALLOWED)
    assert caught.value.reason == MQRC.SYNCPOINT_LIMIT_REACHED
    host.commit(unit)
    assert host.contents("Q") == [b"first"]


@pytest.mark.spec("mqi.md 6.4 row 2")
@pytest.mark.parametrize(("limit", "fits"), [(128, True), (48, False), (15, False)])
def test_headers_are_never_cut(host: Host, limit: int, fits: bool) -> None:
    host.local("Q", MAXMSGL=limit)
    header = make_rfh2(ByteOrder.LITTLE, [b"<usr><a>1</a></usr>" + b" " * 41], format=b"MQSTR   ", encoding=546).build()
    assert 48 < len(header) < 112
    fields: dict[str, Any] = {"format": "MQHRF2", "encoding": 546, "msg_flags": ALLOWED}
    if not fits:
        with pytest.raises(MQError) as caught:
            host.put("Q", header + LONG, **fields)
        assert caught.value.reason == MQRC.MSG_TOO_BIG_FOR_Q
        return
    host.put("Q", header + LONG, **fields)
    assert physical(host)[0][0].startswith(header)


def test_each_segment_confirms_its_arrival(host: Host) -> None:
    host.local("Q", MAXMSGL=64)
    host.local("REPLY")
    host.put("Q", LONG, msg_flags=ALLOWED, report=MQRO.COA_WITH_FULL_DATA, reply_to_q="REPLY")
    assert host.contents("REPLY") == [LONG[:64], LONG[64:]]
    whole = host.read(host.open("REPLY", MQOO.INPUT_SHARED), MQGMO.COMPLETE_MSG)
    assert whole is not None
    assert whole.message.data == LONG


def test_a_message_for_elsewhere_is_cut_for_its_transmission_queue(host: Host) -> None:
    host.transmission("MARS", MAXMSGL=64)
    host.put("ANY", LONG, queue_manager="MARS", msg_flags=ALLOWED)
    assert [len(data) for data in host.contents("MARS")] == [428 + 72 + 64, 428 + 72 + 36]


@pytest.mark.spec("mqi.md 12.1")
def test_what_makes_a_logical_message_and_a_group(host: Host, handle: Handle) -> None:
    """A group of two messages, the second in two segments; then one that may be cut, and one that may not."""
    flags = [GROUP, LAST | SEGMENT, LAST | END, ALLOWED, 0]
    first, begins, ends, allowed, inhibited = [put(host, handle, each)[0] for each in flags]
    assert len({each.md.msg_id for each in (first, begins, ends, allowed, inhibited)}) == len(flags)
    group_id = first.md.group_id
    assert group_id != NONE
    assert [place_of(each) for each in (first, begins, ends)] == [(group_id, 1, 0), (group_id, 2, 0), (group_id, 2, 4)]
    assert allowed.md.group_id not in (NONE, group_id)
    assert inhibited.md.group_id == NONE
    assert host.depth("Q") == len(flags), "each physical message is one"
    reader, whole = host.open("Q", MQOO.INPUT_SHARED), int(MQGMO.COMPLETE_MSG | MQGMO.LOGICAL_ORDER)
    logical = [host.read(reader, whole) for _ in range(5)]
    assert [each and each.message.data for each in logical] == [b"four", b"fourfour", b"four", b"four", None]
