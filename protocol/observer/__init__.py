"""Observers of captured connections: both directions checked against the tables of the live machines, never raising.

Segments are passed in with direction and place; :mod:`protocol.observer.observations` are returned.
"""

from __future__ import annotations

from .connection import Observer
from .kept_data import MAX_KEPT_DATA, MAX_UNSETTLED_DATA, KeptData
from .observations import (
    BytesLost,
    ConnectionEnded,
    ConnectionKind,
    DescriptorSeen,
    Ending,
    HeadersSeen,
    MessageOutcome,
    MessageRoute,
    MessageSeen,
    MessageSettled,
    Observation,
    ObservedMessage,
    Place,
    SegmentSeen,
    SegmentTooLong,
    UnreadMessage,
    UnreadMessageSeen,
)
from .overview import Overview

__all__ = [
    "MAX_KEPT_DATA",
    "MAX_UNSETTLED_DATA",
    "BytesLost",
    "ConnectionEnded",
    "ConnectionKind",
    "DescriptorSeen",
    "Ending",
    "HeadersSeen",
    "KeptData",
    "MessageOutcome",
    "MessageRoute",
    "MessageSeen",
    "MessageSettled",
    "Observation",
    "ObservedMessage",
    "Observer",
    "Overview",
    "Place",
    "SegmentSeen",
    "SegmentTooLong",
    "UnreadMessage",
    "UnreadMessageSeen",
]
