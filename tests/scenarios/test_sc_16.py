"""SC-16: aliases of queues, and two ways of transfer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.queue_properties import ALIASES
from mqbridge.bridge.everyplace.objects.queues import Queues
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World

HOUR = 3600.0


def two() -> tuple[World, Station, Station]:
    world = World()
    target, client = world.queue_manager("T"), world.queue_manager("L")
    target.local("TargetQueue", ALIASES=["Sync", "Async"])
    client.connection("T")
    client.remote("Sync", "T", synchronous=True)
    client.remote("Async", "T")
    return world, target, client


def change(station: Station, make: Callable[[Queues], Change[object]]) -> None:
    station.expect_done(lambda then: station.manager.define(lambda: make(station.manager.objects.queues), then))


def own(station: Station, name: str) -> Queue:
    return station.manager.objects.queues.find(Address(name, station.name))


@pytest.mark.spec("SC-16", "E-117", "E-128", "E-129", "E-141", "E-144", "E-314", "E-329", "E-339", "E-342", "E-343")
def test_one_queue_is_reached_in_two_ways() -> None:
    world, target, client = two()
    assert client.put("Sync@T", "now") == Done()
    assert len(target.stored("TargetQueue")) == 1
    assert client.put("Async@T", "soon") == Done()
    world.run()
    assert target.texts("TargetQueue") == ["now", "soon"]
    target.away = True
    world.cut_all("T", "L")
    refused = client.put("Sync@T", "never")
    assert isinstance(refused, Refused)
    assert refused.code is Code.ADAPTER_EXCEPTION
    assert client.put("Async@T", "later") == Done()
    target.away = False
    world.run(HOUR)
    assert target.texts("TargetQueue") == ["now", "soon", "later"]


@pytest.mark.spec("SC-16", "E-142", "E-340", "E-341")
def test_two_queues_are_merged() -> None:
    world, target, client = two()
    target.local("Second")
    client.remote("Second", "T")
    client.put("Second@T", "before")
    world.run()
    assert target.get("Second")["text"] == "before"
    change(target, lambda queues: queues.delete(own(target, "Second")))
    client.put("Second@T", "in between")
    world.run(60)
    change(target, lambda queues: queues.change_names(own(target, "TargetQueue"), ALIASES, ["Second"], add=True))
    client.put("Second@T", "after")
    world.run(HOUR)
    assert target.texts("TargetQueue") == ["in between", "after"]


@pytest.mark.spec("SC-16", "E-143", "E-344")
def test_a_queue_is_swapped_under_a_fixed_name() -> None:
    world, target, client = two()
    target.local("Fresh")
    client.put("Sync@T", "old")
    assert target.get("TargetQueue")["text"] == "old"
    change(
        target, lambda queues: queues.change_names(own(target, "TargetQueue"), ALIASES, ["Sync", "Async"], add=False)
    )
    change(target, lambda queues: queues.change_names(own(target, "Fresh"), ALIASES, ["Sync", "Async"], add=True))
    assert client.put("Sync@T", "new") == Done()
    assert client.put("Async@T", "newer") == Done()
    world.run()
    assert target.texts("Fresh") == ["new", "newer"]
    assert client.get("Sync@T")["text"] == "new", "read where it is written"
    assert len(target.stored("TargetQueue")) == 0
