"""SC-14: a blocked route, and the dead-letter queue."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.creation import StandardQueue
from mqbridge.protocol.everyplace.calls import Done
from support.everyplace import World, text_message

HOUR = 3600.0


@pytest.mark.spec("SC-14", "E-213", "E-214", "E-346")
def test_what_is_pushed_waits_behind_a_missing_queue_until_it_is_created() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("THERE")
    moon.connection("EARTH")
    moon.store_and_forward("SAF", ["EARTH"], forward="EARTH")
    assert moon.put("MISSING@EARTH", "first") == Done()
    assert moon.put("THERE@EARTH", "second") == Done()
    moon.network.trigger(moon.now)
    world.run(60)
    assert len(moon.stored("SAF@EARTH")) == 2
    assert len([each for each in moon.alarms if "MISSING@EARTH" in each]) == 1
    earth.local("MISSING")
    moon.network.trigger(moon.now)
    world.run(HOUR)
    assert (earth.texts("MISSING"), earth.texts("THERE")) == (["first"], ["second"])
    assert len(moon.stored("SAF@EARTH")) == 0


@pytest.mark.spec("SC-14", "E-133", "E-156", "E-351")
def test_what_is_pulled_goes_to_the_dead_letter_queue_of_the_device() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.store_and_forward("SAF", ["MOON"])
    dying = text_message("first")
    dying.expire_at(int((world.now + HOUR) * 1000))
    assert earth.put("MISSING@MOON", dying) == Done()
    assert earth.put("THERE@MOON", "second") == Done()
    moon.local("THERE")
    moon.local(StandardQueue.DEAD_LETTER.value)
    moon.connection("EARTH")
    moon.home_server("EARTH")
    world.run(60)
    assert moon.texts("THERE") == ["second"]
    (dead,) = moon.browse(StandardQueue.DEAD_LETTER.value)
    assert dead["text"] == "first"
    assert dead.resend
    assert dead.expires is None
    assert any("MISSING@MOON" in each for each in moon.alarms)
    assert len(earth.stored("SAF")) == 0


@pytest.mark.spec("SC-14", "E-133", "E-214")
def test_without_a_dead_letter_queue_the_pull_is_blocked() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.store_and_forward("SAF", ["MOON"])
    assert earth.put("MISSING@MOON", "first") == Done()
    moon.connection("EARTH")
    moon.home_server("EARTH")
    world.run(60)
    assert len(earth.stored("SAF")) == 1
    moon.local("MISSING")
    moon.network.trigger(moon.now)
    world.run(HOUR)
    assert moon.texts("MISSING") == ["first"]
