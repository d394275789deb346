"""Parameters of protocol machines and connectors from channel definitions."""

from __future__ import annotations

import re

from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.protocol.channel import ChannelParameters
from mqbridge.protocol.constants import MQCHT

DEFAULT_PORT = 1414
CHANNEL_TYPES = {
    "SDR": MQCHT.SENDER,
    "SVR": MQCHT.SERVER,
    "RCVR": MQCHT.RECEIVER,
    "RQSTR": MQCHT.REQUESTER,
    "SVRCONN": MQCHT.SVRCONN,
    "CLNTCONN": MQCHT.CLNTCONN,
    "CLUSSDR": MQCHT.CLUSSDR,
    "CLUSRCVR": MQCHT.CLUSRCVR,
}
SENDING = frozenset({"SDR", "SVR"})
STARTING = frozenset({"SDR", "SVR", "RQSTR"})
"""Channel types that open connections."""

_CONNECTION_NAME = re.compile(r"^\s*(?P<host>[^()\s]+)\s*(?:\(\s*(?P<port>\d{1,5})\s*\))?\s*$")


def channel_parameters(
    definition: Definition, queue_manager: Definition, handshake_timeout: float
) -> ChannelParameters:
    """The machine's parameters from a channel's definition, with defaults of its queue manager (channels.md 3).

    MAXUMSGS of the queue manager limits the batch: at the receiver each message may cause another one, a report
    (channels.md 4).
    """
    in_batch = queue_manager.integer("MAXUMSGS") // (1 if definition.subtype in SENDING else 2)
    return ChannelParameters(
        channel_name=definition.name,
        queue_manager=queue_manager.name,
        queue_manager_id=queue_manager.text("QMID"),
        batch_size=max(min(definition.integer("BATCHSZ"), in_batch), 1),
        max_message_length=definition.integer("MAXMSGL") or queue_manager.integer("MAXMSGL"),
        sequence_wrap=definition.integer("SEQWRAP"),
        heartbeat_interval=definition.integer("HBINT"),
        fast=definition.text("NPMSPEED") == "FAST",
        disconnect_interval=definition.integer("DISCINT"),
        batch_interval=definition.integer("BATCHINT"),
        batch_limit=definition.integer("BATCHLIM"),
        batch_heartbeat=definition.integer("BATCHHB"),
        handshake_timeout=handshake_timeout,
    )


def connection_names(text: str) -> list[tuple[str, int]]:
    """Parse CONNAME into (host, port) pairs in order: ``host(port)``, comma-separated, default port 1414.

    Raises ``ValueError`` for an invalid connection name.
    """
    found = []
    for part in text.split(","):
        match = _CONNECTION_NAME.match(part)
        port = int(match["port"] or DEFAULT_PORT) if match else 0
        if match is None or not 0 < port < 65536:
            raise ValueError(f"{part.strip()!r} is no connection name: host(port)")
        found.append((match["host"], port))
    return found
