"""A queue at work: its definition and, where it stores any, its messages."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import Operation, QueueKind, operations
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Store

from .held_messages import Limits
from .stored_messages import StoredMessages

_STORING: Final = (QueueKind.LOCAL, QueueKind.STORE_AND_FORWARD, QueueKind.ADMINISTRATION)


class Queue:
    """A queue. ``messages``: None for one that stores nothing (E-128, E-135, E-136)."""

    __slots__ = ("_security", "definition", "kind", "messages", "rule", "takes_puts")

    def __init__(self, definition: QueueDefinition, store: Store, security: Security | None = None) -> None:
        self._security = security or Security()
        self.messages: StoredMessages | None = None
        self.redefine(definition, store)

    def redefine(self, definition: QueueDefinition, store: Store) -> None:
        """Let it be as another definition says, which has the same kind and name."""
        self.definition = definition
        self.kind = definition.kind
        self.rule = str(definition.value(rows.RULE))
        """Its rule, by name."""
        self.takes_puts = bool(operations(definition.kind, synchronous=definition.synchronous) & Operation.PUT)
        if definition.kind not in _STORING and (definition.kind is not QueueKind.REMOTE or definition.synchronous):
            self.messages = None
        elif self.messages is None:
            at_rest = self._security.at_rest(definition)
            self.messages = StoredMessages(definition.number, str(definition.address), store, self.limits(), at_rest)
        else:
            self.messages.set_limits(self.limits(), self._security.at_rest(definition))

    @property
    def active(self) -> bool:
        """Whether it holds messages, or something waits for them (E-098, E-139)."""
        if self.messages is None:
            return False
        watched = self.kind is not QueueKind.ADMINISTRATION and bool(self.messages.held.watchers)
        return watched or len(self.messages) > 0

    @property
    def priority(self) -> int:
        """Of messages that have none."""
        return int(self.definition.value(rows.PRIORITY))

    @property
    def size(self) -> int:
        """How many messages it holds, in every state."""
        return 0 if self.messages is None else len(self.messages)

    def limits(self) -> Limits:
        """Return what the definition says of priority, expiry and lengths."""
        value = self.definition.value
        return Limits(value(rows.PRIORITY), value(rows.EXPIRY), value(rows.MAX_Q_SIZE), value(rows.MAX_MSG_SIZE))

    @property
    def name(self) -> str:
        """Its name."""
        return self.definition.name

    @property
    def owner(self) -> str:
        """The queue manager that has the real queue."""
        return self.definition.owner

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of it."""
        return self.definition.aliases

    @property
    def entries(self) -> tuple[str, ...]:
        """Queue managers for which it stores messages."""
        return self.definition.entries

    def __str__(self) -> str:
        return str(self.definition.address)
