"""What a client connection has below it, and its calls: how one is made, and what it came to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from mqbridge.bridge.agents.everyplace.mq.program import MqFailure
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import ProtocolError
from mqbridge.protocol.mqi_client import Call, ClientConnection, opened

Make: TypeAlias = Callable[[ClientConnection, Time], Call]
"""Sends a call, at a time."""
Answered: TypeAlias = Callable[[Call | MqFailure], None]


class MqTransport(Protocol):
    """The transport below."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def close(self) -> None:
        """End it; nothing is received any more."""


def failure_of(call: Call | MqFailure) -> MqFailure | None:
    """Return why a call has failed; None for one that has not."""
    if isinstance(call, MqFailure):
        return call
    return MqFailure(call.reason) if call.failed else None


def handle_of(call: Call | MqFailure) -> int | MqFailure:
    """Return the handle of an object that was opened."""
    failure = failure_of(call)
    if failure is not None or isinstance(call, MqFailure):
        return failure or MqFailure(int(MQRC.UNEXPECTED_ERROR))
    try:
        return opened(call).handle
    except ProtocolError as error:
        return MqFailure(int(MQRC.UNEXPECTED_ERROR), str(error))
