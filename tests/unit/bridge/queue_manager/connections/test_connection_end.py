from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, MQError, Waiter
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO
from support.queue_manager.host import NOW, Host
from support.queue_manager.program import ASYNC, PUT_SYNC, SYNC, Program

pytestmark = pytest.mark.spec("mqi.md 1")


def refused(reason: int, call, *arguments, **more) -> None:
    with pytest.raises(MQError) as error:
        call(*arguments, **more)
    assert error.value.reason == reason


@pytest.fixture
def program(host: Host) -> Program:
    host.local("Q")
    return Program(host)


def wait(program: Program, hobj: int, options: int = MQGMO.WAIT, seconds: float | None = None, **more: Any) -> Waiter:
    until = None if seconds is None else program.host.now + seconds
    return program.mq.wait(hobj, GetOptions(options, **more), until, "w", program.host.now)


def awakened(program: Program) -> bytes | None:
    (wake,) = program.wakes()
    got = program.mq.awakened(wake.waiter, wake.reason, program.host.now)
    program.host.pump()
    return None if got is None else got.message.data


CALLS = [
    lambda program, hobj: program.open("Q"),
    lambda program, hobj: program.close(hobj),
    lambda program, hobj: program.put(hobj),
    lambda program, hobj: program.put1("Q"),
    lambda program, hobj: program.get(hobj),
    lambda program, hobj: wait(program, hobj),
    lambda program, hobj: program.commit(),
    lambda program, hobj: program.backout(),
    lambda program, hobj: program.mq.inquire(hobj, [3], 1, 0),
    lambda program, hobj: program.mq.set(hobj, [10], [0], [], NOW),
    lambda program, hobj: program.mq.status(),
]
EVERYTHING = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET | MQOO.BROWSE)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("lost", [True, False])
def test_an_ended_connection_is_good_for_nothing(program: Program, call, lost: bool) -> None:
    hobj = program.open("Q", EVERYTHING)
    program.lost() if lost else program.disconnect()
    refused(2018, call, program, hobj)
    refused(2018, program.disconnect)
    program.lost()


@pytest.mark.parametrize("call", CALLS[:1] + CALLS[2:])
def test_when_the_queue_manager_stops_every_call_fails(host: Host, program: Program, call) -> None:
    hobj = program.open("Q", EVERYTHING)
    host.queue_manager.connections.stop()
    refused(2162, call, program, hobj)
    program.close(hobj)
    assert program.disconnect() is None


@pytest.mark.parametrize("call", CALLS[:1] + CALLS[2:])
def test_when_the_connection_is_stopped_every_call_fails(host: Host, program: Program, call) -> None:
    hobj = program.open("Q", EVERYTHING)
    program.mq.stop()
    refused(2203, call, program, hobj)
    Program(host)


@pytest.mark.spec("mqi.md 8 row 3")
@pytest.mark.parametrize("whole", [True, False])
def test_calls_that_ask_to_fail_when_quiescing_do(host: Host, program: Program, whole: bool) -> None:
    hobj = program.open("Q", EVERYTHING)
    host.put("Q", b"m")
    if whole:
        host.queue_manager.quiesce()
    else:
        program.mq.quiesce()
    reason = 2161 if whole else 2202
    refused(reason, program.open, "Q", EVERYTHING | MQOO.FAIL_IF_QUIESCING)
    refused(reason, program.put, hobj, b"", MQPMO.FAIL_IF_QUIESCING)
    refused(reason, program.put1, "Q", b"", MQPMO.FAIL_IF_QUIESCING)
    refused(reason, program.get, hobj, MQGMO.FAIL_IF_QUIESCING)
    program.open("Q")
    program.put(hobj, b"n")
    assert program.data(hobj) == b"m"
    assert program.commit() is None


# Waiting


