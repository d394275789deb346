"""Both ends of a client connection, as a third party sees them."""

from __future__ import annotations

from protocol.direction import Direction
from protocol.observer.observations import Ending, Observation, Place
from protocol.segment import Segment


class ClientPart:
    """Understands a client connection; see ``protocol.observer.connection.Part``."""

    def __init__(self, whole: bool) -> None:
        self.channel = ""
        self.queue_manager = ""
        self.user = ""
        self.outcome = "open"
        self.reason = 0
        self.uncertain = not whole

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take a segment."""
        return []

    def lose(self, direction: Direction, length: int, place: Place) -> None:
        """Bytes are not in the capture."""
        self.uncertain = True

    def close(self, direction: Direction, ending: Ending, place: Place) -> list[Observation]:
        """The connection is over."""
        return []
