"""Queues as administration defines, changes and deletes them (mqe.md 6, E-093)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.properties import Alterable, Property
from mqbridge.bridge.everyplace.definitions.queue_definition import ANY, QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.resolution import QueueTable
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address, check_name

_OWN: Final = (QueueKind.LOCAL, QueueKind.ADMINISTRATION)
"""Kinds whose owner is the queue manager that has the definition."""
_OTHERS: Final = (QueueKind.REMOTE, QueueKind.HOME_SERVER, QueueKind.MQ_BRIDGE)
"""Kinds whose owner is another queue manager."""


class Hooks(Protocol):
    """Who is asked before queues change; all raise `EveryplaceError` to refuse."""

    def check(self, row: Property, text: str) -> None:
        """Look at the name of a plug-in."""
        ...

    def before_add(self, queue: Queue) -> None:
        """A queue is to be added."""
        ...

    def before_remove(self, queue: Queue) -> None:
        """A queue is to be removed."""
        ...

    def removed(self, queue: Queue) -> None:
        """A queue is gone."""
        ...

    def before_change(self, queue: Queue, row: Property, value: Any) -> None:
        """A property of a queue is to be given a value."""
        ...


class Queues:
    """The queues of one queue manager.

    ``table``: them by name. ``hooks``: of rules. ``seen_by_mq``: whether MQ reaches the local queues and
    the entries, so that their names must be MQ's. A method that changes something has done so when it returns, and
    what it has done is undone if its change is not committed.
    """

    def __init__(
        self, name: str, store: Store, hooks: Hooks, seen_by_mq: Callable[[], bool], security: Security
    ) -> None:
        self.table: QueueTable[Queue] = QueueTable()
        self._name = name
        self._store = store
        self._hooks = hooks
        self._seen_by_mq = seen_by_mq
        self._security = security
        registry = Registry(store)
        self._numbers = registry.last_queue_number()
        for definition in registry.queues():
            self.table.add(Queue(definition, store, security))

    def define(self, definition: QueueDefinition, created: int = 0) -> Change[Queue]:
        """Define a queue (E-223). ``created``: milliseconds since 1970.

        Raises `EveryplaceError` Q_ALREADY_EXISTS if a name is taken, ADMIN_INVALID_FIELD for an owner or property that
        this kind cannot have, TOO_LONG for a name that MQ cannot have (E-091).
        """
        self._check_owner(definition)
        self._check_for_mq(definition)
        self._security.check(definition)
        for row, value in definition.given().items():
            self._check_plug_in(row, value)
        self._numbers += 1
        definition.number, definition.created = self._numbers, created
        queue = Queue(definition, self._store, self._security)
        self._hooks.before_add(queue)
        self.table.add(queue)
        return Change(queue, [Registry.put_queue(definition)], None, lambda: self.table.remove(queue))

    def update(self, queue: Queue, values: Mapping[Property, Any]) -> Change[dict[Property, EveryplaceError]]:
        """Give properties other values, None for the default. The result says which could not, and why (E-280)."""
        before = queue.definition
        errors: dict[Property, EveryplaceError] = {}
        for row, value in values.items():
            later = queue.definition.copy()
            try:
                self._check_alterable(queue, row)
                later.set(row, value)
                self._security.check(later)
                self._check_plug_in(row, value)
                self._hooks.before_change(queue, row, value)
                self._check_for_mq(later)
                if row is rows.ENTRIES:
                    for entry in set(queue.entries) - set(later.entries):
                        _check_nothing_waits(queue, entry)
                self._redefine(queue, later)
            except EveryplaceError as error:
                errors[row] = error
        return self._changed(queue, before, errors)

    def change_names(
        self, queue: Queue, row: Property, names: Sequence[str], *, add: bool
    ) -> Change[list[EveryplaceError | None]]:
        """Add or remove aliases or entries (E-277). The result has an error for each name that could not be."""
        before = queue.definition
        if queue.kind not in row.queues:
            raise row.invalid(f"a {queue.kind.value} queue does not have it")
        outcome: list[EveryplaceError | None] = []
        for name in names:
            try:
                self._change_name(queue, row, name, add=add)
                outcome.append(None)
            except EveryplaceError as error:
                outcome.append(error)
        return self._changed(queue, before, outcome)

    def delete(self, queue: Queue) -> Change[None]:
        """Delete a queue, whose messages have been looked through for expired ones.

        Raises `EveryplaceError` Q_NOT_EMPTY while messages remain (E-282).
        """
        if queue.messages is not None and len(queue.messages):
            raise EveryplaceError(Code.Q_NOT_EMPTY, f"{queue} holds {len(queue.messages)} messages")
        self._hooks.before_remove(queue)
        self.table.remove(queue)
        write = Registry.remove_queue(queue.definition.address)
        return Change(None, [write], lambda: self._hooks.removed(queue), lambda: self.table.add(queue))

    def find(self, address: Address) -> Queue:
        """Return the queue with this name itself. Raises `EveryplaceError` Q_UNKNOWN."""
        found = self.table.named(address)
        if found is None:
            raise EveryplaceError(Code.Q_UNKNOWN, f"{self._name} has no definition of a queue {address}")
        return found

    def of_kind(self, kinds: Iterable[QueueKind]) -> list[Queue]:
        """Return the queues of some kinds, by name."""
        wanted = frozenset(kinds)
        return sorted((each for each in self.table if each.kind in wanted), key=lambda each: each.definition.address)

    # Parts

    def _changed(self, queue: Queue, before: QueueDefinition, result: Any) -> Change[Any]:
        if queue.definition is before:
            return Change(result)
        write = Registry.put_queue(queue.definition)
        return Change(result, [write], None, lambda: self._redefine(queue, before))

    def _redefine(self, queue: Queue, later: QueueDefinition) -> None:
        before = queue.definition
        self.table.remove(queue)
        queue.redefine(later, self._store)
        try:
            self.table.add(queue)
        except EveryplaceError:
            queue.redefine(before, self._store)
            self.table.add(queue)
            raise

    def _change_name(self, queue: Queue, row: Property, name: str, *, add: bool) -> None:
        names = list(queue.definition.value(row))
        if not add and name not in names:
            raise EveryplaceError(Code.NOT_FOUND, f"{queue} has no {name} in {row.constant} ({row.field})")
        if add and name in names:
            raise EveryplaceError(Code.Q_ALREADY_EXISTS, f"{queue} has {name} in {row.constant} ({row.field})")
        if not add and row is rows.ENTRIES:
            _check_nothing_waits(queue, name)
        later = queue.definition.copy()
        later.set(row, [*names, name] if add else [each for each in names if each != name])
        self._check_for_mq(later)
        self._redefine(queue, later)

    def _check_owner(self, definition: QueueDefinition) -> None:
        if definition.kind in _OWN and definition.owner != self._name:
            raise rows.OWNER.invalid(f"a {definition.kind.value} queue of {self._name} is not of {definition.owner}")
        if definition.kind in _OTHERS and definition.owner == self._name:
            raise rows.OWNER.invalid(f"a {definition.kind.value} queue leads to another queue manager")

    def _check_plug_in(self, row: Property, value: Any) -> None:
        """Check the name of something that must be there: of a plug-in, or of the store (E-137)."""
        if row in rows.PLUG_INS and value:
            self._hooks.check(row, value)
        if row is rows.FILE_DESCRIPTOR and value not in (None, row.default):
            text = "all queues are in the store of their queue manager, between which messages move in one transaction"
            raise row.invalid(f"{text}: {row.default}, or a queue manager of its own", Code.NOT_SUPPORTED)

    def _check_for_mq(self, definition: QueueDefinition) -> None:
        if definition.kind is QueueKind.MQ_BRIDGE:
            check_name(definition.owner, "queue manager", for_mq=True)
            if definition.name != ANY:
                check_name(definition.name, "queue", for_mq=True)
        elif definition.kind is not QueueKind.REMOTE and self._seen_by_mq():
            check_name(definition.name, "queue", for_mq=True)
            for name in (*definition.aliases, *definition.entries):
                check_name(name, "name", for_mq=True)

    @staticmethod
    def _check_alterable(queue: Queue, row: Property) -> None:
        if row.alterable in (Alterable.NEVER, Alterable.READ_ONLY):
            raise row.invalid(f"it is given a value {row.alterable.value}", Code.NOT_ALLOWED)
        if row.alterable is Alterable.EMPTY and queue.active:
            raise row.invalid(f"{queue} is active, or holds messages", Code.Q_IN_USE)


def _check_nothing_waits(queue: Queue, entry: str) -> None:
    if queue.messages is not None and any(
        each.target is not None and each.target.queue_manager == entry for each in queue.messages.held.list
    ):
        raise EveryplaceError(Code.Q_NOT_EMPTY, f"{queue} holds messages for {entry}")
