"""SC-12: chains of via connections."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.effects import AskPartner
from mqbridge.protocol.everyplace.calls import Done, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message

HOUR = 3600.0


def three(*, chain: bool) -> tuple[World, Station, Station, Station]:
    """MOON reaches MARS over EARTH; with ``chain``, over a via connection that leads over a second one."""
    world = World()
    moon, earth, mars = (world.queue_manager(name) for name in ("MOON", "EARTH", "MARS"))
    mars.local("T")
    moon.connection("EARTH")
    if chain:
        moon.connection("PHOBOS", via="EARTH")
    moon.connection("MARS", via="PHOBOS" if chain else "EARTH")
    earth.connection("MARS")
    return world, moon, earth, mars


def accept(earth: Station, how: str) -> None:
    if how == "store and forward":
        earth.store_and_forward("SAF", ["MARS"], forward="MARS")
    else:
        earth.remote("T", "MARS", synchronous=how == "synchronous")


@pytest.mark.spec("SC-12", "E-127", "E-128", "E-171", "E-192", "E-194", "E-254", "E-322", "E-323", "E-353")
@pytest.mark.parametrize("chain", [False, True], ids=["one via", "two vias"])
@pytest.mark.parametrize("how", ["synchronous", "asynchronous", "store and forward"])
def test_a_synchronous_message_arrives_whatever_accepts_it_at_the_relay(how: str, *, chain: bool) -> None:
    world, moon, earth, mars = three(chain=chain)
    accept(earth, how)
    moon.remote("T", "MARS", synchronous=True)
    assert moon.put("T@MARS", "a") == Done()
    world.run(60)
    assert mars.texts("T") == ["a"]


@pytest.mark.spec("SC-12", "E-129", "E-322", "E-323", "E-353")
@pytest.mark.parametrize("chain", [False, True], ids=["one via", "two vias"])
@pytest.mark.parametrize("how", ["asynchronous", "store and forward"])
def test_an_asynchronous_message_arrives(how: str, *, chain: bool) -> None:
    world, moon, earth, mars = three(chain=chain)
    accept(earth, how)
    moon.remote("T", "MARS")
    assert moon.put("T@MARS", "a") == Done()
    world.run(60)
    assert mars.texts("T") == ["a"]
    assert len(moon.stored("T@MARS")) == 0


@pytest.mark.spec("SC-12", "E-322")
def test_the_names_of_the_destination_do_not_change() -> None:
    _, moon, _, _ = three(chain=True)
    moon.remote("T", "MARS", synchronous=True)
    moon.call(Put(Address("T", "MARS"), text_message("a")))
    (asked,) = [each for each in moon.manager.take_effects() if isinstance(each, AskPartner)]
    assert (asked.connection, asked.call.address) == ("EARTH", Address("T", "MARS"))


@pytest.mark.spec("SC-12", "E-191", "E-323")
def test_without_anything_at_the_relay_it_fails_or_waits() -> None:
    world, moon, earth, mars = three(chain=False)
    earth.expect_done(lambda then: earth.manager.define(lambda: earth.manager.objects.connections.delete("MARS"), then))
    moon.remote("T", "MARS", synchronous=True)
    refused = moon.put("T@MARS", "a")
    assert isinstance(refused, Refused)
    assert refused.code is Code.Q_UNKNOWN
    moon.remote("U", "MARS")
    assert moon.put("U@MARS", "b") == Done()
    world.run(60)
    assert len(moon.stored("U@MARS")) == 1
    mars.local("U")
    earth.connection("MARS")
    earth.remote("U", "MARS")
    world.run(HOUR)
    assert mars.texts("U") == ["b"]
