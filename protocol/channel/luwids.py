"""Where LUWIDs come from: 8 bytes, unique for a channel over all restarts, never zero.

Like those in captures (mq-wire.md 7.4) ours begin with the time in seconds, little-endian; four more bytes tell
batches of the same second apart.
"""

from __future__ import annotations

import struct

_LAYOUT = struct.Struct("<IHH")
_PER_SECOND = 0x10000


class LuwidSource:
    """Gives a new LUWID whenever called.

    ``start``: seconds since the epoch when the queue manager started. ``salt``: 0 to 65535, anything that differs
    between two starts within one second. The time inside moves on by itself, one second for 65,536 LUWIDs, so a later
    start gives others as long as fewer are used.
    """

    __slots__ = ("_count", "_salt", "_seconds")

    def __init__(self, start: int, salt: int = 0) -> None:
        self._seconds = max(start, 1) & 0xFFFFFFFF or 1
        self._salt = salt & 0xFFFF
        self._count = 0

    def __call__(self) -> bytes:
        """The next LUWID, 8 bytes."""
        seconds = (self._seconds + self._count // _PER_SECOND) & 0xFFFFFFFF
        count = self._count % _PER_SECOND
        self._count += 1
        return _LAYOUT.pack(seconds or 1, self._salt, count)
