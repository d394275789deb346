"""One direction of a connection: bytes in as they come, packets out (M-168)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from .errors import PacketError, StreamError
from .framing import (
    CloseFraming,
    DelimiterFraming,
    FixedFraming,
    Framing,
    LengthFraming,
)

Measure = Callable[[bytearray], int | None]
"""Returns the length of the packet that begins a buffer, None while that cannot be said. Raises `PacketError`."""

_WINDOW: Final = 4096
"""Bytes in which the length of a packet nearly always stands."""


class Framer:
    """Cuts a stream into packets.

    ``most``: the longest packet in bytes, which is also the most that is kept. ``measure``: for a framing by
    transactions.
    """

    __slots__ = ("_buffer", "_framing", "_measure", "_most", "_searched")

    def __init__(self, framing: Framing, most: int, measure: Measure) -> None:
        self._framing = framing
        self._most = most
        self._measure = measure
        self._buffer = bytearray()
        self._searched = 0

    @property
    def pending(self) -> int:
        """Bytes of a packet that is not whole."""
        return len(self._buffer)

    def receive(self, data: bytes) -> Iterator[bytes]:
        """Yield the packets that are whole now. Raises `StreamError`, behind which nothing can be read."""
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while True:
                found = self._next(at)
                if found is None:
                    break
                end, behind = found
                packet = bytes(buffer[at:end])
                at = behind
                yield packet
        finally:
            del buffer[:at]
            self._searched = max(self._searched - at, 0)

    def finish(self) -> Iterator[bytes]:
        """Yield the packet that the end of the connection ends. Raises `StreamError` if it cut one."""
        buffer = self._buffer
        if not buffer:
            return
        if not isinstance(self._framing, CloseFraming):
            raise StreamError(f"the connection ended {len(buffer)} bytes into a packet", bytes(buffer[:32]))
        packet = bytes(buffer)
        buffer.clear()
        yield packet

    def _next(self, at: int) -> tuple[int, int] | None:
        """Where the packet at an offset ends, and what is behind it begins; None if it is not whole."""
        buffer, framing = self._buffer, self._framing
        if at >= len(buffer):
            return None
        if isinstance(framing, LengthFraming):
            end = framing.length(buffer, at)
        elif isinstance(framing, FixedFraming):
            end = framing.size
        elif isinstance(framing, DelimiterFraming):
            return self._delimited(framing, at)
        elif isinstance(framing, CloseFraming):
            end = None
        else:
            try:
                end = self._measure(buffer[at : at + _WINDOW])
                if end is None and len(buffer) - at > _WINDOW:
                    end = self._measure(buffer[at:])
            except PacketError as error:
                raise StreamError(str(error), bytes(buffer[at : at + 32])) from None
        if (len(buffer) - at if end is None else end) > self._most:
            length = "longer" if end is None else f"of {end} bytes"
            raise StreamError(f"a packet {length}; {self._most} bytes are allowed", bytes(buffer[at : at + 32]))
        if end is None or at + end > len(buffer):
            return None
        return at + end, at + end

    def _delimited(self, framing: DelimiterFraming, at: int) -> tuple[int, int] | None:
        mark = framing.value
        place = self._buffer.find(mark, max(at, self._searched))
        length = (len(self._buffer) if place < 0 else place) - at
        if length > self._most:
            raise StreamError(f"no end mark within {self._most} bytes", bytes(self._buffer[at : at + 32]))
        if place < 0:
            self._searched = max(len(self._buffer) - len(mark) + 1, at)
            return None
        behind = self._searched = place + len(mark)
        return (behind if framing.keep else place), behind
