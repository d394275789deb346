"""Calls of programs and of other queue managers, on the queue that each means (mqe.md 8)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import Call, Discover, Discovered, Done, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .calls_on_queues import OPERATIONS, change_of
from .changes import Change, Unsettled
from .commits import Commits
from .definitions.queue_kinds import QueueKind, require
from .effects import AskMq, AskPartner, Effect, Then, Transmit
from .identities import Identities
from .mq_units import MqTarget
from .queues.queue import Queue
from .routes import Routes, Undiscovered

_PASSED_ON: Final = (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD)


class ProgramCalls:
    """Makes calls. ``random``: source of lock ids. ``tell``: gets the effects of those that go elsewhere. ``admit``:
    looks at each message that is put, see `administration.processor.Administration.admit`."""

    def __init__(
        self,
        routes: Routes,
        identities: Identities,
        commits: Commits,
        random: random.Random,
        tell: Callable[[Effect], None],
        admit: Callable[[Queue, Message, str], list[Operation]],
    ) -> None:
        self._routes = routes
        self._identities = identities
        self._commits = commits
        self._random = random
        self._tell = tell
        self._admit = admit

    def call(self, call: Call, then: Then, now: float, peer: str = "") -> None:
        """Make a call; see `queue_manager.QueueManager.call`."""
        try:
            self._call(call, then, now, peer)
        except Undiscovered as undiscovered:
            self._discover(undiscovered, call, then, now, peer)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self.call(call, then, now, peer))
        except EveryplaceError as error:
            then(Refused(error.code, error.text))

    def _call(self, call: Call, then: Then, now: float, peer: str) -> None:
        queue, address = self._routes.resolve(call.address)
        if isinstance(call, Discover) and (queue.messages is not None or queue.kind is QueueKind.MQ_BRIDGE):
            then(Discovered(self._routes.attributes(queue)))
            return
        if queue.kind is QueueKind.STORE_AND_FORWARD and not isinstance(call, Put):
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} takes messages for others; programs put alone")
        require(OPERATIONS[type(call)], queue.kind, str(queue), synchronous=queue.definition.synchronous)
        if isinstance(call, Put):
            self._put(call, queue, address, then, now, peer)
        elif queue.messages is not None:
            self._commits.submit(change_of(call, queue.messages, self._new_lock, milliseconds(now)), then)
        else:
            self._ask(call, queue, address, then, peer)

    def _discover(self, found: Undiscovered, call: Call, then: Then, now: float, peer: str) -> None:
        """Ask for a queue that is not defined here (E-171, E-317), then make the call on it."""

        def answered(outcome: Outcome) -> None:
            if not isinstance(outcome, Discovered):
                then(outcome)
                return
            try:
                self._routes.learn(found, outcome.attributes)
            except EveryplaceError as error:
                then(Refused(error.code, error.text))
                return
            if isinstance(call, Discover):
                then(outcome)
            else:
                self.call(call, then, now, peer)

        self._tell(AskPartner(found.connection, Discover(found.address), answered))

    def _put(self, call: Put, queue: Queue, address: Address, then: Then, now: float, peer: str) -> None:
        call.message.check()
        operations = self._identities.identify(call.message, now)
        message = call.message.copy()
        try:
            beside = self._admit(queue, message, peer)
        except EveryplaceError:
            self._identities.not_written()
            raise
        if queue.messages is None:
            if operations:
                self._commits.submit(Change(None, operations), lambda _: None)
            self._ask(Put(address, message, call.confirm), queue, address, then, peer)
            return
        passed_on = queue.kind in _PASSED_ON
        try:
            change = queue.messages.put(message, call.confirm, milliseconds(now), address if passed_on else None)
        except EveryplaceError:
            self._identities.not_written()
            raise
        if change.operations:
            change.operations.extend(beside)
        change.operations.extend(operations)

        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, Refused):
                self._identities.not_written()
            if passed_on and not call.confirm and isinstance(outcome, Done):
                self._transmit(queue, address.queue_manager)
            then(outcome)

        self._commits.submit(change.then(lambda _: Done()), answered)

    def place(self, message: Message, address: Address, now: float, peer: str, confirm: int) -> Change[None]:
        """Prepare the put of a message; see `queue_manager.QueueManager.place`."""
        queue, resolved = self._routes.resolve(address)
        if queue.messages is None:
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} keeps no messages that come by transfer")
        message.check()
        beside = self._admit(queue, message, peer)
        passed_on = queue.kind in _PASSED_ON
        change = queue.messages.put(message, confirm, milliseconds(now), resolved if passed_on else None)
        if change.operations:
            change.operations.extend(beside)
        if passed_on and not confirm:
            change.afterwards(lambda: self._transmit(queue, resolved.queue_manager))
        return change

    def mq_target(self, message: Message, address: Address) -> MqTarget | None:
        """Return where a message goes in MQ; see `queue_manager.QueueManager.mq_target`."""
        queue, resolved = self._routes.resolve(address)
        if queue.kind is not QueueKind.MQ_BRIDGE:
            return None
        message.check()
        return MqTarget(queue, resolved)

    def _ask(self, call: Call, queue: Queue, address: Address, then: Then, peer: str) -> None:
        if queue.kind is QueueKind.MQ_BRIDGE:
            self._tell(AskMq(queue, address, call, then, peer))
            return

        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, Refused) and outcome.code is Code.Q_UNKNOWN:
                self._routes.forget(queue)
            then(outcome)

        self._tell(AskPartner(self._routes.hop(queue.owner), replace(call, address=address), answered))

    def _transmit(self, queue: Queue, target: str = "") -> None:
        """A queue that passes messages on has one for a queue manager: it goes over the queue's connection (E-320)."""
        self._tell(Transmit(queue, self._routes.find_hop(queue.owner) or "", target))

    def _new_lock(self) -> int:
        return self._random.getrandbits(62) + 1


def milliseconds(now: float) -> int:
    """Return a time in seconds as milliseconds."""
    return int(now * 1000)
