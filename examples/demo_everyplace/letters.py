"""The texts of the demo's messages: each says who wrote it and which of his it is, and whether it is damaged."""

from __future__ import annotations

import random
import zlib
from typing import Final, NamedTuple

SHORTEST, SHORT, LONGEST = 100, 1_000, 64 << 10
LONG_SHARE: Final = 0.1
"""Share of the messages that are longer than `SHORT` bytes."""


class Letter(NamedTuple):
    """``whole``: its text is as it was written."""

    writer: str
    number: int
    whole: bool


def write(writer: str, number: int) -> str:
    """Return a text, the same at each call; its length is between `SHORTEST` and `LONGEST`."""
    dice = random.Random(f"{writer} {number}")
    low, high = (SHORT, LONGEST) if dice.random() < LONG_SHARE else (SHORTEST, SHORT)
    head = f"{writer} {number} "
    filler = (dice.randbytes(24).hex() * (high // 48 + 1))[: int(low * (high / low) ** dice.random())]
    filler = filler[: max(0, LONGEST - len(head) - 9)]
    return f"{head}{zlib.crc32(filler.encode()):08x} {filler}"


def read(text: str) -> Letter:
    """Return what a text says of itself; a damaged one may say anything."""
    writer, number, checksum, filler = (text.split(" ", 3) + [""] * 4)[:4]
    whole = checksum == f"{zlib.crc32(filler.encode()):08x}"
    return Letter(writer, int(number) if number.isdecimal() else 0, whole)
