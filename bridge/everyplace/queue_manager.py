"""A queue manager of Everyplace, as programs, partners and its host call it (mqe.md).

It does no I/O. Time is an argument (``now``, seconds since the epoch, UTC); the store is read through its interface and
written by its host::

    for pending in queue_manager.take_commits():          # after any call
        error = store.commit([pending.operations])[0]     # alone, or beside other rows in one transaction
        queue_manager.committed(pending, error)           # in the same order
    for effect in queue_manager.take_effects():
        …
    queue_manager.next_timeout()                          # when to call timeout(now) next
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.bridge.store.interface import Operation, Store, StoreError
from mqbridge.protocol.everyplace.calls import (
    Call,
    Done,
    Outcome,
    Put,
    Refused,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .calls_on_queues import OPERATIONS, change_of
from .changes import Change, Unsettled
from .definitions.connection_definition import ConnectionDefinition
from .definitions.properties import Property
from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind, require
from .effects import AskMq, AskPartner, Effect, Then, Transmit
from .identities import Identities
from .mq_units import MqTarget
from .objects.objects import Objects
from .queues.queue import Queue
from .registry import Registry
from .routes import Routes
from .states import Event

_EXPIRY_INTERVAL: Final = 1.0


@dataclass(slots=True, eq=False)
class Pending:
    """A change on its way to disk. ``operations``: for the store."""

    change: Change[Any]
    then: Callable[[Any], None]
    operations: list[Operation]


class QueueManager:
    """One queue manager of Everyplace.

    ``random``: source of lock ids. Raises `EveryplaceError` NOT_FOUND where none was created, STORE or REGISTRY_NEWER
    for a registry that it cannot read.
    """

    def __init__(self, store: Store, random: random.Random) -> None:
        self._store = store
        self._random = random
        self.registry = Registry(store)
        manager = self.registry.manager()
        if manager is None:
            raise EveryplaceError(Code.NOT_FOUND, "there is no queue manager here")
        self.name: str = manager.get("name")
        self.incarnation: bytes = manager.get("incarnation")
        self.identities = Identities(self.name, self.registry)
        self._commits: list[Pending] = []
        self._effects: list[Effect] = []
        self._next_expiry = 0.0
        self.objects = Objects(self.name, store, _accept, self.tell)
        self.queues = self.objects.queues.table
        self.connections = self.objects.connections.table
        self.listeners = self.objects.listeners.table
        self.routes = Routes(self.name, self.objects, store)

    # Definitions

    def define_queue(self, definition: QueueDefinition, then: Then) -> None:
        """Define a queue (E-223). The outcome is Q_ALREADY_EXISTS if a name is taken."""
        self.define(lambda: self.objects.queues.define(definition), then)

    def define_connection(self, definition: ConnectionDefinition, then: Then) -> None:
        """Define a connection, in place of one of this name (E-251)."""
        self.define(lambda: self.objects.connections.put(definition), then)

    def define(self, prepare: Callable[[], Change[Any]], then: Then) -> None:
        """Have a change of the objects committed; ``prepare`` makes it, and may raise `EveryplaceError`."""
        try:
            self._submit(prepare().then(lambda _: Done()), then)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))

    def aliases(self) -> dict[str, str]:
        """Other names of queue managers, and what they stand for (E-310)."""
        return self.objects.connections.aliases()

    # Calls

    def call(self, call: Call, then: Then, now: float, peer: str = "") -> None:
        """Make a call; ``then`` gets its outcome, when it is on disk (mqe.md 8).

        ``peer``: the queue manager that asks for it, as it was authenticated; empty for a program of this one.
        """
        try:
            self._call(call, then, now, peer)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self.call(call, then, now, peer))
        except EveryplaceError as error:
            then(Refused(error.code, error.text))

    def _call(self, call: Call, then: Then, now: float, peer: str) -> None:
        queue, address = self.resolve(call.address)
        if queue.kind is QueueKind.STORE_AND_FORWARD and not isinstance(call, Put):
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} takes messages for others; programs put alone")
        require(OPERATIONS[type(call)], queue.kind, str(queue), synchronous=queue.definition.synchronous)
        if isinstance(call, Put):
            self._put(call, queue, address, then, now, peer)
        elif queue.messages is not None:
            self._submit(change_of(call, queue.messages, self._new_lock, _milliseconds(now)), then)
        else:
            self._ask(call, queue, address, then, peer)

    def identify(self, message: Message, now: float) -> list[Operation]:
        """Give a message a UID if it has none. Returns what is to be on disk with it, or before it goes elsewhere."""
        return self.identities.identify(message, now)

    def _put(self, call: Put, queue: Queue, address: Address, then: Then, now: float, peer: str) -> None:
        message = call.message.copy()
        message.check()
        operations = self.identify(message, now)
        if queue.messages is None:
            if operations:
                self._submit(Change(None, operations), lambda _: None)
            self._ask(Put(address, message, call.confirm), queue, address, then, peer)
            return
        passed_on = queue.kind in (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD)
        change = queue.messages.put(message, call.confirm, _milliseconds(now), address if passed_on else None)
        change.operations.extend(operations)

        def answered(outcome: Outcome) -> None:
            if passed_on and not call.confirm and isinstance(outcome, Done):
                self._transmit(queue, address)
            then(outcome)

        self._submit(change.then(lambda _: Done()), answered)

    def place(
        self, message: Message, address: Address, now: float, peer: str = "", *, confirm: int = 0
    ) -> Change[None]:
        """Prepare the put of a message that another queue manager has sent (E-189).

        ``peer``: the one that has sent it here, as it was authenticated; empty for this queue manager itself.
        ``confirm``: id of a put that stays hidden until it is confirmed, 0 for none.
        Raises `EveryplaceError`; NOT_SUPPORTED for a queue that stores nothing.
        """
        queue, resolved = self.resolve(address)
        if queue.messages is None:
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} keeps no messages that come by transfer")
        message.check()
        passed_on = queue.kind in (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD)
        return queue.messages.put(message, confirm, _milliseconds(now), resolved if passed_on else None)

    def mq_target(self, message: Message, address: Address) -> MqTarget | None:
        """Return where a message that another queue manager has sent goes in MQ; None if it stays at this one.

        Raises `EveryplaceError`.
        """
        queue, resolved = self.resolve(address)
        if queue.kind is not QueueKind.MQ_BRIDGE:
            return None
        message.check()
        return MqTarget(queue, resolved)

    def resolve(self, address: Address) -> tuple[Queue, Address]:
        """Return the queue that takes what goes to an address, and its address there (E-332). Raises
        `EveryplaceError`."""
        return self.routes.resolve(address)

    def _ask(self, call: Call, queue: Queue, address: Address, then: Then, peer: str) -> None:
        if queue.kind is QueueKind.MQ_BRIDGE:
            self._effects.append(AskMq(queue, address, call, then, peer))
            return
        self._effects.append(AskPartner(self.routes.hop(queue.owner), call, then))

    def _transmit(self, queue: Queue, address: Address) -> None:
        found = self.routes.find_hop(address.queue_manager)
        if found is not None:
            self._effects.append(Transmit(queue, found))

    def _new_lock(self) -> int:
        return self._random.getrandbits(62) + 1

    # What its host calls

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """Have a change committed; ``then`` gets whether it was."""
        self._submit(change, lambda result: then(not isinstance(result, Refused)))

    def _submit(self, change: Change[Any], then: Callable[[Any], None]) -> None:
        if not change.operations:
            change.ended(committed=True)
            then(change.result)
            return
        self._commits.append(Pending(change, then, change.operations))

    def take_commits(self) -> list[Pending]:
        """Return the changes since the last call, in order."""
        commits, self._commits = self._commits, []
        return commits

    def committed(self, pending: Pending, error: StoreError | None) -> None:
        """Say that a change is on disk, or why it is not; in the order in which they were taken."""
        pending.change.ended(committed=error is None)
        pending.then(pending.change.result if error is None else Refused(Code.STORE, f"the store says: {error}"))

    def tell(self, effect: Effect) -> None:
        """Have the host do something, or know of it."""
        self._effects.append(effect)

    def take_effects(self) -> list[Effect]:
        """Return the effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects

    def next_timeout(self) -> float:
        """When `timeout` is due next."""
        return self._next_expiry

    def timeout(self, now: float) -> None:
        """Remove messages that have expired (E-088)."""
        if now < self._next_expiry:
            return
        self._next_expiry = now + _EXPIRY_INTERVAL
        for queue in self.queues:
            if queue.messages is not None:
                expired = queue.messages.expiry.expired(_milliseconds(now))
                if expired:
                    self._submit(queue.messages.expiry.remove(expired, Event.EXPIRY), lambda _: None)


def _milliseconds(now: float) -> int:
    return int(now * 1000)


def _accept(row: Property, name: str) -> None:
    """Take any name of a plug-in."""
