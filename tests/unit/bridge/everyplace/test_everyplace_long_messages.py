"""Long messages go ahead in parts, resume after a cut, and hold nothing else up."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.transfer.parts_in import QUEUE
from mqbridge.protocol.everyplace.calls import Done, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World

MIB = 1 << 20
LENGTH = 6 * MIB


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def moon(world: World) -> Station:
    station = world.queue_manager("MOON")
    station.connection("EARTH")
    station.remote("ORDERS", "EARTH")
    station.local("REPLIES")
    station.home_server("EARTH", POLL_INTERVAL=5000)
    return station


@pytest.fixture
def earth(world: World) -> Station:
    station = world.queue_manager("EARTH")
    station.local("ORDERS")
    station.store_and_forward("SAF", ["MOON"])
    return station


def long_message(world: World, length: int = LENGTH) -> Message:
    message = Message()
    message["data"] = world.random.randbytes(length)
    return message


def run_with_cuts(world: World, killed: Station | None, every: int = MIB) -> None:
    """Cut each connection after so many bytes, and kill an end each time, until nothing more goes."""
    cuts = 0
    for _ in range(5000):
        moved = world.step()
        if any(wire.carried >= every for wire in world.wires):
            cuts += 1
            world.cut_all("MOON", "EARTH")
            if killed is not None:
                killed.kill()
        if not moved:
            world.tick(0.25)
        if not world.wires_of("MOON"):
            continue
        if not len(world.stations["MOON"].stored("ORDERS@EARTH")) and not len(world.stations["EARTH"].stored("SAF")):
            assert cuts >= LENGTH // every - 1
            return
    raise AssertionError("it did not arrive")


@pytest.mark.parametrize("victim", ["nobody", "MOON", "EARTH"])
@pytest.mark.parametrize("up", [True, False], ids=["pushed", "pulled"])
@pytest.mark.spec("E-024", "E-188", "E-481")
def test_what_is_sent_again_after_cuts_is_less_than_a_tenth(
    world: World, moon: Station, earth: Station, up: bool, victim: str
) -> None:
    message = long_message(world)
    sender, address = (moon, "ORDERS@EARTH") if up else (earth, "REPLIES@MOON")
    sender.manager.call(Put(Address.parse(address), message), lambda _: None, sender.now)
    sender.write()
    before = world.carried
    run_with_cuts(world, world.stations.get(victim))
    assert world.carried - before < 1.1 * LENGTH
    receiver, queue = (earth, "ORDERS") if up else (moon, "REPLIES")
    (found,) = receiver.browse(queue)
    assert found["data"] == message["data"]
    world.run(5)
    assert not list(receiver.store.scan(QUEUE))


@pytest.mark.spec("E-188")
def test_a_call_does_not_wait_for_a_long_message(world: World, moon: Station, earth: Station) -> None:
    earth.local("STATE")
    world.run()
    outcomes = moon.call(Put(Address("ORDERS", "EARTH"), long_message(world)))
    while len(earth.stored("ORDERS")) == 0 and world.carried < LENGTH // 2:
        world.step()
    before = world.carried
    outcome: list[object] = []
    moon.manager.call(Put(Address("STATE", "EARTH"), Message()), outcome.append, moon.now)
    while not outcome:
        assert world.step()
    assert outcome == outcomes == [Done()]
    assert world.carried - before < 256 * 1024


@pytest.mark.spec("E-192", "E-195")
def test_calls_and_outcomes_may_be_long(world: World, moon: Station, earth: Station) -> None:
    earth.local("STATE")
    message = long_message(world, 3 * MIB)
    assert moon.put("STATE@EARTH", message) == Done()
    assert moon.get("STATE@EARTH")["data"] == message["data"]
    for _ in range(9):
        assert moon.put("STATE@EARTH", long_message(world, MIB // 4)) == Done()
    assert len(moon.browse("STATE@EARTH")) == 9
    assert moon.alarms == earth.alarms == []


def test_a_long_call_that_is_cut_has_an_unknown_outcome(world: World, moon: Station, earth: Station) -> None:
    earth.local("STATE")
    world.run()
    outcomes = moon.call(Put(Address("STATE", "EARTH"), long_message(world)))
    for _ in range(20):
        world.step()
    world.cut_all("MOON")
    world.run(5)
    (refused,) = outcomes
    assert isinstance(refused, Refused)
    assert refused.code is Code.OUTCOME_UNKNOWN
    assert earth.browse("STATE") == []
