"""Limits of a batch in messages and bytes (channels.md 5.1)."""

from __future__ import annotations

from typing import Final

BYTES_PER_KILOBYTE: Final = 1024

_ENDLESS: Final = 1 << 32  # more than any count on the wire


def first_excess(size: int) -> int:
    """Position of the message with which a batch has more than agreed, from 1; ``size``: BATCHSZ, 0 where unknown."""
    return size + 1 if size else _ENDLESS


def bytes_of(limit: int) -> int:
    """BATCHLIM in bytes: the batch ends with the message that passes it; 0 for none."""
    return limit * BYTES_PER_KILOBYTE
