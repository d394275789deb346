"""The operations of programs on the messages that a queue stores (mqe.md 7 and 8, E-151 to E-158)."""

from __future__ import annotations

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.security.at_rest import PLAIN, AtRest
from mqbridge.bridge.everyplace.states import Event, State
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.dump import dump_with_index
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .entry import UNMARKED, Entry, Marks, expire_time, shared
from .expiring_messages import ExpiringMessages
from .held_messages import HeldMessages, Limits, Move, require_settled
from .outgoing_messages import OutgoingMessages


class StoredMessages:
    """The messages of one queue.

    ``number``: of the queue in the store. ``name``: the queue for error texts. Times are milliseconds since 1970.
    What an operation does is a `Change`, which the caller has committed; one that meets a message with an open change
    raises `Unsettled`.

    ``held``: the messages and their states. ``outgoing``: those that are to be sent. ``expiry``: those whose time is
    over.
    """

    def __init__(self, number: int, name: str, store: Store, limits: Limits, at_rest: AtRest = PLAIN) -> None:
        self.held = HeldMessages(number, name, store, limits, at_rest)
        self.outgoing = OutgoingMessages(self.held)
        self.expiry = ExpiringMessages(self.held)

    @property
    def limits(self) -> Limits:
        """Priority, expiry and lengths."""
        return self.held.limits

    def set_limits(self, limits: Limits, at_rest: AtRest = PLAIN) -> None:
        """Take other limits, of which the expiry interval holds for the messages that are there too, and another way to
        keep messages that come from now on."""
        self.held.limits = limits
        self.held.at_rest = at_rest
        for entry in self.held.list:
            self.held.note_expiry(entry)

    def __len__(self) -> int:
        return len(self.held)

    # Putting

    def put(self, message: Message, confirm: int, now: int, target: Address | None = None) -> Change[None]:
        """Put a message that has its UID; with a confirm id it stays hidden until `confirm_put` (E-172).

        Raises `EveryplaceError` DUPLICATE, EXPIRED, Q_FULL or TOO_LONG.
        """
        uid, name, limits = message.uid, self.held.name, self.held.limits
        if uid is None:
            raise EveryplaceError(Code.BAD_REQUEST, f"a message without UID cannot be put on {name}")
        before = self.held.list.find(uid)
        if before is not None:
            require_settled(before)
            over = not before.reserved and self.held.expired(before, now)
            if not message.resend and not over:
                raise EveryplaceError(Code.DUPLICATE, f"{name} holds message {uid}")
            if before.state is not State.PUT_UNCONFIRMED and not over:
                return Change(None)
        elif 0 <= limits.max_messages <= len(self.held):
            raise self._full()
        entry, data = self._new_entry(message, uid, now, target)
        if confirm:
            entry.state, entry.marks = State.PUT_UNCONFIRMED, Marks(confirm)
        if message.priority is not None:
            entry.priority = message.priority
        entry.expire_time = expire_time(message, uid)
        if self.held.past(entry, now):
            raise EveryplaceError(Code.EXPIRED, f"message {uid} has expired")
        return self.held.add(entry, self.held.at_rest.protect(uid, data), before)

    def put_plain(self, message: Message, uid: MessageUid, now: int, target: Address | None) -> Change[None]:
        """Put a message that has no reserved field but a new UID: `put` in fewer steps.

        Raises `EveryplaceError` Q_FULL or TOO_LONG.
        """
        held = self.held
        if 0 <= held.limits.max_messages <= len(held.list):
            raise self._full()
        entry, data = self._new_entry(message, uid, now, target)
        return held.add(entry, held.at_rest.protect(uid, data), None)

    def _full(self) -> EveryplaceError:
        return EveryplaceError(Code.Q_FULL, f"{self.held.name} holds {len(self.held)} messages")

    def has(self, message: Message) -> bool:
        """Whether it holds this very message, as one that comes again once its sender was readmitted (E-155).

        One that is not confirmed may still be undone and does not count. Raises `Unsettled`.
        """
        uid = message.uid
        held = None if uid is None else self.held.list.find(uid)
        if held is None:
            return False
        require_settled(held)
        return held.state is not State.PUT_UNCONFIRMED and self.held.read(held) == message

    def _new_entry(self, message: Message, uid: MessageUid, now: int, target: Address | None) -> tuple[Entry, bytes]:
        """Return the entry of a message that is visible and has the queue's priority and expiry, and its dump.

        Raises `EveryplaceError` TOO_LONG.
        """
        held = self.held
        limits, messages = held.limits, held.list
        data, fields = dump_with_index(message)
        length = len(data)
        if 0 <= limits.max_length < length:
            raise EveryplaceError(Code.TOO_LONG, f"message {uid} has {length} bytes; {held.name} takes fewer")
        position, place = messages.new_position(), messages.new_place()
        target = shared(target)
        entry = Entry(
            position, State.UNLOCKED, limits.priority, place, now, uid, fields, None, UNMARKED, target, length
        )
        return entry, data

    def confirm_put(self, uid: MessageUid) -> Change[None]:
        """Make a message visible. Raises `EveryplaceError` NOT_FOUND; a repeated call takes it as done (E-198)."""
        return self.held.move(self.held.named(uid, Event.CONFIRM_PUT), Event.CONFIRM_PUT, None, confirm=0)

    # Getting

    def get(self, wanted: Filter, confirm: int, now: int) -> Change[Message]:
        """Get the first message that a filter means; with a confirm id it stays hidden until `confirm_get` (E-173).

        Raises `NoMatchingMessage`.
        """
        for entry, message in self.held.visible(wanted, now):
            found = self.held.read(entry) if message is None else message
            if wanted.lock_id:
                event = Event.GET_LOCKED_WITH_CONFIRM if confirm else Event.GET_LOCKED
            else:
                event = Event.GET_WITH_CONFIRM if confirm else Event.GET
            return self.held.move(entry, event, found, confirm=confirm)
        raise NoMatchingMessage(text=f"no matching message on {self.held.name}")

    def confirm_get(self, uid: MessageUid) -> Change[None]:
        """Remove a message that was got. Raises `EveryplaceError` NOT_FOUND, which may be taken as done (E-202)."""
        return self.held.move(self.held.named(uid, Event.CONFIRM_GET), Event.CONFIRM_GET, None)

    def browse(self, wanted: Filter, now: int) -> list[Message]:
        """Return all messages that a filter means, in queue order (E-174)."""
        return [self.held.read(entry) if found is None else found for entry, found in self.held.visible(wanted, now)]

    def browse_uids(self, wanted: Filter, now: int) -> list[MessageUid]:
        """Return the UIDs of all messages that a filter means (E-174)."""
        return [entry.uid for entry, _ in self.held.visible(wanted, now)]

    def browse_and_lock(self, wanted: Filter, lock: int, confirm: int, now: int) -> Change[list[Message]]:
        """Lock and return all messages that a filter means; later ones are not locked (E-175)."""
        entries, messages = [], []
        for entry, found in self.held.visible(wanted, now):
            entries.append(entry)
            messages.append(self.held.read(entry) if found is None else found)
        marks = {"lock": lock, "lock_confirm": confirm}
        moves = [Move(entry, Event.BROWSE_AND_LOCK, marks) for entry in entries]
        return self.held.move_all(moves, messages)

    def unlock(self, uid: MessageUid, lock: int) -> Change[None]:
        """Unlock a message. Raises `EveryplaceError` NOT_FOUND, or WRONG_LOCK."""
        entry = self.held.locked(uid, lock, Event.UNLOCK)
        return self.held.move(entry, Event.UNLOCK, None, lock=0, lock_confirm=0)

    def delete(self, uid: MessageUid, lock: int, now: int) -> Change[None]:
        """Remove a message without returning it (E-178). Raises `EveryplaceError` NOT_FOUND, or WRONG_LOCK."""
        event = Event.DELETE_LOCKED if lock else Event.DELETE
        entry = self.held.locked(uid, lock, event) if lock else self.held.named(uid, event)
        if self.held.expired(entry, now):
            raise self.held.not_found(uid)
        return self.held.move(entry, event, None)

    def undo(self, confirm: int) -> Change[int]:
        """Restore what was before the operations with a confirm id (E-153, E-154). The result is their number."""
        moves: list[Move] = []
        for entry in self.held.list:
            locked = entry.state is State.LOCKED
            if confirm and confirm == (entry.marks.lock_confirm if locked else entry.marks.confirm):
                require_settled(entry)
                marks = {"lock": 0, "lock_confirm": 0} if locked else {"confirm": 0}
                moves.append(Move(entry, Event.UNDO, marks))
        return self.held.move_all(moves, len(moves))

    def read(self, entry: Entry) -> Message:
        """Return a message of the queue."""
        return self.held.read(entry)
