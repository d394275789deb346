"""A service integration bus: its names, the buses that it knows, and its aliases (jms-mapping.md 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mqbridge.mappings.destination_texts import conforms
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class BusDestination(NamedTuple):
    """A destination of a bus. On a bus that stands for queue managers the identifier is ``queue@queueManager``."""

    bus: str
    identifier: str

    def __str__(self) -> str:
        return f"{self.identifier!r} on bus {self.bus}"


class BusError(MQBridgeError):
    """A destination that has no name in MQ, or that a bus does not have.

    ``alias_for``: what an alias is missing for, if one is. ``bus``: the bus on which it, or the definition, is missing.
    ``reason``: an MQRC.
    """

    def __init__(
        self, text: str, bus: str, alias_for: BusDestination | None = None, reason: int = MQRC.OBJECT_NAME_ERROR
    ) -> None:
        super().__init__(text)
        self.bus = bus
        self.alias_for = alias_for
        self.reason = int(reason)


@dataclass(frozen=True, slots=True)
class Bus:
    """The local bus as its MQ link sees it.

    ``virtual_queue_manager``: the name under which queue managers know it; blank: its own. ``direct``: the foreign bus
    one hop away, which may stand for queue managers. ``indirect``: foreign buses behind that one, under the names of
    their virtual queue managers. ``aliases``: destinations of this bus that stand for others, of any bus. Raises
    `BusError` for a bus that queue managers cannot name, and for aliases in a ring or to unknown buses.
    """

    name: str
    virtual_queue_manager: str = ""
    direct: str = "MQ"
    indirect: frozenset[str] = frozenset()
    aliases: Mapping[str, BusDestination] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not conforms(self.mq_name):
            raise BusError(
                f"bus {self.name} needs a virtual queue manager: no queue manager can be called {self.mq_name!r}",
                self.name,
            )
        for foreign in (self.direct, *self.indirect):
            if self.is_local(foreign):
                raise BusError(f"bus {self.name} cannot have {foreign} as a foreign bus: it is that itself", self.name)
        for alias, target in self.aliases.items():
            if not self.knows(target.bus):
                raise BusError(f"alias {alias!r} is for {target}, which bus {self.name} does not know", self.name)
            self.resolve(BusDestination(self.name, alias))

    @property
    def mq_name(self) -> str:
        """The name of this bus in MQ: that of its virtual queue manager, or its own."""
        return self.virtual_queue_manager or self.name

    def is_local(self, queue_manager: str) -> bool:
        """Return whether a name of a queue manager or bus is one of this bus."""
        return queue_manager in (self.name, self.virtual_queue_manager) and bool(queue_manager)

    def knows(self, bus: str) -> bool:
        """Return whether a bus is this one, or a foreign one defined on it."""
        return bus in (self.name, self.direct) or bus in self.indirect

    def resolve(self, destination: BusDestination) -> BusDestination:
        """Return what an alias of this bus stands for; raises `BusError` for a ring."""
        for _ in range(len(self.aliases) + 1):
            target = self.aliases.get(destination.identifier) if destination.bus == self.name else None
            if target is None:
                return destination
            destination = target
        raise BusError(f"alias {destination} stands for itself", self.name, destination)

    def alias_of(self, destination: BusDestination) -> str | None:
        """Return an alias of this bus that stands for a destination and that MQ can name."""
        found = (alias for alias, target in self.aliases.items() if target == destination and conforms(alias))
        return next(found, None)

    def addressed(self, queue: str, queue_manager: str) -> BusDestination:
        """Return the destination that names of MQ stand for: on this bus, on a foreign one, or at a queue manager."""
        if self.is_local(queue_manager):
            return BusDestination(self.name, queue)
        if self.knows(queue_manager):
            return BusDestination(queue_manager, queue)
        return BusDestination(self.direct, f"{queue}@{queue_manager}" if queue_manager else queue)

    def mq_names(self, destination: BusDestination) -> tuple[str, str]:
        """Return queue and queue manager that stand for a destination in MQ, without a check of the names."""
        bus, identifier = destination
        if bus == self.name:
            return identifier, self.mq_name
        queue, _, queue_manager = identifier.partition("@") if bus == self.direct else (identifier, "", "")
        return (queue, queue_manager) if queue and queue_manager else (identifier, bus)
