"""The lean reactor: turns, sleeping and spinning, thread calls, and readers that fail, without a loop that runs."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IReadDescriptor
from twisted.python import log
from zope.interface import implementer

from mqbridge.bridge.endpoints.lean_reactor import AT_ONCE, LATEST, LeanReactor

STEP = 0.00001
"""Seconds that pass with a poll of `FakePoller`, unless the test sets others."""


class FakePoller:
    """Finds what the test has arranged; ``timeouts``: how it was asked."""

    def __init__(self, clock: list[float]) -> None:
        self._clock = clock
        self.step = STEP
        self.timeouts: list[float] = []
        self.found: list[list[tuple[int, int]]] = []

    def poll(self, timeout: float, most: int) -> list[tuple[int, int]]:
        assert most > 0
        self.timeouts.append(timeout)
        self._clock[0] += self.step
        return self.found.pop(0) if self.found else []

    def register(self, number: int, events: int) -> None:
        pass

    modify = register

    def unregister(self, number: int) -> None:
        pass


@implementer(IReadDescriptor)
class Reader:
    """A descriptor that returns or raises what it is given; ``lost``: how it ended."""

    def __init__(self, number: int, outcome: BaseException | None = None) -> None:
        self._number = number
        self.outcome = outcome
        self.read = 0
        self.lost: list[BaseException] = []

    def fileno(self) -> int:
        return self._number

    def logPrefix(self) -> str:
        return "reader"

    def doRead(self) -> BaseException | None:
        self.read += 1
        if self.outcome is not None and not isinstance(self.outcome, ConnectionDone):
            raise self.outcome
        return self.outcome

    def connectionLost(self, reason: Any) -> None:
        self.lost.append(reason.value)


class Loop:
    """A reactor with a fake poller and clock, as if it ran."""

    def __init__(self, spin: float = 0.0) -> None:
        self._clock = [1000.0]
        self.reactor: Any = LeanReactor(spin, seconds=lambda: self._clock[0])
        self.reactor._poller.close()
        self.poller = self.reactor._poller = FakePoller(self._clock)
        self.reactor.running = True
        self.reader = Reader(1 << 20)
        self.reactor.addReader(self.reader)

    def event(self, *readers: Reader) -> None:
        """The next poll finds that these can be read."""
        self.poller.found.append([(each.fileno(), select.EPOLLIN) for each in readers or (self.reader,)])

    def turn(self) -> list[float]:
        """One turn; the timeouts with which it polled."""
        before = len(self.poller.timeouts)
        self.reactor.turn()
        return self.poller.timeouts[before:]


def test_without_events_it_sleeps_at_once() -> None:
    loop = Loop(spin=0.001)
    assert loop.turn() == [-1]
    assert loop.turn() == [-1]


def test_a_timed_call_ends_the_sleep() -> None:
    loop, called = Loop(), []
    loop.reactor.callLater(5, called.append, 1)
    assert loop.turn() == [5]
    loop.poller._clock[0] += 5
    loop.turn()
    assert called == [1]


def test_after_events_that_it_has_slept_for_it_sleeps_at_once() -> None:
    loop = Loop()
    loop.poller.step = AT_ONCE
    for _ in range(3):
        loop.event()
        assert loop.turn() == [-1]
    assert loop.reader.read == 3


def test_after_events_that_waited_for_it_it_looks_once_more() -> None:
    loop = Loop()
    loop.event()
    assert loop.turn() == [-1]
    loop.event()
    assert loop.turn() == [0]
    assert loop.turn() == [0, -1]
    assert loop.turn() == [-1]
    assert loop.reader.read == 2


def test_it_spins_while_messages_flow() -> None:
    loop = Loop(spin=20 * STEP)
    loop.event()
    loop.turn()
    spun = loop.turn()
    assert spun[-1] == -1
    assert set(spun[:-1]) == {0}
    assert 15 <= len(spun) <= 25
    assert loop.turn() == [-1], "nothing has come: it sleeps at once"


def test_it_does_not_spin_while_a_thread_works() -> None:
    loop = Loop(spin=20 * STEP)
    loop.reactor.at_work += [lambda: False, lambda: True]
    loop.event()
    loop.turn()
    assert loop.turn() == [0, -1], "once, because the last event did not wait"


def test_what_comes_while_it_spins_is_read_without_a_sleep() -> None:
    loop = Loop(spin=20 * STEP)
    loop.event()
    loop.turn()
    loop.poller.found += [[], [], []]
    loop.event()
    assert loop.turn() == [0, 0, 0, 0]
    assert loop.reader.read == 2


def test_a_timed_call_ends_the_spinning() -> None:
    loop, called = Loop(spin=1000 * STEP), []
    loop.event()
    loop.turn()
    loop.reactor.callLater(5 * STEP, called.append, 1)
    assert len(loop.turn()) < 15
    loop.turn()
    assert called == [1]


def test_a_call_of_another_thread_ends_the_spinning() -> None:
    loop, called = Loop(spin=1000 * STEP), []
    loop.event()
    loop.turn()
    loop.reactor.before_sleep.append(lambda: loop.reactor.callFromThread(called.append, 1))
    assert loop.turn() == [0]
    del loop.reactor.before_sleep[:]
    loop.turn()
    assert called == [1]


def test_what_is_called_before_sleep_is_called_once_a_sleep_and_not_starved() -> None:
    loop, calls = Loop(), []
    loop.reactor.before_sleep.append(lambda: calls.append(loop.reactor.seconds()))
    loop.event()
    loop.turn()
    assert len(calls) == 1
    turns = int(3 * LATEST / STEP)
    for _ in range(turns):
        loop.event()
        loop.turn()
    assert 3 <= len(calls) <= 5
    assert loop.reader.read == turns + 1


def test_calls_of_threads_wake_a_sleeping_reactor_once_and_one_that_is_awake_never() -> None:
    loop, woken, called = Loop(), [], []

    class Waker:
        def wakeUp(self) -> None:
            woken.append(1)

    loop.reactor.waker = Waker()
    poll = loop.poller.poll

    def sleeping(timeout: float, most: int) -> list[tuple[int, int]]:
        for number in range(3):
            loop.reactor.callFromThread(called.append, number)
        return poll(timeout, most)

    loop.poller.poll = sleeping  # type: ignore[method-assign]
    loop.turn()
    assert len(woken) == 1
    loop.poller.poll = poll  # type: ignore[method-assign]
    loop.reactor.before_sleep.append(lambda: loop.reactor.callFromThread(called.append, 9))
    loop.turn()
    assert called == [0, 1, 2]
    assert len(woken) == 1
    assert loop.poller.timeouts[-1] == 0, "what was queued before it fell asleep is not left waiting"


@pytest.mark.parametrize("outcome", [ValueError("of one reader"), ConnectionDone()])
def test_a_reader_that_ends_or_fails_ends_alone(outcome: Exception) -> None:
    loop = Loop()
    failing, other = Reader(7, outcome), Reader(8)
    for each in (failing, other):
        loop.reactor.addReader(each)
    logged: list[Any] = []
    log.addObserver(logged.append)
    try:
        loop.event(failing, other)
        loop.turn()
    finally:
        log.removeObserver(logged.append)
    assert [type(each) for each in failing.lost] == [type(outcome)]
    assert not other.lost
    assert other.read == 1
    assert failing not in loop.reactor.getReaders()
    faults = [each for each in logged if each.get("isError")]
    assert [each["failure"].value for each in faults] == ([outcome] if isinstance(outcome, ValueError) else [])


def test_an_event_of_a_descriptor_that_the_one_before_has_closed_is_dropped() -> None:
    loop = Loop()
    second = Reader(8)
    loop.reactor.addReader(second)
    read = loop.reader.doRead

    def closes() -> None:
        loop.reactor.removeReader(second)
        read()

    loop.reader.doRead = closes  # type: ignore[method-assign, assignment]
    loop.event(loop.reader, second)
    loop.turn()
    assert second.read == 0


@pytest.fixture
def running() -> Iterator[Any]:
    """A reactor that runs in a thread, with its true poller."""
    reactor: Any = LeanReactor()
    thread = threading.Thread(target=reactor.run, kwargs={"installSignalHandlers": False}, daemon=True)
    thread.start()
    yield reactor
    reactor.callFromThread(reactor.stop)
    thread.join(60)
    assert not thread.is_alive()
    reactor.waker.connectionLost(None)


def test_every_call_of_many_threads_is_made(running: Any) -> None:
    threads, each, done = 8, 500, threading.Event()
    called: list[tuple[int, int]] = []

    def made(number: int, turn: int) -> None:
        called.append((number, turn))
        if len(called) == threads * each:
            done.set()

    def calling(number: int) -> None:
        for turn in range(each):
            running.callFromThread(made, number, turn)

    workers = [threading.Thread(target=calling, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert done.wait(60)
    for number in range(threads):
        assert [turn for who, turn in called if who == number] == list(range(each))


def test_an_error_in_a_turn_does_not_end_the_loop(running: Any) -> None:
    seen, after = threading.Event(), threading.Event()

    def fails() -> None:
        running.before_sleep.remove(fails)
        seen.set()
        raise ValueError("before sleep")

    running.callFromThread(running.before_sleep.append, fails)
    assert seen.wait(60)
    running.callFromThread(after.set)
    assert after.wait(60)
