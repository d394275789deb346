"""Sequence numbers of messages: from 1 to the wrap value, then 1 again (channels.md 5.3)."""

from __future__ import annotations

from typing import Final

HIGHEST_NUMBER: Final = 999_999_999
"""Highest wrap value (SEQWRAP), and the default (channels.md 3)."""


def next_number(sequence: int, wrap: int) -> int:
    """Return the number after ``sequence``: 1 follows the wrap value; 0 stands for "none yet"."""
    return sequence + 1 if 0 <= sequence < wrap else 1


def number_after(sequence: int, count: int, wrap: int) -> int:
    """Return the number of the last of ``count`` messages after ``sequence``; a negative count goes back from it."""
    if not count:
        return sequence
    return (next_number(sequence, wrap) + count - 2) % wrap + 1


def is_number(sequence: int, wrap: int) -> bool:
    """Return whether this is a valid sequence number."""
    return 1 <= sequence <= wrap
