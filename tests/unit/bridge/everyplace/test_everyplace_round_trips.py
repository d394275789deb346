"""What goes out together: the next batch behind CONFIRM, and the numbers of a lane behind PROOF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.transfer import called
from mqbridge.bridge.everyplace.transfer.parts_in import LONG
from mqbridge.bridge.everyplace.transfer.pushing import BATCH
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.everyplace.authenticators import Authenticator, ByKey
from mqbridge.protocol.everyplace.batches import read_body
from mqbridge.protocol.everyplace.calls import Done
from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import VERSION
from support.everyplace import Station, World

pytestmark = pytest.mark.spec("E-189", "E-190", "E-191")


class Keys:
    """Both ends have the same key."""

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> tuple[Authenticator, ...]:
        return (ByKey(bytes(range(32))),)

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        return ByKey(bytes(range(32)))

    def proved(self, name: str, incarnation: bytes) -> None:
        """Everybody who has the key may have any name."""


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def moon(world: World) -> Station:
    return world.queue_manager("MOON", credentials=Keys())


@pytest.fixture
def earth(world: World, moon: Station) -> Station:
    earth = world.queue_manager("EARTH", credentials=Keys())
    earth.local("ORDERS")
    earth.away = True
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    return earth


def fill(moon: Station, count: int, length: int = 0) -> list[str]:
    texts = [f"{number} apples".ljust(length) for number in range(count)]
    for text in texts:
        assert moon.put("ORDERS@EARTH", text) == Done()
    return texts


def flights(world: World, until: Callable[[], bool] = lambda: False) -> list[list[Kind]]:
    """Let EARTH answer, and everything happen; returns the kinds of MOON's frames that were on the way at once.

    ``until``: ends it, when frames are on their way.
    """
    moon, earth = world.stations["MOON"], world.stations["EARTH"]
    earth.away = False
    moon.network.trigger(moon.now)
    found: list[list[Kind]] = []
    reader = FrameReader()
    while True:
        moved = False
        for station in world.stations.values():
            moved = station.go_on() or moved
        if until():
            return found
        for wire in list(world.wires):
            flight: list[Kind] = []
            for end in (1, 0):
                while wire.on_the_way[end]:
                    data = wire.on_the_way[end][0]
                    flight += [each.kind for each in reader.receive(data)] if end else []
                    world.deliver(wire, end, len(data))
                    moved = True
            found += [flight] if flight else []
        if not moved:
            return found


def test_a_batch_takes_one_round_trip_more(world: World, moon: Station, earth: Station) -> None:
    texts = fill(moon, 3 * BATCH)
    assert flights(world) == [
        [Kind.HELLO],
        [Kind.PROOF, Kind.STATE],
        [Kind.PUSH],
        [Kind.CONFIRM, Kind.PUSH],
        [Kind.CONFIRM, Kind.PUSH],
        [Kind.CONFIRM],
    ]
    assert earth.texts("ORDERS") == texts
    assert len(moon.stored("ORDERS@EARTH")) == 0


def test_a_batch_behind_confirm_is_taken_apart_once(
    world: World, moon: Station, earth: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes while the one before is being written, and waits as it is."""
    read, waiting = [], called.CalledEnd._receive_later
    late: list[Kind] = []

    def reads(kind: Kind, data: bytes) -> object:
        if kind is Kind.PUSH:
            read.append(data)
        return read_body(kind, data)

    def later(self: called.CalledEnd, frame: Frame, reply: Any, now: int) -> None:
        late.append(frame.kind)
        waiting(self, frame, reply, now)

    monkeypatch.setattr(called, "read_body", reads)
    monkeypatch.setattr(called.CalledEnd, "_receive_later", later)
    texts = fill(moon, 3 * BATCH)
    flights(world)
    assert earth.texts("ORDERS") == texts
    assert late.count(Kind.PUSH) == 2
    assert len(read) == len(set(read)) == 3


@pytest.mark.spec("E-198", "E-204")
@pytest.mark.parametrize("place", range(3))
def test_a_batch_behind_one_that_cannot_be_stored_is_not_taken(
    world: World, moon: Station, earth: Station, place: int
) -> None:
    """The connection goes on; the ends compare numbers, and everything arrives once and in order."""
    texts = fill(moon, 3 * BATCH)
    commit, times = earth.store.commit, 0

    def full(units: object) -> list[StoreFull | None]:
        nonlocal times
        times += 1
        return [StoreFull("no room")] if times == place + 1 else commit(units)  # type: ignore[arg-type, return-value]

    earth.store.commit = full  # type: ignore[method-assign, assignment]
    sent = [kind for flight in flights(world) for kind in flight]
    assert sent[-2:] == [Kind.CONFIRM, Kind.PUSH] if place < 2 else [Kind.PUSH, Kind.CONFIRM]
    assert earth.texts("ORDERS") == texts[: place * BATCH]
    (wire,) = world.wires
    assert "cannot be stored" in moon.alarms[-1]
    world.run(60)
    assert world.wires == [wire]
    assert earth.texts("ORDERS") == texts
    assert len(moon.stored("ORDERS@EARTH")) == 0


# What is pulled


