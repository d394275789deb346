"""Listeners, rules and the end of a device queue manager."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.bridge.everyplace.device.rules import load_installed, rules_for
from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.rules.owners import RuleRefusal
from mqbridge.bridge.everyplace.rules.plug_ins import GROUP, Kind
from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

Q = Address("SYSTEM.DEFAULT.LOCAL.QUEUE", "MOON")


class Picky(QueueRule):
    """Takes no message without a weight."""

    def __init__(self, text: str = "") -> None:
        pass

    def put(self, message: Message, confirm: int) -> None:
        if "weight" not in message:
            raise RuleRefusal("it has no weight")


@pytest.mark.spec("E-205", "E-207", "E-209")
def test_a_listener_is_called_in_a_thread_of_its_own_and_may_call(tmp_path: Path) -> None:
    texts: list[str] = []
    errors: list[Exception] = []
    enough = Event()
    with QueueManager.create(tmp_path / "moon.mqe", "MOON", connect=False, failed=errors.append) as moon:

        def hear(event: MessageEvent) -> None:
            texts.append(moon.get(event.address, event.wanted)["text"])
            if len(texts) == 3:
                enough.set()
                raise ValueError("a listener fails")

        listener = moon.events.listen(Q, Fields(), hear)
        for text in ("one", "two", "three"):
            moon.put(Q, {"text": text})
        assert enough.wait(60)
        assert texts == ["one", "two", "three"]
        moon.put(Q, {"text": "four"})
        with pytest.raises(EveryplaceError):
            moon.events.listen(Address("NONE", "MOON"), Fields(), hear)
        moon.events.remove(listener)
    assert [str(each) for each in errors][:1] == ["a listener fails"]


@pytest.mark.spec("E-234", "E-235")
@pytest.mark.parametrize("quiesce", [0.0, 5.0])
def test_a_device_closes_with_its_rules_and_refuses_later_calls(tmp_path: Path, quiesce: float) -> None:
    ends: list[str] = []

    class Ending(QueueRule):
        def close(self) -> None:
            ends.append("closed")

    rules = supplied()
    rules.register(Kind.QUEUE_RULE, "ending", lambda _: Ending())
    moon = QueueManager.create(tmp_path / "moon.mqe", "MOON", connect=False, plug_ins=rules)
    definition = QueueDefinition(QueueKind.LOCAL, Address("Q", "MOON"))
    definition.set(rows.RULE, "ending")
    engine = moon._engine
    engine.ask(lambda then: engine.manager.define_queue(definition, then))
    moon.put("Q", "one")
    moon.close(quiesce)
    moon.close()
    assert ends == ["closed"]
    with pytest.raises(EveryplaceError) as found:
        moon.put("Q", "two")
    assert found.value.code is Code.CLOSED


@pytest.mark.spec("E-229")
def test_rules_of_installed_distributions_are_registered_when_a_definition_names_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Entry:
        value = "scales.rules:Picky"

        def __init__(self, name: str, found: Any) -> None:
            self.name = name
            self._found = found

        def load(self) -> Any:
            if isinstance(self._found, Exception):
                raise self._found
            return self._found

    entries = [Entry("queue-rule.picky", Picky), Entry("adapter.pigeon", ImportError("no pigeons"))]

    def entry_points(*, group: str) -> list[Entry]:
        assert group == GROUP
        return entries

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    store = MemoryStore(MemoryTables())
    store.commit([[Registry.create("MOON", b"12345678")]])
    assert "picky" not in rules_for(store).names(Kind.QUEUE_RULE)
    definition = QueueDefinition(QueueKind.LOCAL, Address("Q", "MOON"), 2**31)
    definition.set(rows.RULE, "picky:1")
    store.commit([[Registry.put_queue(definition)]])
    assert "picky" in rules_for(store).names(Kind.QUEUE_RULE)
    entries.append(Entry("queue-manager-rule.broken", ImportError("nothing there")))
    with pytest.raises(EveryplaceError, match="does not load: ImportError"):
        load_installed(supplied())


@pytest.mark.spec("E-508")
def test_time_zones_of_a_device_are_those_of_its_system() -> None:
    store = MemoryStore(MemoryTables())
    store.commit([[Registry.create("MOON", b"12345678")]])
    plug_ins = rules_for(store)
    assert plug_ins.make(Kind.QUEUE_MANAGER_RULE, "transmission-window:08:00-09:00,zone=Europe/Berlin") is not None
    for zone in ("Europe/Nowhere", "../../etc/passwd", "/etc/passwd"):
        with pytest.raises(EveryplaceError, match="time zone"):
            plug_ins.make(Kind.QUEUE_MANAGER_RULE, f"transmission-window:zone={zone}")
