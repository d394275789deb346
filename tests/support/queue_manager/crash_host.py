"""The host of `queue_manager.host` on a store whose process may die at any of its calls."""

from __future__ import annotations

from random import Random

from mqbridge.bridge.queue_manager.objects import TABLE, Objects
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.faulty_store import FaultyStore
from support.queue_manager.host import NOW, Host


class CrashHost(Host):
    """``arm`` has the process die at one of the next calls of the store; `Crash` passes through the call then."""

    store: FaultyStore  # type: ignore[assignment]

    def __init__(self, random: Random) -> None:
        self.store = FaultyStore(random)
        self.now = NOW
        self.hold = False
        self.effects = []
        self.outcomes = []
        objects = Objects("EARTH", NOW)
        self.store.commit([objects.operations()])
        self.queue_manager = DirectQueueManager("EARTH", self.store, objects, NOW)
        self.pump()

    def arm(self, calls: int) -> None:
        self.store.crash_at = {self.store.steps + calls}

    def disarm(self) -> None:
        self.store.crash_at = ()

    def restart(self, after: float = 0.0) -> DirectQueueManager:
        self.disarm()
        self.now += after
        self.store = self.store.restart()
        objects = Objects("EARTH", self.now)
        objects.load(self.store.records(TABLE))
        self.effects = []
        self.queue_manager = DirectQueueManager("EARTH", self.store, objects, self.now)
        self.pump()
        return self.queue_manager
