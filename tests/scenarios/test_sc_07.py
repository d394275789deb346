"""SC-07: resolution order."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.protocol.everyplace.calls import Done, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World


@pytest.mark.spec(
    "SC-07", "E-310", "E-311", "E-312", "E-313", "E-314", "E-315", "E-316", "E-317", "E-318", "E-319", "E-320",
    "E-321", "E-330", "E-332", "E-335", "E-336", "E-337", "E-338", "E-347", "E-130", "E-171",
)  # fmt: skip
def test_the_route_changes_with_each_addition() -> None:
    """What is added is of higher precedence each time: failure, discovery, entry, alias, exact match, alias of the
    queue manager."""
    world = World()
    earth, mars, venus = (world.queue_manager(name) for name in ("EARTH", "MARS", "VENUS"))
    for each in (mars, venus):
        each.local("Q", ATTRIBUTE_RULE="by-the-book")
    assert code(earth.put("Q@MARS", "nowhere")) is Code.Q_UNKNOWN

    earth.connection("MARS")
    assert earth.put("Q@MARS", "discovered") == Done()
    assert mars.texts("Q") == ["discovered"]
    discovered, _ = earth.manager.resolve(Address("Q", "MARS"))
    assert discovered.definition.synchronous
    assert discovered.definition.value(rows.ATTRIBUTE_RULE) == "by-the-book"
    assert earth.manager.queues.named(discovered.definition.address) is None
    assert code(earth.put("NONE@MARS", "nowhere")) is Code.Q_UNKNOWN

    mars.away = True
    world.cut_all("EARTH", "MARS")
    assert code(earth.put("Q@MARS", "away")) is Code.ADAPTER_EXCEPTION
    earth.store_and_forward("SAF", ["MARS"])
    assert earth.put("Q@MARS", "entry") == Done()
    assert size(earth, "SAF") == 1

    earth.remote("REAL", "MARS", ALIASES=["Q"])
    assert earth.put("Q@MARS", "alias") == Done()
    assert (size(earth, "SAF"), size(earth, "REAL@MARS")) == (1, 1)

    earth.remote("Q", "MARS")
    assert earth.put("Q@MARS", "exact") == Done()
    assert (size(earth, "SAF"), size(earth, "REAL@MARS"), size(earth, "Q@MARS")) == (1, 1, 1)

    earth.connection("VENUS", aliases=("MARS",))
    assert earth.put("Q@MARS", "alias of the queue manager") == Done()
    assert venus.texts("Q") == ["alias of the queue manager"]


@pytest.mark.spec("SC-07", "E-311")
def test_a_circle_of_aliases_is_refused() -> None:
    earth = World().queue_manager("EARTH")
    found: list[Outcome] = []
    for name, alias in (("A", "B"), ("B", "C"), ("C", "A")):
        definition = ConnectionDefinition(name, "tcp", "x:1", aliases=(alias,))
        earth.manager.define_connection(definition, found.append)
        earth.write()
    assert found[:2] == [Done(), Done()]
    assert code(found[2]) is Code.ALIAS_CYCLE


@pytest.mark.spec("SC-07", "E-312")
def test_the_own_name_is_aliased_away() -> None:
    world = World()
    earth, mars = world.queue_manager("EARTH"), world.queue_manager("MARS")
    for each in (earth, mars):
        each.local("Q")
    earth.connection("MARS", aliases=("EARTH",))
    assert earth.put("Q@EARTH", "moved") == Done()
    assert mars.texts("Q") == ["moved"]


@pytest.mark.spec("E-130", "E-317", "E-318")
def test_a_discovered_queue_lasts_until_its_connection_is_defined_anew_or_it_is_gone() -> None:
    world = World()
    earth, mars, venus = (world.queue_manager(name) for name in ("EARTH", "MARS", "VENUS"))
    mars.local("Q")
    venus.local("OTHER")
    earth.connection("MARS")
    assert earth.put("Q@MARS", "one") == Done()
    mars.get("Q")
    mars.expect_done(
        lambda then: mars.manager.define(
            lambda: mars.manager.objects.queues.delete(mars.manager.objects.queues.find(Address("Q", "MARS"))), then
        )
    )
    assert code(earth.put("Q@MARS", "two")) is Code.Q_UNKNOWN
    mars.remote("Q", "VENUS")
    mars.connection("VENUS")
    mars.remote("OTHER", "VENUS", ALIASES=["FAR"])
    earth.connection("VENUS", via="MARS")
    assert earth.put("FAR@VENUS", "asynchronous there") == Done()
    world.run()
    assert venus.texts("OTHER") == ["asynchronous there"]
    assert earth.manager.resolve(Address("FAR", "VENUS"))[0].definition.synchronous


def code(outcome: Outcome) -> Code:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


def size(station: Station, queue: str) -> int:
    return len(station.stored(queue))
