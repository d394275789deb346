"""Reads along what a channel says: which batches were confirmed, and when one is about to be."""

from __future__ import annotations

import threading

from mqbridge.captures import Direction
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import LARGEST_SEGMENT, Segment, SegmentReader


class Batches:
    """Confirmed batches of one channel, told apart by their LUWIDs; any number of connections adds to it."""

    def __init__(self) -> None:
        self._luwids: set[bytes] = set()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._luwids)

    def confirmed(self, luwid: bytes) -> None:
        """A batch is done."""
        with self._lock:
            self._luwids.add(luwid)


class ConnectionWatch:
    """Follows one connection of a sender channel, which has opened it."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._asked: set[bytes] = set()
        self._readers: dict[Direction, SegmentReader | None] = {
            each: SegmentReader(LARGEST_SEGMENT) for each in Direction
        }

    def sees(self, direction: Direction, data: bytes) -> bool:
        """Takes bytes before they are passed on; whether a question for confirmation, or an answer, ends in them."""
        reader = self._readers[direction]
        if reader is None:
            return False
        found = False
        try:
            for segment in reader.feed(data):
                if segment.type == SegmentType.STATUS_DATA:
                    found |= self._status(direction, segment)
        except FramingError:
            self._readers[direction] = None
        return found

    def _status(self, direction: Direction, segment: Segment) -> bool:
        if direction is Direction.INITIATOR:
            if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
                self._asked.add(segment.luwid)
                return True
        elif segment.luwid in self._asked and not segment.flags1 & ControlFlags1.ERROR:
            self._asked.discard(segment.luwid)
            self._batches.confirmed(segment.luwid)
            return True
        return False
