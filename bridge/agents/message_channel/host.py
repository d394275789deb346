"""What a message channel agent needs from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.message_channel.channel import Channel, MessageChannelAgent
from mqbridge.bridge.agents.message_channel.synchronisation import Synchronisation
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security.tls import TlsFault
from mqbridge.mappings.moment import Time
from mqbridge.mappings.service_integration import ChannelRules
from mqbridge.protocol.channel import Closed


class MCAHost(Protocol):
    """Host of message channel agents. ``now``: time of the last call from outside. ``stopping``: the queue manager is
    ending. ``buses``: the rules of channels that belong to a service integration bus."""

    manager: QueueManager
    buses: Mapping[str, ChannelRules]
    synchronisation: Synchronisation
    now: Time
    stopping: bool

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message."""
        ...

    def refused_by_tls(
        self,
        fault: TlsFault,
        peer: str,
        now: Time,
        *,
        definition: Definition | None = None,
        connection: PartnerConnection | None = None,
    ) -> None:
        """Log why TLS does not let a channel run, and put an event."""
        ...

    def problem(self, amq: str, channel: str, error: MQError | int) -> None:
        """Log a failed call."""
        ...

    def started(self, channel: Channel, end: MessageChannelAgent) -> None:
        """The channel has negotiated and is running."""
        ...

    def ended(self, channel: Channel, end: MessageChannelAgent, event: Closed, now: Time) -> None:
        """The machine of an agent has closed."""
        ...
