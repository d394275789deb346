"""What :mod:`captures.streams.flows` tells: the flow, its two ends, and the events of its life."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from mqbridge.captures.streams.recognition import StreamKind
from mqbridge.captures.streams.tls_hello import TlsHello
from mqbridge.protocol.direction import Direction

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
    """How a flow ended, as far as the capture shows it."""

    ENDED = "both ends closed"
    RESET = "reset"
    OPEN = "the capture stops first"
    REUSED = "the ports went to a new connection"
    EVICTED = "too many flows were open at a time"


class Endpoint(NamedTuple):
    """Address and port of one end; ``str()`` gives ``10.0.0.1:1414`` or ``[::1]:1414``."""

    address: str
    port: int

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(slots=True, eq=False)
class Flow:
    """One TCP connection of a capture. The reader keeps it up to date, which may be some packets ahead of the events.

    ``id``: from 1, in the order of the first packets. ``start_time``, ``end_time``: of the first and the latest
    packet, seconds since the epoch. ``packets``: how many belong to it, copies included. ``from_syn``: whether the
    capture holds the beginning; where it does not, who is the initiator is a guess by port. ``kind``: what it
    carries, UNKNOWN until enough bytes were there. ``tls``: what the hellos of an encrypted one say, None for others.
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

    ``offset``: of the first byte in its direction, lost bytes counted. ``time``, ``packet``: of the packet that
    held the bytes; after a reordered packet they can lie before those of the event before.
    """

    flow: Flow
    direction: Direction
    offset: int
    data: bytes
    time: float
    packet: int


@dataclass(slots=True)
class FlowGap:
    """``length`` bytes of one direction are not in the capture. ``packet``, ``time``: the packet that showed it."""

    flow: Flow
    direction: Direction
    offset: int
    length: int
    time: float
    packet: int


@dataclass(slots=True)
class FlowEnd:
    """One direction was closed by its FIN, after ``offset`` bytes; the other may go on."""

    flow: Flow
    direction: Direction
    offset: int
    time: float
    packet: int


@dataclass(slots=True)
class FlowClosed:
    """A flow is over; nothing follows of it. ``time``, ``packet``: of its own last packet."""

    flow: Flow
    reason: CloseReason
    time: float
    packet: int


FlowEvent = FlowOpened | FlowData | FlowGap | FlowEnd | FlowClosed
