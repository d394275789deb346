"""The table of states, cell by cell, with right and wrong ids, before and after a restart (mqe.md 7, E-151)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.queues.held_messages import Limits
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.states import State
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
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
        self.limits = limits or Limits()
        self.messages = StoredMessages(NUMBER, "Q@MOON", self.store, self.limits)

    def restart(self) -> None:
        """Forget everything but the store."""
        self.messages = StoredMessages(NUMBER, "Q@MOON", self.store, self.limits)

    def do(self, change: Change[Any]) -> Any:
        """Commit a change. Returns its result."""
        if change.operations:
            assert self.store.commit([change.operations]) == [None]
        change.ended(committed=True)
        return change.result

    def state(self) -> State | str:
        """The state of the message in the store; ``none`` if it is not there."""
        rows = list(self.store.scan(NUMBER))
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
CELLS: Final = [
    pytest.param(state, call, *cell, id=f"{name}, {state if state == NONE else State(state).name}")
    for name, (call, cells) in ROWS.items()
    for state, cell in zip(STATES, cells, strict=True)
]


@pytest.mark.spec("E-145", "E-146", "E-147", "E-148", "E-149", "E-151", "E-152", "E-153", "E-155", "E-461")
@pytest.mark.parametrize("restarted", [False, True], ids=["", "restarted"])
@pytest.mark.parametrize(("state", "call", "answer", "after"), CELLS)
def test_each_cell(
    state: State | str,
    call: Callable[[StoredMessages], Any],
    answer: Code | None,
    after: State | str,
    *,
    restarted: bool,
) -> None:
    queue = Queue()
    drive(queue, state)
    assert queue.state() == state
    if restarted:
        queue.restart()
    if answer is None:
        queue.do(call(queue.messages))
    else:
        with pytest.raises(EveryplaceError) as caught:
            call(queue.messages)
        assert caught.value.code is answer
    assert queue.state() == after
    before = queue.messages.browse_uids(Filter(), NOW), len(queue.messages)
    queue.restart()
    assert (queue.messages.browse_uids(Filter(), NOW), len(queue.messages)) == before


@pytest.mark.spec("E-151")
@pytest.mark.parametrize("state", State)
def test_a_browse_sees_what_is_unlocked(state: State) -> None:
    queue = Queue()
    drive(queue, state)
    assert queue.messages.browse_uids(Filter(), NOW) == ([UID] if state is State.UNLOCKED else [])
    assert queue.messages.browse_uids(locked(LOCK), NOW) == ([UID] if state is State.LOCKED else [])
    assert queue.state() == state


@pytest.mark.spec("E-085", "E-151")
@pytest.mark.parametrize("state", State)
def test_what_is_locked_or_got_does_not_expire(state: State) -> None:
    queue = Queue(limits=Limits(expiry=100))
    drive(queue, state)
    expired = queue.messages.expiry.expired(NOW)
    gone = state in (State.PUT_UNCONFIRMED, State.UNLOCKED)
    assert [each.uid for each in expired] == ([UID] if gone else [])


@pytest.mark.spec("E-183", "E-186")
def test_a_confirmed_put_takes_the_last_place_and_an_undone_get_its_old_one() -> None:
    queue = Queue()
    first, second, third = (MessageUid("MOON", number) for number in (1, 2, 3))
    queue.do(queue.messages.put(message(uid=first), CONFIRM, 0))
    queue.do(queue.messages.put(message(uid=second), 0, 0))
    queue.do(queue.messages.put(message(uid=third), 0, 0))
    queue.do(queue.messages.confirm_put(first))
    assert queue.messages.browse_uids(Filter(), NOW) == [second, third, first]
    queue.do(queue.messages.get(Filter(), OTHER_CONFIRM, NOW))
    queue.do(queue.messages.undo(OTHER_CONFIRM))
    assert queue.messages.browse_uids(Filter(), NOW) == [second, third, first]
    queue.restart()
    assert queue.messages.browse_uids(Filter(), NOW) == [second, third, first]


def test_nothing_is_seen_before_it_is_on_disk() -> None:
    queue = Queue()
    change = queue.messages.put(message(), 0, 0)
    with pytest.raises(NoMatchingMessage):
        queue.messages.get(Filter(), 0, NOW)
    with pytest.raises(Unsettled) as caught:
        queue.messages.delete(UID, 0, NOW)
    again: list[bool] = []
    caught.value.change.afterwards(lambda: again.append(True))
    assert not again
    queue.do(change)
    assert again
    assert queue.messages.browse_uids(Filter(), NOW) == [UID]


def test_what_the_store_refuses_has_not_happened() -> None:
    queue = Queue()
    queue.messages.put(message(), 0, 0).ended(committed=False)
    assert len(queue.messages) == 0
    drive(queue, State.UNLOCKED)
    queue.messages.get(Filter(), 0, NOW).ended(committed=False)
    assert queue.messages.browse_uids(Filter(), NOW) == [UID]
