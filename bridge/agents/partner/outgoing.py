"""A message on its way to a partner."""

from __future__ import annotations

from collections.abc import Mapping

from mqbridge.bridge.agents.partner.in_doubt import PacketInDoubt
from mqbridge.mappings.message import Message
from mqbridge.mappings.templates import Value


class OutgoingMessage:
    """A message that was got and not settled.

    ``message``: as it lies on the queue. ``inner``: the message that the packet carries, the same unless there is an
    MQXQH; what an answer refers to. ``token``: under which the session holds it. ``values``: for the packet.
    ``record``: of its packets on disk; None if there is none. ``attempts``: how often it went out without becoming
    known to have arrived. ``numbers``: sequence numbers that it was given on this connection.
    """

    __slots__ = ("attempts", "inner", "message", "numbers", "record", "token", "values")

    def __init__(self, message: Message, inner: Message, token: bytes, values: Mapping[str, Value]) -> None:
        self.message = message
        self.inner = inner
        self.token = token
        self.values = values
        self.record: PacketInDoubt | None = None
        self.attempts = 0
        self.numbers: dict[str, int] = {}
