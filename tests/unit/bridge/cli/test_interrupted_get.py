"""What becomes of messages when ``mqbridge get`` is stopped half-way."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

import pytest

from support.processes.running_service import MakeService, RunningService, wait_for

COUNT = 400


@pytest.fixture
def service(make_service: MakeService) -> RunningService:
    service = make_service()
    lines = b"\n".join(
        b'{"MQMD": {"Persistence": 1}, "body": {"text": "%04d %s"}}' % (number, b"x" * 1000) for number in range(COUNT)
    )
    service.client.put_lines("DEV.QUEUE.1", lines)
    return service


def numbers(service: RunningService) -> list[int]:
    return [int(message["body"]["text"][:4]) for message in service.browse("DEV.QUEUE.1")]


def start(service: RunningService, *arguments: str) -> tuple[subprocess.Popen[bytes], Any]:
    process = service.spawn("get", "DEV.QUEUE.1", *arguments)
    return process, process.stdout


def finish(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """The status and the rest of the output; not ``communicate``, which passes over what `readline` has read ahead."""
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout as output, process.stderr:
        rest: bytes = output.read()
        return process.wait(60), rest


def test_ctrl_c_commits_what_was_written_and_puts_the_rest_back(service: RunningService) -> None:
    process, output = start(service, "--all")
    first = output.readline()
    process.send_signal(signal.SIGINT)
    status, rest = finish(process)
    assert status == 130
    written = [int(line[:4]) for line in (first + rest).splitlines()]
    wait_for("all messages", lambda: len(written) + len(numbers(service)) == COUNT)
    assert written + numbers(service) == list(range(COUNT))
    assert 0 < len(written) < COUNT


def test_ctrl_c_while_it_waits_takes_nothing(service: RunningService) -> None:
    process, _ = start(service, "--wait", "60", "--msg-id", "ff")
    wait_for("waiter", lambda: service.attribute("DISPLAY QSTATUS(DEV.QUEUE.1) IPPROCS", "IPPROCS") == "1")
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, b"")
    wait_for("nobody", lambda: service.attribute("DISPLAY QSTATUS(DEV.QUEUE.1) IPPROCS", "IPPROCS") == "0")
    assert numbers(service) == list(range(COUNT))


def test_a_get_that_is_killed_loses_nothing(service: RunningService) -> None:
    process, output = start(service, "--all")
    output.readline()
    process.kill()
    _, rest = finish(process)
    written = 1 + rest.count(b"\n")
    wait_for("nothing uncommitted", lambda: service.attribute("DISPLAY QSTATUS(DEV.QUEUE.1) UNCOM", "UNCOM") == "0")
    left = numbers(service)
    assert left == list(range(COUNT - len(left), COUNT))
    assert COUNT - len(left) <= written


def test_a_queue_manager_that_is_killed_keeps_what_was_not_committed(service: RunningService) -> None:
    process, output = start(service, "--all")
    output.readline()
    service.kill()
    _, rest = finish(process)
    written = 1 + rest.count(b"\n")
    service.start()
    left = numbers(service)
    assert left == list(range(COUNT - len(left), COUNT))
    assert COUNT - len(left) <= written
