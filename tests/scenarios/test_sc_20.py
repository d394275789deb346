"""SC-20: order and filters."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.queues.held_messages import HeldMessages
from mqbridge.protocol.everyplace.calls import Browse, BrowseAndLock, Browsed, ConfirmPut, Done, Get, Put, Undo
from mqbridge.protocol.everyplace.errors import NoMatchingMessage
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.filters import matches
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import LOCK_ID
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("SC-20")
Q = Address("Q", "MOON")


@pytest.fixture
def moon() -> Station:
    station = World().queue_manager("MOON")
    station.local("Q", PRIORITY=5)
    return station


@pytest.mark.spec("E-052", "E-062", "E-063", "E-067", "E-174", "E-182", "E-183", "E-185")
def test_order_is_priority_then_arrival_or_confirmation(moon: Station) -> None:
    order: list[tuple[int, int, str]] = []
    unconfirmed = []
    for number in range(40):
        message = text_message(str(number))
        if number % 11:
            message.priority = number % 11 - 1
        priority = 5 if message.priority is None else message.priority
        assert moon.put("Q", message, confirm=number if number % 3 == 0 else 0) == Done()
        if number and number % 3 == 0:
            unconfirmed.append((priority, message))
        else:
            order.append((-priority, number, str(number)))
    moon.world.random.shuffle(unconfirmed)
    for place, (priority, message) in enumerate(unconfirmed, 100):
        assert message.uid is not None
        assert moon.ask(ConfirmPut(Q, message.uid)) == Done()
        order.append((-priority, place, message["text"]))
    expected = [text for _, _, text in sorted(order)]
    assert moon.texts("Q") == expected
    uids = moon.ask(Browse(Q, Fields(), uids_only=True))
    assert isinstance(uids, Browsed)
    assert [each.uid for each in uids.messages] == [each.uid for each in moon.browse("Q")]
    assert all(len(each) == 2 for each in uids.messages)
    for message in moon.browse("Q"):
        assert (message.priority is None) == (int(message["text"]) % 11 == 0)
    moon.kill()
    assert moon.texts("Q") == expected
    assert [moon.get("Q")["text"] for _ in expected] == expected
    message = text_message("ten")
    message.put("Msg_Priority", 10, FieldType.BYTE)
    assert moon.put("Q", message) != Done()


@pytest.mark.spec("E-154", "E-186")
def test_undo_puts_messages_back_to_their_places(moon: Station) -> None:
    for number in range(6):
        moon.put("Q", str(number))
    for _ in range(3):
        moon.get("Q", confirm=9)
    moon.put("Q", "6")
    assert moon.texts("Q") == ["3", "4", "5", "6"]
    assert moon.ask(Undo(Q, 9)) == Done()
    assert moon.texts("Q") == ["0", "1", "2", "3", "4", "5", "6"]


@pytest.mark.spec("E-184")
def test_an_intermediate_queue_releases_by_priority_then_arrival() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q", PRIORITY=0)
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", PRIORITY=9)
    moon.away = True
    for number, priority in enumerate((None, 3, 9, 3)):
        message = text_message(str(number))
        message.priority = priority
        moon.put("Q@EARTH", message)
    entries = moon.stored("Q@EARTH").outgoing.first(10, 0)
    assert [moon.stored("Q@EARTH").held.read(each)["text"] for each in entries] == ["0", "2", "1", "3"]
    moon.away = False
    world.run(600)
    assert earth.texts("Q") == ["2", "1", "3", "0"]


def some_messages() -> Iterator[Message]:
    dice = random.Random(5)
    for number in range(60):
        message = text_message(str(number % 4))
        message.msg_id = bytes([number % 3])
        if number % 2:
            message.correl_id = b"\x01"
        if number % 5:
            message.priority = number % 10
        message.put("number", number % 4, FieldType.LONG if number % 8 else FieldType.INT)
        message.put("list", (1, number % 2), FieldType.INT_ARRAY)
        inner = Fields("inner")
        inner["colour"] = dice.choice(("red", "blue"))
        message.put("inner", inner, FieldType.FIELDS)
        yield message


MESSAGES = list(some_messages())
NAMES = sorted({name for message in MESSAGES for name in message})


@pytest.fixture(scope="module")
def full() -> Station:
    station = World().queue_manager("MOON")
    station.local("Q", PRIORITY=5)
    for message in MESSAGES:
        assert station.put("Q", message) == Done()
    return station


@pytest.mark.spec("E-065", "E-066", "E-067", "E-069", "E-072")
@given(st.lists(st.tuples(st.sampled_from(range(60)), st.sampled_from(NAMES)), max_size=3), st.booleans())
@settings(max_examples=150, deadline=None)
def test_filters_agree_with_a_naive_match(full: Station, picks: list[tuple[int, str]], other_type: bool) -> None:
    wanted = Fields()
    for number, name in picks:
        field = MESSAGES[number].encoded(name)
        if field is not None:
            wanted.put_encoded(name, field)
    if other_type and "number" in wanted:
        wanted.put("number", wanted["number"], FieldType.SHORT)
    found = full.ask(Browse(Q, wanted))
    assert isinstance(found, Browsed)
    expected = [each for each in full.browse("Q") if matches(wanted, each)]
    assert list(found.messages) == expected
    if other_type and "number" in wanted:
        assert expected == []
    outcome = full.call(Get(Q, wanted, 3))
    full.call(Undo(Q, 3))
    assert hasattr(outcome[0], "message") == bool(expected)


@pytest.mark.spec("E-068", "E-069")
def test_filters_on_index_fields_load_no_bodies(full: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Any] = []
    read = HeldMessages.read
    monkeypatch.setattr(HeldMessages, "read", lambda self, entry: (loads.append(entry), read(self, entry))[1])
    wanted = Message()
    wanted.msg_id, wanted.correl_id, wanted.priority = b"\x01", b"\x01", 1
    full.ask(Browse(Q, wanted, uids_only=True))
    assert loads == []
    some = MESSAGES[7]
    found = full.ask(Browse(Q, some.uid_fields))
    assert isinstance(found, Browsed)
    assert len(found.messages) == len(loads) == 1
    loads.clear()
    wanted["text"] = "1"
    full.ask(Browse(Q, wanted, uids_only=True))
    candidates = [each for each in MESSAGES if each.msg_id == b"\x01" and each.correl_id and each.priority == 1]
    assert len(loads) == len(candidates)


@pytest.mark.spec("E-070")
def test_a_lock_id_makes_what_it_locks_visible_and_is_not_compared(moon: Station) -> None:
    for text in ("one", "two"):
        moon.put("Q", text)
    wanted = Fields()
    wanted["text"] = "one"
    locked = moon.ask(BrowseAndLock(Q, wanted))
    assert isinstance(locked, Browsed)
    assert moon.texts("Q") == ["two"]
    with pytest.raises(NoMatchingMessage):
        moon.get("Q", wanted)
    wanted.put(LOCK_ID, locked.lock, FieldType.LONG)
    assert moon.get("Q", wanted)["text"] == "one"
    moon.call(Put(Q, text_message("three")))
    with pytest.raises(NoMatchingMessage):
        moon.get("Q", wanted)


@pytest.mark.spec("E-150", "E-172", "E-211")
def test_what_is_under_way_is_reported_as_unlocked_and_what_is_unconfirmed_is_not_sent() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH")
    target = Address("Q", "EARTH")
    unconfirmed = text_message("unconfirmed")
    moon.call(Put(target, unconfirmed, 7))
    moon.call(Put(target, text_message("sent")))
    states = set()
    while world.step():
        states |= {(each.state.name, each.reserved) for each in moon.stored("Q@EARTH").held.list}
    assert states == {("PUT_UNCONFIRMED", False), ("UNLOCKED", False), ("UNLOCKED", True)}
    assert earth.texts("Q") == ["sent"]
    assert unconfirmed.uid is not None
    moon.call(ConfirmPut(target, unconfirmed.uid))
    world.run(1)
    assert earth.texts("Q") == ["sent", "unconfirmed"]


@pytest.mark.spec("E-042", "E-048")
def test_programs_see_nothing_that_was_added_on_the_way() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", synchronous=True)
    message = text_message("one")
    moon.put("Q@EARTH", message, confirm=4)
    assert message.uid is not None
    moon.ask(ConfirmPut(Address("Q", "EARTH"), message.uid))
    locked = moon.ask(BrowseAndLock(Address("Q", "EARTH"), Fields(), 5))
    assert isinstance(locked, Browsed)
    by_lock = Fields()
    by_lock.put(LOCK_ID, locked.lock, FieldType.LONG)
    got = moon.get("Q@EARTH", by_lock, confirm=6)
    assert set(got) == {"text", "Msg_OriginQMgr", "Msg_Time"}
    assert got == message
