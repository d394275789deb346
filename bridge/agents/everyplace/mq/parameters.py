"""Parameters of connections to queue managers elsewhere."""

from __future__ import annotations

from mqbridge.bridge.agents.everyplace.mq.client_program import APPLICATION
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.protocol.mqi_client import ClientParameters


def parameters_of(
    proxy: BridgeDefinition, connection: BridgeDefinition, nonce: bytes, *, secured: bool = False
) -> ClientParameters:
    """Return the parameters of a client connection object.

    ``nonce``: 12 random bytes. ``secured``: it is inside TLS.
    """
    return ClientParameters(
        channel_name=connection.name,
        queue_manager=proxy.name,
        user=connection.value(rows.USER),
        password=connection.value(rows.PASSWORD),
        ccsid=connection.value(rows.CCSID),
        application=APPLICATION,
        nonce=nonce,
        heartbeat_interval=60,
        secured=secured,
    )
