"""The value agreed from two stated ones, and limits that follow from it (mq-wire.md 7.2; channels.md 4 and 6.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import InitErrFlags1

MAX_MESSAGE_LENGTH: Final = 104_857_600
"""Longest message of any channel, bytes of data; what MAXMSGL(0) means (channels.md 3)."""
MESSAGE_HEADERS_LENGTH: Final = 476
"""Bytes of TSH, MSH, XQH and MD in front of the data of a message."""
SHARING_LEVEL: Final = 9
"""FAP level from which conversations share a connection."""
PASSWORD_LEVEL: Final = 13
"""FAP level from which the ends negotiate an algorithm that protects passwords (client-observed.md O-022, O-023)."""


def agreed_limit(one: int, other: int) -> int:
    """Return the lower of two limits (BATCHSZ, MAXMSGL); 0 means unspecified."""
    return min(one or other, other or one)


def agreed_heartbeat(one: int, other: int) -> int:
    """Return the agreed heartbeat interval in seconds: the longer one, or 0 (none) if either is 0."""
    return max(one, other) if one and other else 0


def answered_number(_: int, answered: int) -> int:
    """Return the called end's number: sequence wraps must be equal, they are not negotiated."""
    return answered


class NegotiatedNumber(NamedTuple):
    """A number that both ends state in INITIAL_DATA.

    ``value``: attribute of a ``Proposal``. ``field``: attribute of ID; IBM calls it ``name``. ``changed``: bit of
    InitErrFlags1 with which an answer marks a changed value. ``agree``: function of the caller's and the called end's
    number that returns the agreed one.
    """

    value: str
    field: str
    name: str
    changed: InitErrFlags1
    agree: Callable[[int, int], int]


_BITS: Final = InitErrFlags1
NEGOTIATED_NUMBERS: Final = tuple(
    NegotiatedNumber(*row)
    for row in (
        ("transmission_size", "max_transmission_size", "MaxTransmissionSize", _BITS.MAX_TRANSMISSION_SIZE, min),
        ("fap_level", "fap_level", "FapLevel", _BITS.FAP_LEVEL, min),
        ("message_length", "max_message_size", "MaxMessageSize", _BITS.MAX_MSG_SIZE, agreed_limit),
        ("batch_size", "max_msgs_per_batch", "MaxMsgsPerBatch", _BITS.MAX_MSG_PER_BATCH, agreed_limit),
        ("sequence_wrap", "sequence_wrap", "SequenceWrap", _BITS.SEQ_WRAP_VALUE, answered_number),
        ("heartbeat_interval", "heartbeat_interval", "HeartbeatInterval", _BITS.HEARTBEAT_INTERVAL, agreed_heartbeat),
    )
)
"""The numbers that are negotiated (mq-wire.md 5.1 and 7.2)."""


def longest_message(message_length: int, transmission_size: int, *, split: bool) -> int:
    """Return the longest message in bytes of data; it must fit one segment unless messages are split."""
    return message_length if split else min(message_length, transmission_size - MESSAGE_HEADERS_LENGTH)


def longest_segment(transmission_size: int) -> int:
    """Return the longest segment accepted from a partner, in bytes, for an agreed transmission size."""
    return transmission_size + inferred.SEGMENT_LENGTH_TOLERANCE


def receive_timeout(heartbeat_interval: int) -> float | None:
    """Return the seconds of silence after which a partner is given up; None without heartbeats (channels.md 6.1)."""
    if not heartbeat_interval:
        return None
    return heartbeat_interval + min(heartbeat_interval, inferred.RECEIVE_TIMEOUT_MARGIN)


def can_share(conversations: int, fap_level: int) -> bool:
    """Return whether segments carry conversation and request ids (TSHM) and messages are streamed."""
    return conversations > 0 and fap_level >= SHARING_LEVEL
