"""What an observer knows of a connection as a whole, and its pending observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from mqbridge.protocol.direction import Direction

from .observations import Observation, Place


@final
class Overview:
    """A connection as a whole.

    ``channel``, ``queue_manager``, ``user``: empty if unknown. ``outcome``: ``ended`` (normally), ``refused`` (during
    negotiation or login), ``cut`` (otherwise), ``open``. ``reason``: code of the refusal or error, 0 for none.
    ``uncertain``: bytes were lost that may have changed anything.
    """

    __slots__ = ("channel", "outcome", "queue_manager", "reason", "uncertain", "user")

    def __init__(self, whole: bool) -> None:
        self.channel = ""
        self.queue_manager = ""
        self.user = ""
        self.outcome = "open"
        self.reason = 0
        self.uncertain = not whole


@final
class ObservationLog:
    """Observations of the current segment, whose direction and place are given; ``observations``: those so far."""

    __slots__ = ("direction", "observations", "place")

    def __init__(self) -> None:
        self.direction = Direction.INITIATOR
        self.place = Place(0.0, 0, 0)
        self.observations: list[Observation] = []

    def add(self, kind: Callable[..., Observation], *values: object, **named: object) -> None:
        """Add an observation of the current segment."""
        self.observations.append(kind(self.direction, self.place, *values, **named))

    def take(self) -> list[Observation]:
        """Return the observations since the last call."""
        taken = self.observations
        if taken:
            self.observations = []
        return taken
