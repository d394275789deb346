"""Events of a client connection; a call is one too, when it is complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mqbridge.protocol.channel.events import Closed
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.mqi.parameters import ClientNegotiated

from .call import Call


@dataclass(kw_only=True, slots=True)
class Connected:
    """The conversation is connected: calls may be made."""

    agreed: ClientNegotiated
    queue_manager: str
    """Name of the queue manager."""
    queue_manager_id: str
    connection_id: bytes
    """24 bytes; zeros if the queue manager states none."""
    order: ByteOrder
    """Byte order of descriptors, in both directions."""
    ccsid: int
    """CCSID of their text."""


@dataclass(slots=True)
class Refused:
    """MQCONN failed; :class:`Closed` follows."""

    reason: int
    """MQRC."""


@dataclass(slots=True)
class QueueManagerQuiescing:
    """The queue manager, or the connection, is ending: finish and disconnect. ``reason``: 2161 or 2202."""

    reason: int


Event: TypeAlias = Connected | Refused | QueueManagerQuiescing | Call | Closed
