"""What the parts of a network share."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.protocol.everyplace.authenticators import NONCE
from mqbridge.protocol.everyplace.initiator import Identity

from .alarms import Alarms
from .lane_table import LaneTable
from .outgoing import Outgoing
from .retry import Retry
from .settings import Credentials, NetworkSettings
from .sightings import Sightings
from .timers import Timers


@dataclass(frozen=True, slots=True)
class Context:
    """One network's queue manager, times, lanes and what is known of others. ``random``: of nonces and jitter.
    ``pulling``: callers that pull, to which nothing is pushed meanwhile (E-132, E-326)."""

    manager: QueueManager
    credentials: Credentials
    random: random.Random
    settings: NetworkSettings
    timers: Timers
    outgoing: Outgoing
    alarms: Alarms
    sightings: Sightings
    lanes: LaneTable
    pulling: set[str] = field(default_factory=set)

    @property
    def milliseconds(self) -> int:
        """The time of the last event, since 1970."""
        return int(self.timers.now * 1000)

    def identity(self, compressors: tuple[str, ...]) -> Identity:
        """Return what this queue manager says of itself on a new connection."""
        nonce = self.random.randbytes(NONCE)
        return Identity(
            self.manager.name,
            self.manager.incarnation,
            self.milliseconds,
            nonce,
            compressors,
            version=self.settings.version,
        )

    def retry(self) -> Retry:
        """Return the times of something that may fail."""
        return Retry(self.random, self.settings.retry_first, self.settings.retry_most)
