"""Calls on a queue manager of Everyplace: resolution, kinds of queues, UIDs over restarts."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import AskMq, AskPartner, Effect, Transmit
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Call, Done, Get, Got, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

EARTH: Final = "EARTH"


class Host:
    """A queue manager whose commits succeed at once."""

    def __init__(self, name: str = EARTH) -> None:
        self.tables = MemoryTables()
        self.store = MemoryStore(self.tables)
        self.store.commit([[Registry.create(name, b"12345678")]])
        self.effects: list[Effect] = []
        self.now = 1000.0
        self.restart()

    def restart(self) -> None:
        self.manager = QueueManager(self.store, random.Random(1))

    def settle(self) -> None:
        while commits := self.manager.take_commits():
            for pending in commits:
                (error,) = self.store.commit([pending.operations])
                self.manager.committed(pending, error)
        self.effects += self.manager.take_effects()

    def queue(self, kind: QueueKind, name: str, owner: str = EARTH, **values: Any) -> Outcome:
        found: list[Outcome] = []
        definition = QueueDefinition(kind, Address(name, owner))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self.manager.define_queue(definition, found.append)
        self.settle()
        return found[0]

    def connection(self, name: str, **values: Any) -> None:
        self.manager.define_connection(ConnectionDefinition(name, **values), lambda _: None)
        self.settle()

    def call(self, call: Call) -> Outcome | None:
        found: list[Outcome] = []
        self.manager.call(call, found.append, self.now)
        self.settle()
        return found[0] if found else None

    def put(self, queue: str, owner: str = EARTH) -> Outcome | None:
        message = Message()
        message["text"] = "two apples"
        return self.call(Put(Address(queue, owner), message))

    def size(self, queue: str, owner: str = EARTH) -> int:
        found = self.manager.queues.named(Address(queue, owner))
        assert found is not None
        assert found.messages is not None
        return len(found.messages)


@pytest.mark.spec("E-310", "E-313", "E-314", "E-315", "E-316", "E-317", "E-318", "E-319", "E-332", "E-347")
def test_the_route_changes_as_more_leads_there() -> None:
    """SC-07: failure, discovery, entry, alias, exact match; the alias of the queue manager always first."""
    host = Host()
    refused = host.put("Q", "MARS")
    assert isinstance(refused, Refused)
    assert refused.code is Code.Q_UNKNOWN
    host.connection("MARS", adapter="tcp", endpoint="mars:8081")
    assert host.put("Q", "MARS") is None
    (asked,) = host.effects
    assert isinstance(asked, AskPartner)
    assert asked.connection == "MARS"
    host.effects.clear()
    assert host.queue(QueueKind.STORE_AND_FORWARD, "SAF", ENTRIES=["MARS"]) == Done()
    assert host.put("Q", "MARS") == Done()
    assert host.size("SAF") == 1
    assert host.queue(QueueKind.REMOTE, "REAL", "MARS", MODE=rows.ASYNCHRONOUS, ALIASES=["Q"]) == Done()
    assert host.put("Q", "MARS") == Done()
    assert (host.size("SAF"), host.size("REAL", "MARS")) == (1, 1)
    assert host.queue(QueueKind.REMOTE, "Q", "MARS", MODE=rows.ASYNCHRONOUS) == Done()
    assert host.put("Q", "MARS") == Done()
    assert host.size("Q", "MARS") == 1
    assert all(isinstance(each, Transmit) for each in host.effects)
    host.connection("VENUS", adapter="tcp", endpoint="venus:8081", aliases=("MARS",))
    host.effects.clear()
    assert host.put("Q", "MARS") is None
    assert isinstance(host.effects[0], AskPartner)
    assert host.effects[0].call.address == Address("Q", "VENUS")


@pytest.mark.spec("E-311")
def test_aliases_in_a_circle_are_refused_when_they_are_defined_and_when_they_are_met() -> None:
    host = Host()
    circle = [
        ConnectionDefinition(name, adapter="tcp", endpoint="a:1", aliases=(alias,)) for name, alias in ("AB", "BA")
    ]
    found: list[Outcome] = []
    for each in circle:
        host.manager.define_connection(each, found.append)
        host.settle()
    assert found[0] == Done()
    assert isinstance(found[1], Refused)
    assert found[1].code is Code.ALIAS_CYCLE
    assert list(host.manager.connections) == ["A"]
    host.store.commit([[Registry.put_connection(each) for each in circle]])
    host.restart()
    refused = host.put("Q", "A")
    assert isinstance(refused, Refused)
    assert refused.code is Code.ALIAS_CYCLE


@pytest.mark.spec("E-255", "E-312", "E-363")
def test_a_connection_without_adapter_is_another_name_of_this_queue_manager() -> None:
    host = Host()
    host.queue(QueueKind.LOCAL, "Q")
    host.connection("SERVICE")
    assert host.put("Q", "SERVICE") == Done()
    assert host.size("Q") == 1


@pytest.mark.spec("E-322", "E-353")
def test_a_via_connection_leads_over_another_with_the_same_names() -> None:
    host = Host("MOON")
    host.connection("EARTH", adapter="tcp", endpoint="earth:8081")
    host.connection("MARS", via="EARTH")
    host.connection("PHOBOS", via="MARS")
    assert host.put("Q", "PHOBOS") is None
    (asked,) = host.effects
    assert isinstance(asked, AskPartner)
    assert asked.connection == "EARTH"
    assert asked.call.address == Address("Q", "PHOBOS")


@pytest.mark.spec("E-136", "E-406")
def test_a_bridge_queue_for_all_takes_what_no_other_takes() -> None:
    host = Host()
    host.queue(QueueKind.MQ_BRIDGE, "*", "SATURN")
    assert host.put("ORDERS", "SATURN") is None
    (asked,) = host.effects
    assert isinstance(asked, AskMq)
    assert asked.call.address == Address("ORDERS", "SATURN")


@pytest.mark.spec("E-036", "E-037", "E-038", "E-040")
def test_uids_rise_over_restarts_and_clocks_that_are_put_back() -> None:
    host = Host()
    host.queue(QueueKind.LOCAL, "Q")
    times = []
    for now in (1000.0, 1000.0, 500.0, 2000.0):
        host.now = now
        host.put("Q")
        host.restart()
    got = host.call(Browse(Address("Q", EARTH), Fields()))
    assert isinstance(got, Browsed)
    for message in got.messages:
        assert message.uid is not None
        assert message.uid.origin == EARTH
        times.append(message.uid.time)
    assert times == sorted(set(times))
    assert len(times) == 4


@pytest.mark.spec("E-161", "E-169", "E-173", "E-223", "E-231")
def test_definitions_and_messages_are_there_after_a_restart() -> None:
    host = Host()
    assert host.queue(QueueKind.LOCAL, "Q", DESCRIPTION="a queue", PRIORITY=7, ALIASES=["OTHER"]) == Done()
    again = host.queue(QueueKind.LOCAL, "Q")
    assert isinstance(again, Refused)
    assert again.code is Code.Q_ALREADY_EXISTS
    host.put("OTHER")
    host.restart()
    got = host.call(Get(Address("Q", EARTH), Fields()))
    assert isinstance(got, Got)
    assert got.message["text"] == "two apples"
    empty = host.call(Get(Address("Q", EARTH), Fields()))
    assert isinstance(empty, Refused)
    assert empty.code is Code.Q_NO_MATCHING_MSG
    host.queue(QueueKind.STORE_AND_FORWARD, "SAF", ENTRIES=["MOON"])
    refused = host.call(Get(Address("ANY", "MOON"), Fields()))
    assert isinstance(refused, Refused)
    assert refused.code is Code.NOT_SUPPORTED


@pytest.mark.spec("E-088", "E-089")
def test_what_expires_is_removed_and_never_seen() -> None:
    host = Host()
    host.queue(QueueKind.LOCAL, "Q", EXPIRY=5000)
    host.put("Q")
    host.now += 6
    got = host.call(Get(Address("Q", EARTH), Fields()))
    assert isinstance(got, Refused)
    host.manager.timeout(host.now)
    host.settle()
    assert host.size("Q") == 0
    host.restart()
    assert host.size("Q") == 0


def test_where_nothing_was_created_nothing_starts() -> None:
    with pytest.raises(EveryplaceError, match="no queue manager"):
        QueueManager(MemoryStore(), random.Random(1))
