"""Ways to queues of other queue managers: the routes of one queue manager (mqe.md 16)."""

from __future__ import annotations

from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address

from .definitions.connection_definition import first_hop
from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind
from .objects.objects import Objects
from .queues.queue import Queue
from .resolution import resolve


class Routes:
    """Resolution over the objects of the queue manager ``name``."""

    def __init__(self, name: str, objects: Objects, store: Store) -> None:
        self._name = name
        self._objects = objects
        self._store = store

    def resolve(self, address: Address) -> tuple[Queue, Address]:
        """Return the queue that takes what goes to an address, and its address there (E-332). Raises
        `EveryplaceError`."""
        aliases = self._objects.connections.aliases()
        return resolve(address, self._name, aliases, self._objects.queues.table, self._discover)

    def _discover(self, address: Address) -> Queue | None:
        """Return a synchronous remote queue for an address that a connection reaches (E-317, E-318)."""
        if self.find_hop(address.queue_manager) is None:
            return None
        return Queue(QueueDefinition(QueueKind.REMOTE, address), self._store)

    def find_hop(self, queue_manager: str) -> str | None:
        """Return the name of the connection that reaches a queue manager, via chains resolved (E-320 to E-322)."""
        found = first_hop(queue_manager, self._objects.connections.table)
        return None if found is None or not found.adapter else found.name

    def hop(self, queue_manager: str) -> str:
        """Return the same. Raises `EveryplaceError` CON_UNKNOWN if there is none."""
        found = self.find_hop(queue_manager)
        if found is None:
            raise EveryplaceError(Code.CON_UNKNOWN, f"no connection of {self._name} leads to {queue_manager}")
        return found
