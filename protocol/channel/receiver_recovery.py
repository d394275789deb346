"""What a receiver answers before the first message: resynchronisation and reset (channels.md 5.4 to 5.6)."""

from __future__ import annotations

from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import parse_reset

from .events import Event, SequenceReset
from .link import Link, read_body
from .parameters import ReceiverState
from .ping import answer_ping
from .resync import read_resync, resync_body
from .sequence import is_number
from .states import Trigger
from .status import ChannelError


class ReceiverRecovery:
    """The saved state of a receiving end, and its answers to the sender's recovery.

    ``wrap``: the sequence wrap value, equal at both ends.
    """

    __slots__ = ("_link", "_reset_to", "_wrap", "saved")

    def __init__(self, link: Link[Event], saved: ReceiverState, wrap: int) -> None:
        self._link = link
        self._wrap = wrap
        self._reset_to = 0
        self.saved = saved
        """The durable state when the channel started, or after a reset."""

    def resync_asked(self, segment: Segment, now: float) -> None:
        """Answer RESYNC_DATA with the LUWID and number committed last. Raises ``ChannelError``."""
        self._link.step(Trigger.RESYNC_ASKED)
        read_resync(segment)
        wire = self._link.wire
        body = resync_body(wire.writer.order, self.saved.sequence)
        wire.send(SegmentType.RESYNC_DATA, body, luwid=self.saved.luwid)

    def reset_asked(self, segment: Segment, now: float) -> None:
        """Take RESET_DATA, which names the next number. Raises ``ChannelError``."""
        self._link.step(Trigger.RESET_ASKED)
        number = read_body(parse_reset, segment).record.sequence_number
        if not is_number(number, self._wrap):
            raise ChannelError(f"reset to number {number}", StatusCode.PROTOCOL_INVALID_DATA)
        self._reset_to = number
        self._link.emit(SequenceReset(sequence=number))

    def recorded(self) -> None:
        """Note that the reset is durable. Raises ``LocalProtocolError`` if there was none."""
        self._link.go(Trigger.RECORDED)
        self.saved = self.saved.reset_to(self._reset_to)

    def ping(self, segment: Segment, now: float) -> None:
        """Return test data to the sender. Raises ``ChannelError``."""
        answer_ping(self._link, segment)
