"""The timer of a connection to a queue manager elsewhere: one, however often its time is put off."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.task import Clock

from mqbridge.bridge.endpoints.everyplace.mq_connections import MqConnection

pytestmark = pytest.mark.spec("E-401")


class Program:
    """Has something to do at ``due``."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.due: float | None = None
        self.done: list[float] = []

    @property
    def now(self) -> float:
        return self.clock.seconds()

    def receive_data(self, data: bytes) -> None:
        self.due = float(data) or None

    def next_timeout(self) -> float | None:
        return self.due

    def timeout(self) -> None:
        if self.due is not None and self.due <= self.now:
            self.done.append(self.now)
            self.due = None


def connection() -> tuple[Clock, Program, MqConnection]:
    clock = Clock()
    program: Any = Program(clock)
    return clock, program, MqConnection(clock, program, lambda: None)


def test_what_is_due_is_done_in_time_whether_it_is_put_off_or_brought_forward() -> None:
    clock, program, mine = connection()
    mine.dataReceived(b"10")
    mine.dataReceived(b"20")
    assert len(clock.getDelayedCalls()) == 1
    clock.pump([1] * 19)
    assert program.done == []
    clock.advance(1)
    assert program.done == [20]
    mine.dataReceived(b"50")
    mine.dataReceived(b"30")
    clock.pump([1] * 10)
    assert program.done == [20, 30]
    assert clock.getDelayedCalls() == []


def test_a_timer_that_is_put_off_is_not_made_anew() -> None:
    clock, _, mine = connection()
    mine.dataReceived(b"10")
    (timer,) = clock.getDelayedCalls()
    for due in range(11, 30):
        mine.dataReceived(b"%d" % due)
    assert clock.getDelayedCalls() == [timer]
    mine.dataReceived(b"0")
    assert clock.getDelayedCalls() == []
