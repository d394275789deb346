"""What a program has put in a unit of work is there for the gets of the same unit, and for nobody else."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mqbridge.bridge.queue_manager import GetOptions, MQError, PutOptions, SearchYielded
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.turns import Turns
from mqbridge.mappings.message import Message
from mqbridge.mappings.reports import ReportKind
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQRC, TMFlags, XAReturn
from support.queue_manager.host import Host
from support.queue_manager.program import ASYNC, BOTH, PUT_SYNC, SYNC, Program, xid
from support.queue_manager.pubsub_host import PubSubHost, body_of

pytestmark = pytest.mark.spec("mqi.md 4.2 row 3")

COR = b"reply to me".ljust(24, b"\0")
BROWSES = BOTH | int(MQOO.BROWSE)
BIG = b"0123456789abcdef" * (6 << 16)
"""6 MiB, of which a unit of work stages parts."""
MANY = 3000
TURN = 2000


@pytest.fixture
def program(host: Host) -> Program:
    host.alter_manager(MAXMSGL=len(BIG))
    host.local("Q", MAXMSGL=len(BIG))
    return Program(host)


def nothing_is_left(host: Host) -> None:
    queue = host.queue_manager.queue("Q")
    assert queue is not None
    assert (queue.depth, queue.visible, queue.uncommitted, queue.memory) == (0, 0, 0, {})
    assert (list(host.store.scan_all()), host.store.staged.kept, host.store.spilled.kept) == ([], {}, {})
    assert host.queue_manager._core.memory_used == 0


@pytest.mark.parametrize("data", [b"data", BIG], ids=["small", "big"])
@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("end", ["commit", "backout", "lost", "disconnect"])
def test_put_and_get_in_one_unit_leave_nothing(
    host: Host, program: Program, data: bytes, persistence: int, end: str
) -> None:
    q = program.open("Q")
    program.put(q, data, PUT_SYNC, persistence=persistence)
    written = host.store.commits
    assert host.depth("Q") == 1
    got = program.get(q, SYNC)
    assert got is not None
    assert bytes(got.message.data) == data
    assert (got.message.md.backout_count, host.depth("Q")) == (0, 0)
    assert program.get(q, SYNC) is None
    getattr(program, end)()
    assert host.store.commits == written
    nothing_is_left(host)


def test_what_is_not_got_is_there_after_the_commit_and_gone_after_a_backout(host: Host, program: Program) -> None:
    q = program.open("Q")
    for end, left in ((program.commit, [b"two"]), (program.backout, [])):
        for text in (b"one", b"two"):
            program.put(q, text, PUT_SYNC, persistence=1)
        assert program.data(q, SYNC) == b"one"
        end()
        assert host.contents("Q") == left
        assert len(list(host.store.scan_all())) == len(left)
        host.get("Q")
    nothing_is_left(host)


def test_others_see_nothing_of_it(host: Host, program: Program) -> None:
    q = program.open("Q", BROWSES)
    other = Program(host)
    program.put(q, b"mine", PUT_SYNC)
    assert program.data(q) is None
    assert program.data(q, int(MQGMO.BROWSE_FIRST)) is None
    assert program.data(q, SYNC) == b"mine"
    program.put(q, b"more", PUT_SYNC)
    assert other.data(other.open("Q"), SYNC) is None
    assert other.data(other.open("Q")) is None
    assert host.contents("Q") == []


def test_order_is_that_of_positions_between_own_and_other_messages(host: Host, program: Program) -> None:
    q = program.open("Q")
    host.put("Q", b"low", priority=1)
    program.put(q, b"own high", PUT_SYNC, priority=8)
    host.put("Q", b"high", priority=9)
    program.put(q, b"own low", PUT_SYNC, priority=1)
    found = [program.data(q, SYNC) for _ in range(5)]
    assert found == [b"high", b"own high", b"low", b"own low", None]
    program.backout()
    assert host.contents("Q") == [b"high", b"low"]


@pytest.mark.parametrize(
    "options",
    [
        {"match": int(MQMO.MATCH_CORREL_ID), "correl_id": COR},
        {"match": int(MQMO.MATCH_MSG_ID), "msg_id": COR},
        {"match": int(MQMO.MATCH_GROUP_ID), "group_id": COR},
    ],
    ids=["CorrelId", "MsgId", "GroupId"],
)
def test_it_is_found_by_ids(host: Host, program: Program, options: dict[str, object]) -> None:
    q = program.open("Q")
    host.put("Q", b"another")
    program.put(q, b"no", PUT_SYNC)
    program.put(q, b"this", PUT_SYNC, msg_id=COR, correl_id=COR, group_id=COR, version=2, msg_flags=8)
    assert program.data(q, SYNC, **options) == b"this"
    assert program.data(q, SYNC, **options) is None
    program.commit()
    assert host.contents("Q") == [b"another", b"no"]


def test_it_is_found_by_selectors(host: Host, program: Program) -> None:
    q = program.open("Q", BOTH, selection_string="Root.MQMD.Priority = 4")
    host.put("Q", b"another", priority=5)
    program.put(q, b"no", PUT_SYNC, priority=3, persistence=1)
    program.put(q, b"this", PUT_SYNC, priority=4, persistence=1)
    assert [program.data(q, SYNC) for _ in range(2)] == [b"this", None]
    program.commit()
    assert host.contents("Q") == [b"another", b"no"]


def test_groups_and_segments_are_joined_of_own_and_other_messages(host: Host, program: Program) -> None:
    q = program.open("Q")
    logical = SYNC | int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE)
    fields = {"version": 2, "group_id": COR, "persistence": 1}
    host.put("Q", b"first", msg_flags=8, msg_seq_number=1, **fields)
    program.put(q, b"last", PUT_SYNC, msg_flags=16 | 8, msg_seq_number=2, **fields)
    other = Program(host)
    assert other.data(other.open("Q"), logical, md_version=2, gmo_version=2) is None
    found = [program.data(q, logical, md_version=2, gmo_version=2) for _ in range(3)]
    assert found == [b"first", b"last", None]
    program.backout()
    assert host.contents("Q") == [b"first"]
    host.get("Q")
    segments = {"version": 2, "group_id": COR, "persistence": 1}
    program.put(q, b"abc", PUT_SYNC, msg_flags=2, offset=0, **segments)
    program.put(q, b"def", PUT_SYNC, msg_flags=6, offset=3, **segments)
    assert program.data(q, SYNC | int(MQGMO.COMPLETE_MSG), md_version=2, gmo_version=2) == b"abcdef"
    program.commit()
    nothing_is_left(host)


@pytest.mark.parametrize("held", [False, True])
def test_syncpoint_if_persistent_sees_persistent_ones(host: Host, program: Program, held: bool) -> None:
    q = program.open("Q")
    program.put(q, b"no", PUT_SYNC, persistence=0)
    program.put(q, b"yes", PUT_SYNC, persistence=1)
    either = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
    assert program.data(q, either, held=held) == b"yes"
    assert program.data(q, either, held=held) is None
    program.backout()
    nothing_is_left(host)


def test_one_that_is_too_long_stays_where_it_is(host: Host, program: Program) -> None:
    q = program.open("Q")
    program.put(q, b"too long", PUT_SYNC)
    got = program.get(q, SYNC, max_length=3)
    assert got is not None
    assert (got.reason, host.depth("Q")) == (MQRC.TRUNCATED_MSG_FAILED, 1)
    assert host.get("Q") is None
    assert program.data(q, SYNC) == b"too long"
    program.commit()
    nothing_is_left(host)


def test_an_expired_one_is_not_got(host: Host, program: Program) -> None:
    q = program.open("Q")
    program.put(q, b"late", PUT_SYNC, expiry=10)
    assert host.get("Q", match=int(MQMO.MATCH_MSG_ID), msg_id=COR) is None
    host.now += 2
    assert program.data(q, SYNC) is None
    program.commit()
    assert (host.depth("Q"), host.get("Q")) == (1, None)
    nothing_is_left(host)


@pytest.mark.parametrize("held", [False, True])
def test_what_the_program_never_received_is_put_still(host: Host, program: Program, held: bool) -> None:
    q = program.open("Q")
    host.local("REPLIES")
    report = int(ReportKind.COD)
    program.put(q, b"sent", PUT_SYNC, persistence=1, report=report, reply_to_q="REPLIES")
    got = program.get(q, SYNC, held=held)
    assert got is not None
    assert (host.depth("Q"), host.depth("REPLIES")) == (0, 1)
    program.mq.put_back([got.token], host.now)
    host.pump()
    assert (host.depth("Q"), host.depth("REPLIES"), host.get("Q")) == (1, 0, None)
    again = program.get(q, SYNC)
    assert again is not None
    assert (again.message.data, again.message.md.backout_count) == (b"sent", 0)
    program.commit()
    assert host.depth("REPLIES") == 1
    nothing_is_left_of = host.queue_manager.queue("Q")
    assert nothing_is_left_of is not None
    assert nothing_is_left_of.uncommitted == 0


def test_reports_of_arrival_and_delivery_are_of_the_unit(host: Host, program: Program) -> None:
    host.local("REPLIES")
    q, replies = program.open("Q"), program.open("REPLIES")
    both = int(ReportKind.COA | ReportKind.COD)
    program.put(q, b"data", PUT_SYNC, report=both, reply_to_q="REPLIES")
    program.data(q, SYNC)
    assert host.get("REPLIES") is None
    found = [program.get(replies, SYNC) for _ in range(3)]
    assert [each and each.message.md.feedback for each in found] == [259, 260, None]
    program.backout()
    nothing_is_left(host)
    assert host.depth("REPLIES") == 0


def test_a_wait_of_the_unit_sees_it_at_once(host: Host, program: Program) -> None:
    q = program.open("Q")
    other = Program(host)
    theirs = other.open("Q")
    other.mq.wait(theirs, GetOptions(SYNC), None, "other", host.now)
    waits = [
        program.mq.wait(q, GetOptions(options, **more), None, "own", host.now)
        for options, more in (
            (SYNC, {}),
            (0, {}),
            (SYNC, {"match": int(MQMO.MATCH_CORREL_ID), "correl_id": COR}),
        )
    ]
    program.put(q, b"mine", PUT_SYNC)
    assert [wake.waiter for wake in program.wakes()] == waits[:1]
    assert other.wakes() == []
    got = program.mq.awakened(waits[0], 0, host.now)
    assert got is not None
    assert got.message.data == b"mine"
    program.put(q, b"by id", PUT_SYNC, correl_id=COR)
    assert [wake.waiter for wake in program.wakes()] == waits[2:]
    program.commit()
    assert len(other.wakes()) == 1


def test_branches_of_transaction_managers_see_what_was_put_in_them(host: Host, program: Program) -> None:
    q = program.open("Q")
    other = Program(host)
    theirs = other.open("Q")
    for each in (program, other):
        each.mq.xa.open()
    program.mq.xa.start(xid(1), 0, host.now)
    assert other.mq.xa.start(xid(1), int(TMFlags.JOIN), host.now) == XAReturn.OK
    waiter = other.mq.wait(theirs, GetOptions(SYNC), None, "other", host.now)
    program.put(q, b"one", PUT_SYNC, persistence=1)
    program.put(q, BIG, PUT_SYNC, persistence=1)
    assert [wake.waiter for wake in other.wakes()] == [waiter]
    assert [other.data(theirs, SYNC), len(other.data(theirs, SYNC) or b"")] == [b"one", len(BIG)]
    for each in (program, other):
        each.mq.xa.end(xid(1), int(TMFlags.SUCCESS))
    assert program.prepare(1) == XAReturn.OK
    host.restart()
    assert host.contents("Q") == []
    program = Program(host)
    program.mq.xa.open()
    assert program.xa_commit(1) == XAReturn.OK
    assert list(host.store.scan_all()) == []


def test_a_branch_that_is_rolled_back_after_prepare_gives_back_what_was_staged(host: Host, program: Program) -> None:
    q = program.open("Q")
    program.mq.xa.open()
    program.mq.xa.start(xid(1), 0, host.now)
    for _ in range(2):
        program.put(q, BIG, PUT_SYNC, persistence=1)
    program.data(q, SYNC)
    program.mq.xa.end(xid(1), int(TMFlags.SUCCESS))
    assert program.prepare(1) == XAReturn.OK
    assert program.rollback(1) == XAReturn.OK
    nothing_is_left(host)


def test_distribution_lists_and_asynchronous_puts_are_seen(host: Host, program: Program) -> None:
    host.local("R")
    q, r = program.open("Q"), program.open("R")
    program.put(q, b"async", PUT_SYNC | ASYNC)
    assert program.data(q, SYNC) == b"async"
    names = [("Q", ""), ("R", "")]
    told: list[object] = []
    messages = [Message.build(b"to both"), Message.build(b"to both")]
    program.mq.put1_list(names, messages, PutOptions(PUT_SYNC), host.now, told.append, open_options=int(MQOO.OUTPUT))
    assert [program.data(q, SYNC), program.data(r, SYNC)] == [b"to both", b"to both"]
    program.commit()
    nothing_is_left(host)


def test_publications_to_a_subscription_of_the_program_are_seen() -> None:
    host = PubSubHost()
    handle = host.subscribe("news")
    assert handle.queue_handle is not None
    source, unit = handle.queue_handle.target, host.begin()
    host.publish("news", b"item", unit, persistence=1)
    assert host.queue_manager.get(source, GetOptions(), None, host.now) is None
    got = host.queue_manager.get(source, GetOptions(), unit, host.now)
    assert got is not None
    assert body_of(got.message) == b"item"
    host.commit(unit)
    assert host.bodies(handle) == []


def test_a_queue_that_goes_takes_what_its_unit_got_with_it(host: Host) -> None:
    host.alter_manager(MAXMSGL=len(BIG))
    host.define(Kind.QMODEL, "MODEL", DEFTYPE="TEMPDYN", MAXMSGL=len(BIG))
    program = Program(host)
    q = program.open("MODEL", dynamic_name="T.*")
    program.put(q, BIG, PUT_SYNC)
    program.put(q, b"left", PUT_SYNC)
    program.data(q, SYNC)
    program.close(q)
    program.commit()
    assert (host.store.staged.kept, host.store.spilled.kept, host.queue_manager._core.memory_used) == ({}, {}, 0)


def test_the_limit_of_a_unit_counts_both(host: Host, program: Program) -> None:
    host.alter_manager(MAXUMSGS=4)
    q = program.open("Q")
    for _ in range(2):
        program.put(q, b"x", PUT_SYNC)
        program.data(q, SYNC)
    with pytest.raises(MQError) as raised:
        program.put(q, b"x", PUT_SYNC)
    assert raised.value.reason == MQRC.SYNCPOINT_LIMIT_REACHED


def test_nothing_is_triggered_by_what_is_put_and_got_in_one_unit(host: Host) -> None:
    host.local("INIT")
    host.define(Kind.PROCESS, "P")
    host.local("T", TRIGGER=True, TRIGTYPE="EVERY", INITQ="INIT", PROCESS="P")
    monitor, program = Program(host), Program(host)
    monitor.open("INIT")
    q = program.open("T", int(MQOO.OUTPUT | MQOO.INPUT_SHARED))
    program.put(q, b"x", PUT_SYNC)
    program.data(q, SYNC)
    program.commit()
    assert host.depth("INIT") == 0


def test_many_are_got_one_by_one_without_a_look_at_the_others(host: Host, program: Program) -> None:
    host.alter(Kind.QLOCAL, "Q", MAXDEPTH=MANY)
    q = program.open("Q")
    for number in range(MANY):
        program.put(q, b"%d" % number, PUT_SYNC)
    assert [program.data(q, SYNC) for _ in range(MANY)] == [b"%d" % number for number in range(MANY)]
    program.commit()
    nothing_is_left(host)


def test_a_search_among_many_gives_way_and_goes_on_where_it_was(host: Host, program: Program) -> None:
    host.alter(Kind.QLOCAL, "Q", MAXDEPTH=MANY)
    q = program.open("Q", BOTH, selection_string="JMSXDeliveryCount = 1 AND Root.MQMD.Priority = 7")
    for _ in range(MANY - 1):
        program.put(q, b"no", PUT_SYNC, priority=1)
    program.put(q, b"yes", PUT_SYNC, priority=1, correl_id=COR)
    wanted = program.open("Q", BOTH, selection_string="JMSXDeliveryCount = 1 AND JMSCorrelationID LIKE 'ID:7265%'")
    for hobj, expected in ((q, None), (wanted, b"yes")):
        turns, search, given_way = Turns(), Search(), 0
        while True:
            turns.left = TURN
            try:
                found = program.data(hobj, SYNC, in_turns=turns, search=search)
                break
            except SearchYielded:
                given_way += 1
                assert given_way < MANY, "it does not come to an end"
                assert turns.left > -TURN, "each turn is short"
        search.end()
        assert (found, given_way > 2) == (expected, True)
    program.backout()
    nothing_is_left(host)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (0, {"match": int(MQMO.MATCH_CORREL_ID), "correl_id": COR}),
        (int(MQGMO.LOGICAL_ORDER), {}),
        (0, {}),
    ],
    ids=["by id", "in logical order", "in physical order"],
)
@pytest.mark.interpreted("counts calls of a method")
def test_others_are_not_moved_about_for_one(
    host: Host, program: Program, options: int, match: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    q = program.open("Q")
    fields = {"version": 2, "group_id": COR, "correl_id": COR}
    for number in range(1, 51):
        program.put(q, b"%d" % number, PUT_SYNC, msg_flags=8, msg_seq_number=number, **fields)
    moved: list[bytes] = []
    restore = LocalQueue.restore

    def counted(queue: LocalQueue, rows: Iterable[bytes]) -> None:
        moved.extend(rows)
        restore(queue, moved[len(moved) - len(list(rows)) :])

    monkeypatch.setattr(LocalQueue, "restore", counted)
    found = [program.data(q, SYNC | options, md_version=2, gmo_version=2, **match) for _ in range(50)]
    assert found == [b"%d" % number for number in range(1, 51)]
    assert len(moved) == 50
