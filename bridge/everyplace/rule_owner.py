"""A queue manager as its rules see it (E-491)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mqbridge.protocol.everyplace.calls import Outcome, Put, Refused
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .effects import Then
from .objects.objects import Objects
from .rules.owners import RuledQueue


class Owner:
    """Name, queues, trigger and put of a queue manager, and nothing else of it.

    ``trigger``, ``put``: what does that.
    """

    __slots__ = ("_objects", "_put", "_trigger", "name")

    def __init__(
        self,
        name: str,
        objects: Objects,
        trigger: Callable[[float], object],
        put: Callable[[Put, Then, float], None],
    ) -> None:
        self.name = name
        self._objects = objects
        self._trigger = trigger
        self._put = put

    @property
    def dead_letter_queue(self) -> str:
        """The name of the dead-letter queue."""
        return self._objects.properties.dead_letter_queue

    def ruled_queues(self) -> Iterable[RuledQueue]:
        """Return the queues."""
        return list(self._objects.queues.table)

    def trigger(self, now: float) -> None:
        """Try to send everything that waits."""
        self._trigger(now)

    def put(self, address: Address, message: Message, now: float) -> None:
        """Put a message. Raises `EveryplaceError` if that is refused at once."""
        outcomes: list[Outcome] = []
        self._put(Put(address, message), outcomes.append, now)
        if outcomes and isinstance(outcomes[0], Refused):
            raise outcomes[0].error()
