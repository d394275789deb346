"""The outcome of a put."""

from __future__ import annotations

from typing import Any, NamedTuple, final

from mqbridge.bridge.queue_manager.values import Value


class PutNames(NamedTuple):
    """The names of an object as opened and as resolved; ``remote``: whether they resolve to a remote queue."""

    object_name: str = ""
    object_q_mgr_name: str = ""
    resolved_object_name: str = ""
    resolved_q_mgr_name: str = ""
    remote: bool = False


@final
class Placed(Value):
    """A message was put.

    ``descriptor``: the MQMD as stored, in the byte order of the request. ``names``: its destination; None if unknown,
    because its dynamic queue no longer exists, or for an asynchronous put. ``reason``: 0, or that of a warning.
    """

    __slots__ = ("descriptor", "names", "reason")

    def __init__(self, descriptor: bytes, names: PutNames | None, reason: int = 0) -> None:
        self.descriptor = descriptor
        self.names = names
        self.reason = reason

    def held(self) -> tuple[Any, ...]:
        """Return its fields."""
        return self.descriptor, self.names, self.reason
