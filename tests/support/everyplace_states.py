"""The table of states as calls and answers, and a message in each state (mqe.md 7, E-151)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.queues.stored_messages import Limits, StoredMessages
from mqbridge.bridge.everyplace.states import State
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.reserved import LOCK_ID
from mqbridge.protocol.everyplace.uid import MessageUid

NUMBER: Final = 2**31
UID: Final = MessageUid("MOON", 1000)
CONFIRM, OTHER_CONFIRM, LOCK, OTHER_LOCK = 11, 12, 21, 22
NOW: Final = 5000
NONE: Final = "none"
STATES: Final = (NONE, *State)


class Queue:
    """A queue over a store, whose changes are committed at once."""

    def __init__(self, store: Store | None = None, limits: Limits | None = None) -> None:
        self.tables = MemoryTables()
        self.store = MemoryStore(self.tables) if store is None else store
        self.number = NUMBER
        self.limits = limits or Limits()
        self.messages = StoredMessages(self.number, "Q@MOON", self.store, self.limits)

    def restart(self) -> None:
        """Forget everything but the store."""
        self.messages = StoredMessages(self.number, "Q@MOON", self.store, self.limits)

    def do(self, change: Change[Any]) -> Any:
        """Commit a change. Returns its result."""
        if change.operations:
            assert self.store.commit([change.operations]) == [None]
        change.ended(committed=True)
        return change.result

    def state(self) -> State | str:
        """The state of the message in the store; ``none`` if it is not there."""
        rows = list(self.store.scan(self.number))
        assert len(rows) <= 1
        return State(rows[0][1][1]) if rows else NONE


def message(text: str = "two apples", uid: MessageUid = UID, *, resend: bool = False) -> Message:
    found = Message()
    found["text"] = text
    found.identify(uid)
    found.resend = resend
    return found


def locked(lock: int) -> Filter:
    fields = Fields()
    fields.put(LOCK_ID, lock, FieldType.LONG)
    return Filter(fields)


def drive(queue: Queue, state: State | str) -> None:
    """Bring one message into a state."""
    messages = queue.messages
    if state == NONE:
        return
    queue.do(messages.put(message(), CONFIRM if state is State.PUT_UNCONFIRMED else 0, 0))
    if state is State.GET_UNCONFIRMED:
        queue.do(messages.get(Filter(), CONFIRM, 0))
    if state in (State.LOCKED, State.BROWSE_GET_UNCONFIRMED):
        queue.do(messages.browse_and_lock(Filter(), LOCK, CONFIRM, 0))
    if state is State.BROWSE_GET_UNCONFIRMED:
        queue.do(messages.get(locked(LOCK), CONFIRM, 0))


_NO, _DUP, _LOST = Code.Q_NO_MATCHING_MSG, Code.DUPLICATE, Code.NOT_FOUND
_PU, _U, _LB, _GU, _BG = State
# Event, call, and for each of none, PU, U, LB, GU, BG: the answer (a code, or None for done) and the state afterwards.
ROWS: Final[dict[str, tuple[Callable[[StoredMessages], Any], list[tuple[Code | None, State | str]]]]] = {
    "1 put": (
        lambda q: q.put(message(), 0, NOW),
        [(None, _U), (_DUP, _PU), (_DUP, _U), (_DUP, _LB), (_DUP, _GU), (_DUP, _BG)],
    ),
    "1 put again": (
        lambda q: q.put(message(resend=True), 0, NOW),
        [(None, _U), (None, _U), (None, _U), (None, _LB), (None, _GU), (None, _BG)],
    ),
    "2 put with confirm id": (
        lambda q: q.put(message(), CONFIRM, NOW),
        [(None, _PU), (_DUP, _PU), (_DUP, _U), (_DUP, _LB), (_DUP, _GU), (_DUP, _BG)],
    ),
    "2 put with confirm id again": (
        lambda q: q.put(message(resend=True), OTHER_CONFIRM, NOW),
        [(None, _PU), (None, _PU), (None, _U), (None, _LB), (None, _GU), (None, _BG)],
    ),
    "3 confirmPut": (
        lambda q: q.confirm_put(UID),
        [(_LOST, NONE), (None, _U), (_LOST, _U), (_LOST, _LB), (_LOST, _GU), (_LOST, _BG)],
    ),
    "4 get": (
        lambda q: q.get(Filter(), 0, NOW),
        [(_NO, NONE), (_NO, _PU), (None, NONE), (_NO, _LB), (_NO, _GU), (_NO, _BG)],
    ),
    "5 get with confirm id": (
        lambda q: q.get(Filter(), OTHER_CONFIRM, NOW),
        [(_NO, NONE), (_NO, _PU), (None, _GU), (_NO, _LB), (_NO, _GU), (_NO, _BG)],
    ),
    "6 get with lock id": (
        lambda q: q.get(locked(LOCK), 0, NOW),
        [(_NO, NONE), (_NO, _PU), (_NO, _U), (None, NONE), (_NO, _GU), (_NO, _BG)],
    ),
    "7 get with lock id and confirm id": (
        lambda q: q.get(locked(LOCK), OTHER_CONFIRM, NOW),
        [(_NO, NONE), (_NO, _PU), (_NO, _U), (None, _BG), (_NO, _GU), (_NO, _BG)],
    ),
    "8 get with a wrong lock id": (
        lambda q: q.get(locked(OTHER_LOCK), 0, NOW),
        [(_NO, NONE), (_NO, _PU), (_NO, _U), (_NO, _LB), (_NO, _GU), (_NO, _BG)],
    ),
    "9 confirmGet": (
        lambda q: q.confirm_get(UID),
        [(_LOST, NONE), (_LOST, _PU), (_LOST, _U), (_LOST, _LB), (None, NONE), (None, NONE)],
    ),
    "11 browse and lock": (
        lambda q: q.browse_and_lock(Filter(), OTHER_LOCK, OTHER_CONFIRM, NOW),
        [(None, NONE), (None, _PU), (None, _LB), (None, _LB), (None, _GU), (None, _BG)],
    ),
    "12 unlock": (
        lambda q: q.unlock(UID, LOCK),
        [(_LOST, NONE), (_LOST, _PU), (_LOST, _U), (None, _U), (_LOST, _GU), (_LOST, _BG)],
    ),
    "12 unlock with a wrong lock id": (
        lambda q: q.unlock(UID, OTHER_LOCK),
        [(_LOST, NONE), (_LOST, _PU), (_LOST, _U), (Code.WRONG_LOCK, _LB), (_LOST, _GU), (_LOST, _BG)],
    ),
    "13 delete": (
        lambda q: q.delete(UID, 0, NOW),
        [(_LOST, NONE), (_LOST, _PU), (None, NONE), (_LOST, _LB), (_LOST, _GU), (_LOST, _BG)],
    ),
    "14 delete with lock id": (
        lambda q: q.delete(UID, LOCK, NOW),
        [(_LOST, NONE), (_LOST, _PU), (_LOST, _U), (None, NONE), (_LOST, _GU), (_LOST, _BG)],
    ),
    "14 delete with a wrong lock id": (
        lambda q: q.delete(UID, OTHER_LOCK, NOW),
        [(_LOST, NONE), (_LOST, _PU), (_LOST, _U), (Code.WRONG_LOCK, _LB), (_LOST, _GU), (_LOST, _BG)],
    ),
    "15 undo": (
        lambda q: q.undo(CONFIRM),
        [(None, NONE), (None, NONE), (None, _U), (None, _U), (None, _U), (None, _LB)],
    ),
    "16 undo with a wrong confirm id": (
        lambda q: q.undo(OTHER_CONFIRM),
        [(None, NONE), (None, _PU), (None, _U), (None, _LB), (None, _GU), (None, _BG)],
    ),
}
