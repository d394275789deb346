"""The observer of a message channel, and its observations."""

from __future__ import annotations

from .batch_observations import (
    BatchBegun,
    BatchConfirmed,
    BatchSettled,
    ConfirmAsked,
    MessageDiffers,
    MessageJoined,
    PartOutOfPlace,
)
from .channel_observer import ChannelObserver
from .observations import (
    Answered,
    ChannelAgreed,
    ChannelClosing,
    CloseAsked,
    ClosedWithoutExchange,
    CompressedSeen,
    FieldSeen,
    HeartbeatAnswered,
    HeartbeatSeen,
    HeartbeatUnanswered,
    LongSilence,
    OutOfPlace,
    PingAnswered,
    Proposed,
    Resynchronised,
    SegmentAfterClose,
    SegmentUnreadable,
    SequenceNumberReset,
    StatusSeen,
)
from .values import Agreed, Values

__all__ = [
    "Agreed",
    "Answered",
    "BatchBegun",
    "BatchConfirmed",
    "BatchSettled",
    "ChannelAgreed",
    "ChannelClosing",
    "ChannelObserver",
    "CloseAsked",
    "ClosedWithoutExchange",
    "CompressedSeen",
    "ConfirmAsked",
    "FieldSeen",
    "HeartbeatAnswered",
    "HeartbeatSeen",
    "HeartbeatUnanswered",
    "LongSilence",
    "MessageDiffers",
    "MessageJoined",
    "OutOfPlace",
    "PartOutOfPlace",
    "PingAnswered",
    "Proposed",
    "Resynchronised",
    "SegmentAfterClose",
    "SegmentUnreadable",
    "SequenceNumberReset",
    "StatusSeen",
    "Values",
]
