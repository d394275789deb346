"""Effects of the bridge: connections to queue managers elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.protocol.mqi_client import ClientParameters


@dataclass(frozen=True, slots=True)
class ConnectToMq:
    """Make a transport for a program: ``program.connected``, then ``receive_data`` and ``lost``; or ``lost`` at once.

    ``host``, ``port``: where the queue manager listens.
    """

    program: ClientProgram
    host: str
    port: int


def parameters_of(proxy: BridgeDefinition, connection: BridgeDefinition, nonce: bytes) -> ClientParameters:
    """Return the parameters of a client connection object. ``nonce``: 12 random bytes."""
    return ClientParameters(
        channel_name=connection.name,
        queue_manager=proxy.name,
        user=connection.value(rows.USER),
        password=connection.value(rows.PASSWORD),
        application="mqbridge everyplace",
        nonce=nonce,
        heartbeat_interval=60,
    )
