"""Ids that never come again: the application property ``_AMQ_DUPL_ID``, and MsgIds of messages from a provider."""

from __future__ import annotations

from random import Random
from typing import Final

DUPLICATE_ID: Final = "_AMQ_DUPL_ID"
"""Application property by which Artemis knows a message that it has had."""
_MARK_BYTES: Final = 12
_COUNTER_BYTES: Final = 12
_PREFIX: Final = b"AMQL"


class MessageIds:
    """Ids of one life of a link: a random mark and a counter.

    The mark is drawn anew at each start. So no id comes again even if the store was set back to an older state, from
    which a stored counter would repeat ids and the provider would drop new messages as old ones. Ids that are in doubt
    stand in their records. ``source``: of an unpredictable seed, except in tests.
    """

    __slots__ = ("_count", "_start", "mark")

    def __init__(self, source: Random) -> None:
        self.mark = source.randbytes(_MARK_BYTES).hex()
        self._count = 0
        self._start = _PREFIX + bytes.fromhex(self.mark)[:8]

    def take(self, number: int) -> int:
        """Reserve ``number`` consecutive counts and return the first."""
        first = self._count + 1
        self._count += number
        return first

    def message_id(self) -> bytes:
        """A MsgId: ``AMQL``, eight bytes of the mark, and the counter."""
        return self._start + self.take(1).to_bytes(_COUNTER_BYTES, "big")


def duplicate_id(mark: str, count: int) -> str:
    """The id of a message that is sent: mark and counter in hexadecimal digits."""
    return f"{mark}-{count:x}"
