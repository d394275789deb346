"""What is on a device and where messages go, for displays."""

from __future__ import annotations

from typing import NamedTuple

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .engine import Engine


class Depth(NamedTuple):
    """A queue. ``entries``: queue managers for which it keeps messages."""

    address: Address
    kind: QueueKind
    messages: int
    entries: tuple[str, ...]


class View:
    """Looks at one device. All calls raise `EveryplaceError`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def depths(self) -> list[Depth]:
        """Return a row for each queue, by name."""
        with self._engine.lock:
            rows = [_depth(each) for each in self._engine.manager.queues]
        return sorted(rows, key=lambda row: (row.address.queue_manager, row.address.queue))

    def waiting(self, queue_manager: str) -> int:
        """Return how many messages wait for a queue manager."""
        with self._engine.lock:
            found = 0
            for queue in self._engine.manager.queues:
                if queue.messages is None:
                    continue
                if queue.kind is QueueKind.STORE_AND_FORWARD:
                    found += sum(1 for _ in queue.messages.held.list.outgoing(queue_manager))
                elif queue.kind is QueueKind.REMOTE and queue.owner == queue_manager:
                    found += len(queue.messages)
        return found

    def stored(self, address: str | Address) -> list[Message]:
        """Return all messages that a queue keeps, in whatever state."""
        manager = self._engine.manager
        wanted = address if isinstance(address, Address) else Address.parse(address, manager.name)
        with self._engine.lock:
            queue, _ = manager.resolve(wanted)
            if queue.messages is None:
                raise EveryplaceError(Code.NOT_SUPPORTED, f"{queue} is a {queue.kind.value} queue, which keeps nothing")
            return [queue.messages.read(entry) for entry in queue.messages.held.list]

    def route(self, address: str | Address) -> str:
        """Return where a message to an address goes from here, in words (E-332)."""
        manager = self._engine.manager
        wanted = address if isinstance(address, Address) else Address.parse(address, manager.name)
        with self._engine.lock:
            queue, resolved = manager.resolve(wanted)
            words = f"{wanted} → {queue.kind.value} queue {queue}"
            if resolved != wanted:
                words += f" as {resolved}"
            if queue.owner != manager.name:
                words += f" over connection {manager.routes.hop(queue.owner)}"
        return words


def _depth(queue: Queue) -> Depth:
    return Depth(
        queue.definition.address, queue.kind, 0 if queue.messages is None else len(queue.messages), queue.entries
    )
