"""Recorded conversations of real clients: the files in ``tests/vectors/ibm-client``.

A file holds one step of a program, with lines of whole segments: ``C>`` what the unmodified client sent, ``S>`` what
the recorded server sent (which proves only that the client took it). ``# --- socket`` begins another connection.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.captures.vectors import VECTORS

FOLDER = VECTORS / "ibm-client"
SUFFIX = ".hex.txt"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One segment. ``side``: ``"client"`` or ``"server"``; ``socket``: number of its connection in the file, from 1;
    ``time``: seconds since the connection was opened."""

    side: str
    socket: int
    time: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Transcript:
    """One file: its name without suffix, its notes, and its segments in the order of time."""

    name: str
    notes: tuple[str, ...]
    segments: tuple[Recorded, ...]

    def sockets(self) -> Iterator[list[Recorded]]:
        """The segments of each connection."""
        for number in sorted({segment.socket for segment in self.segments}):
            yield [segment for segment in self.segments if segment.socket == number]


def transcript_names() -> list[str]:
    """Names of all files, sorted."""
    return sorted(path.name.partition(SUFFIX)[0] for path in FOLDER.glob(f"*{SUFFIX}*"))


@cache
def transcript(name: str) -> Transcript:
    """Read the file of this name."""
    notes, segments, socket = [], [], 1
    for line in _text(next(FOLDER.glob(f"{name}{SUFFIX}*"))).splitlines():
        if line.startswith("# --- socket"):
            socket = int(line.split()[3])
        elif line.startswith("#"):
            notes.append(line[1:].strip())
        elif line:
            side, time, digits = line.split()
            segments.append(
                Recorded("client" if side == "C>" else "server", socket, float(time), bytes.fromhex(digits))
            )
    return Transcript(name, tuple(notes), tuple(segments))


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
