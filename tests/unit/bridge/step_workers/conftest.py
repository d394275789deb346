"""A module of functions, and workers on a reactor in a thread."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.step_workers.worker_of_target import Answer
from mqbridge.bridge.step_workers.workers import StepWorkers
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython, Limits
from support.processes.reactor_thread import PATIENCE, ReactorThread

MODULE = '''
"""What routes call."""

import multiprocessing, os, subprocess, sys, time

from mqbridge import Message

calls = 0

def same(message):
    return message

def drop(message):
    return None

def twice(message):
    yield message
    yield Message(message.text * 2, properties={"colour": "red"})

def listed(message):
    return [message, message]

def number(message):
    global calls
    calls += 1
    return Message(f"{message.text} {os.getpid()} {calls}")

def hang(message):
    if message.text == "hang":
        time.sleep(1000)
    return message

def hang_in_c(message):
    return "a" * 100 in [None] or __import__("re").match("(a+)+$", "a" * 60 + "b")

def fail(message):
    raise ValueError("secret")

def fail_later(message):
    yield message
    raise ValueError("secret")

def leave(message):
    sys.exit(3)

def vanish(message):
    if message.text == "vanish":
        os._exit(3)
    return message

def killed(message):
    if message.text == "killed":
        os.kill(os.getpid(), 9)
    return message

def rubbish(message):
    return {"5": 5, "text": "text", "list": [5], "lambda": lambda: 0, "class": Message, "dict": {}}[message.text]

def broken(message):
    message.stored.body = [1, 2]
    return message

def long(message):
    return Message("a" * int(message.text))

def many(message):
    return [Message("a")] * int(message.text)

def endless(message):
    while True:
        yield Message("a")

def flood(message):
    for number in range(20000):
        print("line", number, "x" * 1000)
        print("error", file=sys.stderr)
    return message

def writes_everywhere(message):
    for number in range(3, 50):
        try:
            os.write(number, b"rubbish" * 10)
        except OSError:
            pass
    os.closerange(0, 50)
    return message

def meddle(message):
    for number in range(100, 120):
        try:
            os.write(number, b"rubbish" * 10)
        except OSError:
            pass
    return message

def reads_input(message):
    return Message(repr(sys.stdin.read()))

def forks(message):
    if os.fork() == 0:
        time.sleep(2)
        os._exit(0)
    return message

def parent(message):
    child = subprocess.Popen(["sleep", "2"])
    return message
'''


class Workers:
    """Workers, and what they log."""

    def __init__(self, host: ReactorThread, folder: Path) -> None:
        self.host = host
        self.logged: list[tuple[str, tuple[str | int, ...]]] = []
        self.workers: StepWorkers = host.call(
            lambda: StepWorkers(host.reactor, lambda *given: self.logged.append(given), [str(folder)])
        )

    def calls(self, function: str, *texts: str, time_limit: float = 20.0, limits: Limits | None = None) -> list[Answer]:
        """Call a function once for each text, all at once, and wait for the answers."""
        target = function if ":" in function else f"steps_of_tests:{function}"
        answers: dict[int, Answer] = {}

        def begin() -> None:
            for place, text in enumerate(texts):
                message = Message.build(text.encode(), format="MQSTR", coded_char_set_id=1208, encoding=546)
                call = CallPython(target, message, time_limit, limits or Limits())
                self.workers.call(call, lambda answer, place=place: answers.__setitem__(place, answer))  # type: ignore[misc]

        self.host.call(begin)
        self.host.until(lambda: len(answers) == len(texts), f"answers of {target}")
        return [answers[place] for place in range(len(texts))]

    def load(self, *targets: str) -> dict[str, str]:
        """Load functions and wait for the outcome."""
        outcome: list[dict[str, str]] = []
        self.host.call(lambda: self.workers.load(targets, outcome.append))
        self.host.until(lambda: outcome, "loading")
        return outcome[0]

    def pid(self, function: str) -> int | None:
        """Number of the process of a function."""
        found: int | None = self.host.call(self.workers.pid, f"steps_of_tests:{function}")
        return found


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process."""
    end = time.monotonic() + PATIENCE
    while is_running(pid):
        assert time.monotonic() < end, f"process {pid} is still there"
        time.sleep(0.01)


def descriptors() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


def write_module(folder: Path) -> Path:
    """Write the module into a folder."""
    (folder / "steps_of_tests.py").write_text(MODULE)
    return folder


def running_workers(folder: Path) -> Iterator[Workers]:
    """Workers that are stopped in the end; then none of their processes is left."""
    host = ReactorThread()
    made = Workers(host, folder)
    yield made
    pids = [worker.pid for worker in made.workers._workers.values() if worker.pid is not None]
    host.call(made.workers.stop)
    for pid in pids:
        wait_until_gone(pid)
    host.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the module."""
    return write_module(tmp_path)


@pytest.fixture
def workers(folder: Path) -> Iterator[Workers]:
    """Workers of a test."""
    yield from running_workers(folder)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Workers of all tests of a file, which start processes once."""
    yield from running_workers(write_module(tmp_path_factory.mktemp("steps")))
