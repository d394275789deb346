"""SC-32: one UID twice, messages moved to another queue, and those that nobody has confirmed."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.expiry import Unconfirmed
from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.calls import Done, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("SC-32")
Q = Address("Q", "MOON")


@pytest.fixture
def moon() -> Station:
    moon = World().queue_manager("MOON")
    moon.local("Q")
    moon.local("R")
    return moon


def code(outcome: Outcome) -> Code | None:
    return outcome.code if isinstance(outcome, Refused) else None


@pytest.mark.spec("E-035", "E-036", "E-038", "E-155", "E-156")
def test_a_message_that_was_put_is_refused_unless_it_is_a_repetition(moon: Station) -> None:
    message = text_message("one")
    assert moon.put("Q", message) == Done()
    uid = message.uid
    assert code(moon.put("Q", message)) is Code.DUPLICATE
    assert code(moon.put("R", message)) is Code.NOT_ALLOWED
    assert moon.get("Q").uid == uid
    assert code(moon.put("Q", message)) is Code.NOT_ALLOWED
    message.resend = True
    assert moon.put("R", message) == moon.put("Q", message) == moon.put("Q", message) == Done()
    assert (len(moon.stored("Q")), len(moon.stored("R"))) == (1, 1)
    assert moon.browse("R")[0].uid == uid


@pytest.mark.spec("E-156", "E-567")
def test_a_put_that_was_refused_may_be_made_again(moon: Station) -> None:
    moon.local("SMALL", MAX_Q_SIZE=1)
    moon.put("SMALL", "one")
    message = text_message("two")
    assert code(moon.put("SMALL", message)) is Code.Q_FULL
    assert message.uid is None
    moon.get("SMALL")
    assert moon.put("SMALL", message) == Done()


@pytest.mark.spec("E-155", "E-197", "E-519")
@pytest.mark.parametrize("state", [State.PUT_UNCONFIRMED, State.UNLOCKED, State.GET_UNCONFIRMED])
def test_a_repetition_takes_the_place_of_an_unconfirmed_copy_alone(moon: Station, state: State) -> None:
    message = text_message("first")
    moon.put("Q", message, confirm=5 if state is State.PUT_UNCONFIRMED else 0)
    if state is State.GET_UNCONFIRMED:
        moon.get("Q", confirm=6)
    again = Message.of(message.copy())
    again["text"] = "second"
    again.resend = True
    assert moon.put("Q", again, confirm=7) == Done()
    (entry,) = moon.stored("Q").held.list
    assert entry.state is state
    unconfirmed = state is State.PUT_UNCONFIRMED
    assert moon.stored("Q").read(entry)["text"] == ("second" if unconfirmed else "first")
    assert entry.marks.confirm == (7 if unconfirmed else 0 if state is State.UNLOCKED else 6)


@pytest.mark.spec("E-039", "E-155")
def test_two_queue_managers_of_one_name_are_not_seen_but_their_uids_are() -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    earth.local("Q")
    outcomes = []
    for text in ("one", "two"):
        message = text_message(text)
        message.identify(MessageUid("MOON", 1000))
        found: list[Outcome] = []
        earth.manager.call(Put(Address("Q", "EARTH"), message), found.append, earth.now, "MOON")
        earth.write()
        outcomes += found
    assert outcomes[0] == Done()
    assert code(outcomes[1]) is Code.DUPLICATE
    assert earth.texts("Q") == ["one"]


@pytest.mark.spec("E-204")
def test_messages_that_stay_unconfirmed_are_reported(moon: Station) -> None:
    left = text_message("left over")
    moon.put("Q", left, confirm=5)
    arrived = moon.now
    moon.put("Q", "confirmed")
    moon.world.run(3600)
    moon.put("R", "fresh", confirm=6)
    moon.kill()
    moon.world.run(1)
    assert left.uid is not None
    expected = [Unconfirmed(Q, left.uid, int(arrived * 1000))]
    assert moon.manager.expiry.unconfirmed(1800, moon.now) == expected
    assert moon.manager.expiry.unconfirmed(7200, moon.now) == []
    assert len(moon.manager.expiry.unconfirmed(0, moon.now)) == 2


@pytest.mark.spec("E-036", "E-040", "E-181")
def test_uids_rise_over_restarts_and_clocks_that_are_put_back(moon: Station) -> None:
    uids = []
    for step in (0, 5, -100_000, 3, 0, 200_000):
        moon.clock_ahead += step
        for _ in range(3):
            message = text_message("one")
            moon.put("Q", message)
            uids.append(message.uid)
        moon.kill()
    assert all(each is not None and each.origin == "MOON" for each in uids)
    assert uids == sorted(set(uids), key=lambda each: each or MessageUid("", 0))
