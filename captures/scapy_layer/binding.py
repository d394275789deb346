"""How scapy finds MQ: by its port, and by the first bytes of a payload that nothing else claims.

A connection on another port counts as MQ from its first segment header on, so that ``TCPSession`` takes packets that
begin within a segment too.
"""

from __future__ import annotations

from typing import Any, Final

from scapy.layers.inet import TCP
from scapy.packet import Packet, bind_layers

from mqbridge.captures.scapy_layer.segments import MQ, begins_segment

#: Port of MQ listeners by IANA.
MQ_PORT: Final = 1414
#: Connections on other ports that are remembered as carrying MQ; the oldest is forgotten.
MAX_CONNECTIONS: Final = 65_536

_connections: dict[frozenset[tuple[Any, int]], None] = {}


def bind() -> None:
    """Make TCP find MQ; once is enough, more do no harm."""
    if getattr(TCP.default_payload_class, "finds_mq", False):
        return
    bind_layers(TCP, MQ, dport=MQ_PORT)
    bind_layers(TCP, MQ, sport=MQ_PORT)
    default = TCP.default_payload_class

    def default_payload_class(self: Packet, payload: bytes) -> Any:
        ends = _ends(self)
        if begins_segment(payload):
            _connections[ends] = None
            if len(_connections) > MAX_CONNECTIONS:
                del _connections[next(iter(_connections))]
            return MQ
        # Nothing yet: ``TCPSession`` asks at the SYN who shall put a connection together.
        return MQ if ends in _connections or not payload else default(self, payload)

    default_payload_class.finds_mq = True  # type: ignore[attr-defined]
    TCP.default_payload_class = default_payload_class  # type: ignore[method-assign]


def _ends(segment: Packet) -> frozenset[tuple[Any, int]]:
    below = segment.underlayer
    source, target = getattr(below, "src", None), getattr(below, "dst", None)
    return frozenset(((source, segment.sport), (target, segment.dport)))
