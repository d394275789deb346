"""SC-25: connections, limits and security of channels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import NetworkSettings
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.at_rest import MARK
from mqbridge.bridge.everyplace.security.cryptography import derived
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.compressors import ZLIB, ZLIB_STREAM
from mqbridge.protocol.everyplace.errors import Code
from support.everyplace import Station, World
from support.everyplace_security import security


@pytest.fixture(autouse=True)
def quick_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PIN costs no time here."""
    monkeypatch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))


@pytest.fixture
def world() -> World:
    return World(settings=NetworkSettings(compressors=(ZLIB_STREAM, ZLIB)))


@pytest.fixture
def earth(world: World) -> Station:
    return world.queue_manager("EARTH")


@pytest.fixture
def moon(world: World, earth: Station) -> Station:
    """A device that offers no compressor unless a queue demands one."""
    world.settings = NetworkSettings()
    return world.queue_manager("MOON")


def row(station: Station, queue: str) -> bytes:
    """What is on disk of the first message of a queue."""
    messages = station.stored(queue)
    return station.store.read(messages.held.number, next(iter(messages.held.list)).position)


@pytest.mark.spec("SC-25", "E-247", "E-259")
def test_the_third_client_is_refused_and_an_idle_one_closed(world: World, earth: Station) -> None:
    earth.listener = ListenerDefinition("LISTENER", endpoint="EARTH:8081", max_channels=2, timeout=2000)
    earth.local("ORDERS")
    clients = [world.queue_manager(name) for name in ("MOON", "MARS", "VENUS")]
    for client in clients:
        client.connection("EARTH")
    assert [clients[0].put("ORDERS@EARTH", "1"), clients[1].put("ORDERS@EARTH", "2")] == [Done(), Done()]
    refused = clients[2].put("ORDERS@EARTH", "3")
    assert isinstance(refused, Refused)
    assert refused.code is Code.ADAPTER_EXCEPTION
    assert earth.texts("ORDERS") == ["1", "2"]
    world.run(3)
    assert not world.wires_of("EARTH")
    assert clients[2].put("ORDERS@EARTH", "3") == Done()
    assert not [each for each in world.wires if each.caller is earth]


