"""Where a message goes that is presented with a queue and a queue manager (mqe.md 16, E-310 to E-332).

It makes no difference whether a program, a partner, a home-server queue or the bridge presents it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from mqbridge.bridge.everyplace.definitions.queue_definition import ANY
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address


class Resolvable(Protocol):
    """A queue as resolution sees it. ``owner``: the queue manager of the real queue. ``aliases``: other names of it.
    ``entries``: queue managers for which it stores messages, whatever their queue."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def owner(self) -> str:
        """The queue manager that has the real queue."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of it."""
        ...

    @property
    def entries(self) -> tuple[str, ...]:
        """Queue managers for which it stores messages."""
        ...


Queue = TypeVar("Queue", bound=Resolvable)


class QueueTable(Generic[Queue]):
    """The queues of one queue manager, by all the names that lead to them.

    A name means one queue: adding one whose name, alias or entry is taken raises `EveryplaceError` Q_ALREADY_EXISTS.
    ``changes``: a number that is another one after queues, aliases or entries have changed.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._queues: dict[Address, Queue] = {}
        self._aliases: dict[Address, Queue] = {}
        self._entries: dict[str, Queue] = {}

    def add(self, queue: Queue) -> None:
        """Add a queue with its aliases and entries."""
        self.changes += 1
        address = Address(queue.name, queue.owner)
        if address in self._queues:
            raise EveryplaceError(Code.Q_ALREADY_EXISTS, f"there is a queue {address}")
        self._queues[address] = queue
        try:
            for alias in queue.aliases:
                self.add_alias(alias, queue)
            for entry in queue.entries:
                self.add_entry(entry, queue)
        except EveryplaceError:
            self.remove(queue)
            raise

    def remove(self, queue: Queue) -> None:
        """Remove a queue with its aliases and entries."""
        self.changes += 1
        del self._queues[Address(queue.name, queue.owner)]
        self._aliases = {key: found for key, found in self._aliases.items() if found is not queue}
        self._entries = {key: found for key, found in self._entries.items() if found is not queue}

    def add_alias(self, alias: str, queue: Queue) -> None:
        """Let a queue have another name (E-141)."""
        self.changes += 1
        address = Address(alias, queue.owner)
        if address in self._aliases:
            raise EveryplaceError(Code.Q_ALREADY_EXISTS, f"{address} is an alias of {self._aliases[address].name}")
        self._aliases[address] = queue

    def add_entry(self, queue_manager: str, queue: Queue) -> None:
        """Let a store-and-forward queue keep what goes to a queue manager; one does (E-131)."""
        self.changes += 1
        if queue_manager in self._entries:
            taken = self._entries[queue_manager].name
            raise EveryplaceError(Code.Q_ALREADY_EXISTS, f"{taken} stores messages for {queue_manager}")
        self._entries[queue_manager] = queue

    def named(self, address: Address) -> Queue | None:
        """The queue with this name itself (E-313)."""
        return self._queues.get(address)

    def find(self, address: Address) -> tuple[Queue, Address] | None:
        """Return the queue that takes a message, and the address that it has from then on: by exact match, alias,
        the bridge queue for all, or entry (E-313 to E-316)."""
        found = self._queues.get(address)
        if found is not None:
            return found, address
        found = self._aliases.get(address)
        if found is not None:
            return found, Address(found.name, address.queue_manager)
        found = self._queues.get(Address(ANY, address.queue_manager)) or self._entries.get(address.queue_manager)
        return None if found is None else (found, address)

    def __iter__(self) -> Iterator[Queue]:
        return iter(self._queues.values())

    def __len__(self) -> int:
        return len(self._queues)


def real_name(queue_manager: str, aliases: Mapping[str, str]) -> str:
    """Return what a name of a queue manager means here, after all aliases (E-310 to E-312).

    Raises `EveryplaceError` ALIAS_CYCLE.
    """
    seen = set()
    while queue_manager in aliases:
        if queue_manager in seen:
            raise EveryplaceError(Code.ALIAS_CYCLE, f"aliases of queue manager {queue_manager} lead back to it")
        seen.add(queue_manager)
        queue_manager = aliases[queue_manager]
    return queue_manager


def resolve(
    address: Address,
    local: str,
    aliases: Mapping[str, str],
    queues: QueueTable[Queue],
    discover: Callable[[Address], Queue | None],
) -> tuple[Queue, Address]:
    """Return the queue that takes a message, and its address from there on (E-332).

    ``discover``: finds a queue of another queue manager over a connection, if there is one (E-317). Raises
    `EveryplaceError` ALIAS_CYCLE or Q_UNKNOWN.
    """
    address = Address(address.queue, real_name(address.queue_manager, aliases))
    found = queues.find(address)
    if found is not None:
        return found
    if address.queue_manager != local:
        discovered = discover(address)
        if discovered is not None:
            return discovered, address
    raise EveryplaceError(Code.Q_UNKNOWN, f"no queue, alias, entry or connection of {local} leads to {address}")
