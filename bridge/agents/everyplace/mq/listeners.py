"""The listeners of a bridge that run, and those that MQ has sent away, which start again after a while (E-401)."""

from __future__ import annotations

import random

from mqbridge.bridge.agents.everyplace.bridge_objects import BridgeObjects
from mqbridge.bridge.agents.everyplace.mq.delivery import Delivery, DeliveryFromAfar, DeliveryHere
from mqbridge.bridge.agents.everyplace.mq.listener import FIRST_PAUSE, LONGEST_PAUSE, Listener
from mqbridge.bridge.agents.everyplace.mq.sync_records import SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import BridgeHost, Way
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.rules.plug_ins import Kind, PlugIns
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.store.interface import Store
from mqbridge.mappings.moment import Time
from mqbridge.protocol.everyplace.errors import EveryplaceError

DEFAULT_RULE = "undelivered"


class Listeners:
    """See `Bridge`. ``objects``: gives the run states."""

    def __init__(
        self,
        host: BridgeHost,
        manager: QueueManager,
        store: Store,
        records: SyncRecords,
        plug_ins: PlugIns,
        random: random.Random,
    ) -> None:
        self._host = host
        self._manager = manager
        self._store = store
        self._records = records
        self._plug_ins = plug_ins
        self._random = random
        self._running: dict[BridgePath, Listener] = {}
        self._ending: list[Listener] = []
        self._again: dict[BridgePath, float] = {}
        self._pauses: dict[BridgePath, float] = {}
        self.objects: BridgeObjects | None = None

    @property
    def quiet(self) -> bool:
        """Whether nothing of them is being committed."""
        self._ending = [each for each in self._ending if not each.quiet]
        return not self._ending and all(each.quiet for each in self._running.values())

    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never."""
        times = [each.next_timeout for each in self._running.values()]
        return min((each for each in [*times, *self._again.values()] if each is not None), default=None)

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        for listener in list(self._running.values()):
            listener.timeout(now)
        for path, due in list(self._again.items()):
            if now >= due:
                del self._again[path]
                objects = self._run_states()
                if objects.runs(path[:-1]):
                    objects.start(path)

    def start(self, definition: BridgeDefinition, way: Way) -> None:
        """Start one."""
        try:
            transformer = self._host.transformer(definition.value(rows.TRANSFORMER) or way.transformer)
            rule = self._plug_ins.make(Kind.UNDELIVERED_RULE, definition.value(rows.UNDELIVERED_RULE) or DEFAULT_RULE)
            delivery = self._delivery(way, definition)
        except EveryplaceError as error:
            self._stays_stopped(definition.path, error.text)
            return
        listener = Listener(definition, way, self._manager, delivery, transformer, rule, self)
        self._running[definition.path] = listener
        listener.start()

    def _delivery(self, way: Way, definition: BridgeDefinition) -> Delivery:
        if way.here:
            return DeliveryHere(way)
        lane = LaneName(way.proxy, "/".join(definition.path))
        return DeliveryFromAfar(way, lane, self._manager, self._records, self._store, self._random)

    def stop(self, path: BridgePath) -> None:
        """Stop one, if it runs or is to start again."""
        self._again.pop(path, None)
        listener = self._running.pop(path, None)
        if listener is not None:
            listener.stop()
            self._ending = [each for each in (*self._ending, listener) if not each.quiet]

    def listener_ends(self, listener: Listener, why: str, *, again: bool) -> None:
        """Note a listener that has stopped by itself."""
        path = listener.definition.path
        if self._running.get(path) is not listener:
            return
        pause = self._pauses.get(path, 0.0)
        if self._host.now - listener.since > LONGEST_PAUSE:
            pause = 0.0
        if again and pause:
            self._run_states().stop(path, why)
        else:
            self._stays_stopped(path, why)
        if again:
            self._pauses[path] = min(LONGEST_PAUSE, pause * 2) if pause else FIRST_PAUSE
            self._again[path] = self._host.now + self._pauses[path]

    def _stays_stopped(self, path: BridgePath, why: str) -> None:
        self._run_states().stop(path, why)
        self._host.alarm(path[-1], f"listener {'/'.join(path)} has stopped: {why}")

    def _run_states(self) -> BridgeObjects:
        assert self.objects is not None, "the bridge has objects before any of them runs"
        return self.objects
