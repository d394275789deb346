"""SC-05: the gateway crashes in the middle of a transfer from MQ."""

from __future__ import annotations

import random

import pytest

from mqbridge.bridge.everyplace.transfer.lane_records import FROM_MQ
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.mq_style import DATA
from support.everyplace import World
from support.everyplace_bridge import SYNC_QUEUE, FarQueueManager, Gateway
from support.queue_manager.faulty_store import Crash, FaultyStore

MESSAGES = 200
CRASHES = 20


class Faulty:
    """A store that is opened again after each crash, by the gateway that has died."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.store: FaultyStore | None = None

    def __call__(self) -> Store:
        self.store = FaultyStore(self.random) if self.store is None else self.store.restart()
        return self.store

    def arm(self) -> None:
        assert self.store is not None
        self.store.crash_at = {self.store.steps + self.random.randint(1, 12)}

    def disarm(self) -> None:
        assert self.store is not None
        self.store.crash_at = ()


@pytest.mark.spec("SC-05", "E-394", "E-420", "E-461")
@pytest.mark.parametrize("seed", range(5))
def test_each_message_arrives_once_wherever_the_process_dies(seed: int) -> None:
    """Here MQ is in the same process, so that messages leave it in the transaction in which they are placed."""
    world, faults = World(), Faulty(seed)
    earth = Gateway.add(world, "EARTH", make_store=faults)
    earth.local("LOG")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    earth.node.define(Kind.QREMOTE, "EARTH", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    path = earth.listen(earth.bridge_to_here(), "EARTH.XMITQ", FLOWS_PER_COMMIT=7)
    earth.bridge.objects.stop(path)
    for number in range(MESSAGES):
        earth.node.put("LOG", b"%d" % number, "EARTH")
    crashes = 0
    while crashes < CRASHES:
        faults.arm()
        try:
            earth.bridge.objects.start(path)
            world.run(1)
            break
        except Crash:
            crashes += 1
            faults.disarm()
            earth.kill()
    faults.disarm()
    world.run(5)
    assert crashes
    assert [int(each[DATA]) for each in earth.browse("LOG")] == list(range(MESSAGES))
    assert earth.node.messages("EARTH.XMITQ") == []
    assert list(earth.store.records(FROM_MQ)) == []


@pytest.mark.spec("SC-05", "E-394", "E-420", "E-525")
@pytest.mark.parametrize("seed", range(5))
def test_each_message_arrives_once_from_a_queue_manager_elsewhere(seed: int) -> None:
    """The process dies at the store, at MQ or in between; connections break too, and what was sent still arrives."""
    world, faults = World(), Faulty(seed)
    earth = Gateway.add(world, "EARTH", mq="OWN", make_store=faults)
    saturn = FarQueueManager("SATURN", world.now, faults.random)
    saturn.node.define(Kind.QLOCAL, "EARTH.XMITQ", USAGE="XMITQ")
    saturn.node.define(Kind.QREMOTE, "EARTH", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    earth.local("LOG")
    path = earth.listen(earth.bridge_to(saturn, PURGE_AFTER=1), "EARTH.XMITQ", FLOWS_PER_COMMIT=7)
    earth.bridge.objects.stop(path)
    for number in range(MESSAGES):
        saturn.node.put("LOG", b"%d" % number, "EARTH")
    crashes, saturn.lose = 0, 0.003
    for _ in range(CRASHES):
        if faults.random.random() < 0.5:
            faults.arm()
        else:
            saturn.crash_in = faults.random.randint(1, 60)
        try:
            earth.bridge.objects.start(path)
            world.run(3)
        except Crash:
            crashes += 1
            faults.disarm()
            saturn.crash_in = None
            earth.kill()
    faults.disarm()
    saturn.crash_in, saturn.lose = None, 0.0
    world.run(300)
    assert crashes
    assert [int(each[DATA]) for each in earth.browse("LOG")] == list(range(MESSAGES))
    assert saturn.node.messages("EARTH.XMITQ") == []
    assert list(earth.store.records(FROM_MQ)) == []
    assert len(saturn.node.messages(SYNC_QUEUE)) == 1
    assert not any("left on" in each for each in earth.alarms)
