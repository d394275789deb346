"""The two directions of a connection."""

from __future__ import annotations

from .states import Member


class Direction(Member):
    """The sender of some bytes: the end that opened the connection, or the end that was called."""

    INITIATOR = "initiator"
    RESPONDER = "responder"

    @property
    def other(self) -> Direction:
        """The opposite direction."""
        return Direction.RESPONDER if self is Direction.INITIATOR else Direction.INITIATOR
