"""SC-27, storage: a third party's adapter, a database, and the supplied kinds serve like any other; killed writers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.stored_objects import StoredObjects
from mqbridge.bridge.store.adapters.interface import Mode
from mqbridge.bridge.store.descriptors import open_described
from mqbridge.protocol.everyplace.calls import ConfirmPut, Done, Outcome, Put, Refused
from mqbridge.protocol.everyplace.dump import dump
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import TEXT, Station, World, text_message
from support.processes.killed_store import OTHERS, rounds
from support.queue_manager.database_adapter import DatabaseAdapter

pytestmark = pytest.mark.spec("SC-27")
Q = Address("Q", "EARTH")
KINDS = pytest.mark.parametrize("kind", ["database", "files"])


def world_on_disk(kind: str, folder: Path) -> tuple[World, Station, Station]:
    world = World()
    opened = {}

    def make(name: str) -> object:
        if name in opened:
            opened[name].close()
        opened[name] = open_described(f"{kind}:{folder}/{name}", OTHERS)
        return opened[name]

    moon = world.queue_manager("MOON", lambda: make("MOON"))  # type: ignore[arg-type,return-value]
    earth = world.queue_manager("EARTH", lambda: make("EARTH"))  # type: ignore[arg-type,return-value]
    earth.local("Q")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", synchronous=True)
    moon.remote("LATER", "EARTH")
    earth.local("LATER")
    return world, moon, earth


def until_answered(moon: Station, call: Put | ConfirmPut) -> Outcome:
    """Repeat a call whose connection is lost; a confirm that finds nothing the second time has been done."""
    for attempt in range(5):
        found = moon.ask(call)
        if isinstance(found, Done):
            return found
        assert isinstance(found, Refused)
        if attempt and isinstance(call, ConfirmPut) and found.code is Code.NOT_FOUND:
            return Done()
        if isinstance(call, Put):
            call.message.resend = True
    raise AssertionError(found)


@pytest.mark.spec("E-145", "E-155", "E-172", "E-196", "E-197", "E-198", "E-461", "E-462", "SC-03")
@KINDS
@pytest.mark.parametrize("cut_after", [0, 1, 2, 3, 5, 8])
def test_an_assured_put_with_lost_replies_is_visible_once(kind: str, cut_after: int, tmp_path: Path) -> None:
    world, moon, earth = world_on_disk(kind, tmp_path)
    steps = 0
    stepped = world.step

    def step() -> bool:
        """Both ends are killed too: what they were told is on disk."""
        nonlocal steps
        steps += 1
        if steps == cut_after:
            world.cut_all("MOON")
            earth.kill()
        return stepped()

    world.step = step  # type: ignore[method-assign]
    message = text_message("two apples")
    assert until_answered(moon, Put(Q, message, 5)) == Done()
    assert earth.texts("Q") == []
    (uid,) = [entry.uid for entry in earth.stored("Q").held.list]
    steps = 0
    assert until_answered(moon, ConfirmPut(Q, uid)) == Done()
    assert earth.texts("Q") == ["two apples"]


@pytest.mark.spec("E-137", "E-140", "E-187", "E-461")
@KINDS
def test_messages_wait_through_restarts(kind: str, tmp_path: Path) -> None:
    world, moon, earth = world_on_disk(kind, tmp_path)
    earth.away = True
    for number in range(5):
        moon.put("LATER@EARTH", f"message {number}")
    moon.kill()
    earth.kill()
    earth.away = False
    moon.network.trigger(moon.now)
    world.run(30.0)
    assert earth.texts("LATER") == [f"message {number}" for number in range(5)]
    earth.kill()
    assert earth.get("LATER")[TEXT] == "message 0"


@pytest.mark.spec("E-020", "E-453", "E-458", "E-459", "SC-11")
def test_fields_objects_come_back_from_a_database(tmp_path: Path) -> None:
    adapter = DatabaseAdapter()
    adapter.activate(f"database:{tmp_path}/objects")
    objects = StoredObjects(adapter)
    for number in range(20):
        fields = Fields("com.example.Order")
        fields["number"], fields["data"] = number, random.Random(number).randbytes(number * 999)
        objects.open(f"{number}", Mode.WRITE)
        objects.write_object(fields)
        objects.open(f"{number}", Mode.READ)
        assert dump(objects.read_object()) == dump(fields)
        objects.close()
    adapter.release()


@pytest.mark.spec("E-137", "E-461", "E-462")
@pytest.mark.parametrize("kind", ["database", "files", "sqlite"])
def test_a_killed_writer_leaves_whole_units_and_all_that_it_was_answered(
    kind: str, tmp_path: Path, *, long_form: bool
) -> None:
    rounds(f"{kind}:{tmp_path}/store", 20 if long_form else 2, random.Random(kind))
