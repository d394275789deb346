"""The observer of a message channel, and its observations."""

from __future__ import annotations

from .batch_observations import (
    BatchBegun,
    BatchConfirmationSeen,
    BatchSettled,
    ConfirmRequestSeen,
    MessageDiffers,
    MessageJoined,
    PartOutOfPlace,
)
from .channel_observer import ChannelObserver
from .observations import (
    ChannelAgreed,
    ChannelClosing,
    ChannelCompressedSeen,
    ChannelHeartbeatAnswered,
    ChannelHeartbeatUnanswered,
    ChannelSegmentOutOfState,
    ChannelStatusSeen,
    ClosedWithoutExchange,
    CloseRequestSeen,
    FieldSeen,
    HeartbeatSeen,
    LongSilence,
    PingAnswerSeen,
    ProposalAnswered,
    Proposed,
    Resynchronised,
    SegmentAfterClose,
    SegmentUnreadable,
    SequenceNumberReset,
)
from .values import ChannelValues, Values

__all__ = [
    "BatchBegun",
    "BatchConfirmationSeen",
    "BatchSettled",
    "ChannelAgreed",
    "ChannelClosing",
    "ChannelCompressedSeen",
    "ChannelHeartbeatAnswered",
    "ChannelHeartbeatUnanswered",
    "ChannelObserver",
    "ChannelSegmentOutOfState",
    "ChannelStatusSeen",
    "ChannelValues",
    "CloseRequestSeen",
    "ClosedWithoutExchange",
    "ConfirmRequestSeen",
    "FieldSeen",
    "HeartbeatSeen",
    "LongSilence",
    "MessageDiffers",
    "MessageJoined",
    "PartOutOfPlace",
    "PingAnswerSeen",
    "ProposalAnswered",
    "Proposed",
    "Resynchronised",
    "SegmentAfterClose",
    "SegmentUnreadable",
    "SequenceNumberReset",
    "Values",
]
