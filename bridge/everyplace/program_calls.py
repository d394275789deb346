"""Calls of programs and of other queue managers, on the queue that each means (mqe.md 8)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import (
    Call,
    ConfirmPut,
    Discover,
    Discovered,
    Done,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .access import Access, Everybody
from .calls_in_doubt import CallsInDoubt
from .calls_on_queues import OPERATIONS, change_of
from .changes import Change, Unsettled
from .commits import Commits
from .definitions.queue_kinds import Operation as QueueOperation
from .definitions.queue_kinds import QueueKind, require
from .effects import AskMq, AskPartner, Effect, Then
from .expiry import Expiry
from .identities import Identities
from .queues.message_event import MessageEvent
from .queues.queue import Queue
from .routes import Routes, Undiscovered
from .rules.rule_calls import Rules
from .transmission import PASSED_ON, Transmission

_DONE: Final = Done()


class ProgramCalls:
    """Makes calls. ``random``: source of lock ids. ``tell``: gets the effects of those that go elsewhere. ``admit``:
    looks at each message that is put, see `administration.processor.Administration.admit`. ``asking``: how many calls
    other queue managers have not answered."""

    def __init__(
        self,
        routes: Routes,
        identities: Identities,
        commits: Commits,
        rules: Rules,
        transmission: Transmission,
        expiry: Expiry,
        random: random.Random,
        tell: Callable[[Effect], None],
        admit: Callable[[Queue, Message, str], list[Operation]],
        doubts: CallsInDoubt,
    ) -> None:
        self._routes = routes
        self._identities = identities
        self._commits = commits
        self._rules = rules
        self._transmission = transmission
        self._expiry = expiry
        self._random = random
        self._tell = tell
        self._admit = admit
        self.access: Access = Everybody()
        """What other queue managers may do with queues; MQ's own authorities decide about bridge queues."""
        self._doubts = doubts
        self.asking = 0

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

    def require_first(self, call: Put) -> None:
        """Require that a program's message was not put before, or comes as a repetition (E-156).

        One that its queue holds is a duplicate instead (E-155). Raises `EveryplaceError` NOT_ALLOWED.
        """
        uid = call.message.uid
        if uid is None or call.message.resend:
            return
        try:
            messages = self._routes.resolve(call.address)[0].messages
        except Undiscovered:
            messages = None
        if messages is None or messages.held.list.find(uid) is None:
            raise EveryplaceError(Code.NOT_ALLOWED, f"put to {call.address}: {uid} was put before; set Resend")

    def _call(self, call: Call, then: Then, now: float, peer: str) -> None:
        if isinstance(call, Put):
            queue, address = self._routes.resolve(call.address)
            if not peer and self._is_usual(call, queue):
                self._put_usual(call, queue, address, then, now)
            else:
                self._put(call, queue, address, then, now, peer)
            return
        queue, address = self._doubts.find(call) or self._routes.resolve(call.address)
        if isinstance(call, Discover) and (queue.messages is not None or queue.kind is QueueKind.MQ_BRIDGE):
            then(Discovered(self._routes.attributes(queue)))
            return
        if queue.kind is QueueKind.STORE_AND_FORWARD:
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} takes messages for others; programs put alone")
        self._require(OPERATIONS[type(call)], queue, peer)
        said, then = call, self._doubts.settling(call, then)
        call = self._rules.before(call, queue, address)
        if queue.messages is not None:
            if isinstance(call, ConfirmPut) and queue.kind in PASSED_ON:
                then = self._transmitting(queue, _target(queue, call.uid, address), now, then)
            change = change_of(call, queue.messages, self._new_lock, milliseconds(now))
            if isinstance(said, Get) and isinstance(change.result, Got):
                uid = change.result.message.uid
                then = self._doubts.beside(said, queue, address, uid, change.operations, then)
            self._commits.submit(change, then)
            return
        if isinstance(said, Get):
            then = self._doubts.got_elsewhere(said, queue, address, then)
        self._ask_in_doubt(said, call, queue, address, [], then, peer)

    def _ask_in_doubt(
        self, said: Call, call: Call, queue: Queue, address: Address, operations: list[Operation], then: Then, peer: str
    ) -> None:
        """Make a call elsewhere, behind its route on disk if it has a confirm id. ``said``: it as it was made."""
        if queue.kind is not QueueKind.MQ_BRIDGE:
            self._routes.hop(queue.owner)  # nothing is written for a call that cannot be made
        uid = call.message.uid if isinstance(call, Put) else None
        ask = partial(self._ask, call, queue, address, then, peer)
        self._doubts.ask_behind(said, queue, address, uid, operations, ask, then)

    def _require(self, operation: QueueOperation, queue: Queue, peer: str) -> None:
        """Require that a queue has an operation, and that who asks may do it. Raises `EveryplaceError`."""
        require(operation, queue.kind, str(queue), synchronous=queue.definition.synchronous)
        if peer and queue.kind is not QueueKind.MQ_BRIDGE:
            self.access.check(peer, operation, queue.definition.address)

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

    def _is_usual(self, call: Put, queue: Queue) -> bool:
        """Whether a program puts a new message of which nothing is to be looked at, neither by rules."""
        if call.confirm or not queue.takes_puts or queue.messages is None or queue.kind is QueueKind.ADMINISTRATION:
            return False
        return call.message.is_plain and not self._rules.ruled(queue)

    def _put_usual(self, call: Put, queue: Queue, address: Address, then: Then, now: float) -> None:
        """Do what `_put` does for a usual put."""
        message, messages = call.message, queue.messages
        assert messages is not None, "the queue stores messages"
        passed_on = queue.kind in PASSED_ON
        uid, operations = self._identities.identify_new(message, now)
        try:
            change = messages.put_plain(message, uid, int(now * 1000), address if passed_on else None)
        except EveryplaceError:
            self._identities.not_written()
            message.forget_uid()
            raise
        change.operations += operations
        target = address.queue_manager if passed_on else ""
        self._commits.submit(change, self._answered(queue, target, message, then, now))

    def _answered(
        self, queue: Queue, target: str, message: Message, then: Then, now: float
    ) -> Callable[[Refused | None], None]:
        """Return what the end of a put is told to. ``target``: where the message is sent then, empty for nowhere."""

        def answered(refused: Refused | None) -> None:
            if refused is not None:
                self._identities.not_written()
            elif target:  # sent before the call is answered (E-129)
                self._transmission.put(queue, target, message, now)
            then(refused or _DONE)

        return answered

    def _put(self, call: Put, queue: Queue, address: Address, then: Then, now: float, peer: str) -> None:
        if peer or not queue.takes_puts:
            self._require(QueueOperation.PUT, queue, peer)
        if call.confirm:
            self._require(QueueOperation.CONFIRM_PUT, queue, peer)
        message = call.message
        message.check()
        uid = message.uid
        operations = self._identities.identify(message, now)
        try:
            self._put_identified(call, queue, address, operations, then, now, peer)
        except EveryplaceError:
            self._identities.not_written()
            if uid is None:
                message.forget_uid()
            raise

    def _put_identified(
        self,
        call: Put,
        queue: Queue,
        address: Address,
        operations: Sequence[Operation],
        then: Then,
        now: float,
        peer: str,
    ) -> None:
        message = call.message
        if queue.messages is None or self._rules.ruled(queue):
            message = message.copy()
            self._rules.before_put(queue, address, message, call.confirm)
        beside = self._admit(queue, message, peer)
        if queue.messages is None:
            asked = Put(address, message, call.confirm)
            self._ask_in_doubt(call, asked, queue, address, list(operations), then, peer)
            return
        passed_on = queue.kind in PASSED_ON
        change = self._stored(queue, message, call.confirm, now, address if passed_on else None)
        if change.operations:
            change.operations.extend(beside)
        change.operations.extend(operations)
        target = address.queue_manager if passed_on and not call.confirm else ""
        answered = self._answered(queue, target, message, then, now)
        if call.confirm and change.operations:
            answered = self._doubts.beside(call, queue, address, message.uid, change.operations, answered)
        self._commits.submit(change, answered)

    def place(self, message: Message, address: Address, now: float, peer: str, confirm: int) -> Change[None]:
        """Prepare the put of a message; see `queue_manager.QueueManager.place`."""
        queue, resolved = self._routes.resolve(address)
        if queue.messages is None:
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} keeps no messages, as one must for what comes from MQ")
        message.check()
        self._rules.before_put(queue, resolved, message, confirm)
        beside = self._admit(queue, message, peer)
        if queue.messages.has(message):
            return Change(None)
        passed_on = queue.kind in PASSED_ON
        try:
            change = self._stored(queue, message, confirm, now, resolved if passed_on else None)
        except EveryplaceError as error:
            if error.code is not Code.EXPIRED:
                raise
            # It has come to its queue, and ends there (E-079).
            event = MessageEvent.of_message(resolved, message, queue.priority)
            self._rules.queues.expired(queue, event, lambda: message, now)
            return Change(None)
        if change.operations:
            change.operations.extend(beside)
        if passed_on and not confirm:
            change.afterwards(lambda: self._transmission.put(queue, resolved.queue_manager, message, now))
        return change

    def confirm_placed(self, queue: Queue, uid: MessageUid, now: float) -> Change[None]:
        """Prepare the confirm of a placed message; see `queue_manager.QueueManager.confirm_placed`."""
        assert queue.messages is not None, "the queue stores messages"
        target = _target(queue, uid, queue.definition.address)
        change = queue.messages.confirm_put(uid)
        if queue.kind in PASSED_ON:
            change.afterwards(lambda: self._transmission.put(queue, target, None, now))
        return change

    def _stored(self, queue: Queue, message: Message, confirm: int, now: float, target: Address | None) -> Change[None]:
        """Prepare the put to a queue that stores messages; the rule may drop one whose UID it holds (E-519)."""
        assert queue.messages is not None, "the queue stores messages"
        self._expiry.tell_of(queue, message.uid, now)
        try:
            return queue.messages.put(message, confirm, milliseconds(now), target)
        except EveryplaceError as error:
            if error.code is Code.DUPLICATE and self._rules.queues.duplicate(queue, message):
                return Change(None)
            raise

    def _ask(self, call: Call, queue: Queue, address: Address, then: Then, peer: str) -> None:
        if queue.kind is QueueKind.MQ_BRIDGE:
            self._tell(AskMq(queue, address, call, then, peer))
            return
        hop = self._routes.hop(queue.owner)
        self.asking += 1

        def answered(outcome: Outcome) -> None:
            self.asking -= 1
            if isinstance(outcome, Refused) and outcome.code is Code.Q_UNKNOWN:
                self._routes.forget(queue)
            then(outcome)

        self._tell(AskPartner(hop, replace(call, address=address), answered, queue))

    def _transmitting(self, queue: Queue, target: str, now: float, then: Then) -> Then:
        """Return what sends the message that a confirm has made visible, before that is answered (E-129)."""

        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, Done):
                self._transmission.put(queue, target, None, now)
            then(outcome)

        return answered

    def _new_lock(self) -> int:
        return self._random.getrandbits(62) + 1


def _target(queue: Queue, uid: MessageUid, address: Address) -> str:
    entry = None if queue.messages is None else queue.messages.held.list.find(uid)
    return address.queue_manager if entry is None or entry.target is None else entry.target.queue_manager


def milliseconds(now: float) -> int:
    """Return a time in seconds as milliseconds."""
    return int(now * 1000)
