"""What two stated values come to, and what follows from agreed ones (mq-wire.md 7.2; channels.md 4 and 6.1)."""

from __future__ import annotations

from mqbridge.protocol import inferred

MESSAGE_HEADERS_LENGTH = 476
"""Bytes of TSH, MSH, XQH and MD in front of the data of a message."""


def agreed_limit(one: int, other: int) -> int:
    """The lower of two limits (BATCHSZ, MAXMSGL), of which 0 says nothing."""
    return min(one or other, other or one)


def agreed_heartbeat(one: int, other: int) -> int:
    """The heartbeat interval, seconds: the longer one; 0, none, where an end wants none."""
    return max(one, other) if one and other else 0


def longest_message(message_length: int, transmission_size: int, *, split: bool) -> int:
    """Bytes of data that a message may have: those of a segment where messages are not split."""
    return message_length if split else min(message_length, transmission_size - MESSAGE_HEADERS_LENGTH)


def longest_segment(transmission_size: int) -> int:
    """Bytes of a segment that are taken from a partner with which a transmission size was agreed."""
    return transmission_size + inferred.SEGMENT_LENGTH_TOLERANCE


def receive_timeout(heartbeat_interval: int) -> float | None:
    """Seconds of silence after which a partner is given up; None without heartbeats (channels.md 6.1)."""
    if not heartbeat_interval:
        return None
    return heartbeat_interval + min(heartbeat_interval, inferred.RECEIVE_TIMEOUT_MARGIN)
