"""Ways to queues of other queue managers: the routes of one queue manager (mqe.md 16)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address

from .definitions import queue_properties as rows
from .definitions.connection_definition import ConnectionDefinition, first_hop
from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind
from .objects.objects import Objects
from .queues.queue import Queue
from .resolution import resolve

ATTRIBUTES: Final = (rows.ATTRIBUTE_RULE, rows.AUTHENTICATOR, rows.CRYPTOR, rows.COMPRESSOR)
"""What a discovered queue takes over from its target (E-130)."""
_MOST: Final = 1000
"""Most discovered queues that are remembered."""


class Undiscovered(EveryplaceError):
    """A connection reaches the queue manager of an address, and its queue is not known yet; see `Routes.learn`.

    ``connection``: which. ``address``: of the queue, with the names that it has from here on. What cannot wait for an
    answer is refused with it: such a queue is synchronous.
    """

    def __init__(self, connection: str, address: Address) -> None:
        super().__init__(Code.NOT_SUPPORTED, f"{address} is not defined here, and keeps nothing here")
        self.connection = connection
        self.address = address

    def __reduce__(self) -> tuple[type[Undiscovered], tuple[str, Address]]:  # type: ignore[override]
        return type(self), (self.connection, self.address)


class Routes:
    """Resolution over the objects of the queue manager ``name``.

    Discovered queues are not in the registry: they last until the connection is defined anew, or the queue manager
    ends.
    """

    def __init__(self, name: str, objects: Objects, store: Store) -> None:
        self._name = name
        self._objects = objects
        self._store = store
        self._discovered: dict[Address, tuple[ConnectionDefinition, Queue]] = {}
        self._resolved: dict[Address, tuple[Queue, Address]] = {}
        self._resolved_with: tuple[int, object] = -1, None
        self._hops: dict[str, str | None] = {}
        self._hops_with: object = None

    def resolve(self, address: Address) -> tuple[Queue, Address]:
        """Return the queue that takes what goes to an address, and its address there (E-332).

        Raises `EveryplaceError`, which may be `Undiscovered`.
        """
        table, aliases = self._objects.queues.table, self._objects.connections.aliases()
        changes, known_aliases = self._resolved_with
        if changes != table.changes or known_aliases is not aliases or len(self._resolved) >= _MOST:
            self._resolved.clear()
            self._resolved_with = table.changes, aliases
        found = self._resolved.get(address)
        if found is None:
            found = resolve(address, self._name, aliases, table, self._discover)
            if table.named(found[0].definition.address) is found[0]:  # not one that connections have led to
                self._resolved[address] = found
        return found

    def _discover(self, address: Address) -> Queue | None:
        """Return a synchronous remote queue for an address that a connection reaches (E-317, E-318)."""
        connection = first_hop(address.queue_manager, self._objects.connections.table)
        if connection is None or not connection.adapter:
            return None
        known = self._discovered.get(address)
        if known is None or known[0] is not connection:
            raise Undiscovered(connection.name, address)
        return known[1]

    def learn(self, found: Undiscovered, attributes: Fields) -> None:
        """Remember a queue that another queue manager has (E-130). Raises `EveryplaceError` for what it cannot be."""
        connection = self._objects.connections.find(found.connection)
        definition = QueueDefinition(QueueKind.REMOTE, found.address)
        for row in ATTRIBUTES:
            if row.field in attributes:
                definition.set(row, row.read(attributes))
        while len(self._discovered) >= _MOST:
            del self._discovered[next(iter(self._discovered))]
        self._discovered[found.address] = connection, Queue(definition, self._store)

    def forget(self, queue: Queue) -> None:
        """Forget a discovered queue, which its queue manager has no longer."""
        self._discovered.pop(queue.definition.address, None)

    @staticmethod
    def attributes(queue: Queue) -> Fields:
        """Return what others take over of a queue that they discover."""
        found = Fields()
        for row in ATTRIBUTES:
            value = queue.definition.value(row)
            if queue.kind in row.queues and value:
                found.put(row.field, value, row.type)
        return found

    def find_hop(self, queue_manager: str) -> str | None:
        """Return the name of the connection that reaches a queue manager, via chains resolved (E-320 to E-322)."""
        connections = self._objects.connections
        if self._hops_with is not connections.aliases() or len(self._hops) >= _MOST:  # which are new with each change
            self._hops.clear()
            self._hops_with = connections.aliases()
        if queue_manager not in self._hops:
            found = first_hop(queue_manager, connections.table)
            self._hops[queue_manager] = None if found is None or not found.adapter else found.name
        return self._hops[queue_manager]

    def hop(self, queue_manager: str) -> str:
        """Return the same. Raises `EveryplaceError` CON_UNKNOWN if there is none."""
        found = self.find_hop(queue_manager)
        if found is None:
            raise EveryplaceError(Code.CON_UNKNOWN, f"no connection of {self._name} leads to {queue_manager}")
        return found
