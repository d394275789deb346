"""State that the reader of flows keeps for a connection."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

from mqbridge.captures.streams.causal_order import CausalOrder
from mqbridge.captures.streams.flow_events import CloseReason, Direction, Flow
from mqbridge.captures.streams.reassembly import PendingBudget, StreamPiece, StreamReassembly
from mqbridge.captures.streams.recognition import TLS_HEAD, Recogniser
from mqbridge.protocol.tls_hello import HelloReader

#: Source, port, destination, port of the first packet.
Key = tuple[bytes, int, bytes, int]

_CACHED_ADDRESSES: Final = 4096


class TcpConnection:
    """Internal state of a flow; pairs contain the initiator's part first."""

    __slots__ = (
        "closed",
        "closing",
        "end_told",
        "fast_paths",
        "flow",
        "hellos",
        "key",
        "last_packet",
        "order",
        "recognisers",
        "side",
        "streams",
    )

    def __init__(self, flow: Flow, key: Key, side: int, budget: PendingBudget) -> None:
        self.flow = flow
        self.key = key
        self.side = side  # of the sender of the first packet
        self.last_packet = flow.first_packet
        self.streams = (StreamReassembly(budget), StreamReassembly(budget))
        self.recognisers = (Recogniser(), Recogniser())
        self.end_told = [False, False]
        self.closing: CloseReason | None = None
        self.closed = False
        self.hellos: HelloReader | None = None  # of TLS
        self.fast_paths: tuple[Any, ...] | None = None  # of the quick reader
        self.order: CausalOrder | None = None  # while something is missing


def read_hello(connection: TcpConnection, direction: Direction, piece: StreamPiece) -> None:
    """Take bytes of a TLS connection; its hellos are read as they come."""
    reader = connection.hellos
    if reader is None:
        reader = connection.hellos = HelloReader()
        connection.flow.tls = reader.hello
        # The first bytes may have passed before the flow was recognised as TLS; they can only have been these.
        reader.take(direction, 0, TLS_HEAD[: piece.offset])
    reader.take(direction, piece.offset, piece.data)


@lru_cache(_CACHED_ADDRESSES)
def address_text(raw: bytes) -> str:
    """Return an address of 4 or 16 bytes as text; cached, because most recur."""
    return str(ip_address(raw))
