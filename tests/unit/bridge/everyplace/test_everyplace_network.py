"""Queue managers that call each other: what is pushed, pulled and asked, and when."""

from __future__ import annotations

from copy import deepcopy

import pytest

from mqbridge.bridge.store.memory import MemoryTables
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code
from support.everyplace import Station, World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def moon(world: World) -> Station:
    return world.queue_manager("MOON")


@pytest.fixture
def earth(world: World) -> Station:
    return world.queue_manager("EARTH")


@pytest.mark.spec("E-187", "E-191", "E-320", "E-321")
def test_what_is_put_to_an_asynchronous_remote_queue_is_pushed(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    for number in range(120):
        assert moon.put("ORDERS@EARTH", f"{number} apples") == Done()
    world.run()
    assert earth.texts("ORDERS") == [f"{number} apples" for number in range(120)]
    assert len(moon.stored("ORDERS@EARTH")) == 0
    assert moon.alarms == earth.alarms == []


@pytest.mark.spec("E-135", "E-325", "E-327")
def test_a_home_server_queue_pulls_and_waits_at_the_server(world: World, moon: Station, earth: Station) -> None:
    earth.store_and_forward("SAF", ["MOON"])
    assert earth.put("REPLIES@MOON", "before") == Done()
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.home_server("EARTH")
    world.run()
    assert moon.texts("REPLIES") == ["before"]
    assert earth.put("REPLIES@MOON", "while it waits") == Done()
    world.run()
    assert moon.texts("REPLIES") == ["before", "while it waits"]
    world.run(300)
    assert earth.put("REPLIES@MOON", "later") == Done()
    world.run()
    assert moon.texts("REPLIES") == ["before", "while it waits", "later"]
    assert len(earth.stored("SAF")) == 0


@pytest.mark.spec("E-128", "E-192")
def test_a_call_on_a_queue_of_another_is_done_there(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    assert moon.put("ORDERS@EARTH", "now") == Done()
    assert earth.texts("ORDERS") == ["now"]
    assert moon.get("ORDERS@EARTH")["text"] == "now"
    assert earth.texts("ORDERS") == []


@pytest.mark.spec("E-195")
def test_a_call_whose_connection_is_lost_has_an_unknown_outcome(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    earth.away = True
    refused = moon.put("ORDERS@EARTH", "now")
    assert isinstance(refused, Refused)
    assert refused.code is Code.ADAPTER_EXCEPTION
    assert "not done" in refused.text


@pytest.mark.spec("E-211", "E-328")
def test_a_partner_that_is_away_is_tried_again(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    earth.away = True
    moon.put("ORDERS@EARTH", "one")
    world.run(60)
    assert moon.alarms == ["no connection to EARTH: nobody answers"]
    earth.away = False
    world.run(120)
    assert earth.texts("ORDERS") == ["one"]


@pytest.mark.spec("E-214", "E-346")
def test_a_message_that_is_refused_blocks_those_behind_it_until_it_goes(
    world: World, moon: Station, earth: Station
) -> None:
    moon.connection("EARTH")
    moon.store_and_forward("SAF", ["EARTH"], forward="EARTH")
    moon.put("ORDERS@EARTH", "one")
    moon.put("OTHERS@EARTH", "two")
    earth.local("OTHERS")
    world.run(30)
    assert earth.texts("OTHERS") == []
    assert len([each for each in moon.alarms if "is refused" in each]) == 1
    earth.local("ORDERS")
    world.run(600)
    assert earth.texts("ORDERS") == ["one"]
    assert earth.texts("OTHERS") == ["two"]


def held(station: Station) -> list[str]:
    return [each for each in station.alarms if "the last" in each or "another" in each]


@pytest.mark.spec("E-191", "E-204")
def test_a_device_restored_from_a_backup_is_held_until_it_is_readmitted(
    world: World, moon: Station, earth: Station
) -> None:
    earth.local("ORDERS")
    earth.store_and_forward("SAF", ["MOON"])
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.home_server("EARTH")
    for number in range(3):
        moon.put("ORDERS@EARTH", f"up {number}")
        earth.put("REPLIES@MOON", f"down {number}")
        world.run()
        if number == 0:
            backup = deepcopy(moon.tables)
    moon.restore(backup)
    moon.put("ORDERS@EARTH", "after the backup")
    earth.put("REPLIES@MOON", "to the restored one")
    world.run(30)
    assert earth.texts("ORDERS") == ["up 0", "up 1", "up 2"]
    assert moon.texts("REPLIES") == ["down 0"]
    assert held(moon)
    assert held(earth)
    done: list[object] = []
    earth.network.readmit("MOON", done.append)
    world.run(60)
    assert done == [Done()]
    assert earth.texts("ORDERS") == ["up 0", "up 1", "up 2", "after the backup"]
    assert moon.texts("REPLIES") == ["down 0", "to the restored one"]


def test_a_gateway_without_its_store_is_held_by_the_device_until_it_is_readmitted_there(
    world: World, moon: Station, earth: Station
) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.put("ORDERS@EARTH", "one")
    world.run()
    earth.restore(MemoryTables())
    earth.local("ORDERS")
    moon.put("ORDERS@EARTH", "two")
    world.run(30)
    assert earth.texts("ORDERS") == []
    assert any("another EARTH" in each for each in held(moon))
    done: list[object] = []
    moon.network.readmit("EARTH", done.append)
    world.run(30)
    assert done == [Done()]
    assert earth.texts("ORDERS") == ["two"]


def test_nobody_is_readmitted_who_was_never_there(world: World, moon: Station) -> None:
    done: list[object] = []
    moon.network.readmit("MARS", done.append)
    (refused,) = done
    assert isinstance(refused, Refused)
    assert refused.code is Code.NOT_FOUND
