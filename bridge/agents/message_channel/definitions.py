"""From a channel's definition to what the machines and connectors need."""

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
"""Types that open connections."""

_CONNECTION_NAME = re.compile(r"^\s*(?P<host>[^()\s]+)\s*(?:\(\s*(?P<port>\d{1,5})\s*\))?\s*$")


def channel_parameters(
    definition: Definition, queue_manager: Definition, handshake_timeout: float
) -> ChannelParameters:
    """What a machine takes from a channel's definition, where it runs (channels.md 3).

    MAXUMSGS of the queue manager bounds the batch: at the receiving end each of its messages may take another one
    with it, a report (channels.md 4).
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
    """CONNAME as (host, port) pairs in order: ``host(port)``, comma-separated, port 1414 if none.

    Raises ``ValueError`` for what is no connection name.
    """
    found = []
    for part in text.split(","):
        match = _CONNECTION_NAME.match(part)
        port = int(match["port"] or DEFAULT_PORT) if match else 0
        if match is None or not 0 < port < 65536:
            raise ValueError(f"{part.strip()!r} is no connection name: host(port)")
        found.append((match["host"], port))
    return found
