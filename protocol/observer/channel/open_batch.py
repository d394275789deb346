"""An unconfirmed batch of a message channel (channels.md 5.2)."""

from __future__ import annotations

from collections import deque

from mqbridge.protocol.observer.observations import ObservedMessage, Place


class ObservedBatch:
    """Messages since the last confirmation. ``count``: all of them. ``messages``: those that could be parsed."""

    __slots__ = (
        "asked",
        "asked_luwid",
        "begun",
        "count",
        "first",
        "last",
        "luwid",
        "messages",
        "number",
        "size",
        "whole",
    )

    def __init__(self, number: int, luwid: bytes, begun: Place, whole: bool) -> None:
        self.number = number
        self.luwid = luwid
        self.begun = begun
        self.whole = whole
        self.count = self.size = self.first = self.last = 0
        self.asked: Place | None = None
        self.asked_luwid = b""
        self.messages: deque[ObservedMessage] = deque()
