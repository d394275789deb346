"""What follows the commits of one turn of the writer: whatever happens to one of them, the others are answered;
and what the reactor knows of them."""

from __future__ import annotations

from contextlib import closing
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


def test_the_reactor_knows_while_the_writer_works_and_for_how_long_there_is_one() -> None:
    with closing(EndpointHost()) as host:
        works = host.thread.reactor.at_work

        def at_work() -> bool:
            return any(each() for each in works)

        assert not host.call(at_work)
        host.store.may_commit.clear()
        host.put(b"a message", "TARGET")
        assert host.call(at_work)
        host.store.may_commit.set()
        host.thread.until(lambda: not at_work(), "the message on disk")
        assert works
    assert not works


def fault(event: LogEvent) -> str:
    return str(event["log_failure"].value)
