"""What becomes of messages that inputs offer to a route."""

from __future__ import annotations

from enum import Enum


class Taken(Enum):
    """What became of a message that an input has offered."""

    NOW = "now"
    """It is put and on disk, or dropped by a step, or on an error or dead-letter queue: remove it."""
    BEFORE = "before"
    """A message with this identity was taken earlier: remove it."""
    NOT = "not"
    """The route is stopped, or too many messages wait: keep it, and offer it again later."""
