"""The bridge of a gateway: its objects at work (mqe.md 18)."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

from mqbridge.bridge.agents.everyplace.bridge_objects import ALL, BridgeObjects
from mqbridge.bridge.agents.everyplace.bridge_resources import bridge_resources
from mqbridge.bridge.agents.everyplace.mq.assured_puts import AssuredPuts
from mqbridge.bridge.agents.everyplace.mq.batch_unit import BatchUnit
from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.listeners import Listeners
from mqbridge.bridge.agents.everyplace.mq.local_program import LocalProgram
from mqbridge.bridge.agents.everyplace.mq.pool import ProgramPool
from mqbridge.bridge.agents.everyplace.mq.program import MqProgram
from mqbridge.bridge.agents.everyplace.mq.program_calls import BridgeQueueCalls
from mqbridge.bridge.agents.everyplace.mq.purging import Purging
from mqbridge.bridge.agents.everyplace.mq.sync_records import SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions import queue_properties
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.definitions.bridge_properties import BridgeKind
from mqbridge.bridge.everyplace.effects import Alarm, AskMq
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.rules.plug_ins import Kind, PlugIns
from mqbridge.bridge.everyplace.transfer.conversation import Committer
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.store.interface import Store
from mqbridge.mappings.everyplace import BaseTransformer, Transformer
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

MINUTE: Final = 60.0
DEFAULT_PURGER: Final = "purge"


class BridgeOwner(Protocol):
    """What the bridge needs of the gateway. ``mq``: the queue manager of MQ in this process. ``now``: time of the last
    call from outside."""

    mq: MqQueueManager
    now: Time

    def moved(self) -> None:
        """Messages have been placed on queues of Everyplace: what can move on is to do so."""
        ...

    def foreign_program(self, proxy: BridgeDefinition, connection: BridgeDefinition, calling: Calling) -> MqProgram:
        """Return a program that is being connected to a queue manager elsewhere, inside TLS if ``calling`` says so."""
        ...


class Bridge:
    """The bridge objects of a gateway, and what they do. ``objects``: for administration.

    ``store``: of the queue manager, for rows of the bridge. ``random``: source of marks and confirm ids. Raises
    `EveryplaceError` STORE for damaged rows.
    """

    def __init__(
        self, manager: QueueManager, owner: BridgeOwner, store: Store, plug_ins: PlugIns, random: random.Random
    ) -> None:
        self._manager = manager
        self._owner = owner
        self._plug_ins = plug_ins
        self._records = SyncRecords(store, random)
        self._ways: dict[BridgePath, Way] = {}
        self._agreed: dict[BridgePath, TlsConnection | None] = {}
        self._next_check = 0.0
        self._transformers: dict[str, Transformer] = {"": BaseTransformer()}
        self._calls = BridgeQueueCalls(self._way_of, AssuredPuts(store, self._records))
        self._purging = Purging(self._records)
        self.gateway = manager.name
        self.committer: Committer = manager
        self._listeners = Listeners(self, manager, store, self._records, plug_ins, random)
        self.objects = self._listeners.objects = BridgeObjects(manager.registry, manager, self, self._starts_up)
        for resource in bridge_resources(self.objects):
            manager.administration.register(resource)

    # For its parts

    @property
    def now(self) -> Time:
        """Time of the last call from outside."""
        return self._owner.now

    @property
    def date(self) -> float:
        """The same as seconds since 1970."""
        return date_of(self._owner.now)

    def alarm(self, name: str, text: str) -> None:
        """Tell an operator."""
        self._manager.tell(Alarm(name, text))

    def moved(self) -> None:
        """Have the gateway go on."""
        self._owner.moved()

    def transformer(self, name: str) -> Transformer:
        """Return a transformer by name and parameters; the base transformer for none. Raises `EveryplaceError`."""
        found = self._transformers.get(name)
        if found is None:
            made: Transformer = self._plug_ins.make(Kind.TRANSFORMER, name)
            found = self._transformers[name] = made
        return found

    # What the gateway calls

    @property
    def quiet(self) -> bool:
        """Whether it is stopped, with no unit of work in progress."""
        return not self._ways and self._listeners.quiet

    def start(self, now: Time) -> None:
        """Start the objects that start with the queue manager (E-400)."""
        self.objects.start_up()

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Stop all. What is being committed ends; everything else is backed out, whatever the mode."""
        self.objects.stop(ALL)

    def ask(self, effect: AskMq, now: Time) -> None:
        """Make a call of a program on a bridge queue."""
        self._calls.ask(effect)

    def begin(self, lane: LaneName) -> BatchUnit:
        """See `MqBridge`."""
        return BatchUnit(lane, lane.partner, self._way_of, self._records)

    def way(self, queue: Queue) -> str:
        """See `MqBridge`."""
        return self._way_of(queue).name

    def committed(self, lane: LaneName, then: Callable[[int | Refused | None], None]) -> None:
        """See `MqBridge`."""
        name = self._records.connection_of(lane)
        if name is None:
            then(None)
            return
        try:
            way = self._running(tuple(name.split("/")))
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return

        def acquired(found: MqProgram | Refused) -> None:
            if isinstance(found, Refused):
                then(found)
                return
            program = found

            def said(number: int | Refused | None) -> None:
                way.pool.release(program, self.now)
                then(number)

            self._records.committed(way, program, lane, said)

        way.pool.acquire("", acquired)

    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never."""
        due = self._listeners.next_timeout()
        if not self._ways:
            return due
        return self._next_check if due is None else min(due, self._next_check)

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        self._listeners.timeout(now)
        if now >= self._next_check and self._ways:
            self._next_check = now + min(
                float(each.value(rows.HEARTBEAT)) for each in self.objects if each.kind is BridgeKind.BRIDGE
            )
            for way in list(self._ways.values()):
                way.pool.timeout(now)
                self._purging.look(way, self._purger(way), self.date)

    # Ways

    def _way_of(self, queue: Queue) -> Way:
        """Return the way of a bridge queue (E-396). Raises `EveryplaceError`."""
        value = queue.definition.value
        bridge, proxy = value(queue_properties.BRIDGE_NAME), value(queue_properties.MQ_QUEUE_MANAGER)
        connection = value(queue_properties.CLIENT_CONNECTION)
        wanted = bridge, proxy or ("" if bridge else queue.owner), connection
        found = [
            each.path
            for each in self.objects
            if each.kind is BridgeKind.CLIENT_CONNECTION
            and all(name in ("", own) for name, own in zip(wanted, each.path, strict=True))
        ]
        if len(found) != 1:
            what = "no client connection" if not found else f"{len(found)} client connections"
            raise EveryplaceError(Code.BRIDGE_NOT_RUNNING, f"{queue}: {what} to MQ fit its definition")
        return self._running(found[0])

    def _running(self, path: BridgePath) -> Way:
        self.objects.require_running(path)
        return self._ways[path]

    def _starts_up(self, definition: BridgeDefinition) -> bool:
        """Ask the start-up rule of an object (E-524); one that cannot be had leaves it stopped, with an alarm."""
        text = definition.value(rows.START_UP_RULE)
        if not text:
            return True
        try:
            return bool(self._plug_ins.make(Kind.START_UP_RULE, text).starts(definition.kind.value, definition.name))
        except EveryplaceError as error:
            self.alarm(definition.name, f"{definition} stays stopped: {error.text}")
            return False

    def _purger(self, way: Way) -> Any:
        return self._plug_ins.make(Kind.PURGER_RULE, way.connection.value(rows.PURGER_RULE) or DEFAULT_PURGER)

    # Objects that start and stop

    def started(self, definition: BridgeDefinition) -> None:
        """An object runs."""
        if definition.kind is BridgeKind.CLIENT_CONNECTION:
            self._ways[definition.path] = self._new_way(definition)
        elif definition.kind is BridgeKind.LISTENER:
            self._listeners.start(definition, self._ways[definition.path[:-1]])

    def stopped(self, path: BridgePath) -> None:
        """An object has stopped."""
        self._listeners.stop(path)
        way = self._ways.pop(path, None)
        self._agreed.pop(path, None)
        if way is not None:
            way.pool.close()

    def _told(self, connection: BridgeDefinition, why: str, agreed: TlsConnection | None) -> None:
        """A queue manager elsewhere has let a program connect, or not; an operator hears of each cause once."""
        path = connection.path
        if why and why != self.objects.why(path):
            self.alarm(connection.name, f"{connection} does not connect: {why}")
        self.objects.note(path, why)
        self._agreed[path] = agreed

    def connections(self) -> list[dict[str, str]]:
        """Return a row for each client connection object that leads elsewhere, for displays."""
        found = []
        for each in self.objects:
            if each.kind is BridgeKind.CLIENT_CONNECTION and self.objects.find(each.path[:-1]).value(rows.HOST):
                agreed = self._agreed.get(each.path)
                certificate = None if agreed is None else agreed.certificate
                row = {
                    "name": "/".join(each.path),
                    "state": str(self.objects.inquire(each.path)[rows.RUN_STATE]),
                    "tls": "" if agreed is None else f"{agreed.protocol} {agreed.cipher_spec}",
                    "peer": "" if certificate is None else certificate.peer_name,
                    "why": self.objects.why(each.path),
                }
                found.append(row)
        return found

    def _new_way(self, definition: BridgeDefinition) -> Way:
        proxy = self.objects.find(definition.path[:-1])
        here = not proxy.value(rows.HOST)

        def begin(user: str) -> MqProgram:
            if here:
                return LocalProgram(self._owner, user)
            told = partial(self._told, definition)
            try:
                calling = Calling(proxy.value(rows.HOST), definition, self._owner.mq.objects.manager, told)
            except EveryplaceError as error:
                told(error.text, None)
                raise
            return self._owner.foreign_program(proxy, definition, calling)

        idle = definition.value(rows.MAX_IDLE) * MINUTE
        most = definition.value(rows.MAX_CONNECTIONS) if not here else _MANY
        pool = ProgramPool(str(definition), begin, most, idle, by_user=here)
        transformer = self.objects.find(definition.path[:1]).value(rows.TRANSFORMER)
        return Way(self, definition, pool, transformer, here=here)


_MANY: Final = 1_000_000
