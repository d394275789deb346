"""SC-17: transmission by time of day and number."""

from __future__ import annotations

from datetime import UTC, datetime
from math import inf

import pytest

from mqbridge.bridge.everyplace.definitions.manager_properties import ManagerProperties
from mqbridge.bridge.everyplace.life_cycle import Phase
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.protocol.everyplace.calls import Done
from support.everyplace import Station, World

pytestmark = pytest.mark.spec("SC-17")


def at(hour: int, minute: int = 0, day: int = 23) -> float:
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC).timestamp()


def moon_and_earth(rule: str, now: float) -> tuple[Station, Station]:
    """MOON has asynchronous remote queues of priority 4 and 7 on EARTH, and a rule."""
    world = World()
    world.now = now
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    moon.store.commit([[Registry.put_properties(ManagerProperties(rule=rule))]])
    moon.start()
    moon.connection("EARTH")
    for name, priority in (("LOW", 4), ("HIGH", 7)):
        earth.local(name)
        moon.remote(name, "EARTH", PRIORITY=priority)
    return moon, earth


@pytest.mark.spec("E-212", "E-494", "E-502", "E-505", "E-508")
@pytest.mark.parametrize(
    ("time", "sends"),
    [(at(17, 59), False), (at(18), True), (at(3), True), (at(8, 59), True), (at(9), False)],
)
def test_queues_of_high_priority_send_from_evening_to_morning(time: float, sends: bool) -> None:
    moon, earth = moon_and_earth("transmission-window:18:00-09:00,priority=6", time)
    for name in ("LOW", "HIGH"):
        assert moon.put(f"{name}@EARTH", "one") == Done()
    moon.world.run(30)
    moon.network.trigger(moon.now)
    moon.world.run(15)
    assert (len(earth.stored("LOW")), len(earth.stored("HIGH"))) == (0, int(sends))
    assert len(moon.stored("LOW@EARTH")) == 1
    assert bool(moon.world.carried) == sends


@pytest.mark.spec("E-505", "E-507")
def test_what_waits_is_sent_when_the_hour_comes_and_not_when_it_is_over() -> None:
    moon, earth = moon_and_earth("transmission-window:18:00-09:00", at(17, 59))
    moon.put("HIGH@EARTH", "one")
    moon.world.run(59)
    assert len(earth.stored("HIGH")) == 0
    moon.world.run(30)
    assert len(earth.stored("HIGH")) == 1
    moon.world.now = at(9, 0, day=24)
    moon.put("HIGH@EARTH", "two")
    moon.world.run(60)
    assert len(earth.stored("HIGH")) == 1


@pytest.mark.spec("E-501", "E-508", "E-211")
def test_nothing_is_sent_with_ten_messages_and_everything_with_eleven() -> None:
    moon, earth = moon_and_earth("transmission-window:count=11", at(12))
    for number in range(10):
        moon.put(f"{'HIGH' if number % 2 else 'LOW'}@EARTH", str(number))
    moon.world.run(60)
    assert moon.world.carried == 0
    moon.put("HIGH@EARTH", "ten")
    moon.world.run(1)
    assert (len(earth.stored("LOW")), len(earth.stored("HIGH"))) == (5, 6)
    assert len(moon.stored("LOW@EARTH")) == len(moon.stored("HIGH@EARTH")) == 0


@pytest.mark.spec("E-495", "E-506")
@pytest.mark.parametrize("at_close", [False, True])
def test_at_the_end_the_helper_stops_and_may_empty_the_queues_first(at_close: bool) -> None:
    rule = "transmission-window:18:00-09:00" + (",at-close=yes" if at_close else "")
    moon, earth = moon_and_earth(rule, at(12))
    moon.put("HIGH@EARTH", "one")
    moon.world.run(30)
    moon.manager.life.close_quiesce(10_000, moon.now)
    moon.world.run(10)
    assert moon.manager.life.phase is Phase.CLOSED
    assert len(earth.stored("HIGH")) == int(at_close)
    carried = moon.world.carried
    moon.world.run(600)
    assert moon.manager.next_timeout() == inf
    assert at_close or moon.world.carried == carried
