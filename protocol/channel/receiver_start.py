"""What a receiver answers before the first message: ping, resynchronisation, reset (channels.md 5.4 to 5.6, 6.3)."""

from __future__ import annotations

from typing import ClassVar

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import parse_ping, parse_reset, ping_data

from .channel_end import ChannelEnd
from .events import Event, PingReceived, SequenceReset
from .parameters import ChannelParameters, Negotiated, ReceiverState
from .resync import next_number, read_resync, resync_body
from .states import RECEIVER, Table, Trigger
from .status import ChannelError
from .wire import Wire


class ReceiverStart(ChannelEnd):
    """The receiving end until a message comes."""

    __slots__ = ("_expected", "_fast", "_last", "_longest", "_reset_to", "_saved")

    TABLE: ClassVar[Table] = RECEIVER

    def __init__(self, parameters: ChannelParameters, saved: ReceiverState, now: float, *, wire: Wire | None) -> None:
        self._saved = saved
        self._last = saved.sequence
        self._expected = 0
        self._fast = False
        self._longest = 0
        self._reset_to = 0
        super().__init__(parameters, now, wire=wire, requester=wire is None)

    def recorded(self, now: float) -> list[Event]:
        """The number of :class:`SequenceReset` is durable. Raises ``LocalProtocolError`` when there was none."""
        if not self.closed:
            self._go(Trigger.RECORDED)
            self._saved = self._saved.reset_to(self._reset_to)
            self._last, self._expected = self._reset_to - 1, self._reset_to
            self.wire.send(SegmentType.STATUS_DATA, flags=self._wish())
            self._silent_since = now
        return self._drain()

    def _wish(self) -> int:
        """Flags that tell the sender, in an answer, that we want to end."""
        return int(inferred.REQUEST_CLOSE_FLAGS) if self._closing else 0

    def _agreed(self, negotiated: Negotiated, now: float) -> None:
        del now
        self._go(Trigger.AGREED)
        self._expected = next_number(self._saved.sequence, negotiated.sequence_wrap)
        self._fast = negotiated.fast
        self._longest = negotiated.max_message_length

    def _resync(self, segment: Segment, now: float) -> None:
        del now
        self._step(Trigger.RESYNC_ASKED)
        read_resync(segment)
        self.wire.send(
            SegmentType.RESYNC_DATA,
            resync_body(self.wire.writer.order, self._saved.sequence),
            luwid=self._saved.luwid,
        )

    def _reset(self, segment: Segment, now: float) -> None:
        del now
        self._step(Trigger.RESET_ASKED)
        try:
            number = parse_reset(segment.body_view, segment.order).sequence_number
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        if not 1 <= number <= self.parameters.sequence_wrap:
            raise ChannelError(f"reset to number {number}", StatusCode.PROTOCOL_INVALID_DATA)
        self._reset_to = number
        self._emit(SequenceReset(sequence=number))

    def _ping(self, segment: Segment, now: float) -> None:
        del now
        self._step(Trigger.PING)
        try:
            data = parse_ping(segment.body_view, segment.order).data
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        self.wire.send(SegmentType.PING_DATA, ping_data(self.wire.writer.order, data))
        self._emit(PingReceived(length=len(data)))
