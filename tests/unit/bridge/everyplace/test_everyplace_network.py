"""Queue managers that call each other: what is pushed, pulled and asked, and when."""

from __future__ import annotations

import pytest

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
