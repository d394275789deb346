"""SC-21: browse and lock by two applications."""

from __future__ import annotations

import pytest

from mqbridge.protocol.everyplace.calls import BrowseAndLock, Browsed, Delete, Done, Outcome, Refused, Undo, Unlock
from mqbridge.protocol.everyplace.errors import Code, NoMatchingMessage
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import LOCK_ID
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import Station, World

pytestmark = pytest.mark.spec("SC-21")
CONFIRM = 5


def numbers(station: Station, address: str) -> list[int]:
    return [each["number"] for each in station.browse(address)]


def uid(message: Message) -> MessageUid:
    assert message.uid is not None
    return message.uid


def code(outcome: Outcome) -> Code | None:
    return outcome.code if isinstance(outcome, Refused) else None


@pytest.mark.spec("E-070", "E-147", "E-149", "E-158", "E-166", "E-175", "E-176", "E-177", "E-178")
@pytest.mark.parametrize("remote", [False, True])
def test_what_one_locks_the_other_neither_sees_nor_unlocks(remote: bool) -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    earth.local("Q")
    application = earth
    if remote:
        application = world.queue_manager("MOON")
        application.connection("EARTH")
        application.remote("Q", "EARTH", synchronous=True)
    queue, q = "Q@EARTH", Address("Q", "EARTH")
    for number in range(10):
        message = Message()
        message["number"], message["kind"] = number, "order" if number % 3 == 0 else "note"
        earth.put("Q", message)
    wanted = Fields()
    wanted["kind"] = "order"
    locked = application.ask(BrowseAndLock(q, wanted, CONFIRM))
    assert isinstance(locked, Browsed)
    assert [each["number"] for each in locked.messages] == [0, 3, 6, 9]
    assert locked.lock > 0
    # The other application gets everything that is left, and what comes later is not locked.
    assert [earth.get("Q")["number"] for _ in range(6)] == [1, 2, 4, 5, 7, 8]
    with pytest.raises(NoMatchingMessage):
        earth.get("Q")
    late = Message()
    late["number"], late["kind"] = 10, "order"
    earth.put("Q", late)
    assert numbers(earth, queue) == [10]
    assert earth.get("Q")["number"] == 10
    first, second, third, fourth = map(uid, locked.messages)
    for call in (Unlock(q, first, locked.lock + 1), Delete(q, first, locked.lock + 1)):
        assert code(earth.ask(call)) is Code.WRONG_LOCK
    assert code(earth.ask(Delete(q, first))) is Code.NOT_FOUND
    # Delete one, get one, unlock one, undo the rest.
    assert application.ask(Delete(q, first, locked.lock)) == Done()
    by_lock = Fields()
    by_lock.put(LOCK_ID, locked.lock, FieldType.LONG)
    got = application.get(queue, by_lock)
    assert uid(got) == second
    assert LOCK_ID not in got
    assert application.ask(Unlock(q, third, locked.lock)) == Done()
    assert numbers(earth, queue) == [6]
    assert code(application.ask(Undo(q, CONFIRM))) is None
    assert [uid(each) for each in earth.browse(queue)] == [third, fourth]
    assert len(earth.stored("Q")) == 2


@pytest.mark.spec("E-149", "E-153", "E-158")
def test_each_call_has_a_lock_id_of_its_own_and_an_undone_get_is_locked_again() -> None:
    moon = World().queue_manager("MOON")
    moon.local("Q")
    q = Address("Q", "MOON")
    locks = []
    for _ in range(50):
        moon.put("Q", "one")
        found = moon.ask(BrowseAndLock(q, Fields()))
        assert isinstance(found, Browsed)
        locks.append(found.lock)
    assert len(set(locks)) == 50
    assert min(locks) > 2**40
    by_lock = Fields()
    by_lock.put(LOCK_ID, locks[0], FieldType.LONG)
    moon.get("Q", by_lock, confirm=8)
    with pytest.raises(NoMatchingMessage):
        moon.get("Q", by_lock)
    assert moon.ask(Undo(q, 8)) == Done()
    assert moon.get("Q", by_lock)["text"] == "one"
