from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQGMO, MQMF, MQOO, MQPMO, MQRO
from support.queue_manager.host import Host
from support.queue_manager.program import ASYNC, BOTH, PUT_SYNC, SYNC, Program

pytestmark = pytest.mark.spec("mqi.md 16.1")


def refused(reason: int, call, *arguments, **more) -> None:
    with pytest.raises(MQError) as error:
        call(*arguments, **more)
    assert error.value.reason == reason


@pytest.fixture
def program(host: Host) -> Program:
    host.local("Q")
    return Program(host)


def test_calls_under_syncpoint_share_one_unit(host: Host, program: Program) -> None:
    host.put("Q", b"there")
    first, second = program.open("Q"), program.open("Q")
    program.put(first, b"one", PUT_SYNC, persistence=1)
    assert program.data(second, SYNC) == b"there"
    program.put(second, b"two", PUT_SYNC)
    assert host.contents("Q") == []
    assert program.mq.local_unit is not None
    assert program.mq.local_unit.count == 3
    assert program.commit() is None
    assert host.contents("Q") == [b"one", b"two"]
    assert program.mq.local_unit is None


@pytest.mark.spec("mqi.md 9")
def test_calls_without_a_syncpoint_option_are_outside(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    program.put(hobj, b"one")
    program.put(hobj, b"two", MQPMO.NO_SYNCPOINT)
    assert program.data(hobj) == b"one"
    assert program.data(hobj, MQGMO.NO_SYNCPOINT) == b"two"
    program.backout()
    assert host.contents("Q") == []


@pytest.mark.parametrize(("persistence", "back"), [(1, [b"m"]), (0, [])])
def test_syncpoint_if_persistent(host: Host, program: Program, persistence: int, back: list[bytes]) -> None:
    host.put("Q", b"m", persistence=persistence)
    hobj = program.open("Q")
    assert program.data(hobj, MQGMO.SYNCPOINT_IF_PERSISTENT) == b"m"
    program.backout()
    assert host.contents("Q") == back


def test_two_programs_have_two_units(host: Host, program: Program) -> None:
    other = Program(host)
    program.put(program.open("Q"), b"mine", PUT_SYNC)
    other.put(other.open("Q"), b"other", PUT_SYNC)
    other.commit()
    assert host.contents("Q") == [b"other"]
    program.backout()
    assert host.contents("Q") == [b"other"]


@pytest.mark.spec("mqi.md 21.14")
def test_gets_outside_the_unit_and_browses_do_not_see_its_puts(host: Host, program: Program) -> None:
    hobj = program.open("Q", BOTH | MQOO.BROWSE)
    program.put(hobj, b"m", PUT_SYNC)
    assert program.data(hobj) is None
    assert program.data(hobj, MQGMO.BROWSE_FIRST) is None
    program.commit()
    assert program.data(hobj, MQGMO.BROWSE_FIRST) == b"m"


@pytest.mark.spec("mqi.md 21.13")
def test_a_backout_restores_place_count_and_depth(host: Host, program: Program) -> None:
    for data in (b"1", b"2", b"3"):
        host.put("Q", data)
    hobj = program.open("Q")
    assert program.data(hobj, SYNC) == b"1"
    assert host.depth("Q") == 2
    program.backout()
    assert host.depth("Q") == 3
    got = program.get(hobj, SYNC)
    assert got is not None
    assert (got.message.data, got.message.md.backout_count) == (b"1", 1)


def test_with_nothing_to_do_commit_and_backout_are_fine(program: Program) -> None:
    assert program.commit() is None
    program.backout()
    assert program.commit() is None


def test_a_global_unit_of_work_is_not_begun_by_a_program(program: Program) -> None:
    refused(2012, program.mq.begin)
    program.put(program.open("Q"), b"", PUT_SYNC)
    refused(2128, program.mq.begin)


def test_a_commit_that_the_store_refuses_is_backed_out(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    hobj = program.open("Q")
    assert program.data(hobj, SYNC) == b"old"
    program.put(hobj, b"new", PUT_SYNC, persistence=1)
    host.store.failure = StoreFull("no room")
    outcome = program.commit()
    host.store.failure = None
    assert outcome is not None
    assert outcome.reason == 2003
    assert host.contents("Q") == [b"old"]
    program.put(hobj, b"newer", PUT_SYNC, persistence=1)
    assert program.commit() is None
    assert host.contents("Q") == [b"old", b"newer"]


def test_the_next_unit_begins_while_the_store_is_at_work(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    program.put(hobj, b"one", PUT_SYNC, persistence=1)
    host.hold = True
    program.mq.commit(host.now, program.outcomes.append)
    program.put(hobj, b"two", PUT_SYNC, persistence=1)
    assert program.outcomes == []
    host.hold = False
    host.pump()
    assert program.outcomes == [None]
    assert host.contents("Q") == [b"one"]
    program.backout()
    assert host.contents("Q") == [b"one"]


# Context


@pytest.mark.spec("mqi.md 5.4")
@pytest.mark.parametrize(
    ("opened", "option", "reason"),
    [
        (0, MQPMO.PASS_IDENTITY_CONTEXT, 2094),
        (0, MQPMO.PASS_ALL_CONTEXT, 2093),
        (MQOO.PASS_IDENTITY_CONTEXT, MQPMO.PASS_ALL_CONTEXT, 2093),
        (0, MQPMO.SET_IDENTITY_CONTEXT, 2096),
        (0, MQPMO.SET_ALL_CONTEXT, 2095),
        (MQOO.SET_IDENTITY_CONTEXT, MQPMO.SET_ALL_CONTEXT, 2095),
    ],
)
def test_a_context_option_needs_its_open_option(program: Program, opened: int, option: int, reason: int) -> None:
    hobj = program.open("Q", MQOO.OUTPUT | opened)
    refused(reason, program.put, hobj, b"", option)


@pytest.mark.spec("mqi.md 5.4")
def test_context_passes_from_the_handle_that_saved_it(host: Host, program: Program) -> None:
    host.local("OUT")
    host.put("Q", b"m", user_identifier="bob", put_appl_name="first", options=None)
    source = program.open("Q", MQOO.INPUT_SHARED | MQOO.SAVE_ALL_CONTEXT | MQOO.BROWSE)
    target = program.open("OUT", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT)
    refused(2097, program.put, target, b"", MQPMO.PASS_ALL_CONTEXT, context=99)
    refused(2097, program.put, target, b"", MQPMO.PASS_ALL_CONTEXT, context=target)
    refused(2098, program.put, target, b"", MQPMO.PASS_ALL_CONTEXT, context=source)
    program.get(source, MQGMO.BROWSE_FIRST)
    refused(2098, program.put, target, b"", MQPMO.PASS_ALL_CONTEXT, context=source)
    got = program.get(source)
    assert got is not None
    passed = program.put(target, b"copy", MQPMO.PASS_ALL_CONTEXT, context=source)
    assert passed.md.put_time == got.message.md.put_time
    assert passed.md.put_appl_name == got.message.md.put_appl_name != "program"
    default = program.put(target, b"own")
    assert default.md.put_appl_name == "program"


# Asynchronous puts


@pytest.mark.spec("mqi.md 5.5 row 4")
def test_asynchronous_puts_are_counted(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    program.put(hobj, b"one", ASYNC)
    program.put(hobj, b"two", ASYNC, persistence=1)
    program.put(hobj, b"three", ASYNC, priority=12)
    program.put1("Q", b"four", ASYNC)
    status = program.mq.status()
    assert (status.success_count, status.warning_count, status.failure_count) == (3, 1, 0)
    assert (status.completion, status.reason) == (1, 2049)
    assert program.outcomes == []
    status = program.mq.status()
    assert (status.success_count, status.warning_count, status.completion) == (0, 0, 0)


@pytest.mark.spec("mqi.md 5.5 row 4")
def test_asynchronous_puts_that_fail_raise_nothing(host: Host, program: Program) -> None:
    host.local("FULL", MAXDEPTH=1)
    host.define(Kind.QALIAS, "ALIAS", TARGET="FULL")
    alias = program.open("ALIAS")
    for data in (b"fits", b"does not", b"neither"):
        program.put(alias, data, ASYNC)
    program.put(99, b"", ASYNC)
    program.put1("NOWHERE", b"", ASYNC)
    status = program.mq.status()
    assert (status.success_count, status.warning_count, status.failure_count) == (1, 0, 4)
    assert (status.completion, status.reason, status.object_name) == (2, 2053, "ALIAS")
    assert (status.resolved_object_name, status.resolved_q_mgr_name) == ("FULL", "EARTH")
    assert program.commit() is None


@pytest.mark.spec("mqi.md 5.5 row 4")
def test_what_the_store_refuses_counts_when_it_refuses(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    host.hold = True
    program.put(hobj, b"one", ASYNC, persistence=1)
    assert program.mq.status().success_count == 0
    host.hold = False
    host.store.failure = StoreFull("no room")
    host.pump()
    host.store.failure = None
    status = program.mq.status()
    assert (status.success_count, status.failure_count, status.reason) == (0, 1, 2056)


@pytest.mark.spec("mqi.md 16.1 row 4")
@pytest.mark.parametrize("only", [True, False])
def test_a_failed_asynchronous_put_dooms_its_unit_of_work(host: Host, program: Program, only: bool) -> None:
    host.local("SHUT", PUT="DISABLED")
    host.put("Q", b"there")
    hobj, shut = program.open("Q"), program.open("SHUT")
    if not only:
        program.put(hobj, b"good", ASYNC | PUT_SYNC, persistence=1)
        assert program.data(hobj, SYNC) == b"there"
    program.put(shut, b"bad", ASYNC | PUT_SYNC)
    outcome = program.commit()
    assert outcome is not None
    assert outcome.reason == 2003
    assert host.contents("Q") == [b"there"]
    status = program.mq.status()
    assert (status.success_count, status.failure_count, status.reason) == (0 if only else 1, 1, 2051)
    program.put(hobj, b"good", PUT_SYNC)
    assert program.commit() is None


def test_a_backout_forgets_that_an_asynchronous_put_failed(host: Host, program: Program) -> None:
    host.local("SHUT", PUT="DISABLED")
    program.put(program.open("SHUT"), b"bad", ASYNC | PUT_SYNC)
    program.backout()
    assert program.commit() is None


@pytest.mark.parametrize(("status_type", "reason"), [(1, 2012), (2, 2012), (3, 2430), (-1, 2430)])
def test_other_kinds_of_status(program: Program, status_type: int, reason: int) -> None:
    refused(reason, program.mq.status, status_type)


# Messages on their way


@pytest.mark.spec("client-observed.md O-055")
@pytest.mark.parametrize("options", [MQGMO.NONE, MQGMO.NO_SYNCPOINT])
def test_held_messages_are_gone_only_when_they_have_arrived(host: Host, program: Program, options: MQGMO) -> None:
    for data in (b"1", b"2", b"3"):
        host.put("Q", data, persistence=1)
    hobj = program.open("Q")
    gots = [program.get(hobj, int(options), held=True) for _ in range(3)]
    assert [got.message.data for got in gots if got is not None] == [b"1", b"2", b"3"]
    assert host.depth("Q") == 0
    program.mq.arrived([gots[0].token], host.now)
    program.mq.put_back([gots[2].token], host.now)
    host.pump()
    assert host.contents("Q") == [b"3"]
    host.restart()
    assert host.contents("Q") == [b"2", b"3"]


def test_what_a_program_never_saw_goes_back_out_of_its_unit_of_work(host: Host, program: Program) -> None:
    for data in (b"1", b"2"):
        host.put("Q", data)
    hobj = program.open("Q")
    seen, unseen = program.get(hobj, SYNC), program.get(hobj, SYNC)
    assert seen is not None
    assert unseen is not None
    program.mq.put_back([unseen.token], host.now)
    program.commit()
    got = program.get(hobj)
    assert got is not None
    assert (got.message.data, got.message.md.backout_count) == (b"2", 0)
    assert program.get(hobj) is None


@pytest.mark.parametrize("queues", [("Q", "R"), ("R", "Q")])
def test_messages_at_equal_places_of_two_queues_are_told_apart(host: Host, program: Program, queues) -> None:
    host.local("R")
    handles = {}
    for name in queues:
        host.put(name, name.encode())
        handles[name] = program.open(name)
    gots = {name: program.get(handles[name], SYNC) for name in queues}
    program.mq.put_back([gots["R"].token], host.now)
    program.commit()
    assert (host.contents("Q"), host.contents("R")) == ([], [b"R"])


@pytest.mark.spec("client-observed.md O-094")
@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("seen", [True, False])
def test_a_held_get_under_syncpoint_if_persistent(host: Host, program: Program, persistence: int, seen: bool) -> None:
    host.put("Q", b"m", persistence=persistence)
    got = program.get(program.open("Q"), MQGMO.SYNCPOINT_IF_PERSISTENT, held=True)
    assert got is not None
    unit = program.mq.local_unit
    assert (unit.count if unit is not None else 0) == persistence
    if not seen:
        program.mq.put_back([got.token], host.now)
        assert host.contents("Q") == [b"m"]
        return
    program.mq.arrived([got.token], host.now)
    program.backout()
    assert host.contents("Q") == ([b"m"] if persistence else [])


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("options", [0, SYNC, MQGMO.SYNCPOINT_IF_PERSISTENT])
@pytest.mark.parametrize("seen", [True, False])
def test_the_report_of_a_held_message_goes_where_the_message_goes(
    host: Host, program: Program, persistence: int, options: int, seen: bool
) -> None:
    host.local("REPLY")
    host.put("Q", b"m", persistence=persistence, report=MQRO.COD, reply_to_q="REPLY")
    got = program.get(program.open("Q"), options, held=True)
    assert got is not None
    assert host.contents("REPLY") == []
    if seen:
        program.mq.arrived([got.token], host.now)
        host.pump()
        assert program.commit() is None
    else:
        program.mq.put_back([got.token], host.now)
        assert program.commit() is None
    assert len(host.contents("REPLY")) == int(seen)
    assert host.contents("Q") == ([] if seen else [b"m"])


def test_a_message_joined_from_segments_goes_back_whole(host: Host, program: Program) -> None:
    group = {"group_id": b"g" * 24, "msg_seq_number": 1}
    host.put("Q", b"abc", **group, offset=0, msg_flags=MQMF.SEGMENT)
    host.put("Q", b"def", **group, offset=3, msg_flags=MQMF.LAST_SEGMENT)
    hobj = program.open("Q")
    for _ in range(2):
        got = program.get(hobj, MQGMO.COMPLETE_MSG | SYNC)
        assert got is not None
        assert got.message.data == b"abcdef"
        assert host.depth("Q") == 0
        program.mq.put_back([got.token], host.now)
        assert host.depth("Q") == 2
    assert program.commit() is None
    assert host.contents("Q") == [b"abc", b"def"]


def test_a_get_that_cannot_have_everything_says_so(host: Host, program: Program) -> None:
    host.put("Q", b"long")
    hobj = program.open("Q")
    got = program.get(hobj, MQGMO.SYNCPOINT_IF_PERSISTENT, held=True, max_length=2)
    assert got is not None
    assert (got.reason, host.contents("Q")) == (2080, [b"long"])
