"""What a new gateway has: a bridge to the queue manager of MQ in its process (mqe.md 18.5).

::

    bridge MQ / proxy EARTH / client connection HERE    without host: the queue manager of this process
    connection EARTH, of MQ; bridge queue *@EARTH       every queue of it

The connection and the bridge queue need a name of their own: a gateway with the name of its queue manager of MQ has
none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import ANY, QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.protocol.everyplace.calls import Outcome
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.names import Address

from .bridge_objects import BridgeObjects

BRIDGE: Final = "MQ"
HERE: Final = "HERE"


def here(mq_name: str) -> BridgePath:
    """Return the path of the client connection to the queue manager of this process."""
    return (BRIDGE, mq_name, HERE)


def define_defaults(manager: QueueManager, objects: BridgeObjects, mq_name: str) -> None:
    """Define them at a new gateway."""
    path = here(mq_name)
    for end in range(1, len(path) + 1):
        objects.create(BridgeDefinition(path[:end]), _ignored)
    if mq_name != manager.name:
        manager.define_connection(ConnectionDefinition(mq_name, to_mq=True), _ignored)
        manager.define_queue(QueueDefinition(QueueKind.MQ_BRIDGE, Address(ANY, mq_name)), _ignored)


def define_listener(objects: BridgeObjects, mq_name: str, queue: str, then: Callable[[Outcome | None], None]) -> None:
    """Have messages of a transmission queue of this process brought to devices, if that is not so already.

    ``then`` gets None where nothing is to be done: the client connection was deleted, so that somebody has decided
    otherwise, or the listener is there.
    """
    path = here(mq_name)
    try:
        objects.find(path)
    except EveryplaceError:
        then(None)
        return
    listener = (*path, queue)
    if listener in objects.children(path):
        then(None)
        return

    def created(outcome: Outcome) -> None:
        objects.start(listener)
        then(outcome)

    objects.create(BridgeDefinition(listener), created)


def _ignored(_: Outcome) -> None:
    """A definition of a new gateway, which is on disk before anything that follows it."""
