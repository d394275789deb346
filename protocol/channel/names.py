"""All public names of ``protocol.channel``; loaded when the package is first asked for one."""

from __future__ import annotations

from .agreement import MAX_MESSAGE_LENGTH
from .batches_out import MessageTooLong
from .events import (
    BatchConfirmed,
    BatchFailed,
    ChannelRequested,
    Closed,
    CloseRequested,
    ConfirmRequested,
    EndOfBatch,
    Event,
    HeartbeatReceived,
    InDoubtResolved,
    MessagePart,
    MessageReceived,
    PingAnswered,
    PingReceived,
    SequenceReset,
    Started,
)
from .inbound import PART_LENGTH
from .luwids import LuwidSource
from .outbound import MQXQH_LENGTH, Outgoing
from .pairs import PairAnswer, pair_for
from .parameters import (
    MAX_TRANSMISSION_SIZE,
    MIN_TRANSMISSION_SIZE,
    NO_LUWID,
    ChannelParameters,
    Counters,
    InDoubt,
    Negotiated,
    ReceiverState,
    SenderState,
)
from .receiver import ReceiverChannel
from .responder import Responder
from .sender import SenderChannel
from .states import RECEIVER, RESPONDER, SENDER, TABLES, State, Trigger
from .status import ChannelError, StatusMeaning, meaning_of

__all__ = [
    "MAX_MESSAGE_LENGTH",
    "MAX_TRANSMISSION_SIZE",
    "MIN_TRANSMISSION_SIZE",
    "MQXQH_LENGTH",
    "NO_LUWID",
    "PART_LENGTH",
    "RECEIVER",
    "RESPONDER",
    "SENDER",
    "TABLES",
    "BatchConfirmed",
    "BatchFailed",
    "ChannelError",
    "ChannelParameters",
    "ChannelRequested",
    "CloseRequested",
    "Closed",
    "ConfirmRequested",
    "Counters",
    "EndOfBatch",
    "Event",
    "HeartbeatReceived",
    "InDoubt",
    "InDoubtResolved",
    "LuwidSource",
    "MessagePart",
    "MessageReceived",
    "MessageTooLong",
    "Negotiated",
    "Outgoing",
    "PairAnswer",
    "PingAnswered",
    "PingReceived",
    "ReceiverChannel",
    "ReceiverState",
    "Responder",
    "SenderChannel",
    "SenderState",
    "SequenceReset",
    "Started",
    "State",
    "StatusMeaning",
    "Trigger",
    "meaning_of",
    "pair_for",
]
