"""The messages that a queue holds: their rows in the store, their states, and moves from state to state (E-151)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeVar

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.security.at_rest import AtRest
from mqbridge.bridge.everyplace.states import Event, State, step
from mqbridge.bridge.store.interface import AddMessage, ChangeMessage, Operation, RemoveMessage, Store
from mqbridge.protocol.everyplace.dump import body_in, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import DEFAULT_PRIORITY, Message
from mqbridge.protocol.everyplace.uid import MessageUid

from .entry import Entry, Marks
from .message_list import MessageList

Result = TypeVar("Result")
NO_LIMIT: Final = -1
CAN_EXPIRE: Final = (State.PUT_UNCONFIRMED, State.UNLOCKED)
"""States in which a message can expire (E-085)."""


@dataclass(slots=True)
class Limits:
    """``priority``: of messages that have none. ``expiry``: interval in milliseconds, 0 for none. ``max_messages``,
    ``max_length``: the most that the queue holds, and the longest dump of one; `NO_LIMIT` for none."""

    priority: int = DEFAULT_PRIORITY
    expiry: int = 0
    max_messages: int = NO_LIMIT
    max_length: int = NO_LIMIT


class Move(NamedTuple):
    """What an event makes of one message. ``marks``: the ids that the message has from then on."""

    entry: Entry
    event: Event
    marks: dict[str, int]


class HeldMessages:
    """The messages of one queue, in order, each in a state.

    ``number``: of the queue in the store. ``name``: the queue for error texts. ``at_rest``: how the store has them
    (E-095). ``watchers``: are called with each
    message that has become visible, when that is on disk (E-208). Times are milliseconds since 1970.
    """

    def __init__(self, number: int, name: str, store: Store, limits: Limits, at_rest: AtRest) -> None:
        self.number = number
        self.at_rest = at_rest
        self.name = name
        self.limits = limits
        self.watchers: list[Callable[[Entry], None]] = []
        self._store = store
        self.list = MessageList()
        self.list.load([Entry.read(*row) for row in store.scan(number)])
        for entry in self.list:
            self.note_expiry(entry)

    # Looking

    def read(self, entry: Entry) -> Message:
        """Return a message of the queue."""
        row = self._store.read(self.number, entry.position)
        return Message.of(restore(self.at_rest.opened(entry.uid, row)))

    def bodies(self, entries: Sequence[Entry]) -> list[bytes]:
        """Return the bodies of messages of the queue as they are kept, which are not taken apart."""
        rows = self._store.read_many(self.number, [entry.position for entry in entries])
        return [body_in(self.at_rest.opened(entry.uid, row)) for entry, row in zip(entries, rows, strict=True)]

    def visible(self, wanted: Filter, now: int) -> Iterator[tuple[Entry, Message | None]]:
        """Yield the messages that a filter means, in queue order; the message too where it had to be read (E-069)."""
        state = State.LOCKED if wanted.lock_id else State.UNLOCKED
        for entry in self.list:
            if entry.state is not state or entry.change is not None or entry.marks.lock != wanted.lock_id:
                continue
            if self.expired(entry, now) or not wanted.accepts_index(entry.index):
                continue
            if not wanted.reads_messages:
                yield entry, None
                continue
            message = self.read(entry)
            if wanted.accepts(message):
                yield entry, message

    def named(self, uid: MessageUid, event: Event) -> Entry:
        """Return the message with a UID, which an event affects. Raises `EveryplaceError` NOT_FOUND, `Unsettled`."""
        entry = self.list.find(uid)
        if entry is None:
            raise self.not_found(uid)
        require_settled(entry)
        if step(event, entry.state) is None:
            raise self.not_found(uid)
        return entry

    def locked(self, uid: MessageUid, lock: int, event: Event) -> Entry:
        """Return the message with a UID and a lock id. Raises `EveryplaceError` NOT_FOUND, WRONG_LOCK, `Unsettled`."""
        entry = self.named(uid, event)
        if entry.marks.lock != lock:
            raise EveryplaceError(Code.WRONG_LOCK, f"message {uid} on {self.name} has another lock id")
        return entry

    def not_found(self, uid: MessageUid) -> EveryplaceError:
        """Return the error for a UID that the queue does not hold."""
        return EveryplaceError(Code.NOT_FOUND, f"{self.name} has no such message {uid}")

    def past(self, entry: Entry, now: int) -> bool:
        """Whether the time of a message is over."""
        expires = entry.expires(self.limits.expiry)
        return expires is not None and expires <= now

    def expired(self, entry: Entry, now: int) -> bool:
        """Whether a message is as good as gone: its time is over, and nothing locks it."""
        return entry.state in CAN_EXPIRE and self.past(entry, now)

    def note_expiry(self, entry: Entry) -> None:
        """Note when a message is to be looked at."""
        expires = entry.expires(self.limits.expiry)
        if expires is not None:
            self.list.expire_at(expires, entry.uid)

    def __len__(self) -> int:
        return len(self.list)

    # Changing

    def add(self, entry: Entry, data: bytes, held: Entry | None) -> Change[None]:
        """Add a message. ``data``: what the store keeps. ``held``: the one with this UID in whose place it comes."""
        operations: list[Operation] = []
        if held is not None:
            operations.append(RemoveMessage(self.number, held.position))
            self.list.remove(held)
        operations.append(AddMessage(self.number, entry.position, entry.row(), data))
        change = Change(None, operations, partial(self._added, entry), partial(self._not_added, entry, held))
        entry.change = change
        self.list.add(entry)
        return change

    def _added(self, entry: Entry) -> None:
        entry.change = None
        self.note_expiry(entry)
        self._watch(entry)

    def _not_added(self, entry: Entry, held: Entry | None) -> None:
        self.list.remove(entry)
        if held is not None:
            held.place = self.list.new_place()
            self.list.add(held)

    def move(self, entry: Entry, event: Event, result: Result, **marks: int) -> Change[Result]:
        """Make a change of one message that an event affects."""
        return self.move_all([Move(entry, event, marks)], result)

    def move_all(self, moves: Sequence[Move], result: Result) -> Change[Result]:
        """Make a change of messages that are settled and that their events affect."""
        operations: list[Operation] = []
        effects: list[Callable[[], None]] = []
        for entry, event, marks in moves:
            found = step(event, entry.state)
            assert found is not None, "the event does not affect the message"
            if found.state is None:
                operations.append(RemoveMessage(self.number, entry.position))
                effects.append(partial(self.list.remove, entry))
                continue
            if found.takes_place:
                self.list.take_place(entry, self.list.new_place())
            later = entry.marks._replace(**marks)
            operations.append(ChangeMessage(self.number, entry.position, entry.row_with(found.state, later)))
            effects.append(partial(self._become, entry, found.state, later))

        def end(effects: Sequence[Callable[[], None]]) -> None:
            for move in moves:
                move.entry.change = None
            for each in effects:
                each()

        change = Change(result, operations, partial(end, effects), partial(end, ()))
        for move in moves:
            move.entry.change = change
        return change

    def _become(self, entry: Entry, state: State, marks: Marks) -> None:
        entry.state, entry.marks = state, marks
        self._watch(entry)

    def _watch(self, entry: Entry) -> None:
        if entry.state is State.UNLOCKED:
            for watcher in list(self.watchers):
                watcher(entry)


def require_settled(entry: Entry) -> None:
    """Raise `Unsettled` while a change of a message is on its way to disk."""
    if entry.change is not None:
        raise Unsettled(entry.change)
