"""What a message channel agent needs of the outside."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.message_channel.channel import Channel, MessageChannelAgent
from mqbridge.bridge.agents.message_channel.synchronisation import Synchronisation
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.protocol.channel import Closed


class MCAHost(Protocol):
    """Who runs message channel agents. ``now``: the time of the last call from outside. ``stopping``: the queue manager
    ends."""

    manager: QueueManager
    synchronisation: Synchronisation
    now: float
    stopping: bool

    def log(self, amq: str, *inserts: str | int) -> None:
        """Adds a line for the operator."""
        ...

    def problem(self, amq: str, channel: str, error: MQError | int) -> None:
        """Adds a line about a call that failed."""
        ...

    def started(self, channel: Channel, end: MessageChannelAgent) -> None:
        """Negotiation has ended well."""
        ...

    def ended(self, channel: Channel, end: MessageChannelAgent, event: Closed, now: float) -> None:
        """The machine of an end has closed."""
        ...
