from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.queue_manager.xa import BranchState
from mqbridge.bridge.store.interface import PrepareBranch, PutRecord, StoreDamaged, StoreFull
from mqbridge.protocol.constants import TMFlags, XAReturn
from support.queue_manager.host import Host
from support.queue_manager.program import PUT_SYNC, SYNC, Program, xid

pytestmark = pytest.mark.spec("client-observed.md O-114")

OK = XAReturn.OK
START, END, ONEPHASE = int(TMFlags.STARTRSCAN), int(TMFlags.ENDRSCAN), int(TMFlags.ONEPHASE)


def program_of(host: Host) -> Program:
    program = Program(host)
    program.mq.xa.open()
    return program


@pytest.fixture
def program(host: Host) -> Program:
    host.local("Q")
    return program_of(host)


def prepare(program: Program, number: int, data: bytes = b"new", persistence: int = 1) -> None:
    hobj = program.open("Q")
    assert program.mq.xa.start(xid(number), 0, program.host.now) == OK
    program.data(hobj, SYNC)
    program.put(hobj, data, PUT_SYNC, persistence=persistence)
    assert program.mq.xa.end(xid(number), int(TMFlags.SUCCESS)) == OK
    assert program.prepare(number) == OK
    program.close(hobj)


def branch(host: Host):
    (found,) = host.queue_manager.connections.branches
    return found


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("restarts", [1, 2])
def test_a_prepared_branch_is_there_after_a_restart(host: Host, program: Program, commit: bool, restarts: int) -> None:
    host.put("Q", b"old", persistence=1)
    prepare(program, 1)
    for _ in range(restarts):
        host.restart()
    assert host.contents("Q") == []
    queue = host.queue_manager.queue("Q")
    assert queue is not None
    assert (queue.uncommitted_puts, queue.uncommitted_gets, queue.depth) == (1, 1, 1)
    after = program_of(host)
    assert after.mq.xa.recover(15, START) == (1, [xid(1)])
    host.put("Q", b"later", persistence=1)
    assert (after.xa_commit if commit else after.rollback)(1) == OK
    assert host.contents("Q") == ([b"new", b"later"] if commit else [b"old", b"later"])
    got = host.got("Q")
    assert got.md.backout_count == (0 if commit else 1)
    host.restart()
    assert host.contents("Q") == [b"later"]
    assert program_of(host).mq.xa.recover(15, START) == (0, [])


