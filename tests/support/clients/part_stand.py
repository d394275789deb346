"""A link with nothing on it but the parts that a test puts there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mqbridge.protocol.channel import Closed, State
from mqbridge.protocol.channel.link import Link, Timer
from mqbridge.protocol.channel.states import Table
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.framing import Segment, SegmentReader, SegmentWriter

NOW = 1000.0


class Stand:
    """The machine of a part's test: it does nothing by itself."""

    def __init__(self, table: Table, state: State) -> None:
        self.link: Link[Any] = Link(self, Wire(SegmentWriter(ByteOrder.LITTLE, 437)), table, state, NOW)
        self._reader = SegmentReader(1 << 20)

    def timers(self) -> Iterable[Timer]:
        return ()

    def quiesce(self, status: StatusCode, now: float) -> None:
        self.link.closing = True

    def force(self, status: StatusCode) -> None:
        self.link.stop(status)

    def abandon(self, ending: Closed) -> bool:
        return False

    def sent(self) -> list[Segment]:
        """What was sent since the last call."""
        return list(self._reader.feed(b"".join(self.link.wire.take(1 << 20))))


def read(data: bytes) -> Segment:
    """The one segment in the bytes."""
    (segment,) = SegmentReader(1 << 20).feed(data)
    return segment
