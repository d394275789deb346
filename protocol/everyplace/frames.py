"""Frames between two queue managers (mqe.md 20.2, E-474, E-475).

::

    frame  length of what follows (4 bytes), kind (1), flags (1), request id (4), body
    body   the body of a fields object (`body`), or of PUSH and PART what `protocol.everyplace.batches` describes

Numbers are big-endian. An answer has the request id of its request, so that requests may interleave; frames that ask
nothing have 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum, IntFlag, unique
from typing import Final, NamedTuple

from .errors import Code, EveryplaceError

HEAD: Final = struct.Struct(">IBBI")
OVERHEAD: Final = HEAD.size - 4
"""Bytes of a frame that its length counts beside the body."""
MAX_BODY: Final = 1 << 20
"""Longest body in bytes; longer messages go in parts."""


@unique
class Kind(IntEnum):
    """What a frame is; a number is never given twice."""

    HELLO = 1
    """Who calls, and what it can do; the first frame of each end."""
    CHALLENGE = 2
    PROOF = 3
    READY = 4
    REQUEST = 5
    """A call of a program (`calls`)."""
    ANSWER = 6
    STATE = 7
    """Asks for, or answers with, the number of a lane."""
    PUSH = 8
    TAKEN = 9
    CONFIRM = 10
    CONFIRMED = 11
    PULL = 12
    """Asks for the next batch of a store-and-forward entry."""
    NOTHING = 13
    """There is nothing to pull."""
    PART = 14
    """A part of a long message, ahead of the PUSH that refers to it."""
    HAVE = 15
    """How much of a long message has come."""
    PING = 16
    PONG = 17
    CLOSE = 18
    ERROR = 19
    """Why a request cannot be served, or why the connection ends."""
    NEXT = 20
    """Asks for the batch behind one that has just been taken. From version 2 of the protocol on."""


class Flags(IntFlag):
    """``COMPRESSED``: the body is, as both ends have agreed. ``LAST``: the last of several answers."""

    COMPRESSED = 1
    LAST = 2


class Frame(NamedTuple):
    """One frame."""

    kind: Kind
    request: int
    body: bytes = b""
    flags: Flags = Flags(0)

    def encode(self) -> bytes:
        """Return its bytes."""
        return HEAD.pack(OVERHEAD + len(self.body), self.kind, self.flags, self.request) + self.body


class FrameReader:
    """Takes bytes as they come, and gives whole frames.

    ``most``: longest body that is accepted; a longer one is refused as soon as its length is there.
    """

    __slots__ = ("_data", "most")

    def __init__(self, most: int = MAX_BODY) -> None:
        self._data = bytearray()
        self.most = most

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not whole."""
        return len(self._data)

    def receive(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole now.

        Raises `EveryplaceError` DATA for a frame of unknown kind or flags, TOO_LONG for one that is longer than
        allowed; nothing can be read behind them.
        """
        kept = self._data
        kept += data
        at = 0
        try:
            while len(kept) - at >= HEAD.size:
                length, kind, flags, request = HEAD.unpack_from(kept, at)
                if length < OVERHEAD or flags & ~_KNOWN_FLAGS or kind not in _KINDS:
                    raise EveryplaceError(Code.DATA, f"no frame: length {length}, kind {kind}, flags {flags:#x}")
                if length - OVERHEAD > self.most:
                    raise EveryplaceError(
                        Code.TOO_LONG, f"a frame of {length - OVERHEAD} bytes; {self.most} are allowed"
                    )
                end = at + 4 + length
                if end > len(kept):
                    break
                body = bytes(kept[at + HEAD.size : end])
                at = end
                yield Frame(_KINDS[kind], request, body, Flags(flags))
        finally:
            del kept[:at]


_KINDS: Final = {int(each): each for each in Kind}
_KNOWN_FLAGS: Final = int(Flags.COMPRESSED | Flags.LAST)
