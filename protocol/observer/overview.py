"""What an observer knows of a connection as a whole, and what it tells next."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from mqbridge.protocol.direction import Direction

from .observations import Observation, Place


@final
class Overview:
    """A connection as a whole.

    ``channel``, ``queue_manager``, ``user``: as far as known, else empty. ``outcome``: ``ended`` (as agreed),
    ``refused`` (before it was agreed, or by a refusal of the sign-on), ``cut`` (otherwise), ``open``. ``reason``: code
    of the refusal or error, 0 for none. ``uncertain``: bytes were lost that may have changed anything.
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
    """Observations of the segment at hand. ``direction``, ``place``: its own; ``told``: those made so far."""

    __slots__ = ("direction", "place", "told")

    def __init__(self) -> None:
        self.direction = Direction.INITIATOR
        self.place = Place(0.0, 0, 0)
        self.told: list[Observation] = []

    def tell(self, kind: Callable[..., Observation], *values: object, **named: object) -> None:
        """Add an observation made at the segment at hand."""
        self.told.append(kind(self.direction, self.place, *values, **named))

    def take(self) -> list[Observation]:
        """Return what was told since the last call."""
        told = self.told
        if told:
            self.told = []
        return told
