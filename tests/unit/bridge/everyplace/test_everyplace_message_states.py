"""The table of states, cell by cell, with right and wrong ids, before and after a restart (mqe.md 7, E-151)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.bridge.everyplace.queues.held_messages import Limits
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace_states import (
    CONFIRM,
    LOCK,
    NONE,
    NOW,
    OTHER_CONFIRM,
    ROWS,
    STATES,
    UID,
    Queue,
    drive,
    locked,
    message,
)

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
    expired = queue.messages.expiry.due(NOW).removable
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
