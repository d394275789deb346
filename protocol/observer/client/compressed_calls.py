"""What a compressed call tells of its compression, client-observed.md O-013."""

from __future__ import annotations

from typing import Final

from protocol.constants import ControlFlags2
from protocol.segment import Segment
from protocol.structures import API, CSH

_CSH_COUNTS_FROM: Final = 8
"""Bytes of a segment that the length in its CSH does not count."""


def stated_compression(segment: Segment) -> int | None:
    """The compression of message data that the CSH of a call names; None where no CSH stands behind its API header."""
    there = bytes(segment.body_view[API.size : API.size + CSH.size])
    if not segment.flags2 & ControlFlags2.CSH or len(there) < CSH.size:
        return None
    read = CSH.codec("big").parse(there)
    return int(read.msg_compression) if read.length == segment.length - _CSH_COUNTS_FROM else None