def test_what_was_not_prepared_is_not_there(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    hobj = program.open("Q")
    assert program.mq.xa.start(xid(1), 0, host.now) == OK
    program.data(hobj, SYNC)
    program.put(hobj, b"new", PUT_SYNC, persistence=1)
    host.restart()
    assert host.contents("Q") == [b"old"]
    assert program_of(host).mq.xa.recover(15, START) == (0, [])


def test_a_branch_of_nonpersistent_work_alone_can_still_be_finished(host: Host, program: Program) -> None:
    prepare(program, 1, persistence=0)
    host.restart()
    after = program_of(host)
    assert after.mq.xa.recover(15, START) == (1, [xid(1)])
    assert after.xa_commit(1) == OK
    assert host.contents("Q") == []


@pytest.mark.parametrize("commit", [True, False])
def test_a_long_message_survives_in_a_branch(host: Host, program: Program, commit: bool) -> None:
    host.alter_manager(MAXMSGL=104857600)
    host.alter(host.objects.queue("Q").kind, "Q", MAXMSGL=104857600)
    data = bytes(range(256)) * (9 << 12)
    prepare(program, 1, data)
    host.restart()
    after = program_of(host)
    assert (after.xa_commit if commit else after.rollback)(1) == OK
    assert host.contents("Q") == ([data] if commit else [])


def test_priorities_keep_their_order_after_a_restart(host: Host, program: Program) -> None:
    host.put("Q", b"five", persistence=1, priority=5)
    hobj = program.open("Q")
    program.mq.xa.start(xid(1), 0, host.now)
    program.put(hobj, b"nine", PUT_SYNC, persistence=1, priority=9)
    program.put(hobj, b"one", PUT_SYNC, persistence=1, priority=1)
    program.mq.xa.end(xid(1), int(TMFlags.SUCCESS))
    assert program.prepare(1) == OK
    host.restart()
    assert program_of(host).xa_commit(1) == OK
    assert host.contents("Q") == [b"nine", b"five", b"one"]


# Scans


def test_a_scan_gives_as_many_as_are_wanted(host: Host, program: Program) -> None:
    for number in range(5):
        prepare(program, number)
    assert program.mq.xa.recover(2, 0) == (XAReturn.INVAL, [])
    assert program.mq.xa.recover(2, START) == (2, [xid(0), xid(1)])
    assert program.mq.xa.recover(2, 0) == (2, [xid(2), xid(3)])
    assert program.mq.xa.recover(2, 0) == (1, [xid(4)])
    assert program.mq.xa.recover(2, 0) == (0, [])
    assert program.mq.xa.recover(3, START | END) == (3, [xid(0), xid(1), xid(2)])
    assert program.mq.xa.recover(3, 0) == (XAReturn.INVAL, [])
    assert program.mq.xa.recover(-1, START) == (XAReturn.INVAL, [])
    assert program.mq.xa.recover(1, ONEPHASE) == (XAReturn.INVAL, [])


# An operator decides


@pytest.mark.parametrize("decision", [True, False])
@pytest.mark.parametrize("restarts", [True, False])
def test_a_decision_of_an_operator_is_remembered(host: Host, program: Program, decision: bool, restarts: bool) -> None:
    host.put("Q", b"old", persistence=1)
    prepare(program, 1)
    branches = host.queue_manager.connections.branches
    assert branches.numbered(branch(host).number) is branch(host)
    on_complete(branches.decide(branch(host), decision, host.now).pending, program.outcomes.append)
    host.pump()
    assert program.outcomes == [None]
    if restarts:
        host.restart()
    assert host.contents("Q") == [b"new" if decision else b"old"]
    after = program_of(host)
    code = XAReturn.HEURCOM if decision else XAReturn.HEURRB
    assert after.mq.xa.recover(15, START) == (1, [xid(1)])
    assert after.xa_commit(1) == code
    assert after.rollback(1) == code
    assert after.prepare(1) == XAReturn.PROTO
    assert after.forget(1) == OK
    assert after.forget(1) == XAReturn.NOTA
    host.restart()
    assert program_of(host).mq.xa.recover(15, START) == (0, [])


def test_only_prepared_branches_are_decided_by_an_operator(host: Host, program: Program) -> None:
    program.mq.xa.start(xid(1), 0, host.now)
    branches = host.queue_manager.connections.branches
    with pytest.raises(MQError) as error:
        on_complete(branches.decide(branch(host), True, host.now).pending, program.outcomes.append)
    assert error.value.reason == 2128
    assert branches.numbered(77) is None


def test_a_decision_that_the_store_refuses_leaves_the_branch_prepared(host: Host, program: Program) -> None:
    prepare(program, 1)
    branches = host.queue_manager.connections.branches
    host.store.failure = StoreFull("no room")
    on_complete(branches.decide(branch(host), True, host.now).pending, program.outcomes.append)
    host.pump()
    host.store.failure = None
    assert program.outcomes[-1] is not None
    assert branch(host).state is BranchState.PREPARED
    assert program.xa_commit(1) == OK


def test_a_forgetting_that_the_store_refuses_can_be_tried_again(host: Host, program: Program) -> None:
    prepare(program, 1)
    on_complete(
        host.queue_manager.connections.branches.decide(branch(host), True, host.now).pending, program.outcomes.append
    )
    host.pump()
    host.store.failure = StoreFull("no room")
    assert program.forget(1) == XAReturn.RMERR
    host.store.failure = None
    assert program.forget(1) == OK


# What the store should not hold


def test_a_branch_of_a_queue_that_is_gone_is_told_and_can_be_finished(host: Host, program: Program) -> None:
    prepare(program, 1)
    host.store.commit([host.objects.delete(host.objects.queue("Q").kind, "Q").operations])
    host.restart()
    assert "AMQ7472" in host.logged()
    assert program_of(host).xa_commit(1) == OK


@pytest.mark.parametrize(
    "operation", [PrepareBranch(b"??", []), PutRecord("xa", b"??", b"\7"), PutRecord("xa", xid(1).key(), b"\1")]
)
def test_a_branch_that_cannot_be_read_is_damage(host: Host, operation) -> None:
    assert host.store.commit([[operation]]) == [None]
    with pytest.raises(StoreDamaged):
        host.restart()
