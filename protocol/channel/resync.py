"""Sequence numbers, and what becomes of a batch in doubt: the decisions, channels.md 5.3 and 5.4."""

from __future__ import annotations

import enum
import struct
from typing import TYPE_CHECKING, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.numbers import ByteOrder

from .status import ChannelError

if TYPE_CHECKING:
    from .parameters import SenderState

_BODIES: Final[dict[ByteOrder, struct.Struct]] = {"big": struct.Struct(">II"), "little": struct.Struct("<II")}


def next_number(sequence: int, wrap: int) -> int:
    """The number that follows ``sequence``: 1 follows the wrap value; 0 stands for "none yet"."""
    return sequence + 1 if 0 <= sequence < wrap else 1


class Outcome(enum.Enum):
    """What becomes of a batch in doubt."""

    COMMIT = "commit"
    BACK_OUT = "back out"
    DISAGREE = "disagree"
    """The two records cannot come from the same history: stays in doubt until somebody decides."""


def settle(saved: SenderState, luwid: bytes, sequence: int, wrap: int) -> Outcome:
    """What the receiver's record (``luwid``, ``sequence``) says of the batch that ``saved`` has in doubt.

    The receiver has the batch: commit. It has the batch before, or the number before: back out. Zeros and 0 are the
    record of a receiver that never committed anything, so the first batch of all is no exception. A sender whose
    numbers are unsure goes by the LUWID alone: batches with persistent messages are recorded before they are
    confirmed, so a receiver that has the batch has its LUWID.
    """
    if saved.in_doubt is None or luwid == saved.in_doubt.luwid:
        return Outcome.COMMIT
    if saved.unsure or luwid == saved.luwid or next_number(sequence, wrap) == next_number(saved.sequence, wrap):
        return Outcome.BACK_OUT
    return Outcome.DISAGREE


def resync_body(order: ByteOrder, sequence: int) -> bytes:
    """Body of RESYNC_DATA (:data:`protocol.inferred.RESYNC_FLAGS`)."""
    return _BODIES[order].pack(inferred.RESYNC_BODY_LENGTH, sequence)


def read_resync(segment: Segment) -> int:
    """Sequence number of a RESYNC_DATA segment. Raises ``ChannelError`` for another layout than ours."""
    if segment.body_length == inferred.RESYNC_BODY_LENGTH:
        length, sequence = _BODIES[segment.order].unpack(segment.body_view)
        if length == inferred.RESYNC_BODY_LENGTH:
            return int(sequence)
    raise ChannelError(
        f"RESYNC_DATA of unknown layout: {bytes(segment.body_view[:64]).hex()}",
        StatusCode.PROTOCOL_INVALID_DATA,
        amq="AMQ9504",
        retryable=False,
    )
