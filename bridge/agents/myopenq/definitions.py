"""What CREATE has made: queues of MyOpenQ as rows of the queue manager's store (M-060, M-061, M-072).

Table ``myopenq-queue``, a row for each; key: the name, value: the other fields as JSON. The messages are on a local
queue of MQ with that name; those of a remote queue wait there to be sent. A row is written in the transaction that
defines its local queue, and removed in that which deletes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, Protocol

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.protocol.myopenq import Create, QueueType

from .sending.stamps_on_disk import write_stamped

TABLE: Final = "myopenq-queue"


class Follower(Protocol):
    """Who sends what waits on remote queues."""

    def created(self, queue: Create) -> None:
        """A remote queue is defined, and on disk."""
        ...

    def deleting(self, name: str) -> None:
        """A remote queue is about to be deleted: let go of its messages and close it at once (M-062). `created` follows
        where it stays all the same."""
        ...


class Definitions:
    """The queues of MyOpenQ by name, as their CREATE asked for them. Raises ``StoreDamaged``."""

    __slots__ = ("_followers", "_queues")

    def __init__(self, store: Store) -> None:
        self._followers: list[Follower] = []
        self._queues = {queue.queue: queue for queue in (_read(*row) for row in store.records(TABLE))}

    def __iter__(self) -> Iterator[Create]:
        return iter(self._queues.values())

    def __len__(self) -> int:
        return len(self._queues)

    def get(self, name: str) -> Create | None:
        """The queue with this name; None for one that CREATE has not made."""
        return self._queues.get(name)

    @property
    def remote(self) -> list[Create]:
        """The remote queues, in the order of their names."""
        return sorted((each for each in self if each.type is QueueType.REMOTE), key=lambda each: each.queue)

    def follow(self, follower: Follower) -> None:
        """Tell of remote queues that come and go from now on."""
        self._followers.append(follower)

    # For the door

    def add(self, queue: Create) -> list[Operation]:
        """Add a queue. Returns what is to be committed; `made` or `remove` is to follow."""
        self._queues[queue.queue] = queue
        values = queue._asdict()
        del values["queue"]
        return [PutRecord(TABLE, queue.queue.encode(), json.dumps({**values, "type": queue.type.value}).encode())]

    def made(self, queue: Create) -> None:
        """Tell that a queue is on disk, or that it has not been deleted."""
        self._queues[queue.queue] = queue
        for each in self._followers if queue.type is QueueType.REMOTE else ():
            each.created(queue)

    def leaving(self, queue: Create) -> None:
        """Tell that a queue is about to be deleted; `remove` or `made` is to follow."""
        for each in self._followers if queue.type is QueueType.REMOTE else ():
            each.deleting(queue.queue)

    def remove(self, name: str) -> list[Operation]:
        """Remove a queue, and what its sender has on disk. Returns what is to be committed."""
        del self._queues[name]
        return [RemoveRecord(TABLE, name.encode()), write_stamped(name, ())]


def _read(key: bytes, value: bytes) -> Create:
    try:
        row = json.loads(value)
        return Create(key.decode(), **{**row, "type": QueueType(row["type"])})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreDamaged("the definition of a queue of MyOpenQ cannot be read", f"{TABLE} {key!r}") from error
