"""The Python client on a Twisted reactor."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from twisted.internet.defer import CancelledError, Deferred

import mqbridge
from mqbridge.bridge.client.deferred import DeferredQueueManager, connect
from support.processes.reactor_thread import ReactorThread

QUEUE = "DEV.QUEUE.1"
Run = Callable[[Callable[[Any], Coroutine[Any, Any, Any]]], Any]


@pytest.fixture(scope="module")
def reactor() -> Iterator[ReactorThread]:
    thread = ReactorThread()
    yield thread
    thread.stop()


@pytest.fixture
def run(reactor: ReactorThread) -> Run:
    def inside(work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        return reactor.call(lambda: Deferred.fromCoroutine(work(reactor.reactor)))

    return inside


@pytest.mark.parametrize("shared", [1, 0], ids=["shared", "not-shared"])
def test_calls_are_awaited(mq: Any, run: Run, shared: int) -> None:
    async def work(reactor: Any) -> list[Any]:
        qm = await connect(reactor, mq.url, timeout=10, shared_conversations=shared)
        await qm.put(QUEUE, "hello", properties={"n": 1})
        await qm.put(QUEUE, "half", syncpoint=True)
        await qm.backout()
        await qm.put(QUEUE, b"bytes", syncpoint=True)
        await qm.commit()
        first = await qm.get(QUEUE)
        second = await qm.get(QUEUE, wait=5)
        none = await qm.get(QUEUE, wait=0.05)
        assert first is not None
        assert second is not None
        subscription = await qm.subscribe("a/#")
        await qm.publish("a/b", "news")
        news = await subscription.get(wait=5)
        assert news is not None
        await subscription.close()
        await qm.disconnect()
        return [first.text, first.properties, second.data, none, news.text, qm.name]

    assert run(work) == ["hello", {"n": 1}, b"bytes", None, "news", "QM1"]


def test_a_waiting_get_does_not_hold_the_reactor(mq: Any, run: Run) -> None:
    async def work(reactor: Any) -> str:
        waiting, other = await connect(reactor, mq.url), await connect(reactor, mq.url)
        coming: Deferred[Any] = Deferred.fromCoroutine(waiting.get(QUEUE, wait=None))
        await other.put(QUEUE, "woken")
        message = await coming
        for qm in (waiting, other):
            await qm.disconnect()
        return str(message.text)

    assert run(work) == "woken"


def test_many_calls_at_once_take_turns(mq: Any, run: Run) -> None:
    async def work(reactor: Any) -> list[str]:
        qm = await connect(reactor, mq.url)
        puts = [Deferred.fromCoroutine(qm.put(QUEUE, str(n))) for n in range(20)]
        for put in puts:
            await put
        got = [await qm.get(QUEUE) for _ in range(20)]
        await qm.disconnect()
        return [message.text for message in got if message is not None]

    assert run(work) == [str(n) for n in range(20)]


def test_errors_are_those_of_the_blocking_client(mq: Any, run: Run) -> None:
    async def unknown_queue(reactor: Any) -> None:
        qm = await connect(reactor, mq.url)
        try:
            await qm.put("NO.SUCH", "x")
        finally:
            qm.abort()

    async def unknown_channel(reactor: Any) -> None:
        await connect(reactor, mq.url.replace("DEV.APP.SVRCONN", "NO.SUCH"))

    async def nobody(reactor: Any) -> None:
        await connect(reactor, "mq://127.0.0.1:1/QM1", timeout=5)

    for work, reason in ((unknown_queue, 2085), (unknown_channel, 2540), (nobody, 2538)):
        with pytest.raises(mqbridge.MQError) as error:
            run(work)
        assert error.value.reason == reason


def test_a_lost_connection_fails_what_waits(mq: Any, run: Run) -> None:
    stop = threading.Timer(0.1, mq.mqsc, ("STOP CHANNEL(DEV.APP.SVRCONN) MODE(FORCE)",))

    async def work(reactor: Any) -> list[int]:
        qm: DeferredQueueManager = await connect(reactor, mq.url)
        stop.start()
        reasons = []
        for _ in range(2):
            try:
                await qm.get(QUEUE, wait=60)
            except mqbridge.MQError as error:
                reasons.append(error.reason)
        return reasons

    assert run(work) == [2009, 2009]
    stop.join()  # its answer comes after the end of the connection


def test_a_cancelled_get_ends_and_a_cancelled_call_is_not_made(mq: Any, run: Run) -> None:
    async def work(reactor: Any) -> list[Any]:
        qm = await connect(reactor, mq.url, timeout=10)
        waiting = Deferred.fromCoroutine(qm.get(QUEUE, wait=60))
        behind = Deferred.fromCoroutine(qm.put(QUEUE, "cancelled before its turn"))
        found: list[Any] = []
        behind.addErrback(lambda failure: found.append(failure.type)).cancel()
        waiting.addErrback(lambda failure: found.append(failure.type)).addTimeout(0.2, reactor)
        await waiting
        await qm.put(QUEUE, "afterwards")
        message = await qm.get(QUEUE)
        assert message is not None
        last = await qm.get(QUEUE)
        await qm.disconnect()
        return [*found, message.text, last]

    assert run(work) == [CancelledError, CancelledError, "afterwards", None]
