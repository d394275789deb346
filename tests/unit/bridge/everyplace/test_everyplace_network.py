"""Queue managers that call each other: what is pushed, pulled and asked, and when."""

from __future__ import annotations

from copy import deepcopy

import pytest

from mqbridge.bridge.everyplace.network.settings import NetworkSettings
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import RECEIVING, LaneName, ReceivingRecord
from mqbridge.bridge.store.memory import MemoryTables
from mqbridge.protocol.everyplace.calls import Done, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message


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
    for _ in range(5):
        world.run(30)
        world.cut_all("MOON")
    assert earth.texts("ORDERS") == ["up 0", "up 1", "up 2"]
    assert moon.texts("REPLIES") == ["down 0"]
    assert held(moon)
    assert len(held(earth)) == len(set(held(earth))) == 2  # one for each lane, however often it connects
    assert earth.network.status()[0].blocks
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


@pytest.mark.spec("E-132", "E-326")
def test_an_entry_is_not_pushed_while_its_target_pulls(world: World, moon: Station, earth: Station) -> None:
    """EARTH pushes to MOON, which listens, and from which MOON pulls too: one at a time does."""
    earth.connection("MOON")
    earth.store_and_forward("SAF", ["MOON"], forward="MOON")
    moon.local("REPLIES")
    moon.connection("EARTH")
    earth.put("REPLIES@MOON", "pushed")
    world.run(1)
    assert moon.texts("REPLIES") == ["pushed"]
    assert numbers(moon) == (1, 0)
    moon.home_server("EARTH")
    world.run(1)
    world.cut_all("EARTH", "MOON")
    world.run(5)
    assert earth.put("REPLIES@MOON", "pulled") == Done()
    world.run(1)
    assert moon.texts("REPLIES") == ["pushed", "pulled"]
    assert numbers(moon) == (1, 1)
    moon.manager.define(lambda: moon.manager.objects.queues.delete(home(moon)), lambda _: None)
    moon.write()
    world.run()
    world.cut_all("EARTH", "MOON")
    earth.put("REPLIES@MOON", "pushed again")
    world.run(10)
    assert moon.texts("REPLIES") == ["pushed", "pulled", "pushed again"]
    assert numbers(moon) == (2, 1)


def numbers(station: Station) -> tuple[int, int]:
    """Return how many batches of the entry were pushed to a queue manager, and how many it pulled."""
    pushed, pulled = LaneName("EARTH", "SAF@MOON:MOON"), LaneName("EARTH", "MOON")
    return ReceivingRecord.read(station.store, pushed).number, ReceivingRecord.read(station.store, pulled).number


def home(station: Station) -> Queue:
    found = station.manager.queues.named(Address("HOME", "EARTH"))
    assert found is not None
    return found


@pytest.mark.spec("E-204", "E-322", "E-348")
def test_what_is_in_doubt_is_settled_where_it_went_although_the_route_is_another_now(world: World) -> None:
    moon, earth, mars = (world.queue_manager(name) for name in ("MOON", "EARTH", "MARS"))
    for station in (earth, mars):
        station.store_and_forward("SAF", ["SATURN"])
    moon.connection("EARTH")
    moon.connection("MARS")
    moon.connection("SATURN", via="EARTH")
    moon.remote("ORDERS", "SATURN")
    moon.manager.call(Put(Address("ORDERS", "SATURN"), text_message("one")), lambda _: None, moon.now)
    while not list(earth.store.records(RECEIVING)):  # until it is placed, which MOON does not know yet
        assert world.step()
    world.cut_all("MOON")
    moon.kill()
    moon.connection("SATURN", via="MARS")
    moon.put("ORDERS@SATURN", "two")
    world.run(30)
    assert [len(earth.stored("SAF")), len(mars.stored("SAF"))] == [1, 1]
    assert len(moon.stored("ORDERS@SATURN")) == 0
    assert moon.alarms == []


@pytest.mark.spec("E-103")
def test_a_connection_is_closed_when_everything_is_transmitted_if_a_queue_says_so(
    world: World, moon: Station, earth: Station
) -> None:
    earth.local("ORDERS")
    earth.store_and_forward("SAF", ["MOON"])
    earth.put("REPLIES@MOON", "down")
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH", CLOSE_IDLE=True)
    moon.home_server("EARTH", CLOSE_IDLE=True, POLL_INTERVAL=60_000)
    moon.put("ORDERS@EARTH", "up")
    world.run()
    assert world.wires == []
    assert earth.texts("ORDERS") == ["up"]
    assert moon.texts("REPLIES") == ["down"]
    earth.put("REPLIES@MOON", "later")
    world.run(30)
    assert moon.texts("REPLIES") == ["down"]
    world.run(31)
    assert moon.texts("REPLIES") == ["down", "later"]
    assert world.wires == []


