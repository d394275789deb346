"""The administration queue at work: requests are obeyed one at a time, in order of arrival (E-134, E-270 to E-289).

That a request is gone, what it has changed, and its reply are on disk in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, Protocol

from mqbridge.bridge.everyplace.changes import Change, Unsettled, joined
from mqbridge.bridge.everyplace.creation import StandardQueue
from mqbridge.bridge.everyplace.dead_letters import DeadLetters
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Alarm, Audit, Effect, Then
from mqbridge.bridge.everyplace.identities import Identities
from mqbridge.bridge.everyplace.objects.objects import Objects
from mqbridge.bridge.everyplace.queues.entry import Entry
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.routes import Routes, Undiscovered
from mqbridge.bridge.everyplace.states import Event, State
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.calls import Done, Outcome, Put
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message, Style
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .actions import QUEUE, ReturnCode
from .connection import ConnectionResource
from .listener import ListenerResource
from .manager import ManagerResource
from .origins import Origin, Origins
from .queue import QueueResource
from .requests import Request, Result, error_text, is_request, read_request, write_reply
from .resources import Resource

DEFAULT_INTERVAL: Final = 60.0
"""Seconds after which a request that has failed is tried again, if its queue has no interval (E-276)."""
_NEVER: Final = float("inf")


class Host(Protocol):
    """What the queue manager does for its administration."""

    name: str
    objects: Objects
    routes: Routes
    identities: Identities
    dead_letters: DeadLetters

    def put_identified(self, put: Put, then: Then, now: float) -> None:
        """Put a message that has its UID."""
        ...

    def place(self, message: Message, address: Address, now: float, peer: str = "") -> Change[None]:
        """Prepare a put on a queue that stores its messages."""
        ...

    def identify(self, message: Message, now: float) -> Sequence[Operation]:
        """Give a message a UID."""
        ...

    def expire(self, queue: Queue, now: float) -> Change[Any] | None:
        """Remove the expired messages of a queue."""
        ...

    def submit(self, change: Change[Any], then: Any) -> None:
        """Have a change committed."""
        ...

    def tell(self, effect: Effect) -> None:
        """Have something done outside."""
        ...


class Administration:
    """Obeys what is put to the administration queues of a queue manager."""

    def __init__(self, host: Host, store: Store) -> None:
        self._host = host
        self._origins = Origins(store)
        self._resources: dict[str, Resource] = {}
        self._due = 0.0
        self._busy = False
        self._begun = False
        self._later: dict[MessageUid, float] = {}
        """When requests that failed, and replies that could not be sent, are tried again."""
        self._sent: set[MessageUid] = set()
        objects = host.objects
        for name in (QUEUE, *(kind.value for kind in QueueKind)):
            self.register(QueueResource(name, host.name, objects.queues, host.expire))
        self.register(ConnectionResource(objects.connections))
        self.register(ListenerResource(objects.listeners))
        self.register(ManagerResource(host.name, objects))

    def register(self, resource: Resource) -> None:
        """Obey requests for a resource."""
        assert resource.name not in self._resources, "a class is registered once"
        self._resources[resource.name] = resource

    @property
    def administrators(self) -> tuple[str, ...]:
        """Queue managers whose requests are obeyed: those that are named, else the servers from which messages are
        pulled (E-288)."""
        objects = self._host.objects
        named = objects.properties.administrators
        return named or tuple(each.owner for each in objects.queues.of_kind([QueueKind.HOME_SERVER]))

    def admit(self, queue: Queue, message: Message, peer: str) -> list[Operation]:
        """Check a message that is put to a queue, and return what is to be on disk beside it.

        A request of no administrator comes as far as to its administration queue, which says so, but is not passed on.
        Raises `EveryplaceError` NOT_ALLOWED for that, ADMIN_NOT_ADMIN_MSG for what a program puts to the wrong queue.
        """
        administered = queue.kind is QueueKind.ADMINISTRATION
        if not is_request(message):
            if administered and not peer:
                raise EveryplaceError(Code.ADMIN_NOT_ADMIN_MSG, f"{queue} takes administration messages alone")
            return []
        uid = message.uid
        if not peer or uid is None:
            return []
        if administered:
            return [self._origins.put(uid, Origin(peer))]
        if peer not in self.administrators and queue.messages is not None and queue.kind is QueueKind.LOCAL:
            return []
        if peer not in self.administrators:
            raise EveryplaceError(
                Code.NOT_ALLOWED, f"{peer} is no administrator of {self._host.name}, which passes its request not on"
            )
        return []

    # Time

    def wake(self, _: object = None) -> None:
        """There may be something to do."""
        self._due = 0.0

    def set_back(self, seconds: float) -> None:
        """The clock was set back: what failed is tried again no later than otherwise."""
        self._later = {uid: due - seconds for uid, due in self._later.items()}
        self.wake()

    def next_timeout(self) -> float:
        """When `go_on` is due next."""
        return _NEVER if self._busy else self._due

    def go_on(self, now: float) -> None:
        """Obey the next request, if it is time."""
        while not self._busy and self._due <= now:
            if not self._begun:
                self._begin()
            found = self._next(now)
            if found is None:
                return
            queue, messages, entry = found
            try:
                if entry.target is None:
                    self._obey(queue, messages, entry, now)
                else:
                    self._send(messages, entry, entry.target, now)
            except Unsettled as unsettled:
                self._busy = True
                unsettled.change.afterwards(self._free)

    def _free(self) -> None:
        self._busy = False
        self.wake()

    def _begin(self) -> None:
        self._begun = True
        held = {entry.uid for _, messages in self._queues() for entry in messages.held.list}
        gone = self._origins.others(held)
        if gone:
            self._host.submit(Change(None, gone), lambda _: None)

    def _queues(self) -> Iterator[tuple[Queue, StoredMessages]]:
        for queue in self._host.objects.queues.of_kind([QueueKind.ADMINISTRATION]):
            if queue.messages is not None:
                if self.wake not in queue.messages.held.watchers:
                    queue.messages.held.watchers.append(self.wake)
                yield queue, queue.messages

    def _next(self, now: float) -> tuple[Queue, StoredMessages, Entry] | None:
        """Return the oldest message that is to be dealt with now; else note when one will be."""
        self._due = _NEVER
        best: tuple[Queue, StoredMessages, Entry] | None = None
        for queue, messages in self._queues():
            for entry in messages.held.list:
                if entry.state is not State.UNLOCKED or entry.change is not None or entry.reserved:
                    continue
                if messages.held.expired(entry, int(now * 1000)):
                    continue
                due = self._later.get(entry.uid, 0.0)
                if due > now:
                    self._due = min(self._due, due)
                elif best is None or entry.place < best[2].place:
                    best = queue, messages, entry
        if best is not None:
            self._due = 0.0
        return best

    # Requests

    def _obey(self, queue: Queue, messages: StoredMessages, entry: Entry, now: float) -> None:
        message, uid = messages.held.read(entry), entry.uid
        if not is_request(message):
            self._put_aside(queue, messages, entry, message, now)
            return
        origin = self._origins.read(uid)
        request, performed, again = self._perform(message, origin, now)
        if again:
            self._try_later(queue, uid, origin, now)
            return
        reply = self._reply(queue, messages, message, performed.result, now)
        changes = [performed, messages.held.move(entry, Event.GET, None), *reply]
        self._submit(joined(changes, performed.result, [self._origins.remove(uid)]), uid, request, origin, now)

    def _submit(self, change: Change[Result], uid: MessageUid, request: str, origin: Origin, now: float) -> None:
        self._busy = True
        result = change.result

        def ended(committed: bool) -> None:
            self._free()
            if committed:
                self._later.pop(uid, None)
                self._host.tell(Audit(origin.peer, uid.origin, request, int(result.code), result.reason))
            else:
                self._host.identities.not_written()
                self._later[uid] = now + DEFAULT_INTERVAL
                self._host.tell(Alarm(request, f"request {uid} could not be kept by the store; it is tried again"))

        self._host.submit(change, ended)

    def _perform(self, message: Message, origin: Origin, now: float) -> tuple[str, Change[Result], bool]:
        """Return what the request is, the prepared change, and whether it failed and is to be tried again."""
        request: Request | None = None
        again = False
        try:
            request = read_request(message)
            resource = self._check(request, message, origin)
            again = origin.tried + 1 < request.attempts
            change = resource.perform(request, now)
            failed = change.result.code is ReturnCode.FAILED
            if failed and again:
                change.ended(committed=False)
            return str(request), change, failed and again
        except EveryplaceError as error:
            parameters = Fields() if request is None else request.parameters
            what = message.type if request is None else str(request)
            return what, Change(Result(ReturnCode.FAILED, parameters, error_text(error))), again

    def _check(self, request: Request, message: Message, origin: Origin) -> Resource:
        own, administrators = self._host.name, self.administrators
        if origin.peer:
            uid = message.uid
            first = "" if uid is None else uid.origin
            for name in (origin.peer, first):
                if name not in administrators:
                    text = f"{request}: {name} is no administrator of {own}"
                    self._host.tell(Alarm(origin.peer, text))
                    raise EveryplaceError(Code.NOT_ALLOWED, text)
        if request.target and self._host.objects.connections.aliases().get(request.target, request.target) != own:
            raise EveryplaceError(Code.ADMIN_INVALID_FIELD, f"{request}: this is {own}, not {request.target}")
        resource = self._resources.get(request.resource)
        if resource is None or request.action not in resource.actions:
            raise EveryplaceError(
                Code.ADMIN_ACTION_NOT_SUPPORTED, f"{own} has no {request.action.word} for {request.resource}"
            )
        return resource

    def _try_later(self, queue: Queue, uid: MessageUid, origin: Origin, now: float) -> None:
        self._later[uid] = now + self._interval(queue)
        write = self._origins.put(uid, Origin(origin.peer, origin.tried + 1))
        self._busy = True
        self._host.submit(Change(None, [write]), lambda _: self._free())

    @staticmethod
    def _interval(queue: Queue) -> float:
        return float(queue.definition.value(rows.POLL_INTERVAL)) / 1000 or DEFAULT_INTERVAL

    def _put_aside(self, queue: Queue, messages: StoredMessages, entry: Entry, message: Message, now: float) -> None:
        """Move what is no request to the dead-letter queue; without one it stays."""
        uid = entry.uid
        why = EveryplaceError(Code.ADMIN_NOT_ADMIN_MSG, f"{uid} is no administration message")
        try:
            aside = self._host.dead_letters.put(message, str(queue), why, partial(self._place, now))
        except EveryplaceError as error:
            self._later[uid] = _NEVER
            self._host.tell(Alarm(str(queue), error.text))
            return
        self._busy = True
        change = joined([messages.held.move(entry, Event.GET, None), aside], None, [self._origins.remove(uid)])
        self._host.submit(change, lambda _: self._free())

    def _place(self, now: float, message: Message, address: Address) -> Change[None]:
        return self._host.place(message, address, now)

    # Replies

    def _reply(
        self, queue: Queue, messages: StoredMessages, request: Message, result: Result, now: float
    ) -> list[Change[Any]]:
        """Return the change that places the reply, if one is wanted: where it goes, or here until it can be sent."""
        if request.style is not Style.REQUEST:
            return []
        uid = request.uid
        name, owner = request.reply_to
        address = Address(
            name or StandardQueue.ADMINISTRATION_REPLY.value, owner or ("" if uid is None else uid.origin)
        )
        reply = write_reply(request, result)
        if reply.correl_id is None and uid is not None:
            reply.correl_id = str(uid).encode("ascii")[:24]
        written = Change(None, self._host.identify(reply, now))
        try:
            try:
                keeps = self._host.routes.resolve(address)[0].messages is not None
            except Undiscovered:
                keeps = False
            if not keeps:
                return [written, messages.put(reply, 0, int(now * 1000), address)]
            return [written, self._host.place(reply, address, now)]
        except EveryplaceError as error:
            why = EveryplaceError(error.code, f"the reply to {uid} cannot be put there: {error.text}")
        try:
            return [written, self._host.dead_letters.put(reply, str(address), why, partial(self._place, now))]
        except EveryplaceError as error:
            self._host.tell(Alarm(str(address), error.text))
            return [written]

    def _send(self, messages: StoredMessages, entry: Entry, target: Address, now: float) -> None:
        """Send a reply to a queue that is another queue manager's alone."""
        uid, reply = entry.uid, messages.held.read(entry)
        reply.resend = uid in self._sent
        self._sent.add(uid)
        self._later[uid] = now + DEFAULT_INTERVAL

        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, Done) and messages.held.list.find(uid) is entry and entry.change is None:
                self._later.pop(uid, None)
                self._sent.discard(uid)
                self._host.submit(messages.held.move(entry, Event.GET, None), lambda _: None)

        self._host.put_identified(Put(target, reply), answered, now)