@pytest.mark.spec("mqi.md 8 row 1")
def test_a_wait_ends_with_a_message(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    wait(program, hobj)
    host.put("Q", b"m")
    assert awakened(program) == b"m"
    assert program.mq.waiting == []


@pytest.mark.spec("mqi.md 8 row 1")
def test_a_wait_ends_with_time(host: Host, program: Program) -> None:
    wait(program, program.open("Q"), seconds=5)
    host.now += 5
    host.queue_manager.timeout(host.now)
    host.pump()
    refused(2033, awakened, program)
    assert program.mq.waiting == []


def test_a_waiter_that_comes_too_late_waits_on(host: Host, program: Program) -> None:
    hobj = program.open("Q")
    wait(program, hobj, seconds=5)
    host.put("Q", b"m")
    assert host.got("Q").data == b"m"
    assert awakened(program) is None
    assert len(program.mq.waiting) == 1
    host.put("Q", b"n")
    host.got("Q")
    host.now += 5
    refused(2033, awakened, program)
    assert program.mq.waiting == []


@pytest.mark.spec("mqi.md 21.8")
@pytest.mark.parametrize("asks", [True, False])
def test_waits_and_quiescing(host: Host, program: Program, asks: bool) -> None:
    hobj = program.open("Q")
    wait(program, hobj, MQGMO.WAIT | (MQGMO.FAIL_IF_QUIESCING if asks else 0))
    program.mq.quiesce()
    host.pump()
    if asks:
        refused(2202, awakened, program)
    else:
        assert program.wakes() == []
        host.put("Q", b"m")
        assert awakened(program) == b"m"


@pytest.mark.parametrize("whole", [True, False])
def test_waits_end_when_all_stops(host: Host, program: Program, whole: bool) -> None:
    wait(program, program.open("Q"))
    if whole:
        host.queue_manager.connections.stop()
    else:
        program.mq.stop()
    host.pump()
    refused(2162 if whole else 2203, awakened, program)


@pytest.mark.spec("mqi.md 21.8")
def test_a_wait_ends_when_gets_are_inhibited(host: Host, program: Program) -> None:
    wait(program, program.open("Q"))
    other = Program(host)
    other.mq.set(other.open("Q", MQOO.SET), [9], [1], [], host.now)
    host.pump()
    refused(2016, awakened, program)


@pytest.mark.parametrize("way", ["close", "cancel", "lost", "disconnect"])
def test_a_wait_that_was_woken_passes_its_turn_on_when_it_is_given_up(host: Host, program: Program, way: str) -> None:
    hobj = program.open("Q")
    waiter = wait(program, hobj)
    other = Program(host)
    wait(other, other.open("Q"))
    host.put("Q", b"m")
    assert len(program.wakes()) == 1
    if way == "close":
        program.close(hobj)
    elif way == "cancel":
        program.mq.cancel_wait(waiter)
    elif way == "lost":
        program.lost()
    else:
        program.disconnect()
    host.pump()
    assert awakened(other) == b"m"
    if way in ("close", "cancel"):
        refused(2019, program.mq.awakened, waiter, 0, host.now)


# The end


def test_a_disconnect_commits(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    hobj = program.open("Q")
    assert program.data(hobj, SYNC) == b"old"
    program.put(hobj, b"new", PUT_SYNC, persistence=1)
    assert program.disconnect() is None
    assert host.contents("Q") == [b"new"]
    assert host.queue_manager.queue("Q").handles == []
    assert len(host.queue_manager.connections) == 0


def test_a_loss_backs_out(host: Host, program: Program) -> None:
    host.put("Q", b"old", persistence=1)
    hobj = program.open("Q")
    assert program.data(hobj, SYNC) == b"old"
    program.put(hobj, b"new", PUT_SYNC, persistence=1)
    program.lost()
    assert host.contents("Q") == [b"old"]
    assert host.got("Q").md.backout_count == 1
    assert host.queue_manager.queue("Q").handles == []
    assert len(host.queue_manager.connections) == 0


@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_disconnect_that_cannot_commit_is_a_warning(host: Host, program: Program, asynchronous: bool) -> None:
    host.local("SHUT", PUT="DISABLED")
    hobj, shut = program.open("Q"), program.open("SHUT")
    program.put(hobj, b"m", PUT_SYNC, persistence=1)
    if asynchronous:
        program.put(shut, b"", ASYNC | PUT_SYNC)
    else:
        host.store.failure = StoreFull("no room")
    outcome = program.disconnect()
    host.store.failure = None
    assert outcome is not None
    assert (outcome.completion, outcome.reason) == (1, 2003)
    assert host.contents("Q") == []


@pytest.mark.parametrize("lost", [True, False])
def test_held_messages_at_the_end(host: Host, program: Program, lost: bool) -> None:
    host.put("Q", b"m")
    program.get(program.open("Q"), held=True)
    program.lost() if lost else program.disconnect()
    assert host.contents("Q") == ([b"m"] if lost else [])
    if lost:
        assert host.got("Q").md.backout_count == 0


@pytest.mark.parametrize("lost", [True, False])
def test_temporary_queues_go_with_their_program(host: Host, program: Program, lost: bool) -> None:
    host.define(Kind.QMODEL, "TEMP", DEFTYPE="TEMPDYN", SHARE=True)
    host.define(Kind.QMODEL, "PERM", DEFTYPE="PERMDYN", SHARE=True)
    temporary = program.open("TEMP", dynamic_name="T")
    permanent = program.open("PERM", dynamic_name="P")
    other = Program(host)
    handle = other.open("T")
    wait(other, handle)
    program.put(temporary, b"m", PUT_SYNC)
    program.put(permanent, b"m")
    program.lost() if lost else program.disconnect()
    assert host.queue_manager.queue("T") is None
    assert host.contents("P") == [b"m"]
    refused(2052, awakened, other)
    refused(2052, other.put, handle)
    other.close(handle)


def test_a_lost_program_wakes_who_waits_for_what_it_had(host: Host, program: Program) -> None:
    host.put("Q", b"m")
    program.data(program.open("Q"), SYNC)
    other = Program(host)
    wait(other, other.open("Q"))
    program.lost()
    assert awakened(other) == b"m"


def test_many_programs_come_and_go(host: Host) -> None:
    host.local("Q")
    for number in range(50):
        program = Program(host)
        hobj = program.open("Q")
        program.put(hobj, b"%d" % number, PUT_SYNC)
        program.lost() if number % 2 else program.disconnect()
    assert host.depth("Q") == 25
    assert len(host.queue_manager.connections) == 0
    assert host.queue_manager.queue("Q").input_count == 0
