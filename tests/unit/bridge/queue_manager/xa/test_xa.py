from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.xa import TMMIGRATE, BranchState, Xid, XidError
from mqbridge.bridge.store.interface import StoreDamaged, StoreFull
from mqbridge.protocol.constants import TMFlags, XAReturn
from support.queue_manager.host import Host
from support.queue_manager.program import ASYNC, PUT_SYNC, SYNC, Program, xid

pytestmark = pytest.mark.spec("mq-wire.md 5.13")

OK, RDONLY, RETRY = XAReturn.OK, XAReturn.RDONLY, XAReturn.RETRY
NOTA, INVAL, PROTO, DUPID, OUTSIDE = (
    XAReturn.NOTA, XAReturn.INVAL, XAReturn.PROTO, XAReturn.DUPID, XAReturn.OUTSIDE,
)  # fmt: skip
JOIN, RESUME = int(TMFlags.JOIN), int(TMFlags.RESUME)
SUCCESS, FAIL, SUSPEND = int(TMFlags.SUCCESS), int(TMFlags.FAIL), int(TMFlags.SUSPEND)
ONEPHASE, STARTRSCAN, ENDRSCAN = int(TMFlags.ONEPHASE), int(TMFlags.STARTRSCAN), int(TMFlags.ENDRSCAN)


def program_of(host: Host) -> Program:
    program = Program(host)
    assert program.mq.xa.open() == OK
    return program


@pytest.fixture
def program(host: Host) -> Program:
    host.local("Q")
    return program_of(host)


def start(program: Program, number: int, flags: int = 0) -> int:
    return program.mq.xa.start(xid(number), flags, program.host.now)


def end(program: Program, number: int, flags: int = SUCCESS) -> int:
    return program.mq.xa.end(xid(number), flags)


def work(program: Program, number: int, data: bytes = b"m", persistence: int = 1, flags: int = SUCCESS) -> None:
    """A branch in which one message is put, and one got where there is one."""
    hobj = program.open("Q")
    assert start(program, number) == OK
    program.data(hobj, SYNC)
    program.put(hobj, data, PUT_SYNC, persistence=persistence)
    assert end(program, number, flags) == OK
    program.close(hobj)


# Deciding


