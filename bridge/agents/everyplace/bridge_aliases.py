"""Aliases of bridge queues, as names of the queues of MQ that they stand for (E-141, E-390)."""

from __future__ import annotations

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import ANY
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.protocol.everyplace.names import Address


def queue_behind(manager: QueueManager, mq_name: str, alias: str) -> str | None:
    """Return the queue of the queue manager of MQ ``mq_name`` that a name or alias of a bridge queue means.

    None for a name that no bridge queue of its own has.
    """
    found = manager.queues.find(Address(alias, mq_name))
    if found is None:
        return None
    definition = found[0].definition
    if definition.kind is not QueueKind.MQ_BRIDGE or definition.name == ANY:
        return None
    if definition.value(rows.MQ_QUEUE_MANAGER) not in ("", mq_name):
        return None
    return str(definition.value(rows.REMOTE_QUEUE)) or definition.name
