"""What a server connection needs from outside."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.channel_instance import ChannelInstance
from mqbridge.bridge.agents.svrconn.password_queue import PasswordQueue
from mqbridge.bridge.agents.unsent_budget import UnsentBudget
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import Closed


class ServerConnectionHost(Protocol):
    """Host of server connections. ``now``: time of the last call from outside. ``stopping``: the queue manager is
    ending."""

    manager: QueueManager
    unsent: UnsentBudget
    passwords: PasswordQueue
    now: Time
    stopping: bool

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message."""
        ...

    def client_gone(self, instance: ChannelInstance, event: Closed) -> None:
        """An instance has ended."""
        ...
