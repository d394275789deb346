"""A queue manager of Everyplace whose commits succeed at once, alone on a store in memory."""

from __future__ import annotations

import random
from typing import Any

from mqbridge.bridge.everyplace.administration.actions import Action
from mqbridge.bridge.everyplace.administration.requests import Reply, Request, read_reply, write_request
from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Effect
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Call, Get, Got, Outcome, Put
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address


def some_message(text: str = "two apples") -> Message:
    """Return a message with a text."""
    found = Message()
    found["text"] = text
    return found


class DirectHost:
    """One queue manager. ``effects``: what it has asked for. ``commits``: operations of each transaction."""

    def __init__(self, name: str = "EARTH") -> None:
        self.name = name
        self.tables = MemoryTables()
        self.store = MemoryStore(self.tables)
        self.store.commit([create(self.store, name, name.encode().ljust(8)[:8])])
        self.effects: list[Effect] = []
        self.commits: list[list[Any]] = []
        self.now = 1_700_000_000.0
        self.restart()

    def restart(self) -> None:
        """Forget everything but the store."""
        self.manager = QueueManager(self.store, random.Random(1))

    def commit(self) -> bool:
        """Write one change; False if there was none."""
        commits = self.manager.take_commits()
        for pending in commits:
            self.commits.append(list(pending.operations))
            (error,) = self.store.commit([pending.operations])
            self.manager.committed(pending, error)
        return bool(commits)

    def settle(self) -> None:
        """Do what can be done without time."""
        while self.commit() or self.manager.next_timeout() <= self.now:
            self.manager.timeout(self.now)
        self.effects += self.manager.take_effects()

    def queue(self, kind: QueueKind, name: str, owner: str = "", **values: Any) -> Outcome:
        """Define a queue."""
        found: list[Outcome] = []
        definition = QueueDefinition(kind, Address(name, owner or self.name))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self.manager.define_queue(definition, found.append)
        self.settle()
        return found[0]

    def connection(self, name: str, **values: Any) -> Outcome:
        """Define a connection."""
        found: list[Outcome] = []
        self.manager.define_connection(ConnectionDefinition(name, **values), found.append)
        self.settle()
        return found[0]

    def call(self, call: Call, peer: str = "") -> Outcome | None:
        """Make a call; None if its outcome is not there yet."""
        found: list[Outcome] = []
        self.manager.call(call, found.append, self.now, peer)
        self.settle()
        return found[0] if found else None

    def put(self, queue: str, owner: str = "", message: Message | None = None, peer: str = "") -> Outcome | None:
        """Put a message."""
        return self.call(Put(Address(queue, owner or self.name), message or some_message()), peer)

    def browse(self, queue: str, owner: str = "") -> list[Message]:
        """Browse a queue."""
        found = self.call(Browse(Address(queue, owner or self.name), Fields()))
        assert isinstance(found, Browsed)
        return list(found.messages)

    def get(self, queue: str) -> Message:
        """Get a message."""
        found = self.call(Get(Address(queue, self.name), Fields()))
        assert isinstance(found, Got)
        return found.message

    def size(self, queue: str, owner: str = "") -> int:
        """How many messages a queue of the table holds."""
        found = self.manager.queues.named(Address(queue, owner or self.name))
        assert found is not None
        assert found.messages is not None
        return len(found.messages)

    # Administration

    def ask(self, action: Action, resource: str, name: str = "", *, peer: str = "", **values: Any) -> Reply:
        """Have an administration message obeyed; ``values`` by field, ``_`` for ``-``. Returns the reply."""
        message = write_request(request(self.name, action, resource, name, **values), Address("AdminReplyQ", self.name))
        self.put("AdminQ", message=message, peer=peer)
        return self.reply()

    def reply(self) -> Reply:
        """Take the next reply."""
        return read_reply(self.get("AdminReplyQ"))


def request(target: str, action: Action, resource: str, name: str = "", **values: Any) -> Request:
    """Return a request; ``values`` by field, ``_`` for ``-``."""
    parameters = Fields()
    if name:
        parameters.put("admname", name, FieldType.ASCII)
    for key, value in values.items():
        field = key.replace("_", "-")
        row = rows.BY_FIELD.get(field)
        kind = FieldType.ASCII_ARRAY if isinstance(value, tuple) else None
        if kind is None and row is not None and value is not None:
            kind = row.type if isinstance(value, int) else None
        parameters.put(field, value, kind)
    return Request(target, action, resource, parameters)
