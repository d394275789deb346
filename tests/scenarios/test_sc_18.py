"""SC-18: what is sent and pulled when a queue manager starts."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.definitions.manager_properties import ManagerProperties
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.rules.plug_ins import Kind
from mqbridge.bridge.everyplace.rules.queue_manager_rule import QueueManagerRule
from mqbridge.bridge.everyplace.rules.supplied import supplied
from support.everyplace import Station, World

pytestmark = pytest.mark.spec("SC-18")


class Lazy(QueueManagerRule):
    """Leaves queues inactive at the start."""

    def activate_queues(self) -> bool:
        return False


def started(*, lazy: bool, away: bool = False, interval: int = 0) -> tuple[Station, Station]:
    """MOON starts with messages on two asynchronous remote queues, while others wait for it at EARTH."""
    world = World()
    world.plug_ins = supplied()
    world.plug_ins.register(Kind.QUEUE_MANAGER_RULE, "lazy", lambda _: Lazy())
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.store_and_forward("SAF", ["MOON"])
    earth.put("REPLIES@MOON", "waiting")
    moon.away = True
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.home_server("EARTH", POLL_INTERVAL=interval)
    for name in ("ORDERS", "OTHERS"):
        earth.local(name)
        moon.remote(name, "EARTH")
        moon.put(f"{name}@EARTH", "before")
    world.run(1)
    if lazy:
        moon.store.commit([[Registry.put_properties(ManagerProperties(rule="lazy"))]])
    moon.away, earth.away = False, away
    moon.kill()
    world.run(5)
    return moon, earth


def sizes(moon: Station, earth: Station) -> tuple[int, int, int]:
    return len(earth.stored("ORDERS")), len(earth.stored("OTHERS")), len(moon.stored("REPLIES"))


@pytest.mark.spec("E-231", "E-503")
def test_active_queues_send_and_pull_without_further_action() -> None:
    assert sizes(*started(lazy=False)) == (1, 1, 1)


@pytest.mark.spec("E-501", "E-503")
def test_others_send_after_their_next_put_and_pull_after_a_trigger() -> None:
    moon, earth = started(lazy=True)
    assert sizes(moon, earth) == (0, 0, 0)
    moon.world.run(600)
    assert sizes(moon, earth) == (0, 0, 0)
    moon.put("ORDERS@EARTH", "after")
    moon.world.run(5)
    assert sizes(moon, earth) == (2, 0, 0)
    moon.network.trigger(moon.now)
    moon.world.run(5)
    assert sizes(moon, earth) == (2, 1, 1)


@pytest.mark.spec("E-122", "E-328")
def test_a_home_server_queue_that_found_nobody_pulls_after_a_trigger_or_its_interval() -> None:
    moon, earth = started(lazy=False, away=True)
    moon.world.run(600)
    earth.away = False
    moon.world.run(600)
    assert sizes(moon, earth)[2] == 0
    moon.network.trigger(moon.now)
    moon.world.run(5)
    assert sizes(moon, earth)[2] == 1
    moon, earth = started(lazy=False, away=True, interval=60_000)
    earth.away = False
    moon.world.run(600)
    assert sizes(moon, earth)[2] == 1
