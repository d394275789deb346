"""Limits of a batch in messages and bytes (channels.md 5.1)."""

from __future__ import annotations

from typing import Final

BYTES_PER_KILOBYTE: Final = 1024

_ENDLESS: Final = 1 << 32  # greater than any count on the wire


def first_excess(size: int) -> int:
    """Return the position, from 1, of the first message beyond the batch size; ``size``: BATCHSZ, 0 if unknown."""
    return size + 1 if size else _ENDLESS


def bytes_of(limit: int) -> int:
    """Return BATCHLIM in bytes: the batch ends with the message that exceeds it; 0 for none."""
    return limit * BYTES_PER_KILOBYTE
