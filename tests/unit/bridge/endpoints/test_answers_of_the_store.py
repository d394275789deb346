"""What follows the commits of one turn of the writer: whatever happens to one of them, the others are answered."""

from __future__ import annotations

from functools import partial

from twisted.logger import LogEvent, capturedLogs

from mqbridge.bridge.queue_manager import MQError
from support.processes.endpoint_host import EndpointHost


def test_who_fails_at_its_answer_keeps_it_from_nobody_else(host: EndpointHost) -> None:
    answered: list[tuple[int, MQError | None]] = []

    def told(number: int, error: MQError | None) -> None:
        answered.append((number, error))
        if number == 1:
            raise ValueError("a fault of ours")

    host.store.may_commit.clear()
    for number in range(3):
        host.call(host.manager.submit, (), partial(told, number))
    with capturedLogs() as captured:
        host.store.may_commit.set()
        host.thread.until(lambda: len(answered) == 3, "three answers")
    assert answered == [(0, None), (1, None), (2, None)]
    assert [fault(event) for event in captured if "log_failure" in event] == ["a fault of ours"]


def fault(event: LogEvent) -> str:
    return str(event["log_failure"].value)
