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
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from mqbridge.bridge.store.interface import Operation, Store, StoreError
from mqbridge.protocol.everyplace.calls import Call, Done, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .access import Access
from .administration.processor import Administration
from .calls_in_doubt import CallsInDoubt
from .changes import Change
from .commits import Commits, Pending
from .confirm_ids import of_peer
from .dead_letters import DeadLetters
from .definitions.connection_definition import ConnectionDefinition
from .definitions.queue_definition import QueueDefinition
from .effects import Effect, MessageArrived, Then
from .elsewhere import Elsewhere
from .expiry import Expiry
from .identities import Identities
from .life_cycle import LifeCycle, Phase
from .objects.objects import Objects
from .program_calls import ProgramCalls
from .programs import Programs
from .queues.queue import Queue
from .registry import Registry
from .routes import Routes
from .routes_in_doubt import RoutesInDoubt
from .rule_owner import Owner
from .rules.plug_ins import PlugIns
from .rules.rule_calls import Rules
from .rules.supplied import supplied
from .security.security import Security
from .transmission import Transmission

__all__ = ["Pending", "QueueManager"]


class QueueManager:
    """One queue manager of Everyplace.

    ``random``: source of lock ids. ``plug_ins``: what definitions may name; without it, what comes with the program.
    ``security``: what protects messages at rest; without it, queues that demand it are refused.

    ``elsewhere``: messages in transit that are not kept here. ``life``: start and end. ``programs``: listeners and
    waits. ``transmission``: what may be sent. ``expiry``: messages whose time is over. ``rules``: hooks. Raises
    `EveryplaceError` NOT_FOUND where none was created, STORE or REGISTRY_NEWER for a registry that it cannot read.
    """

    def __init__(
        self, store: Store, random: random.Random, plug_ins: PlugIns | None = None, security: Security | None = None
    ) -> None:
        self.store = store
        self.security = security or Security()
        self.registry = Registry(store)
        manager = self.registry.manager()
        if manager is None:
            raise EveryplaceError(Code.NOT_FOUND, "there is no queue manager here")
        self.name: str = manager.get("name")
        self.incarnation: bytes = manager.get("incarnation")
        self.identities = Identities(self.name, self.registry)
        self._commits = Commits()
        self._effects: list[Effect] = []
        self._seen = 0.0
        self.rules = Rules(supplied() if plug_ins is None else plug_ins, self.tell)
        self.objects = Objects(self.name, store, self.rules, self.tell, self.security)
        self.queues = self.objects.queues.table
        self.connections = self.objects.connections.table
        self.listeners = self.objects.listeners.table
        self.routes = Routes(self.name, self.objects, store)
        self.dead_letters = DeadLetters(
            lambda: Address(self.objects.properties.dead_letter_queue, self.name), self.tell
        )
        self.administration = Administration(self, store)
        self.transmission = Transmission(self.objects, self.routes, self.rules.manager, self.tell)
        self.expiry = Expiry(self.objects, self.rules.queues, self._commits)
        self._calls = ProgramCalls(
            self.routes,
            self.identities,
            self._commits,
            self.rules,
            self.transmission,
            self.expiry,
            random,
            self.tell,
            self._admit,
            CallsInDoubt(RoutesInDoubt(store, self.queues.named), self._commits),
        )
        self.elsewhere = Elsewhere(self.routes, self.rules, store, self._admit, self.tell)
        self.programs = Programs(self.routes, self.rules.queues, self.call, self.tell)
        owner = Owner(self.name, self.objects, self.transmission.trigger, self.call)
        self.life = LifeCycle(owner, self.objects, self.rules, self.transmission, self.programs, self.tell)
        self.life.activities += [lambda: self._commits.open > 0, lambda: self._calls.asking > 0]

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
            self._commits.submit(prepare().then(lambda _: Done()), then)
            self.administration.wake()
        except EveryplaceError as error:
            then(Refused(error.code, error.text))

    def aliases(self) -> dict[str, str]:
        """Other names of queue managers, and what they stand for (E-310)."""
        return self.objects.connections.aliases()

    def guard(self, access: Access) -> None:
        """Let an access list say what other queue managers may do with queues here."""
        self._calls.access = access

    # Calls

    def call(self, call: Call, then: Then, now: float, peer: str = "") -> None:
        """Make a call; ``then`` gets its outcome, when it is on disk (mqe.md 8).

        ``peer``: the queue manager that asks for it, as it was authenticated; empty for a program of this one. The
        message of a put that has no UID gets one (E-037, E-038).
        """
        self.programs.now = now
        try:
            self.life.begin_call(call, now)
            if isinstance(call, Put) and not peer:
                self._calls.require_first(call)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return
        self._calls.call(of_peer(call, peer) if peer else call, then, now, peer)

    def put_identified(self, put: Put, then: Then, now: float) -> None:
        """Put a message of this queue manager's own, to which `identify` has given its UID."""
        self._calls.call(put, then, now)

    def identify(self, message: Message, now: float) -> Sequence[Operation]:
        """Give a message a UID if it has none. Returns what is to be on disk with it, or before it goes elsewhere."""
        return self.identities.identify(message, now)

    def place(
        self, message: Message, address: Address, now: float, peer: str = "", *, confirm: int = 0
    ) -> Change[None]:
        """Prepare the put of a message that another queue manager has sent (E-189).

        ``peer``: the one that has sent it here, as it was authenticated; empty for this queue manager itself.
        ``confirm``: id of a put that stays hidden until it is confirmed, 0 for none.
        Raises `EveryplaceError`; NOT_SUPPORTED for a queue that stores nothing.
        """
        self.programs.now = now
        self.life.begin_place(now)
        return self._calls.place(message, address, now, peer, confirm)

    def confirm_placed(self, queue: Queue, uid: MessageUid, now: float) -> Change[None]:
        """Prepare the confirm of a message that `place` has put with a confirm id. Raises `EveryplaceError` NOT_FOUND,
        `Unsettled`."""
        return self._calls.confirm_placed(queue, uid, now)

    def place_pulled(self, message: Message, address: Address, now: float, peer: str) -> Change[None]:
        """Prepare the put of a message that a home-server queue has pulled; the dead-letter queue takes what is for a
        queue that is not there (E-133). Raises `EveryplaceError` as `place` does."""
        try:
            return self.place(message, address, now, peer)
        except EveryplaceError as error:
            if error.code is not Code.Q_UNKNOWN:
                raise
            return self.dead_letters.put(message, str(address), error, lambda copy, to: self.place(copy, to, now))

    def resolve(self, address: Address) -> tuple[Queue, Address]:
        """Return the queue that takes what goes to an address, and its address there (E-332). Raises
        `EveryplaceError`."""
        return self.routes.resolve(address)

    def _admit(self, queue: Queue, message: Message, peer: str) -> list[Operation]:
        """Look at a message before it is put: at the channel over which it came, and at what it asks for."""
        if peer:
            self.security.require_channel(queue.definition, peer)
        return self.administration.admit(queue, message, peer)

    # What its host calls

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """Have a change committed; ``then`` gets whether it was."""
        self._commits.submit(change, lambda result: then(not isinstance(result, Refused)))

    def take_commits(self) -> list[Pending]:
        """Return the changes since the last call, in order."""
        return self._commits.take()

    def committed(self, pending: Pending, error: StoreError | None) -> None:
        """Say that a change is on disk, or why it is not; in the order in which they were taken."""
        self._commits.committed(pending, error)

    def tell(self, effect: Effect) -> None:
        """Have the host do something, or know of it."""
        self._effects.append(effect)

    def take_effects(self) -> list[Effect]:
        """Return the effects since the last call, in order."""
        effects, self._effects = self._effects, []
        if self.life.phase in (Phase.QUIESCING, Phase.CLOSED):  # E-209
            effects = [each for each in effects if not isinstance(each, MessageArrived)]
        return effects

    def next_timeout(self) -> float:
        """When `timeout` is due next; infinity for never."""
        if self.life.phase is Phase.CLOSED:
            return inf
        found = self.expiry.next_timeout()
        if self.life.phase is not Phase.RUNNING:
            other = self.life.next_timeout()
            return found if other is None else min(found, other)
        found = min(found, self.administration.next_timeout())
        for other in (self.programs.next_timeout(), self.transmission.next_timeout()):
            if other is not None and other < found:
                found = other
        return found

    def timeout(self, now: float) -> None:
        """Do what is due: start, obey administration messages, try waits again, remove expired messages, close."""
        back, self._seen = self._seen - now, now
        if back >= 1.0:
            for part in (self.life, self.programs, self.administration, self.expiry):
                part.set_back(back)
        self.life.timeout(now)
        if self.life.phase is Phase.RUNNING:
            self.administration.go_on(now)
            self.programs.timeout(now)
            self.transmission.timeout(now)
        if self.life.phase is not Phase.CLOSED:
            self.expiry.timeout(now)

    def expire(self, queue: Queue, now: float) -> Change[Any] | None:
        """Have the expired messages of a queue removed. Returns the change that does it; None if there are none."""
        return self.expiry.look_through(queue, now)
