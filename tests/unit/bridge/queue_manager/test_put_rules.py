"""Rows of mqi.md 4 and 5 one by one: depth, order, priority, poison messages, and what a put takes of a descriptor."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMF, MQMT, MQPMO, MQRC, MQRO
from support.queue_manager.host import Host


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q")


def outcome(host: Host, queue: str = "Q", data: bytes = b"data", **fields: Any) -> int:
    """Reason of a put: 0, a warning's, or a failure's."""
    try:
        return host.send(queue, Message.build(data, **fields))
    except MQError as error:
        return error.reason


# Depth


@pytest.mark.spec("mqi.md 4.1")
def test_messages_above_a_lowered_depth_stay(host: Host, queue: str) -> None:
    for _ in range(5):
        host.put(queue)
    host.alter(Kind.QLOCAL, queue, MAXDEPTH=2)
    assert host.depth(queue) == 5
    assert outcome(host) == MQRC.Q_FULL
    for _ in range(4):
        host.got(queue)
    assert outcome(host) == 0
    assert host.depth(queue) == 2


@pytest.mark.spec("mqi.md 4.2 row 1")
def test_the_depth_counts_what_is_put_and_not_yet_committed_expired_or_in_pieces(host: Host, queue: str) -> None:
    unit = host.begin()
    host.put(queue, unit=unit)
    assert host.depth(queue) == 1
    host.put(queue, expiry=1)
    host.now += 60
    assert host.depth(queue) == 2
    host.put(queue, group_id=b"g", msg_flags=MQMF.MSG_IN_GROUP)
    host.put(queue, group_id=b"s", msg_flags=MQMF.SEGMENT)
    assert host.depth(queue) == 4
    taking = host.begin()
    host.got(queue, taking)
    assert host.depth(queue) == 2  # what had expired was discarded on the way


# Order


@pytest.mark.spec("mqi.md 4.3 row 1")
def test_fifo_orders_all_priorities_as_the_default_one(host: Host, queue: str) -> None:
    host.alter(Kind.QLOCAL, queue, MSGDLVSQ="FIFO", DEFPRTY=4)
    for number, priority in enumerate((0, 9, 4)):
        host.put(queue, b"%d" % number, priority=priority)
    host.alter(Kind.QLOCAL, queue, MSGDLVSQ="PRIORITY")
    host.put(queue, b"higher", priority=5)
    host.put(queue, b"lower", priority=3)
    assert host.contents(queue) == [b"higher", b"0", b"1", b"2", b"lower"]
    assert [host.got(queue).md.priority for _ in range(5)] == [5, 0, 9, 4, 3]


@pytest.mark.spec("mqi.md 4.3 row 2")
def test_the_physical_order_is_that_of_arrival_in_each_priority(host: Host, queue: str) -> None:
    for number, (group, priority) in enumerate([("a", 1), ("b", 1), ("a", 1), ("b", 7)]):
        flags = int(MQMF.MSG_IN_GROUP)
        host.put(queue, b"%d" % number, priority=priority, group_id=group.encode(), msg_flags=flags)
    assert host.contents(queue) == [b"3", b"0", b"1", b"2"]


@pytest.mark.spec("mqi.md 4.3 row 5")
def test_one_programs_messages_keep_their_order_in_a_unit_beside_others(host: Host, queue: str) -> None:
    mine, other = host.begin(), host.begin()
    for number in range(4):
        host.put(queue, b"mine %d" % number, mine, persistence=number % 2)
        host.put(queue, b"other %d" % number, other)
    host.commit(other)
    host.commit(mine)
    got = [host.got(queue).data for _ in range(8)]
    assert [data for data in got if data.startswith(b"mine")] == [b"mine %d" % number for number in range(4)]
    assert [data for data in got if data.startswith(b"other")] == [b"other %d" % number for number in range(4)]


# Expiry, priority, persistence, backout


@pytest.mark.spec("mqi.md 4.4")
@pytest.mark.parametrize(
    ("expiry", "reason"), [(-1, 0), (1, 0), (999999999, 0), (0, MQRC.EXPIRY_ERROR), (-2, MQRC.EXPIRY_ERROR)]
)
def test_expiry(host: Host, queue: str, expiry: int, reason: int) -> None:
    assert outcome(host, expiry=expiry) == reason


@pytest.mark.spec("mqi.md 4.4")
@pytest.mark.parametrize(
    ("priority", "stored", "reason"),
    [
        *((priority, priority, 0) for priority in range(10)),
        (-1, 3, 0),
        (10, 10, MQRC.PRIORITY_EXCEEDS_MAXIMUM),
        (-2, None, MQRC.PRIORITY_ERROR),
        (-3, None, MQRC.PRIORITY_ERROR),
    ],
)
def test_priority(host: Host, priority: int, stored: int | None, reason: int) -> None:
    host.local("Q", DEFPRTY=3)
    assert outcome(host, priority=priority) == reason
    if stored is not None:
        assert host.got("Q").md.priority == stored


@pytest.mark.spec("mqi.md 4.4")
@pytest.mark.parametrize("default", ["NO", "YES"])
@pytest.mark.parametrize(
    ("persistence", "stored", "reason"),
    [(0, 0, 0), (1, 1, 0), (2, None, 0), (3, None, MQRC.PERSISTENCE_ERROR), (0x7FFFFFFF, None, MQRC.PERSISTENCE_ERROR)],
)
def test_persistence(host: Host, default: str, persistence: int, stored: int | None, reason: int) -> None:
    host.local("Q", DEFPSIST=default)
    assert outcome(host, persistence=persistence) == reason
    if not reason:
        assert host.got("Q").md.persistence == ((default == "YES") if stored is None else stored)


@pytest.mark.spec("mqi.md 4.4")
def test_nothing_is_done_for_a_message_that_is_backed_out_over_and_over(host: Host) -> None:
    host.local("BACK")
    host.local("Q", BOTHRESH=2, BOQNAME="BACK")
    host.put("Q", persistence=1)
    for count in range(5):
        unit = host.begin()
        assert host.got("Q", unit).md.backout_count == count
        host.backout(unit)
    assert (host.depth("Q"), host.depth("BACK")) == (1, 0)


# Descriptor

ALL_REPORTS = (MQRO.COA, MQRO.COD, MQRO.EXPIRATION, MQRO.EXCEPTION, MQRO.PAN, MQRO.NAN, MQRO.ACTIVITY)


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize(
    ("msg_type", "reason"),
    [
        (MQMT.REQUEST, MQRC.MISSING_REPLY_TO_Q),
        (MQMT.REPLY, 0),
        (MQMT.REPORT, 0),
        (MQMT.DATAGRAM, 0),
        (112, 0),
        (113, 0),
        (65536, 0),
        (999999999, 0),
        (0, MQRC.MSG_TYPE_ERROR),
        (5, MQRC.MSG_TYPE_ERROR),
        (65535, MQRC.MSG_TYPE_ERROR),
        (1000000000, MQRC.MSG_TYPE_ERROR),
    ],
)
def test_message_types(host: Host, queue: str, msg_type: int, reason: int) -> None:
    assert outcome(host, msg_type=msg_type) == reason
    if not reason:
        assert host.got(queue).md.msg_type == msg_type


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize("report", ALL_REPORTS)
def test_a_report_needs_a_reply_queue(host: Host, queue: str, report: int) -> None:
    assert outcome(host, report=report) == MQRC.MISSING_REPLY_TO_Q
    assert outcome(host, report=report, reply_to_q="R") == 0
    assert host.got(queue).md.report == report


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.spec("channels.md 9.4")
@pytest.mark.parametrize(
    ("feedback", "reason"), [(0, 0), (259, 0), (65535, 0), (65536, 0), (999999999, 0), (1000000000, 2014)]
)
def test_feedback(host: Host, queue: str, feedback: int, reason: int) -> None:
    assert outcome(host, msg_type=MQMT.REPORT, feedback=feedback) == reason
    if not reason:
        assert host.got(queue).md.feedback == feedback


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize("encoding", [546, 273, 785, 0x411, 0])
def test_any_encoding_and_format_is_kept(host: Host, queue: str, encoding: int) -> None:
    host.put(queue, encoding=encoding, format="ANYTHING")
    got = host.got(queue).md
    assert (got.encoding, got.format) == (encoding, "ANYTHING")


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize(
    ("ccsid", "stored", "reason"),
    [(0, 1208, 0), (437, 437, 0), (99999, 99999, 0), (-1, -1, 0), (-3, -3, 0), (-2, None, 2330), (-4, None, 2330)],
)
def test_code_pages(host: Host, queue: str, ccsid: int, stored: int | None, reason: int) -> None:
    assert outcome(host, coded_char_set_id=ccsid) == reason
    if stored is not None:
        assert host.got(queue).md.coded_char_set_id == stored


@pytest.mark.spec("mqi.md 5.3")
def test_a_backout_count_that_is_given_does_not_count(host: Host, queue: str) -> None:
    host.put(queue, backout_count=7)
    assert host.got(queue).md.backout_count == 0


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"msg_flags": MQMF.MSG_IN_GROUP, "msg_seq_number": 999999999}, 0),
        ({"msg_flags": MQMF.MSG_IN_GROUP, "msg_seq_number": 1000000000}, MQRC.MSG_SEQ_NUMBER_ERROR),
        ({"msg_flags": MQMF.SEGMENT, "offset": 999999999}, 0),
        ({"msg_flags": MQMF.SEGMENT, "offset": 1000000000}, MQRC.OFFSET_ERROR),
        ({"msg_flags": 0x20}, MQRC.MSG_FLAGS_ERROR),
        ({"msg_flags": 0x1000}, 0),
        ({"msg_flags": 0x100000}, 0),
    ],
)
def test_group_and_segment_fields(host: Host, queue: str, fields: dict[str, int], reason: int) -> None:
    assert outcome(host, **fields) == reason


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.spec("mqi.md 6.1")
@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (MQMF.LAST_MSG_IN_GROUP, MQMF.LAST_MSG_IN_GROUP | MQMF.MSG_IN_GROUP),
        (MQMF.LAST_SEGMENT, MQMF.LAST_SEGMENT | MQMF.SEGMENT),
        (MQMF.SEGMENTATION_ALLOWED, MQMF.SEGMENTATION_ALLOWED),
    ],
)
def test_flags_that_imply_others(host: Host, queue: str, given: int, stored: int) -> None:
    host.put(queue, msg_flags=given)
    assert host.got(queue).md.msg_flags == stored


# Other rules


@pytest.mark.spec("mqi.md 5.5 row 3")
def test_a_message_without_data(host: Host, queue: str) -> None:
    host.put(queue, b"")
    assert host.got(queue).data == b""


@pytest.mark.spec("mqi.md 5.5 row 7")
def test_the_queue_on_which_a_put_places_its_message_is_known(host: Host, queue: str) -> None:
    host.transmission("SATURN")
    for names, placed_on in (((queue, ""), queue), (("THERE", "SATURN"), "SATURN")):
        target = host.queue_manager.resolve(*names)
        options = PutOptions(MQPMO.RESOLVE_LOCAL_Q)
        host.queue_manager.put(target, Message.build(b""), options, None, host.now)
        assert target.queue is not None
        assert (target.queue.name, target.queue.depth) == (placed_on, 1)


@pytest.mark.spec("mqi.md 5.5 row 8")
def test_reports_of_a_unit_count_as_its_messages(host: Host, queue: str) -> None:
    host.local("REPLIES")
    host.alter_manager(MAXUMSGS=4)
    unit = host.begin()
    for _ in range(2):
        host.put(queue, unit=unit, report=MQRO.COA, reply_to_q="REPLIES")
    with pytest.raises(MQError) as caught:
        host.put(queue, unit=unit)
    assert caught.value.reason == MQRC.SYNCPOINT_LIMIT_REACHED
    host.commit(unit)
    assert (host.depth(queue), host.depth("REPLIES")) == (2, 2)


@pytest.mark.spec("mqi.md 5.2")
def test_a_put_that_names_no_unit_of_work_is_outside_of_one(host: Host, queue: str) -> None:
    unit = host.begin()
    host.put(queue, b"outside")
    host.put(queue, b"inside", unit)
    assert host.contents(queue) == [b"outside"]
    host.backout(unit)
    assert host.contents(queue) == [b"outside"]