@pytest.mark.spec("SC-25", "E-258", "E-442", "E-443", "E-445")
def test_a_channel_is_upgraded_for_a_queue_that_demands_more(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    earth.local("LARGE", COMPRESSOR="zlib")
    moon.connection("EARTH")
    assert moon.put("ORDERS@EARTH", "over a plain channel") == Done()
    (first,) = world.wires_of("MOON", "EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.put("ORDERS@EARTH", "the same channel")
    world.run()
    assert world.wires_of("MOON", "EARTH") == [first]
    moon.remote("LARGE", "EARTH", COMPRESSOR="zlib")
    moon.put("LARGE@EARTH", "large " * 1000)
    world.run()
    (second,) = world.wires_of("MOON", "EARTH")
    assert second is not first
    assert second.carried < 3000
    assert earth.manager.security.channels["MOON"].compressor == ZLIB
    assert earth.texts("LARGE") == ["large " * 1000]
    assert earth.texts("ORDERS") == ["over a plain channel", "the same channel"]


@pytest.mark.spec("SC-25", "E-258", "E-442", "E-444")
def test_a_queue_that_demands_encryption_is_served_over_tls_alone(world: World, moon: Station, earth: Station) -> None:
    earth.local("SECRETS")
    moon.connection("EARTH")
    moon.remote("SECRETS", "EARTH", synchronous=True, CRYPTOR="aes-gcm")
    refused = moon.put("SECRETS@EARTH", "for nobody else")
    assert isinstance(refused, Refused)
    assert refused.code is Code.CHNL_ATTRIBUTES
    assert any("demands aes-gcm" in each for each in moon.alarms)
    moon.connection("EARTH", adapter="tls")
    assert moon.put("SECRETS@EARTH", "for nobody else") == Done()
    assert earth.manager.security.channels["MOON"].cryptor == "tls"


@pytest.mark.spec("SC-25", "E-258", "E-442", "E-443")
def test_a_queue_that_demands_more_than_its_connection_gives_holds_up_no_other(
    world: World, moon: Station, earth: Station
) -> None:
    moon.security = security()
    moon.kill()
    for queue in ("ORDERS", "SECRETS"):
        earth.local(queue)
    moon.connection("EARTH")
    moon.remote("SECRETS", "EARTH", CRYPTOR="aes-gcm")
    moon.remote("ORDERS", "EARTH")
    for number in range(3):
        moon.put("SECRETS@EARTH", f"secret {number}")
        moon.put("ORDERS@EARTH", f"{number} apples")
    world.run(30)
    assert earth.texts("ORDERS") == ["0 apples", "1 apples", "2 apples"]
    assert earth.texts("SECRETS") == []
    assert len(moon.stored("SECRETS@EARTH")) == 3
    text = "queue SECRETS@EARTH demands aes-gcm; the channel gives none"
    assert moon.alarms == [text]
    (row_of_earth,) = moon.network.status()
    assert row_of_earth.blocks == (text,)
    wires = world.wires_of("MOON", "EARTH")
    assert len(wires) == 1
    moon.network.trigger(moon.now)
    world.run(60)
    assert world.wires_of("MOON", "EARTH") == wires, "a connection that cannot be upgraded is kept"
    world.cut_all("MOON", "EARTH")
    world.run(600)
    assert moon.alarms == [text]
    assert earth.texts("SECRETS") == []
    moon.connection("EARTH", adapter="tls")
    world.run(30)
    assert earth.texts("SECRETS") == ["secret 0", "secret 1", "secret 2"]
    assert moon.network.status()[0].blocks == ()


@pytest.mark.spec("SC-25", "E-258", "E-442", "E-445")
def test_a_call_to_a_queue_that_demands_more_is_refused_and_others_are_made(
    world: World, moon: Station, earth: Station
) -> None:
    for queue in ("ORDERS", "SECRETS"):
        earth.local(queue)
    moon.connection("EARTH")
    moon.remote("SECRETS", "EARTH", synchronous=True, AUTHENTICATOR="key")
    moon.remote("ORDERS", "EARTH", synchronous=True)
    assert moon.put("ORDERS@EARTH", "1") == Done()
    refused = moon.put("SECRETS@EARTH", "for nobody else")
    assert isinstance(refused, Refused)
    assert refused.code is Code.CHNL_ATTRIBUTES
    assert moon.put("ORDERS@EARTH", "2") == Done()
    assert earth.texts("ORDERS") == ["1", "2"]
    assert earth.texts("SECRETS") == []
    assert moon.alarms == ["queue SECRETS@EARTH demands key; the channel gives none"]


@pytest.mark.spec("SC-25", "E-258", "E-444")
def test_a_home_server_queue_that_demands_more_than_its_connection_gives_does_not_pull(
    world: World, moon: Station, earth: Station
) -> None:
    moon.security = security()
    moon.kill()
    moon.local("REPLIES")
    earth.local("ORDERS")
    earth.store_and_forward("SAF", ["MOON"])
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.home_server("EARTH", CRYPTOR="aes-gcm")
    earth.put("REPLIES@MOON", "two apples")
    moon.put("ORDERS@EARTH", "two pears")
    world.run(30)
    assert earth.texts("ORDERS") == ["two pears"]
    assert moon.texts("REPLIES") == []
    assert moon.alarms == ["queue HOME@EARTH demands aes-gcm; the channel gives none"]
    assert moon.network.status()[0].blocks == tuple(moon.alarms)
    moon.connection("EARTH", adapter="tls")
    world.run(30)
    assert moon.texts("REPLIES") == ["two apples"]
    assert moon.network.status()[0].blocks == ()


@pytest.mark.spec("SC-25", "E-443", "E-445", "E-249")
def test_the_target_tests_the_channel_and_the_message_waits(world: World, moon: Station, earth: Station) -> None:
    earth.security = security()
    earth.kill()
    earth.local("SECRETS", CRYPTOR="aes-gcm")
    moon.connection("EARTH")
    moon.remote("SECRETS", "EARTH")
    moon.put("SECRETS@EARTH", "for nobody else")
    world.run(5)
    assert earth.texts("SECRETS") == []
    assert len(moon.stored("SECRETS@EARTH")) == 1
    moon.connection("EARTH", adapter="tls")
    world.cut_all("MOON", "EARTH")
    world.run(600)
    assert earth.texts("SECRETS") == ["for nobody else"]
    assert row(earth, "SECRETS").startswith(MARK)


@pytest.mark.spec("SC-25", "E-095", "E-443", "E-444")
def test_a_home_server_queue_delivers_to_a_protected_queue_without_channel_test(
    world: World, moon: Station, earth: Station
) -> None:
    moon.security = security()
    moon.kill()
    moon.local("REPLIES", AUTHENTICATOR="certificate", CRYPTOR="aes-gcm")
    earth.store_and_forward("SAF", ["MOON"])
    moon.connection("EARTH")
    moon.home_server("EARTH")
    earth.put("REPLIES@MOON", "two apples")
    world.run()
    assert moon.texts("REPLIES") == ["two apples"]
    assert row(moon, "REPLIES").startswith(MARK)


@pytest.mark.spec("SC-25", "E-246")
def test_the_far_side_closes_in_the_middle_and_nothing_is_lost(world: World, moon: Station, earth: Station) -> None:
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    for number in range(100):
        moon.put("ORDERS@EARTH", str(number))
    for _ in range(3):
        world.step()
    earth.kill()
    world.run(60)
    assert earth.texts("ORDERS") == [str(number) for number in range(100)]
    assert replace(earth.listener, max_channels=0) == earth.listener
