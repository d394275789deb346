"""Source of LUWIDs: 8 bytes, unique for a channel across restarts, never zero.

As in captures (mq-wire.md 7.4), they begin with the time in seconds, little-endian; four more bytes distinguish batches
of the same second.
"""

from __future__ import annotations

import struct

_LAYOUT = struct.Struct("<IHH")
_PER_SECOND = 0x10000


class LuwidSource:
    """Returns a new LUWID on each call.

    ``start``: start time of the queue manager, seconds since the epoch. ``salt``: 0 to 65535, different for two starts
    within one second. The embedded time advances one second per 65,536 LUWIDs, so LUWIDs stay unique across restarts as
    long as fewer are used per second.
    """

    __slots__ = ("_count", "_salt", "_seconds")

    def __init__(self, start: int, salt: int = 0) -> None:
        self._seconds = max(start, 1) & 0xFFFFFFFF or 1
        self._salt = salt & 0xFFFF
        self._count = 0

    def __call__(self) -> bytes:
        """Return the next LUWID, 8 bytes."""
        seconds = (self._seconds + self._count // _PER_SECOND) & 0xFFFFFFFF
        count = self._count % _PER_SECOND
        self._count += 1
        return _LAYOUT.pack(seconds or 1, self._salt, count)
