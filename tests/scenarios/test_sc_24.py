"""SC-24: the life of a queue manager, from an empty directory to its deletion."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.creation import create, delete
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.bridge.everyplace.effects import Level, Notice, StopListener, Topic
from mqbridge.bridge.everyplace.life_cycle import Phase
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.protocol.everyplace.calls import ConfirmGet, ConfirmPut, Done, Get, Outcome, Put, Refused
from mqbridge.protocol.everyplace.endpoints import DEFAULT_PORT
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("SC-24")
DEFAULT = "SYSTEM.DEFAULT.LOCAL.QUEUE"


def code(outcome: Outcome) -> Code | None:
    return outcome.code if isinstance(outcome, Refused) else None


@pytest.mark.spec("E-217", "E-218", "E-220", "E-223", "E-230", "E-231", "E-237", "E-238", "E-239")
def test_created_used_closed_started_again_and_deleted(tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    opened: list[SqliteStore] = []

    def open_store() -> Store:
        if opened:
            opened.pop().close()
        opened.append(SqliteStore(path))
        return opened[0]

    first = open_store()
    assert first.commit([create(first, "MOON", b"12345678")]) == [None]
    moon = World().queue_manager("MOON", open_store)
    moon.local("Q")
    taken = QueueDefinition(QueueKind.LOCAL, Address("Q", "MOON"))
    outcomes: list[Outcome] = []
    moon.manager.define_queue(taken, outcomes.append)
    assert code(outcomes[0]) is Code.Q_ALREADY_EXISTS
    moon.put("Q", "one")
    moon.manager.life.close_immediate(moon.now)
    assert code(moon.call(Get(Address("Q", "MOON"), Fields()))[0]) is Code.CLOSED
    moon.manager.life.start(moon.now)
    assert moon.texts("Q") == ["one"]
    with pytest.raises(EveryplaceError) as found:
        moon.manager.life.start(moon.now)
    assert found.value.code is Code.ACTIVE
    moon.kill()
    assert moon.texts("Q") == ["one"]
    moon.manager.life.close_immediate(moon.now)
    with pytest.raises(EveryplaceError, match="Q@MOON holds messages") as found:
        delete(moon.store)
    assert found.value.code is Code.Q_NOT_EMPTY
    moon.manager.life.start(moon.now)
    assert moon.get("Q")["text"] == "one"
    moon.manager.life.close_immediate(moon.now)
    assert moon.store.commit([delete(moon.store)]) == [None]
    store = open_store()
    assert store.commit([create(store, "MARS", b"87654321")]) == [None]
    opened[0].close()


def sending(count: int) -> tuple[Station, Station]:
    """MOON with many messages for EARTH, the first of them under way."""
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q")
    earth.local("LATE")
    moon.local("OWN")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH")
    moon.remote("LATE", "EARTH")
    for number in range(count):
        moon.call(Put(Address("Q", "EARTH"), text_message(str(number))))
    moon.go_on()
    return moon, earth


@pytest.mark.spec("E-232", "E-233", "E-234", "E-236", "E-570")
def test_quiesce_lets_a_long_transfer_end_and_ends_early_when_idle() -> None:
    moon, earth = sending(300)
    moon.put("OWN", "before", confirm=7)
    message = moon.stored("OWN").held.list
    (entry,) = message
    listener = ListenerDefinition("LISTENER", endpoint=f"moon:{DEFAULT_PORT}")
    moon.expect_done(lambda then: moon.manager.define(lambda: moon.manager.objects.listeners.create(listener), then))
    moon.expect_done(lambda then: moon.manager.define(lambda: moon.manager.objects.listeners.start("LISTENER"), then))
    began = moon.now
    moon.manager.life.close_quiesce(60_000, moon.now)
    (stop, *_) = [each for each in moon.manager.take_effects() if isinstance(each, StopListener)]
    assert stop == StopListener("LISTENER")
    assert moon.manager.life.phase is Phase.QUIESCING
    for late in (Put(Address("LATE", "EARTH"), text_message("late")), Get(Address("OWN", "MOON"), Fields())):
        assert code(moon.call(late)[0]) is Code.STOPPED
    assert moon.call(ConfirmPut(Address("OWN", "MOON"), entry.uid)) == [Done()]
    assert code(moon.call(ConfirmGet(Address("OWN", "MOON"), entry.uid))[0]) is Code.NOT_FOUND
    moon.world.run(60)
    assert moon.manager.life.phase is Phase.CLOSED
    assert len(earth.stored("Q")) == 300
    assert len(earth.stored("LATE")) == 0
    moon.go_on()
    notice = next(each for each in moon.effects if isinstance(each, Notice))
    assert (notice.topic, notice.level, notice.name) == (Topic.CLOSE, Level.INFORMATION, "MOON")
    assert moon.now - began <= 60


@pytest.mark.spec("E-234")
def test_quiesce_looks_each_tenth_of_a_second_and_ends_when_nothing_runs() -> None:
    moon = World().queue_manager("MOON")
    moon.local("Q")
    moon.put("Q", "one")
    moon.world.run(0)
    moon.manager.life.close_quiesce(60_000, moon.now)
    assert moon.manager.next_timeout() == pytest.approx(moon.now + 0.1, rel=0, abs=0.001)
    moon.world.run(0.09)
    assert moon.manager.life.phase is Phase.QUIESCING
    moon.world.run(0.02)
    assert moon.manager.life.phase is Phase.CLOSED


@pytest.mark.spec("E-234")
def test_quiesce_ends_by_force_at_its_limit() -> None:
    moon, _ = sending(1)
    moon.manager.life.activities.append(lambda: True)
    moon.manager.life.close_quiesce(2_000, moon.now)
    moon.world.run(1.9)
    assert moon.manager.life.phase is Phase.QUIESCING
    moon.world.run(0.2)
    assert moon.manager.life.phase is Phase.CLOSED


@pytest.mark.spec("E-235")
def test_immediate_closes_at_once_and_loses_nothing() -> None:
    moon, earth = sending(300)
    moon.manager.life.close_immediate(moon.now)
    assert moon.manager.life.phase is Phase.CLOSED
    moon.world.run(30)
    there = len(earth.stored("Q"))
    assert there < 300
    moon.kill()
    moon.world.run(30)
    assert [each["text"] for each in earth.browse("Q")] == [str(number) for number in range(300)]


@pytest.mark.spec("E-240")
def test_an_example_server_listens_on_port_8081() -> None:
    assert DEFAULT_PORT == 8081


@pytest.mark.spec("E-209", "E-235")
def test_what_is_on_its_way_to_a_closed_one_is_kept_as_long_as_the_connection_is_there() -> None:
    moon, earth = sending(300)
    moon.world.step()
    earth.manager.life.close_immediate(earth.now)
    moon.world.run(5)
    assert len(earth.stored("Q")) == 300
    assert moon.alarms == []


@pytest.mark.spec("E-225", "E-227")
def test_secrets_are_found_in_no_file(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    with QueueManager.create(tmp_path / "moon.mqe", "MOON", pin="correct horse", connect=False) as moon:
        moon.put(DEFAULT, "two apples")
    found = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"two apples" in found
    assert b"correct horse" not in found
    with pytest.raises(EveryplaceError) as caught:
        QueueManager.open(tmp_path / "moon.mqe", pin="wrong horse", connect=False)
    assert caught.value.code is Code.REGISTRY_WRONG_PIN
    assert "horse" not in str(caught.value)
