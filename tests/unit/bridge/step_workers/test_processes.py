"""Processes of workers: lost, hanging, not loadable, and at the end of the gateway."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqbridge.bridge.step_workers.frames import FunctionFailed
from mqbridge.bridge.step_workers.worker_of_target import PendingCall
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython, Limits

from .conftest import Workers, descriptors, is_running, wait_until_gone
from .test_functions import failure, text


def test_a_function_that_hangs_is_ended_and_the_calls_behind_it_are_made(workers: Workers) -> None:
    workers.calls("hang", "hello")
    pid = workers.pid("hang")
    assert pid is not None
    bad, first, second = workers.calls("hang", "hang", "a", "b", time_limit=0.3)
    assert failure(bad).reason == 2374
    assert "it took more than 0.3 seconds" in failure(bad).text
    assert [text(first), text(second)] == ["a", "b"]
    wait_until_gone(pid)
    assert workers.pid("hang") != pid
    assert [amq for amq, _ in workers.logged] == ["AMQ5071"]


def test_a_function_that_holds_the_interpreter_is_ended(workers: Workers) -> None:
    (bad,) = workers.calls("hang_in_c", "", time_limit=0.3)
    assert "it took more than 0.3 seconds" in failure(bad).text


@pytest.mark.parametrize("function", ["vanish", "killed"])
def test_a_process_that_ends_fails_one_call(workers: Workers, function: str) -> None:
    answers = workers.calls(function, "a", function, "b")
    assert [text(answers[0]), text(answers[2])] == ["a", "b"]
    assert failure(answers[1]) == FunctionFailed(2374, f"steps_of_tests:{function}: its process ended")


def test_a_process_that_is_killed_while_idle_is_replaced(workers: Workers) -> None:
    workers.calls("same", "a")
    pid = workers.pid("same")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    workers.host.until(lambda: workers.workers.pid("steps_of_tests:same") != pid, "another process")
    assert text(workers.calls("same", "b")[0]) == "b"


def test_functions_do_not_disturb_one_another(workers: Workers) -> None:
    workers.load("steps_of_tests:hang", "steps_of_tests:same")
    call = CallPython("steps_of_tests:hang", Message.build(b"hang"), 30.0, Limits())
    workers.host.call(lambda: workers.workers.call(call, lambda _: None))
    before = time.monotonic()
    assert text(workers.calls("same", "a")[0]) == "a"
    assert time.monotonic() - before < 20


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no_such_module:f", "No module named 'no_such_module'"),
        ("steps_of_tests:no_such", "has no attribute 'no_such'"),
        ("steps_of_tests:calls", "TypeError"),
        ("broken_module:f", "ZeroDivisionError at broken_module.py, line 1"),
        ("wrong_syntax:f", "SyntaxError"),
        ("leaving_module:f", "its process ended"),
    ],
)
def test_what_cannot_be_loaded_is_told_at_start(workers: Workers, folder: Path, target: str, said: str) -> None:
    (folder / "broken_module.py").write_text("1 / 0\n")
    (folder / "wrong_syntax.py").write_text("def\n")
    (folder / "leaving_module.py").write_text("import os; os._exit(1)\n")
    faults = workers.load(target, "steps_of_tests:same")
    assert list(faults) == [target]
    assert said in faults[target]
    (answer,) = workers.calls(target, "a")
    assert failure(answer) == FunctionFailed(2183, faults[target])
    assert [amq for amq, _ in workers.logged] == ["AMQ5072"]


def test_a_module_that_is_mended_is_loaded_with_the_next_call(workers: Workers, folder: Path) -> None:
    assert workers.load("mended:f")
    (folder / "mended.py").write_text("def f(message):\n    return message\n")
    time.sleep(1.1)
    assert text(workers.calls("mended:f", "a")[0]) == "a"


def test_an_abandoned_call_is_not_answered_and_one_that_waits_is_not_made(workers: Workers) -> None:
    workers.load("steps_of_tests:number")
    answers: list[object] = []

    def begin() -> None:
        calls: list[PendingCall] = []
        for _ in range(200):
            call = CallPython("steps_of_tests:number", Message.build(b"a"), 20.0, Limits())
            calls.append(workers.workers.call(call, answers.append))
        for each in calls:
            each.abandon()

    workers.host.call(begin)
    (answer,) = workers.calls("number", "a")
    assert int(text(answer).split()[2]) < 200
    assert answers == []


def test_nothing_is_left_open(workers: Workers) -> None:
    workers.calls("vanish", "a")
    workers.host.settled(descriptors)
    before = descriptors()
    for _ in range(3):
        workers.calls("vanish", "vanish", "a")
    workers.host.until(lambda: descriptors() <= before, "descriptors")


def test_stopped_workers_answer_nothing(workers: Workers) -> None:
    workers.calls("same", "a")
    pid = workers.pid("same")
    assert pid is not None
    workers.host.call(workers.workers.stop)
    assert not is_running(pid)
    call = CallPython("steps_of_tests:same", Message.build(b"a"), 20.0, Limits())
    workers.host.call(lambda: workers.workers.call(call, lambda _: pytest.fail("answered")))


PARENT = """
import sys
from twisted.internet import reactor
from mqbridge.bridge.step_workers.workers import StepWorkers
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython, Limits

workers = StepWorkers(reactor, lambda *given: None, [sys.argv[1]])

def loaded(faults):
    assert not faults, faults
    message = Message.build(b"hang", format="MQSTR", coded_char_set_id=1208)
    workers.call(CallPython("steps_of_tests:" + sys.argv[2], message, 1000.0, Limits()), print)
    print(workers.pid("steps_of_tests:" + sys.argv[2]), flush=True)

workers.load(["steps_of_tests:" + sys.argv[2]], loaded)
reactor.run(installSignalHandlers=False)
"""


@pytest.mark.parametrize("function", ["same", "hang", "hang_in_c"])
def test_a_worker_dies_with_a_gateway_that_is_killed(folder: Path, function: str) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(folder), function], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until_gone(pid)
