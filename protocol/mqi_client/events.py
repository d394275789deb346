"""Events of a client connection, and its calls.

A call is returned when it is sent, and is an event when it is complete. Then ``comp_code`` and ``reason`` hold its
outcome, and ``body`` the reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mqbridge.protocol.channel.events import Closed
from mqbridge.protocol.constants import MQCC, ByteOrder
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.structures import API

_BODY_AT = API.size


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


@dataclass(eq=False, slots=True)
class GotMessage:
    """A received message. ``pieces``: its data, in order. ``length``: bytes of the whole message on the queue, more
    than the pieces hold if it was cut. ``token``: 16 bytes."""

    descriptor: bytes
    pieces: list[bytes]
    length: int
    token: bytes
    order: ByteOrder
    ccsid: int
    queue: bytes = b""
    """Queue that the message came from."""

    @property
    def data(self) -> bytes:
        """The data in one piece."""
        return self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)


class Call:
    """A call. ``type``: SegmentType. ``handle``: of the object; in the reply to an open, the new handle.

    ``done``: the reply has arrived. ``body``: body of the reply with its API header. ``message``: result of a get.
    """

    __slots__ = ("begun", "body", "ccsid", "comp_code", "done", "handle", "message", "order", "reason", "type")

    def __init__(self, kind: int, handle: int, begun: float) -> None:
        self.type = kind
        self.handle = handle
        self.begun = begun
        self.done = False
        self.comp_code = 0
        self.reason = 0
        self.body = b""
        self.order = ByteOrder.LITTLE
        self.ccsid = 0
        self.message: GotMessage | None = None

    @property
    def failed(self) -> bool:
        """Whether its completion code is MQCC_FAILED."""
        return self.comp_code >= MQCC.FAILED

    @property
    def structures(self) -> memoryview:
        """The reply's body behind the API header."""
        return memoryview(self.body)[_BODY_AT:]


Event: TypeAlias = Connected | Refused | QueueManagerQuiescing | Call | Closed
