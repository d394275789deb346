"""The messages that a queue stores, and the operations on them (mqe.md 7 and 8, E-151 to E-158)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.states import Event, State, step
from mqbridge.bridge.store.interface import AddMessage, ChangeMessage, Operation, RemoveMessage, Store
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import DEFAULT_PRIORITY, Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .entry import Entry, index_of
from .message_list import MessageList

Result = TypeVar("Result")
NO_LIMIT: Final = -1
_NOWHERE: Final = Address("", "")
_CAN_EXPIRE: Final = (State.PUT_UNCONFIRMED, State.UNLOCKED)


@dataclass(slots=True)
class Limits:
    """``priority``: of messages that have none. ``expiry``: interval in milliseconds, 0 for none. ``max_messages``,
    ``max_length``: the most that the queue holds, and the longest dump of one; `NO_LIMIT` for none."""

    priority: int = DEFAULT_PRIORITY
    expiry: int = 0
    max_messages: int = NO_LIMIT
    max_length: int = NO_LIMIT


class StoredMessages:
    """The messages of one queue.

    ``number``: of the queue in the store. ``name``: the queue for error texts. Times are milliseconds since 1970.
    What an operation does is a `Change`, which the caller has committed; one that meets a message with an open change
    raises `Unsettled`.
    """

    def __init__(self, number: int, name: str, store: Store, limits: Limits) -> None:
        self._number = number
        self._name = name
        self._store = store
        self.limits = limits
        self._list = MessageList()
        self._list.load([Entry.read(*row) for row in store.scan(number)])
        for entry in self._list:
            self._note_expiry(entry)

    # Putting

    def put(self, message: Message, confirm: int, now: int, target: Address | None = None) -> Change[None]:
        """Put a message that has its UID; with a confirm id it stays hidden until `confirm_put` (E-172).

        Raises `EveryplaceError` DUPLICATE, EXPIRED, Q_FULL or TOO_LONG.
        """
        uid = message.uid
        if uid is None:
            raise EveryplaceError(Code.BAD_REQUEST, f"a message without UID cannot be put on {self._name}")
        held = self._list.find(uid)
        operations: list[Operation] = []
        if held is not None:
            self._settled(held)
            if not message.resend:
                raise EveryplaceError(Code.DUPLICATE, f"{self._name} holds message {uid}")
            if held.state is not State.PUT_UNCONFIRMED:
                return Change(None)
            operations.append(RemoveMessage(self._number, held.position))
        elif 0 <= self.limits.max_messages <= len(self._list):
            raise EveryplaceError(Code.Q_FULL, f"{self._name} holds {len(self._list)} messages")
        data = dump(message)
        if 0 <= self.limits.max_length < len(data):
            raise EveryplaceError(Code.TOO_LONG, f"message {uid} has {len(data)} bytes; {self._name} takes fewer")
        entry = self._new_entry(message, confirm, now, target, len(data))
        expires = entry.expires(self.limits.expiry)
        if expires is not None and expires <= now:
            raise EveryplaceError(Code.EXPIRED, f"message {uid} has expired")
        operations.append(AddMessage(self._number, entry.position, entry.row(), data))
        change = Change(None, operations, partial(self._added, entry), partial(self._not_added, entry, held))
        if held is not None:
            self._list.remove(held)
        entry.change = change
        self._list.add(entry)
        return change

    def _new_entry(self, message: Message, confirm: int, now: int, target: Address | None, length: int) -> Entry:
        priority = self.limits.priority if message.priority is None else message.priority
        state = State.PUT_UNCONFIRMED if confirm else State.UNLOCKED
        position, place = self._list.new_position(), self._list.new_place()
        index = index_of(message)
        return Entry(position, state, priority, place, now, index, confirm, target=target, length=length)

    def _added(self, entry: Entry) -> None:
        entry.change = None
        self._note_expiry(entry)

    def _not_added(self, entry: Entry, held: Entry | None) -> None:
        self._list.remove(entry)
        if held is not None:
            held.place = self._list.new_place()
            self._list.add(held)

    def _note_expiry(self, entry: Entry) -> None:
        expires = entry.expires(self.limits.expiry)
        if expires is not None:
            self._list.expire_at(expires, entry.uid)

    def confirm_put(self, uid: MessageUid) -> Change[None]:
        """Make a message visible. Raises `EveryplaceError` NOT_FOUND; a repeated call takes it as done (E-198)."""
        return self._move(self._named(uid, Event.CONFIRM_PUT), Event.CONFIRM_PUT, None, confirm=0)

    # Getting

    def get(self, wanted: Filter, confirm: int, now: int) -> Change[Message]:
        """Get the first message that a filter means; with a confirm id it stays hidden until `confirm_get` (E-173).

        Raises `NoMatchingMessage`.
        """
        for entry, message in self._matching(wanted, now):
            found = self._read(entry) if message is None else message
            if wanted.lock_id:
                event = Event.GET_LOCKED_WITH_CONFIRM if confirm else Event.GET_LOCKED
            else:
                event = Event.GET_WITH_CONFIRM if confirm else Event.GET
            return self._move(entry, event, found, confirm=confirm)
        raise NoMatchingMessage(text=f"no matching message on {self._name}")

    def confirm_get(self, uid: MessageUid) -> Change[None]:
        """Remove a message that was got. Raises `EveryplaceError` NOT_FOUND, which may be taken as done (E-202)."""
        return self._move(self._named(uid, Event.CONFIRM_GET), Event.CONFIRM_GET, None)

    def browse(self, wanted: Filter, now: int) -> list[Message]:
        """Return all messages that a filter means, in queue order (E-174)."""
        return [self._read(entry) if found is None else found for entry, found in self._matching(wanted, now)]

    def browse_uids(self, wanted: Filter, now: int) -> list[MessageUid]:
        """Return the UIDs of all messages that a filter means (E-174)."""
        return [entry.uid for entry, _ in self._matching(wanted, now)]

    def browse_and_lock(self, wanted: Filter, lock: int, confirm: int, now: int) -> Change[list[Message]]:
        """Lock and return all messages that a filter means; later ones are not locked (E-175)."""
        entries, messages = [], []
        for entry, found in self._matching(wanted, now):
            entries.append(entry)
            messages.append(self._read(entry) if found is None else found)
        moves = [(entry, Event.BROWSE_AND_LOCK, {"lock": lock, "lock_confirm": confirm}) for entry in entries]
        return self._move_all(moves, messages)

    def unlock(self, uid: MessageUid, lock: int) -> Change[None]:
        """Unlock a message. Raises `EveryplaceError` NOT_FOUND, or WRONG_LOCK."""
        entry = self._locked(uid, lock, Event.UNLOCK)
        return self._move(entry, Event.UNLOCK, None, lock=0, lock_confirm=0)

    def delete(self, uid: MessageUid, lock: int, now: int) -> Change[None]:
        """Remove a message without returning it (E-178). Raises `EveryplaceError` NOT_FOUND, or WRONG_LOCK."""
        event = Event.DELETE_LOCKED if lock else Event.DELETE
        entry = self._locked(uid, lock, event) if lock else self._named(uid, event)
        if self._expired(entry, now):
            raise self._not_found(uid)
        return self._move(entry, event, None)

    def undo(self, confirm: int) -> Change[int]:
        """Restore what was before the operations with a confirm id (E-153, E-154). The result is their number."""
        moves: list[tuple[Entry, Event, dict[str, Any]]] = []
        for entry in self._list:
            locked = entry.state is State.LOCKED
            if confirm and confirm == (entry.lock_confirm if locked else entry.confirm):
                self._settled(entry)
                marks = {"lock": 0, "lock_confirm": 0} if locked else {"confirm": 0}
                moves.append((entry, Event.UNDO, marks))
        return self._move_all(moves, len(moves))

    # Expiry, transmission, numbers

    def expired(self, now: int) -> list[Entry]:
        """Return messages that have expired and are neither locked nor got, to be removed by `remove` (E-085)."""
        found = []
        for entry in self._list.due(now):
            if not self._past(entry, now):
                self._note_expiry(entry)
            elif entry.change is None and not entry.reserved and entry.state in _CAN_EXPIRE:
                found.append(entry)
            else:
                self._list.expire_at(now + _LOOK_AGAIN, entry.uid)
        return found

    def remove(self, entries: Sequence[Entry], event: Event) -> Change[None]:
        """Remove messages that have expired or were transmitted. Raises `Unsettled`."""
        for entry in entries:
            self._settled(entry)
        return self._move_all([(entry, event, {}) for entry in entries], None)

    def first(self, count: int, now: int, target_queue_manager: str = "") -> list[Entry]:
        """Return the first messages that can be sent, of one target queue manager if it is given (E-211)."""
        found: list[Entry] = []
        for entry in self._list:
            if len(found) == count:
                break
            fits = not target_queue_manager or (entry.target or _NOWHERE).queue_manager == target_queue_manager
            if fits and self._free(entry) and not self._expired(entry, now):
                found.append(entry)
        return found

    def at(self, positions: Sequence[int]) -> list[Entry]:
        """Return the messages at positions of the store, in this order; those that are gone are left out."""
        wanted = set(positions)
        found = {entry.position: entry for entry in self._list if entry.position in wanted}
        return [found[position] for position in positions if position in found]

    @staticmethod
    def reserve(entries: Sequence[Entry]) -> None:
        """Keep messages for a transfer: they are not sent otherwise and do not expire, until `release`."""
        for entry in entries:
            entry.reserved = True

    @staticmethod
    def release(entries: Sequence[Entry]) -> None:
        """End `reserve`."""
        for entry in entries:
            entry.reserved = False

    def deletes(self, entries: Sequence[Entry]) -> list[Operation]:
        """Return the operations that delete reserved messages; `forget` follows when they are committed."""
        return [RemoveMessage(self._number, entry.position) for entry in entries]

    def forget(self, entries: Sequence[Entry]) -> None:
        """Forget reserved messages that the store has deleted."""
        for entry in entries:
            self._list.remove(entry)

    def read(self, entry: Entry) -> Message:
        """Return a message of the queue."""
        return self._read(entry)

    def unconfirmed_since(self, before: int) -> list[Entry]:
        """Return messages put but not confirmed, that arrived before a time (E-204)."""
        return [each for each in self._list if each.state is State.PUT_UNCONFIRMED and each.arrived < before]

    @property
    def next_deadline(self) -> int | None:
        """When `expired` must be asked next."""
        return self._list.next_deadline

    def __len__(self) -> int:
        return len(self._list)

    # Parts

    def _matching(self, wanted: Filter, now: int) -> Iterator[tuple[Entry, Message | None]]:
        """Yield visible messages that fit; the message too where it had to be read (E-069)."""
        state = State.LOCKED if wanted.lock_id else State.UNLOCKED
        for entry in self._list:
            if entry.state is not state or entry.change is not None or entry.lock != wanted.lock_id:
                continue
            if self._expired(entry, now) or not wanted.accepts_index(entry.index):
                continue
            if not wanted.others:
                yield entry, None
                continue
            message = self._read(entry)
            if wanted.accepts(message):
                yield entry, message

    def _read(self, entry: Entry) -> Message:
        return Message.of(restore(self._store.read(self._number, entry.position)))

    def _past(self, entry: Entry, now: int) -> bool:
        expires = entry.expires(self.limits.expiry)
        return expires is not None and expires <= now

    def _expired(self, entry: Entry, now: int) -> bool:
        return entry.state in _CAN_EXPIRE and self._past(entry, now)

    @staticmethod
    def _free(entry: Entry) -> bool:
        return entry.state is State.UNLOCKED and entry.change is None and not entry.reserved

    def _named(self, uid: MessageUid, event: Event) -> Entry:
        entry = self._list.find(uid)
        if entry is None:
            raise self._not_found(uid)
        self._settled(entry)
        if step(event, entry.state) is None:
            raise self._not_found(uid)
        return entry

    def _locked(self, uid: MessageUid, lock: int, event: Event) -> Entry:
        entry = self._named(uid, event)
        if entry.lock != lock:
            raise EveryplaceError(Code.WRONG_LOCK, f"message {uid} on {self._name} has another lock id")
        return entry

    def _not_found(self, uid: MessageUid) -> EveryplaceError:
        return EveryplaceError(Code.NOT_FOUND, f"{self._name} has no such message {uid}")

    @staticmethod
    def _settled(entry: Entry) -> None:
        if entry.change is not None:
            raise Unsettled(entry.change)

    def _move(self, entry: Entry, event: Event, result: Result, **marks: int) -> Change[Result]:
        return self._move_all([(entry, event, marks)], result)

    def _move_all(self, moves: Sequence[tuple[Entry, Event, dict[str, Any]]], result: Result) -> Change[Result]:
        """Make a change of messages that are settled and that their events affect."""
        operations: list[Operation] = []
        effects: list[Callable[[], None]] = []
        for entry, event, marks in moves:
            found = step(event, entry.state)
            assert found is not None, "the event does not affect the message"
            if found.state is None:
                operations.append(RemoveMessage(self._number, entry.position))
                effects.append(partial(self._list.remove, entry))
                continue
            if found.takes_place:
                self._list.take_place(entry, self._list.new_place())
            later = replace(entry, state=found.state, change=None, **marks)
            operations.append(ChangeMessage(self._number, entry.position, later.row()))
            effects.append(partial(self._become, entry, later))

        def end(effects: Sequence[Callable[[], None]]) -> None:
            for entry, _, _ in moves:
                entry.change = None
            for each in effects:
                each()

        change = Change(result, operations, partial(end, effects), partial(end, ()))
        for entry, _, _ in moves:
            entry.change = change
        return change

    @staticmethod
    def _become(entry: Entry, later: Entry) -> None:
        entry.state, entry.confirm = later.state, later.confirm
        entry.lock, entry.lock_confirm = later.lock, later.lock_confirm


_LOOK_AGAIN: Final = 1000
"""Milliseconds after which a message that has expired but is locked is looked at again."""
