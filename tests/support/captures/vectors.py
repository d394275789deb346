"""Real bytes for tests: the packets in ``tests/vectors``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

VECTORS = Path(__file__).parents[2] / "vectors"


def from_hex(text: str) -> bytes:
    """Bytes of hexadecimal text; lines that begin with ``#`` do not count."""
    return bytes.fromhex("".join(line for line in text.splitlines() if not line.startswith("#")))


@cache
def thesis(number: int) -> bytes:
    """One segment of the MQSeries packets of 2003, by the number of its file."""
    (file,) = (VECTORS / "thesis").glob(f"{number:02}-*.hex")
    return from_hex(file.read_text(encoding="ascii"))
