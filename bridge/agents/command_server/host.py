"""What the command server needs from outside."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.gateway.timers import Timers
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.mappings.moment import Time


class CommandServerHost(Protocol):
    """Host of the command server. ``now``: time of the last call from outside."""

    manager: QueueManager
    timers: Timers
    now: Time

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message."""
        ...