@pytest.mark.spec("E-211", "E-328")
def test_a_home_server_queue_without_interval_gives_up_until_it_is_triggered(
    world: World, moon: Station, earth: Station
) -> None:
    earth.store_and_forward("SAF", ["MOON"])
    earth.put("REPLIES@MOON", "down")
    earth.away = True
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.home_server("EARTH")
    world.run(1)
    earth.away = False
    world.run(600)
    assert moon.texts("REPLIES") == []
    moon.network.trigger(moon.now)
    world.run()
    assert moon.texts("REPLIES") == ["down"]


@pytest.mark.spec("E-213")
def test_a_queue_that_is_refused_holds_no_other_up(world: World, moon: Station, earth: Station) -> None:
    earth.local("GOOD")
    moon.connection("EARTH")
    moon.remote("BAD", "EARTH")
    moon.remote("GOOD", "EARTH")
    for number in range(3):
        moon.put("BAD@EARTH", f"bad {number}")
        moon.put("GOOD@EARTH", f"good {number}")
    world.run(5)
    assert earth.texts("GOOD") == ["good 0", "good 1", "good 2"]
    assert len(moon.stored("BAD@EARTH")) == 3
    (row,) = moon.network.status()
    assert row.waiting == 3
    assert "is refused" in row.blocks[0]
    earth.local("BAD")
    moon.network.trigger(moon.now)
    world.run()
    assert earth.texts("BAD") == ["bad 0", "bad 1", "bad 2"]
    assert moon.network.status()[0].blocks == ()


@pytest.mark.spec("E-131", "E-214")
def test_a_device_that_takes_nothing_holds_no_other_up(world: World, moon: Station, earth: Station) -> None:
    venus = world.queue_manager("VENUS")
    earth.store_and_forward("SAF", ["MOON", "VENUS"])
    for station in (moon, venus):
        station.connection("EARTH")
        station.home_server("EARTH")
    venus.local("REPLIES")
    for name in ("MOON", "VENUS"):
        earth.put(f"REPLIES@{name}", "for it")
    world.run(30)
    assert venus.texts("REPLIES") == ["for it"]
    assert len(earth.stored("SAF")) == 1
    assert len([each for each in earth.alarms if "is refused" in each]) == 1


@pytest.mark.spec("E-250", "E-465")
@pytest.mark.parametrize("compressor", ["zlib", "zlib-stream"])
def test_a_compressor_makes_what_travels_less(compressor: str) -> None:
    carried = []
    for settings in (NetworkSettings(), NetworkSettings(compressors=(compressor,))):
        world = World(settings=settings)
        moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
        earth.local("ORDERS")
        moon.connection("EARTH")
        moon.remote("ORDERS", "EARTH")
        for number in range(50):
            moon.call(Put(Address("ORDERS", "EARTH"), text_message(f"order {number} of two apples and three pears")))
        world.run()
        assert len(earth.stored("ORDERS")) == 50
        carried.append(world.carried)
    assert carried[1] < carried[0] / 2


@pytest.mark.spec("E-240", "E-260", "E-262")
def test_nothing_is_sent_twice_to_whom_is_connected_both_ways(world: World, moon: Station, earth: Station) -> None:
    for one, other in ((moon, earth), (earth, moon)):
        one.connection(other.name)
        one.local("IN")
        one.remote("IN", other.name)
    for number in range(5):
        moon.put("IN@EARTH", f"up {number}")
        earth.put("IN@MOON", f"down {number}")
    world.run()
    assert earth.texts("IN") == [f"up {number}" for number in range(5)]
    assert moon.texts("IN") == [f"down {number}" for number in range(5)]
    assert {row.name: row.connected for row in moon.network.status()} == {"EARTH": "called calls"}


@pytest.mark.spec("E-325")
def test_a_home_server_queue_pulls_over_one_hop_only(world: World, moon: Station, earth: Station) -> None:
    earth.store_and_forward("SAF", ["MOON"])
    earth.put("REPLIES@MOON", "down")
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.connection("SATURN", via="EARTH")
    moon.home_server("SATURN")
    world.run(30)
    assert moon.texts("REPLIES") == []
    assert moon.alarms == ["HOME@SATURN pulls over one hop, and SATURN is reached via EARTH"]


@pytest.mark.spec("E-192", "E-195")
def test_a_call_that_is_never_answered_has_an_unknown_outcome(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    world.run(1)
    outcomes = moon.call(Put(Address("ORDERS", "EARTH"), text_message("one")))
    earth.manager.committed = lambda pending, error: None  # type: ignore[method-assign]
    world.run(299)
    assert outcomes == []
    world.run(5)
    (refused,) = outcomes
    assert isinstance(refused, Refused)
    assert refused.code is Code.OUTCOME_UNKNOWN
