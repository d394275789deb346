"""PING CHANNEL: test data sent to the partner and returned (channels.md 6.3)."""

from __future__ import annotations

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import parse_ping, ping_data

from .endings import close_channel
from .events import Event, PingAnswered, PingReceived
from .link import Link, read_body
from .states import State, Trigger
from .status import ChannelError

_HEADERS = 32  # segment header and length


class Ping:
    """Test data of a sender that sends nothing else. ``data``: None for other senders."""

    __slots__ = ("_data", "_link")

    def __init__(self, link: Link[Event], data: bytes | None) -> None:
        self._link = link
        self._data = data

    def begin(self, transmission_size: int) -> bool:
        """Send as much of the test data as fits a segment; return False if there are none."""
        if self._data is None:
            return False
        link = self._link
        link.go(Trigger.AGREED_PING)
        self._data = self._data[: transmission_size - _HEADERS]
        body = ping_data(link.wire.writer.order, self._data)
        link.wire.send(SegmentType.PING_DATA, body, flags=int(inferred.PING_FLAGS))
        return True

    def answered(self, segment: Segment, now: float) -> None:
        """Take the returned test data and end the channel. Raises ``ChannelError`` if none were sent."""
        if self._link.state is not State.PINGING:
            raise ChannelError("PING_DATA that nobody asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        data = read_body(parse_ping, segment).data
        self._link.emit(PingAnswered(length=len(data), same=data == self._data))
        close_channel(self._link, "ping done", "AMQ9001")


def answer_ping(link: Link[Event], segment: Segment) -> None:
    """Return test data to the sender. Raises ``ChannelError`` if the state does not allow it."""
    link.step(Trigger.PING)
    data = read_body(parse_ping, segment).data
    link.wire.send(SegmentType.PING_DATA, ping_data(link.wire.writer.order, data))
    link.emit(PingReceived(length=len(data)))
