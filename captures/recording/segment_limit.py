"""Restriction of small captures to the first MQ segments of each connection."""

from __future__ import annotations

from mqbridge.captures.streams.flow_events import Direction
from mqbridge.captures.streams.recognition import ASCII_TSH, EBCDIC_TSH

_HEAD_LENGTH = 8  # eye-catcher and length, mq-wire.md 2


class SegmentLimit:
    """Admits the first ``count`` MQ segments of a connection, both directions counted together.

    A segment counts when its first byte arrives, and is then admitted completely. Bytes that are no segment count as
    one that never ends.
    """

    def __init__(self, count: int) -> None:
        self._left = count
        self._directions = {direction: _Direction() for direction in Direction}

    def admit(self, direction: Direction, data: bytes) -> bytes:
        """Return the part to keep of ``data``, the next bytes of a direction."""
        state = self._directions[direction]
        if state.refused:
            return b""
        position = 0
        while position < len(data):
            if not state.head and not state.remaining:
                if not self._left:
                    state.refused = True
                    break
                self._left -= 1
            if state.remaining:
                step = min(state.remaining, len(data) - position)
                state.remaining -= step
            else:
                step = min(_HEAD_LENGTH - len(state.head), len(data) - position)
                state.head += data[position : position + step]
                state.judge()
            position += step
        return data[:position]


class _Direction:
    __slots__ = ("head", "refused", "remaining")

    def __init__(self) -> None:
        self.head = b""  # the beginning of a segment whose length is not known yet
        self.remaining = 0  # bytes to come of a segment whose length is known
        self.refused = False

    def judge(self) -> None:
        if len(self.head) < _HEAD_LENGTH:
            return
        length = int.from_bytes(self.head[4:], "big")
        if self.head[:3] not in (ASCII_TSH, EBCDIC_TSH) or length < _HEAD_LENGTH:
            self.remaining = 1 << 63  # no segments: everything that follows
        else:
            self.remaining = length - _HEAD_LENGTH
        self.head = b""
