"""Observers: both directions of a captured connection, judged against the tables of the live machines, never raising.

Segments go in with their direction and place; :mod:`protocol.observer.observations` come out.
"""

from __future__ import annotations

from .connection import Observer, Part
from .observations import (
    BytesLost,
    ConnectionEnded,
    ConnectionKind,
    Ending,
    MessageCourse,
    MessageFate,
    MessageSeen,
    MessageSettled,
    Observation,
    ObservedMessage,
    Place,
    SegmentSeen,
)

__all__ = [
    "BytesLost",
    "ConnectionEnded",
    "ConnectionKind",
    "Ending",
    "MessageCourse",
    "MessageFate",
    "MessageSeen",
    "MessageSettled",
    "Observation",
    "ObservedMessage",
    "Observer",
    "Part",
    "Place",
    "SegmentSeen",
]
