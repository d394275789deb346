"""Frames of one end of a connection: what comes in, what is to go out, and how bodies are compressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .compressors import Compressor
from .errors import Code, EveryplaceError
from .frames import MAX_BODY, Flags, Frame, FrameReader, Kind

MAX_GREETING: Final = 4096
"""Longest body before the other end is known."""
MIN_COMPRESSED: Final = 64
"""Shorter bodies go as they are."""


class FrameLine:
    """Both directions of one end. ``most_sent``: longest body that the other end takes.

    Before `open` no body may be longer than `MAX_GREETING`.
    """

    __slots__ = ("_compressor", "_out", "_reader", "most_sent")

    def __init__(self) -> None:
        self._reader = FrameReader(MAX_GREETING)
        self._out: list[bytes] = []
        self._compressor: Compressor | None = None
        self.most_sent = MAX_GREETING

    def open(self, compressor: Compressor | None, most_sent: int, most_received: int = MAX_BODY) -> None:
        """The ends know each other."""
        self._compressor, self.most_sent, self._reader.most = compressor, most_sent, most_received

    def receive(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole now, as they were before compression. Raises `EveryplaceError`."""
        for frame in self._reader.receive(data):
            if not frame.flags & Flags.COMPRESSED:
                yield frame
            elif self._compressor is None:
                raise EveryplaceError(Code.DATA, f"a {frame.kind.name} is compressed, which was not agreed")
            else:
                body = self._compressor.expand(frame.body, self._reader.most)
                yield Frame(frame.kind, frame.request, body, frame.flags & ~Flags.COMPRESSED)

    def send(self, kind: Kind, request: int, body: bytes = b"") -> None:
        """Send a frame. Raises `EveryplaceError` TOO_LONG for a body that the other end does not take."""
        if len(body) > self.most_sent:
            raise EveryplaceError(
                Code.TOO_LONG, f"a {kind.name} of {len(body)} bytes; the other end takes {self.most_sent}"
            )
        flags = Flags(0)
        if self._compressor is not None and len(body) >= MIN_COMPRESSED:
            body, flags = self._compressor.compress(body), Flags.COMPRESSED
        self._out.append(Frame(kind, request, body, flags).encode())

    @property
    def has_output(self) -> bool:
        """Whether `take` has something."""
        return bool(self._out)

    def take(self) -> bytes:
        """Return the bytes to send."""
        out, self._out = self._out, []
        return b"".join(out)
