"""Dialogues as what the learner reads: whole connections in memory, within a limit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import isfinite, log2
from typing import Final

from mqbridge.captures.dialogues import Began, Dialogues, Ended, Lost, Sent
from mqbridge.captures.learning import INITIATOR, RESPONDER, Piece, Stream
from mqbridge.protocol.direction import Direction

MAX_BYTES: Final = 64 << 20
"""Bytes of connections that are learnt from; of further ones nothing is kept."""
MAX_CONNECTIONS: Final = 20_000
_COMPRESSED: Final = {
    b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\x78\x9c": "zlib", b"\x78\xda": "zlib", b"BZh": "bzip2",
    b"\x04\x22\x4d\x18": "lz4", b"\xfd7zXZ": "xz", b"SSH-": "SSH",
}  # fmt: skip
_LEAST_JUDGED: Final = 4096
_RANDOM: Final = 7.8
"""Bits of a byte above which bytes look random."""


@dataclass(slots=True)
class Collected:
    """``streams``: without those that sent nothing; ``ports``: connections to each; ``notes``: what is missing, and
    what stands against learning; ``are_messages``: each piece is a message."""

    streams: list[Stream] = field(default_factory=list)
    ports: Counter[int] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    are_messages: bool = False

    @property
    def length(self) -> int:
        """Bytes of all streams."""
        return sum(len(piece.data) for stream in self.streams for piece in stream.pieces)

    @property
    def unreadable(self) -> str:
        """Why nothing can be learnt from these bytes, or empty: they are compressed or encrypted."""
        heads = [bytes(stream.pieces[0].data[:6]) for stream in self.streams]
        for mark, name in _COMPRESSED.items():
            if heads and 2 * sum(head.startswith(mark) for head in heads) > len(heads):
                return f"what passes is {name}"
        data = b"".join(piece.data for stream in self.streams[:100] for piece in stream.pieces[:100])[: 1 << 20]
        if len(data) >= _LEAST_JUDGED and _entropy(data) > _RANDOM:
            return "what passes looks random: it is encrypted or compressed"
        return ""


class _Growing:
    """A connection that is being collected. ``lost``: bytes of it are missing, and nothing more is taken."""

    __slots__ = ("addresses", "length", "lost", "pieces")

    def __init__(self, addresses: tuple[str, str]) -> None:
        self.addresses = addresses
        self.pieces: list[Piece] = []
        self.length = 0
        self.lost = 0


def collect(dialogues: Dialogues) -> Collected:
    """Return the connections of dialogues. Of one whose beginning is missing nothing is taken, and nothing behind lost
    bytes: no message is known to begin there. Where pieces are messages, everything is taken."""
    found = Collected(are_messages=dialogues.are_messages)
    growing: dict[int, _Growing] = {}
    taken = left_out = headless = 0
    for event in dialogues:
        if isinstance(event, Began):
            found.ports[event.port] += 1
            if not event.from_start and not found.are_messages:
                headless += 1
            elif taken >= MAX_BYTES or len(growing) + len(found.streams) >= MAX_CONNECTIONS:
                left_out += 1
            else:
                growing[event.connection] = _Growing((event.initiator, event.responder))
        elif (known := growing.get(event.connection)) is None:
            continue
        elif isinstance(event, Sent):
            if not known.lost and taken < MAX_BYTES:
                side = INITIATOR if event.direction is Direction.INITIATOR else RESPONDER
                known.pieces.append(Piece(side, event.time, event.data))
                known.length += len(event.data)
                taken += len(event.data)
            else:
                known.lost += len(event.data)
        elif isinstance(event, Lost):
            known.lost += event.length
        else:
            _finish(found, event, growing.pop(event.connection))
    for number, known in growing.items():
        _finish(found, Ended(number, False), known)
    found.notes += [*dialogues.notes, *dialogues.remarks]
    if headless:
        found.notes.append(f"{headless} connections without their beginning are left out")
    if left_out:
        found.notes.append(f"learnt from {taken:,} bytes; {left_out} further connections are left out")
    sides = {piece.side for stream in found.streams for piece in stream.pieces}
    if len(sides) == 1:
        found.notes.append("only one direction was captured: answers and echoes cannot be told")
    if found.streams and not any(isfinite(piece.time) for each in found.streams for piece in each.pieces):
        found.notes.append("no times are known: clocks, heartbeats and time limits cannot be told")
    return found


def _finish(found: Collected, ended: Ended, known: _Growing) -> None:
    if known.pieces:
        whole = ended.whole and not known.lost
        stream = Stream(len(found.streams), tuple(known.pieces), known.addresses, whole, known.lost)
        found.streams.append(stream)


def _entropy(data: bytes) -> float:
    total = len(data)
    return -sum(count / total * log2(count / total) for count in Counter(data).values())
