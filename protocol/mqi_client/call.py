"""A call, and the message that a get has received.

A call is returned when it is sent, and is an event when it is complete. Then ``comp_code`` and ``reason`` hold its
outcome, and ``body`` the reply.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQCC, ByteOrder
from mqbridge.protocol.structures import API

_BODY_AT: Final = API.size
_FAILED: Final = int(MQCC.FAILED)
_NO_ORDER: Final = ByteOrder.LITTLE


class GotMessage:
    """A received message. ``pieces``: its data, in order. ``length``: bytes of the whole message on the queue, more
    than the pieces hold if it was cut. ``token``: 16 bytes. ``queue``: the one that it came from."""

    __slots__ = ("ccsid", "descriptor", "length", "order", "pieces", "queue", "token")

    def __init__(
        self,
        descriptor: bytes,
        pieces: list[bytes],
        length: int,
        token: bytes,
        order: ByteOrder,
        ccsid: int,
        queue: bytes = b"",
    ) -> None:
        self.descriptor = descriptor
        self.pieces = pieces
        self.length = length
        self.token = token
        self.order = order
        self.ccsid = ccsid
        self.queue = queue

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
        self.order = _NO_ORDER
        self.ccsid = 0
        self.message: GotMessage | None = None

    @property
    def failed(self) -> bool:
        """Whether its completion code is MQCC_FAILED."""
        return self.comp_code >= _FAILED

    @property
    def structures(self) -> memoryview:
        """The reply's body behind the API header."""
        return memoryview(self.body)[_BODY_AT:]
