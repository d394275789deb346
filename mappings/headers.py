"""Length of the headers in front of a message's data."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.chain import HEADER_FORMATS as HEADER_FORMATS
from mqbridge.protocol.chain import walk_descriptor

from .body import read_slice
from .message import Message

_MARGIN: Final = 1 << 20
"""Bytes looked at behind the length that headers may have, to see where a longer one ends."""


def headers_length(message: Message, default_ccsid: int, most: int) -> int:
    """Return the length of the header chain in bytes; a malformed header counts as data.

    ``most``: length beyond which the caller needs no exact result.
    """
    if message.md.format not in HEADER_FORMATS:
        return 0
    front = read_slice(message.body, 0, most + _MARGIN)
    return walk_descriptor(message.md.record, front, default_ccsid=default_ccsid).body_offset
