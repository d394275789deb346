"""Output of :mod:`captures.streams.flows`: the flow, its two ends, and the events of its life."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from mqbridge.captures.streams.recognition import StreamKind
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.tls_hello import TlsHello

__all__ = [
    "CloseReason",
    "Direction",
    "Endpoint",
    "Flow",
    "FlowClosed",
    "FlowData",
    "FlowEnd",
    "FlowEvent",
    "FlowGap",
    "FlowOpened",
]


class CloseReason(enum.Enum):
    """End of a flow, as far as the capture shows it."""

    ENDED = "both ends closed"
    RESET = "reset"
    OPEN = "the capture stops first"
    REUSED = "the ports went to a new connection"
    EVICTED = "too many flows were open at a time"


class Endpoint(NamedTuple):
    """Address and port of one end; ``str()`` returns ``10.0.0.1:1414`` or ``[::1]:1414``."""

    address: str
    port: int

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(slots=True, eq=False)
class Flow:
    """One TCP connection of a capture, kept up to date by the reader, which may be some packets ahead of the events.

    ``id``: from 1, in the order of the first packets. ``start_time``, ``end_time``: of the first and latest packet,
    seconds since the epoch. ``packets``: number of its packets, copies included. ``from_syn``: whether the capture
    contains the beginning; otherwise the initiator is guessed by port. ``kind``: its content, UNKNOWN until recognised.
    ``tls``: content of the hellos of an encrypted connection, otherwise None.
    """

    id: int
    initiator: Endpoint
    responder: Endpoint
    start_time: float
    end_time: float
    first_packet: int
    packets: int = 0
    from_syn: bool = False
    kind: StreamKind = StreamKind.UNKNOWN
    tls: TlsHello | None = None

    def __str__(self) -> str:
        return f"{self.initiator} -> {self.responder}"


@dataclass(slots=True)
class FlowOpened:
    """A flow begins, with its SYN or in the middle."""

    flow: Flow


@dataclass(slots=True)
class FlowData:
    """The next bytes of one direction, all from one packet.

    ``offset``: of the first byte in its direction, including lost bytes. ``time``, ``packet``: of the packet with these
    bytes; after a reordered packet they can be lower than in the previous event.
    """

    flow: Flow
    direction: Direction
    offset: int
    data: bytes
    time: float
    packet: int


@dataclass(slots=True)
class FlowGap:
    """``length`` bytes of one direction are missing. ``packet``, ``time``: of the packet that showed it."""

    flow: Flow
    direction: Direction
    offset: int
    length: int
    time: float
    packet: int


@dataclass(slots=True)
class FlowEnd:
    """One direction was closed by its FIN after ``offset`` bytes; the other may continue."""

    flow: Flow
    direction: Direction
    offset: int
    time: float
    packet: int


@dataclass(slots=True)
class FlowClosed:
    """A flow is over, with no further events. ``time``, ``packet``: of its own last packet."""

    flow: Flow
    reason: CloseReason
    time: float
    packet: int


FlowEvent = FlowOpened | FlowData | FlowGap | FlowEnd | FlowClosed
