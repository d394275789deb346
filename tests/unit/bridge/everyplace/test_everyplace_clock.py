"""What is due after some time is not late when the calendar's clock is set back."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.network.timers import Timers
from mqbridge.protocol.everyplace.calls import Get, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import World

HOUR = 3600.0


def test_steady_time_does_not_go_back() -> None:
    clock = Timers()
    clock.now = 10_000.5
    clock.now = 6_400.5
    assert clock.steady == 10_000.5
    clock.now = 6_400.2  # the clock is only adjusted
    assert clock.steady == 10_000.2
    clock.now = 10_000.0
    assert clock.steady == 13_600.0


def test_a_timer_is_called_when_its_time_is_over() -> None:
    timers, called = Timers(), []
    timers.now = 10_000.0
    timers.after("key", 60, lambda: called.append("key"))
    timers.now = 6_400.0
    assert timers.next() == 6_460.0
    timers.run()
    assert called == []
    timers.now = 6_460.0
    timers.run()
    assert called == ["key"]


@pytest.mark.spec("E-087", "E-484")
def test_retries_go_on_when_the_clock_is_set_back() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    earth.away = True
    moon.put("ORDERS@EARTH", "two apples")
    world.run(30)
    assert len(moon.stored("ORDERS@EARTH")) == 1
    moon.clock_ahead = -HOUR
    world.settle()
    earth.away = False
    world.run(60)
    assert earth.texts("ORDERS") == ["two apples"]


@pytest.mark.spec("E-247", "E-326")
def test_a_home_server_queue_goes_on_when_both_clocks_are_set_back() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.store_and_forward("DEVICES", ["MOON"])
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.home_server("EARTH")
    world.run(5)
    moon.clock_ahead = earth.clock_ahead = -HOUR
    world.run(150)
    earth.put("REPLIES@MOON", "three pears")
    world.run(5)
    assert moon.texts("REPLIES") == ["three pears"]
    world.cut_all("MOON", "EARTH")
    earth.put("REPLIES@MOON", "four plums")
    world.run(10)
    assert moon.texts("REPLIES") == ["three pears", "four plums"]


@pytest.mark.spec("E-088", "E-210", "E-234")
def test_waits_expiry_and_the_end_are_not_late() -> None:
    world = World()
    moon = world.queue_manager("MOON")
    moon.local("REPLIES")
    world.run(5)
    found: list[object] = []
    moon.manager.programs.wait(Get(Address("REPLIES", "MOON"), Fields()), 3000, found.append, moon.now)
    moon.clock_ahead = -HOUR
    world.run(5)
    assert [each.code for each in found if isinstance(each, Refused)] == [Code.Q_NO_MATCHING_MSG]
    assert moon.network.next_timeout() <= moon.now + 1
    moon.manager.life.close_quiesce(1000, moon.now)
    moon.clock_ahead = -2 * HOUR
    world.run(2)
    assert moon.manager.life.phase.value == "closed"
