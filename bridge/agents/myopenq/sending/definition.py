"""A remote queue, as its sender knows it."""

from __future__ import annotations

from typing import NamedTuple

from mqbridge.protocol.myopenq import Create


class RemoteQueue(NamedTuple):
    """``name``: here, where messages wait. ``address``, ``port``: of the other manager. ``remote_name``: the queue
    there."""

    name: str
    address: str
    port: int
    remote_name: str

    @classmethod
    def of(cls, queue: Create) -> RemoteQueue:
        """As it was created."""
        return cls(queue.queue, queue.address, queue.port, queue.remote_name or queue.queue)

    @property
    def target(self) -> str:
        """Where its messages go, for displays."""
        return f"{self.remote_name} at {self.address}({self.port})"
