"""What a gateway may take for granted of a device: the definitions with which it is created."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.everyplace.creation import HOME_SERVER, OUTGOING
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.definitions.queue_properties import ENTRIES
from mqbridge.bridge.everyplace.route_check import Definitions
from mqbridge.protocol.everyplace.names import Address

_ADAPTER: Final = "tls"


def device(name: str, gateway: str, behind: Sequence[str]) -> Definitions:
    """Return the definitions of a new device. ``behind``: queue managers that it reaches over the gateway."""
    outgoing = QueueDefinition(QueueKind.STORE_AND_FORWARD, Address(OUTGOING, gateway))
    outgoing.set(ENTRIES, [gateway, *behind])
    home_server = QueueDefinition(QueueKind.HOME_SERVER, Address(HOME_SERVER, gateway))
    connections = {each: ConnectionDefinition(each, via=gateway) for each in behind}
    connections[gateway] = ConnectionDefinition(gateway, _ADAPTER, f"{gateway}:8081")
    return Definitions(name, [outgoing, home_server], connections)


def configured(definitions: Definitions) -> Definitions:
    """Return the definitions of a gateway with the listeners of its configuration, which devices reach."""
    listener = ListenerDefinition("configured", _ADAPTER, started=True)
    listeners = {**definitions.listeners, listener.name: listener}
    return Definitions(definitions.name, definitions.queues, definitions.connections, listeners)
