"""SC-31: names, towards Everyplace alone and towards MQ."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.definitions.queue_properties import ENTRIES, REMOTE_QUEUE
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Done, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World

GOOD = ("A", "z9_.%", "x" * 48, "x" * 49, "x" * 230, "a.b", "%", "_")
BAD = ("", ".", ".A", "A.", "A/B", "A B", "A@B", "Ä", "A\0", "A\n", "A-B", "x" * 231)
FIELDS_GOOD = ("A", "a-b", "two words", "A/B", "€"[:0] + "!", "x" * 300)
FIELDS_BAD = ("", "{", "}", "[", "]", "#", "(", ")", ":", ";", ",", "'", '"', "=", "é", "\t", "\x7f")


def define(station: Station, definition: QueueDefinition) -> Outcome:
    found: list[Outcome] = []
    station.manager.define_queue(definition, found.append)
    station.write()
    return found[0]


@pytest.mark.spec("SC-31", "E-090", "E-092", "E-039")
@pytest.mark.parametrize("name", GOOD)
def test_good_names_of_queue_managers_and_queues(name: str) -> None:
    store = MemoryStore(MemoryTables())
    assert create(store, name, bytes(8))
    world = World()
    station = world.queue_manager(name)
    station.local(name)
    assert station.put(f"{name}@{name}", "a") == Done()
    station.kill()
    assert station.texts(name) == ["a"]
    station.store_and_forward("SAF", [f"Z{name[1:]}"])
    assert station.put(f"{name}@Z{name[1:]}", "b") == Done()
    station.kill()
    assert len(station.stored("SAF")) == 1


@pytest.mark.spec("SC-31", "E-090", "E-571")
@pytest.mark.parametrize("name", BAD)
def test_bad_names_are_refused_with_the_rule_and_the_object(name: str) -> None:
    makers: list[tuple[str, Callable[[], object]]] = [
        ("queue", lambda: QueueDefinition(QueueKind.LOCAL, Address(name, "EARTH"))),
        ("queue manager", lambda: QueueDefinition(QueueKind.REMOTE, Address("Q", name))),
        ("connection", lambda: ConnectionDefinition(name)),
        ("queue manager", lambda: create(MemoryStore(MemoryTables()), name, bytes(8))),
    ]
    for what, make in makers:
        with pytest.raises(EveryplaceError) as caught:
            make()
        assert caught.value.code in (Code.SYNTAX, Code.TOO_LONG)
        assert caught.value.text.startswith(what)
        assert any(rule in caught.value.text for rule in ("is not of letters", "a period", "are allowed"))


@pytest.mark.spec("SC-31", "E-002", "E-003", "E-004", "E-005", "E-006")
def test_names_of_fields() -> None:
    fields = Fields()
    for name in FIELDS_GOOD:
        fields[name] = 1
        fields[name] = "again"
        assert fields[name] == "again"
    for name in FIELDS_BAD:
        with pytest.raises(EveryplaceError) as caught:
            fields[f"a{name}" if name else name] = 1
        assert caught.value.code is Code.SYNTAX


@pytest.mark.spec("SC-31", "E-091")
def test_names_that_mq_must_know_are_short() -> None:
    """A queue of MQ itself always; names of the gateway as soon as a connection leads to MQ."""
    earth = World().queue_manager("EARTH")
    long, fits = "x" * 49, "x" * 48
    for name, owner in ((long, "SATURN"), ("Q", long)):
        refused = define(earth, QueueDefinition(QueueKind.MQ_BRIDGE, Address(name, owner)))
        assert isinstance(refused, Refused)
        assert refused.code is Code.TOO_LONG
    assert define(earth, QueueDefinition(QueueKind.MQ_BRIDGE, Address(fits, fits))) == Done()
    bridge = QueueDefinition(QueueKind.MQ_BRIDGE, Address("B", "SATURN"))
    for name in (long, "A/B"):
        with pytest.raises(EveryplaceError):
            bridge.set(REMOTE_QUEUE, name)
    assert define(earth, QueueDefinition(QueueKind.LOCAL, Address(long, "EARTH"))) == Done()
    earth.expect_done(lambda then: earth.manager.define_connection(ConnectionDefinition("SATURN", to_mq=True), then))
    refused = define(earth, QueueDefinition(QueueKind.LOCAL, Address(f"{long}y", "EARTH")))
    assert isinstance(refused, Refused)
    assert refused.code is Code.TOO_LONG
    entry = QueueDefinition(QueueKind.STORE_AND_FORWARD, Address("SAF", "EARTH"))
    entry.set(ENTRIES, [long])
    assert isinstance(define(earth, entry), Refused)
    found: list[Outcome] = []
    earth.manager.define_connection(ConnectionDefinition(long, to_mq=True), found.append)
    assert isinstance(found[0], Refused)


@pytest.mark.spec("SC-31", "E-331")
def test_names_differ_by_case() -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    earth.local("Q")
    earth.local("q")
    earth.alias("Home")
    earth.store_and_forward("SAF", ["Moon"])
    assert earth.put("q@Home", "small") == Done()
    assert (earth.texts("Q"), earth.texts("q")) == ([], ["small"])
    for address in ("Q@HOME", "Q@MOON", "Q@Earth"):
        refused = earth.put(address, "nowhere")
        assert isinstance(refused, Refused)
        assert refused.code is Code.Q_UNKNOWN
        assert address in refused.text
    assert earth.put("Q@Moon", "there") == Done()