@pytest.mark.spec("client-observed.md O-115")
def test_two_phases(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    work(program, 1, b"new")
    assert program.prepare(1) == OK
    assert host.contents("Q") == []
    assert host.depth("Q") == 1
    assert program.xa_commit(1) == OK
    assert host.contents("Q") == [b"new"]
    assert list(host.store.branches()) == []
    assert program.xa_commit(1) == NOTA


@pytest.mark.parametrize("prepared", [True, False])
def test_a_rollback(host: Host, program: Program, prepared: bool) -> None:
    host.put("Q", b"old", persistence=1)
    work(program, 1, b"new")
    if prepared:
        assert program.prepare(1) == OK
    assert program.rollback(1) == OK
    got = host.got("Q")
    assert (got.data, got.md.backout_count) == (b"old", 1)
    assert host.contents("Q") == []
    assert list(host.store.branches()) == []
    assert program.rollback(1) == NOTA


@pytest.mark.spec("client-observed.md O-111")
def test_one_phase(host: Host, program: Program) -> None:
    work(program, 1)
    assert program.xa_commit(1, ONEPHASE) == OK
    assert host.contents("Q") == [b"m"]
    assert program.xa_commit(1, ONEPHASE) == NOTA


@pytest.mark.spec("client-observed.md O-113")
def test_a_branch_without_work_is_read_only(program: Program) -> None:
    assert start(program, 1) == OK
    assert end(program, 1) == OK
    assert program.prepare(1) == RDONLY
    assert program.xa_commit(1) == NOTA


@pytest.mark.parametrize("way", ["prepare", "one phase", "rollback"])
def test_a_failed_branch_can_only_be_rolled_back(host: Host, program: Program, way: str) -> None:
    host.put("Q", b"old")
    work(program, 1, flags=FAIL)
    assert start(program, 1, JOIN) == XAReturn.RBROLLBACK
    if way == "prepare":
        assert program.prepare(1) == XAReturn.RBROLLBACK
    elif way == "one phase":
        assert program.xa_commit(1, ONEPHASE) == XAReturn.RBROLLBACK
    else:
        assert program.rollback(1) == OK
    assert host.contents("Q") == [b"old"]
    assert len(host.queue_manager.connections.branches) == 0


def test_nonpersistent_work_is_committed_too(host: Host, program: Program) -> None:
    host.put("Q", b"old")
    work(program, 1, b"new", persistence=0)
    assert program.prepare(1) == OK
    assert program.xa_commit(1) == OK
    assert host.contents("Q") == [b"new"]


def test_a_branch_is_not_the_local_unit_of_work(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    assert start(program, 1) == OK
    program.put(hobj, b"global", PUT_SYNC)
    for call in (program.commit, program.backout):
        with pytest.raises(MQError) as error:
            call()
        assert error.value.reason == 2012
    program.put(hobj, b"outside")
    assert end(program, 1) == OK
    program.put(hobj, b"local", PUT_SYNC)
    assert program.commit() is None
    assert host.contents("Q") == [b"outside", b"local"]
    assert program.xa_commit(1, ONEPHASE) == OK
    assert host.contents("Q") == [b"outside", b"local", b"global"]


def test_an_asynchronous_put_that_fails_dooms_the_branch(host: Host, program: Program) -> None:
    host.local("SHUT", PUT="DISABLED")
    shut = program.open("SHUT")
    assert start(program, 1) == OK
    program.put(shut, b"", ASYNC | PUT_SYNC)
    assert end(program, 1) == OK
    assert program.prepare(1) == XAReturn.RBOTHER
    assert program.commit() is None


def test_messages_of_a_prepared_branch_count_as_uncommitted(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    work(program, 1)
    assert program.prepare(1) == OK
    queue = host.queue_manager.queue("Q")
    assert queue is not None
    assert (queue.uncommitted_puts, queue.uncommitted_gets) == (1, 1)
    with pytest.raises(MQError) as error:
        host.queue_manager.clear_queue("Q", host.now)
    assert error.value.reason == 2055
    assert program.xa_commit(1) == OK
    assert (queue.uncommitted_puts, queue.uncommitted_gets) == (0, 0)


def test_a_branch_keeps_its_place_from_when_it_was_prepared(host: Host, program: Program) -> None:
    work(program, 1, b"first")
    assert program.prepare(1) == OK
    host.put("Q", b"second", persistence=1)
    assert program.xa_commit(1) == OK
    assert host.contents("Q") == [b"first", b"second"]


# The store refuses


def test_a_branch_that_cannot_be_prepared_is_rolled_back(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    work(program, 1, b"new")
    host.store.failure = StoreFull("no room")
    assert program.prepare(1) == XAReturn.RBOTHER
    host.store.failure = None
    assert host.contents("Q") == [b"old"]
    assert program.prepare(1) == NOTA


@pytest.mark.parametrize(("failure", "code"), [(StoreFull("x"), RETRY), (StoreDamaged("x", "y"), XAReturn.RMFAIL)])
@pytest.mark.parametrize("commit", [True, False])
def test_a_decision_that_the_store_refuses_can_be_tried_again(
    host: Host, program: Program, failure, code: int, commit: bool
) -> None:
    host.put("Q", b"old", persistence=1)
    work(program, 1, b"new")
    assert program.prepare(1) == OK
    decide = program.xa_commit if commit else program.rollback
    host.store.failure = failure
    assert decide(1) == code
    host.store.failure = None
    assert host.contents("Q") == []
    assert program.mq.xa.recover(9, STARTRSCAN) == (1, [xid(1)])
    assert decide(1) == OK
    assert host.contents("Q") == [b"new" if commit else b"old"]


def test_one_phase_that_the_store_refuses_is_rolled_back(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    work(program, 1, b"new")
    host.store.failure = StoreFull("no room")
    assert program.xa_commit(1, ONEPHASE) == XAReturn.RBOTHER
    host.store.failure = None
    assert host.contents("Q") == [b"old"]


def test_while_the_store_is_at_work_a_branch_is_left_alone(host: Host, program: Program) -> None:
    work(program, 1)
    host.hold = True
    program.told(program.mq.xa.prepare(xid(1), 0, host.now))
    assert program.codes == []
    for call in (program.prepare, program.xa_commit, program.rollback, program.forget):
        assert call(1) == PROTO
    assert program.xa_commit(1, ONEPHASE) == PROTO
    assert start(program, 1, JOIN) == PROTO
    assert program.mq.xa.recover(9, STARTRSCAN) == (0, [])
    program.lost()
    host.hold = False
    host.pump()
    assert program.codes == [OK]
    assert [branch.state for branch in host.queue_manager.connections.branches] == [BranchState.PREPARED]


# Protocol


def _prepared(program: Program) -> None:
    work(program, 1)
    assert program.prepare(1) == OK


def _started(program: Program) -> None:
    assert start(program, 1) == OK


def _suspended(program: Program) -> None:
    _started(program)
    assert end(program, 1, SUSPEND) == OK


def _idle(program: Program) -> None:
    work(program, 1)


def _nothing(program: Program) -> None:
    pass


def _local_work(program: Program) -> None:
    program.put(program.open("Q"), b"", PUT_SYNC)


RULES = [
    (_nothing, lambda p: start(p, 1, JOIN), NOTA),
    (_nothing, lambda p: start(p, 1, RESUME), NOTA),
    (_nothing, lambda p: start(p, 1, JOIN | RESUME), INVAL),
    (_nothing, lambda p: start(p, 1, ONEPHASE), INVAL),
    (_nothing, lambda p: end(p, 1), NOTA),
    (_nothing, lambda p: p.prepare(1), NOTA),
    (_nothing, lambda p: p.xa_commit(1), NOTA),
    (_nothing, lambda p: p.xa_commit(1, ONEPHASE), NOTA),
    (_nothing, lambda p: p.xa_commit(1, JOIN), INVAL),
    (_nothing, lambda p: p.rollback(1), NOTA),
    (_nothing, lambda p: p.forget(1), NOTA),
    (_local_work, lambda p: start(p, 1), OUTSIDE),
    (_started, lambda p: start(p, 1), PROTO),
    (_started, lambda p: start(p, 2), PROTO),
    (_started, lambda p: end(p, 2), NOTA),
    (_started, lambda p: end(p, 1, 0), INVAL),
    (_started, lambda p: end(p, 1, SUCCESS | FAIL), INVAL),
    (_started, lambda p: end(p, 1, SUCCESS | TMMIGRATE), INVAL),
    (_started, lambda p: p.prepare(1), PROTO),
    (_started, lambda p: p.xa_commit(1), PROTO),
    (_started, lambda p: p.xa_commit(1, ONEPHASE), PROTO),
    (_started, lambda p: p.rollback(1), PROTO),
    (_started, lambda p: p.forget(1), PROTO),
    (_started, lambda p: p.mq.xa.close(), PROTO),
    (_suspended, lambda p: start(p, 1), DUPID),
    (_suspended, lambda p: start(p, 1, RESUME), OK),
    (_suspended, lambda p: start(p, 2), OK),
    (_suspended, lambda p: end(p, 1), OK),
    (_suspended, lambda p: end(p, 1, FAIL), OK),
    (_suspended, lambda p: end(p, 1, SUSPEND), PROTO),
    (_suspended, lambda p: p.prepare(1), PROTO),
    (_suspended, lambda p: p.rollback(1), PROTO),
    (_suspended, lambda p: p.mq.xa.close(), OK),
    (_idle, lambda p: start(p, 1), DUPID),
    (_idle, lambda p: start(p, 1, JOIN), OK),
    (_idle, lambda p: start(p, 1, RESUME), PROTO),
    (_idle, lambda p: end(p, 1), PROTO),
    (_idle, lambda p: p.xa_commit(1), PROTO),
    (_idle, lambda p: p.forget(1), PROTO),
    (_prepared, lambda p: start(p, 1), DUPID),
    (_prepared, lambda p: start(p, 1, JOIN), PROTO),
    (_prepared, lambda p: start(p, 1, RESUME), PROTO),
    (_prepared, lambda p: end(p, 1), PROTO),
    (_prepared, lambda p: p.prepare(1), PROTO),
    (_prepared, lambda p: p.xa_commit(1, ONEPHASE), PROTO),
    (_prepared, lambda p: p.forget(1), PROTO),
]


@pytest.mark.parametrize(("before", "call", "code"), RULES)
def test_calls_out_of_order(program: Program, before, call, code: int) -> None:
    before(program)
    assert call(program) == code


def test_nothing_is_done_for_who_has_not_opened(host: Host, program: Program) -> None:
    _prepared(program)
    stranger = Program(host)
    assert start(stranger, 2) == PROTO
    assert stranger.xa_commit(1) == PROTO
    assert stranger.rollback(1) == PROTO
    assert stranger.mq.xa.recover(9, STARTRSCAN) == (PROTO, [])
    assert program.mq.xa.close() == OK
    assert start(program, 2) == PROTO


@pytest.mark.parametrize("name", ["prepare", "rollback"])
def test_flags_that_a_call_does_not_have(program: Program, name: str) -> None:
    program.told(getattr(program.mq.xa, name)(xid(1), ONEPHASE, 0.0))
    program.told(program.mq.xa.forget(xid(1), ONEPHASE))
    assert program.codes == [INVAL, INVAL]


# Several connections


def test_work_joins_into_one_branch(host: Host, program: Program) -> None:
    other = program_of(host)
    work(program, 1, b"mine")
    hobj = other.open("Q")
    assert start(other, 1, JOIN) == OK
    other.put(hobj, b"other", PUT_SYNC, persistence=1)
    assert program.prepare(1) == PROTO
    assert end(other, 1) == OK
    assert other.prepare(1) == OK
    assert program.xa_commit(1) == OK
    assert host.contents("Q") == [b"mine", b"other"]


@pytest.mark.parametrize("migrates", [True, False])
def test_a_suspended_branch_is_resumed_elsewhere_only_if_it_may_migrate(
    host: Host, program: Program, migrates: bool
) -> None:
    other = program_of(host)
    hobj = program.open("Q")
    assert start(program, 1) == OK
    program.put(hobj, b"one", PUT_SYNC)
    assert end(program, 1, SUSPEND | (TMMIGRATE if migrates else 0)) == OK
    assert start(other, 1, RESUME) == (OK if migrates else PROTO)
    if not migrates:
        assert start(program, 1, RESUME) == OK
        return
    other.put(other.open("Q"), b"two", PUT_SYNC)
    assert start(program, 1, RESUME) == PROTO
    assert end(other, 1) == OK
    assert other.xa_commit(1, ONEPHASE) == OK
    assert host.contents("Q") == [b"one", b"two"]


def test_while_suspended_a_program_works_for_itself(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    assert start(program, 1) == OK
    program.put(hobj, b"global", PUT_SYNC)
    assert end(program, 1, SUSPEND) == OK
    program.put(hobj, b"local", PUT_SYNC)
    assert start(program, 1, RESUME) == OUTSIDE
    program.backout()
    assert start(program, 1, RESUME) == OK
    assert end(program, 1) == OK
    assert program.xa_commit(1, ONEPHASE) == OK
    assert host.contents("Q") == [b"global"]


@pytest.mark.parametrize("before", [_started, _suspended, _idle])
@pytest.mark.parametrize("lost", [True, False])
def test_what_is_not_prepared_ends_with_its_connection(host: Host, program: Program, before, lost: bool) -> None:
    host.put("Q", b"old", persistence=1)
    before(program)
    if program.mq.xa.xid is not None:
        assert program.mq.xa.xid == xid(1)
        program.data(program.open("Q"), SYNC)
    program.lost() if lost else program.disconnect()
    assert host.contents("Q") == [b"old"]
    assert program_of(host).prepare(1) == NOTA


def test_what_is_prepared_is_nobodys(host: Host, program: Program) -> None:
    _prepared(program)
    program.lost()
    assert host.depth("Q") == 1
    other = program_of(host)
    assert other.mq.xa.recover(9, STARTRSCAN) == (1, [xid(1)])
    assert other.xa_commit(1) == OK
    assert host.contents("Q") == [b"m"]


@pytest.mark.parametrize("starter_goes", [True, False])
def test_a_joined_branch_is_rolled_back_when_one_of_those_at_work_is_gone(
    host: Host, program: Program, starter_goes: bool
) -> None:
    other = program_of(host)
    hobj = other.open("Q")
    _idle(program)
    assert start(program, 1, JOIN) == OK
    assert start(other, 1, JOIN) == OK
    other.put(hobj, b"other", PUT_SYNC)
    gone, left = (program, other) if starter_goes else (other, program)
    gone.lost()
    with pytest.raises(MQError) as error:
        left.put(left.open("Q"), b"", PUT_SYNC)
    assert error.value.reason == 2003
    assert end(left, 1) == OK
    assert left.prepare(1) == XAReturn.RBCOMMFAIL
    assert host.contents("Q") == []
    assert len(host.queue_manager.connections.branches) == 0


def test_who_has_done_its_part_may_go(host: Host, program: Program) -> None:
    other = program_of(host)
    _idle(program)
    assert start(other, 1, JOIN) == OK
    other.put(other.open("Q"), b"other", PUT_SYNC)
    assert end(other, 1) == OK
    other.lost()
    assert program.xa_commit(1, ONEPHASE) == OK
    assert host.contents("Q") == [b"m", b"other"]


def test_a_branch_of_two_that_are_both_lost_is_forgotten(host: Host, program: Program) -> None:
    other = program_of(host)
    assert start(program, 1) == OK
    assert start(other, 1, JOIN) == OK
    program.lost()
    assert len(host.queue_manager.connections.branches) == 1
    other.lost()
    assert len(host.queue_manager.connections.branches) == 0


def test_a_branch_that_both_have_left_undecided_is_forgotten(host: Host, program: Program) -> None:
    """The one that began it is lost; the other ends its part, as after any fault, and is lost before it asks."""
    other = program_of(host)
    assert start(program, 1) == OK
    assert start(other, 1, JOIN) == OK
    program.lost()
    assert end(other, 1) == OK
    assert len(host.queue_manager.connections.branches) == 1
    other.lost()
    assert len(host.queue_manager.connections.branches) == 0


# Names


@pytest.mark.spec("client-observed.md O-112")
@pytest.mark.parametrize("name", [Xid(0, b"g", b""), Xid(-2, b"\0" * 64, b"\xff" * 64), Xid(0x7FFFFFFF, b"a", b"bc")])
def test_names_are_kept_as_bytes(name: Xid) -> None:
    assert Xid.from_key(name.key()) == name


@pytest.mark.parametrize(
    ("format_id", "gtrid", "bqual"), [(-1, b"g", b""), (1, b"", b""), (1, b"g" * 65, b""), (1, b"g", b"b" * 65)]
)
def test_what_is_no_name(format_id: int, gtrid: bytes, bqual: bytes) -> None:
    with pytest.raises(XidError):
        Xid(format_id, gtrid, bqual)


@pytest.mark.parametrize("key", [b"", b"\0\0\0\1\1", b"\0\0\0\1\1\1g", b"\0\0\0\1\1\0gg"])
def test_what_is_no_key(key: bytes) -> None:
    with pytest.raises(XidError):
        Xid.from_key(key)
