"""Making a queue manager in a store, and removing it (mqe.md 12, E-215 to E-221, E-237, E-238)."""

from __future__ import annotations

from enum import Enum, unique
from typing import Final

from mqbridge.bridge.store.interface import DropQueue, Operation, RemoveRecord, Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address, check_name

from .administration.origins import TABLE as ADMINISTRATION
from .definitions.manager_properties import ManagerProperties
from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind
from .registry import FIRST_QUEUE_NUMBER, PRIVATE_TABLE, TABLE, Registry
from .transfer.lane_records import FROM_MQ, IN_MQ, KEPT_FOR_MQ, RECEIVING, SENDING

OUTGOING: Final = "OutgoingQ"
"""The store-and-forward queue of what goes to or over the gateway."""
HOME_SERVER: Final = "HomeServerQ"
"""The queue that pulls what waits at the gateway."""
TABLES: Final = (TABLE, SENDING, RECEIVING, IN_MQ, FROM_MQ, KEPT_FOR_MQ, ADMINISTRATION, PRIVATE_TABLE)
"""Tables of the store that belong to a queue manager of Everyplace."""


@unique
class StandardQueue(Enum):
    """The queues that each queue manager has (E-220); the value is the name. That of the dead-letter queue is a
    property of the queue manager (E-221, O-09)."""

    ADMINISTRATION = "AdminQ"
    ADMINISTRATION_REPLY = "AdminReplyQ"
    DEAD_LETTER = "DeadLetterQ"
    DEFAULT_LOCAL = "SYSTEM.DEFAULT.LOCAL.QUEUE"

    def definition(self, name: str, properties: ManagerProperties) -> QueueDefinition:
        """Return its definition at the queue manager ``name``."""
        kind = QueueKind.ADMINISTRATION if self is StandardQueue.ADMINISTRATION else QueueKind.LOCAL
        queue = properties.dead_letter_queue if self is StandardQueue.DEAD_LETTER else self.value
        return QueueDefinition(kind, Address(queue, name))


def create(
    store: Store,
    name: str,
    incarnation: bytes,
    properties: ManagerProperties | None = None,
    created: int = 0,
    *,
    standard_queues: bool = True,
) -> list[Operation]:
    """Return what makes a queue manager, to be committed in one transaction (E-217).

    ``incarnation``: 8 random bytes. ``created``: milliseconds since 1970. ``standard_queues``: all four; without them
    they may be defined one by one. Raises `EveryplaceError` NOT_ALLOWED if the store has a queue manager, SYNTAX or
    TOO_LONG for the name.
    """
    check_name(name, "queue manager")
    there = Registry(store).manager()
    if there is not None:
        raise EveryplaceError(
            Code.NOT_ALLOWED, f"queue manager {there.get('name')} is here; {name} needs its own place"
        )
    properties = properties or ManagerProperties()
    operations: list[Operation] = [Registry.create(name, incarnation), Registry.put_properties(properties)]
    if standard_queues:
        for number, standard in enumerate(StandardQueue, FIRST_QUEUE_NUMBER):
            definition = standard.definition(name, properties)
            definition.number, definition.created = number, created
            operations.append(Registry.put_queue(definition))
    return operations


def delete(store: Store, *, force: bool = False) -> list[Operation]:
    """Return what removes the queue manager of a store, which nobody has open: all definitions and records (E-237).

    ``force``: its messages too. Raises `EveryplaceError` NOT_FOUND if there is none, Q_NOT_EMPTY if messages remain
    (E-238).
    """
    registry = Registry(store)
    if registry.manager() is None:
        raise EveryplaceError(Code.NOT_FOUND, "there is no queue manager here")
    operations: list[Operation] = []
    for definition in registry.queues():
        if next(iter(store.scan(definition.number)), None) is not None:
            if not force:
                raise EveryplaceError(Code.Q_NOT_EMPTY, f"{definition.address} holds messages; get them, or force this")
            operations.append(DropQueue(definition.number))
    operations += [RemoveRecord(table, key) for table in TABLES for key, _ in store.records(table)]
    return operations
