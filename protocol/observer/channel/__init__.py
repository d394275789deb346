"""The observer of a message channel, and its observations."""

from __future__ import annotations

from .batch_observations import (
    BatchBegun,
    BatchConfirmationSeen,
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
    ChannelHeartbeatAnswered,
    ChannelHeartbeatUnanswered,
    ChannelStatusSeen,
    CloseAsked,
    ClosedWithoutExchange,
    CompressedSeen,
    FieldSeen,
    HeartbeatSeen,
    LongSilence,
    OutOfPlace,
    PingAnswerSeen,
    Proposed,
    Resynchronised,
    SegmentAfterClose,
    SegmentUnreadable,
    SequenceNumberReset,
)
from .values import ChannelValues, Values

__all__ = [
    "Answered",
    "BatchBegun",
    "BatchConfirmationSeen",
    "BatchSettled",
    "ChannelAgreed",
    "ChannelClosing",
    "ChannelHeartbeatAnswered",
    "ChannelHeartbeatUnanswered",
    "ChannelObserver",
    "ChannelStatusSeen",
    "ChannelValues",
    "CloseAsked",
    "ClosedWithoutExchange",
    "CompressedSeen",
    "ConfirmAsked",
    "FieldSeen",
    "HeartbeatSeen",
    "LongSilence",
    "MessageDiffers",
    "MessageJoined",
    "OutOfPlace",
    "PartOutOfPlace",
    "PingAnswerSeen",
    "Proposed",
    "Resynchronised",
    "SegmentAfterClose",
    "SegmentUnreadable",
    "SequenceNumberReset",
    "Values",
]