def filled_earth(world: World, moon: Station, count: int, version: int = VERSION) -> list[str]:
    """EARTH has so many messages for MOON, which pulls."""
    world.settings = replace(world.settings, version=version)
    earth = world.queue_manager("EARTH", credentials=Keys())
    earth.away = True
    earth.store_and_forward("SAF", ["MOON"])
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.home_server("EARTH")
    texts = [f"{number} pears" for number in range(count)]
    for text in texts:
        assert earth.put("REPLIES@MOON", text) == Done()
    return texts


def questions(world: World) -> list[list[Kind]]:
    """Return MOON's frames that were on the way at once, without those of the greeting."""
    return [flight for flight in flights(world) if Kind.HELLO not in flight and Kind.PROOF not in flight]


@pytest.mark.spec("E-131", "E-135", "E-247", "E-325")
def test_a_batch_that_is_pulled_takes_one_round_trip(world: World, moon: Station) -> None:
    texts = filled_earth(world, moon, 3 * BATCH)
    assert questions(world) == [
        [Kind.PULL],
        [Kind.TAKEN, Kind.NEXT],
        [Kind.TAKEN, Kind.NEXT],
        [Kind.TAKEN, Kind.NEXT],
        [Kind.PULL],
    ]
    assert moon.texts("REPLIES") == texts
    assert len(world.stations["EARTH"].stored("SAF")) == 0


@pytest.mark.spec("E-131", "E-474")
@pytest.mark.parametrize("older", ["MOON", "EARTH"])
def test_a_partner_of_an_older_release_is_served_in_two_round_trips(world: World, moon: Station, older: str) -> None:
    if older == "MOON":
        world.settings = replace(world.settings, version=1)
        moon.kill()
    texts = filled_earth(world, moon, 2 * BATCH, version=1 if older == "EARTH" else VERSION)
    assert questions(world) == [[Kind.PULL], [Kind.TAKEN], [Kind.PULL], [Kind.TAKEN], [Kind.PULL]]
    assert moon.texts("REPLIES") == texts
    assert len(world.stations["EARTH"].stored("SAF")) == 0


@pytest.mark.spec("E-131")
def test_nothing_is_asked_for_behind_a_message_that_comes_alone(world: World, moon: Station) -> None:
    texts = filled_earth(world, moon, 1)
    assert questions(world) == [[Kind.PULL], [Kind.TAKEN], [Kind.PULL]]
    assert moon.texts("REPLIES") == texts


@pytest.mark.spec("E-198", "E-204")
@pytest.mark.parametrize("end", ["MOON", "EARTH"])
@pytest.mark.parametrize("place", range(3))
def test_pulled_batches_come_once_where_one_cannot_be_stored(world: World, moon: Station, end: str, place: int) -> None:
    """MOON cannot place a batch, or EARTH cannot write it as in doubt, while the next is on its way."""
    texts = filled_earth(world, moon, 3 * BATCH)
    station = world.stations[end]
    commit, times = station.store.commit, 0

    def full(units: object) -> list[StoreFull | None]:
        nonlocal times
        times += 1
        return [StoreFull("no room")] if times == place + 1 else commit(units)  # type: ignore[arg-type, return-value]

    station.store.commit = full  # type: ignore[method-assign, assignment]
    flights(world)
    world.run(60)
    assert times > place
    assert moon.texts("REPLIES") == texts
    assert len(world.stations["EARTH"].stored("SAF")) == 0


@pytest.mark.spec("E-190", "E-191")
@pytest.mark.parametrize("killed", ["MOON", "EARTH", "neither"])
@pytest.mark.parametrize("after", range(1, 14))
def test_a_cut_while_a_batch_is_behind_another_loses_and_doubles_nothing(
    world: World, moon: Station, monkeypatch: pytest.MonkeyPatch, killed: str, after: int
) -> None:
    monkeypatch.setattr(called, "BATCH", 3)
    texts = filled_earth(world, moon, 12)
    seen = 0

    def enough() -> bool:
        nonlocal seen
        seen += 1
        return seen == after

    flights(world, until=enough)
    if killed == "neither":
        world.cut_all("MOON", "EARTH")
    else:
        world.stations[killed].kill()
    moon.network.trigger(moon.now)
    world.run(60)
    assert moon.texts("REPLIES") == texts
    assert len(world.stations["EARTH"].stored("SAF")) == 0


def test_long_messages_wait_for_the_end_of_the_batch_before(world: World, moon: Station, earth: Station) -> None:
    texts = [*fill(moon, BATCH), *fill(moon, 1), *fill(moon, 1, LONG), *fill(moon, 1)]
    kinds = flights(world)
    assert kinds[3:5] == [[Kind.CONFIRM, Kind.PUSH], [Kind.CONFIRM]]
    assert kinds[5][0] is Kind.PART
    assert earth.texts("ORDERS") == texts


def test_a_cut_frees_the_batch_behind_and_leaves_the_first_in_doubt(
    world: World, moon: Station, earth: Station
) -> None:
    texts = fill(moon, 2 * BATCH)

    def reserved() -> list[bool]:
        return [entry.reserved for entry in moon.stored("ORDERS@EARTH").held.list]

    flights(world, until=lambda: all(reserved()))
    assert reserved() == [True] * 2 * BATCH
    world.cut_all("MOON", "EARTH")
    assert reserved() == [True] * BATCH + [False] * BATCH
    world.run(60)
    assert earth.texts("ORDERS") == texts
    assert len(moon.stored("ORDERS@EARTH")) == 0
