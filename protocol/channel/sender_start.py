"""What a sender does before the first message: ping, resynchronisation, reset (channels.md 5.4 to 5.6, 6.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import parse_ping, ping_data, reset_data

from .channel_end import ChannelEnd
from .events import Event, InDoubtResolved, PingAnswered, SequenceReset
from .parameters import ChannelParameters, Negotiated, SenderState
from .resync import Outcome, next_number, read_resync, resync_body, settle
from .states import SENDER, State, Table, Trigger
from .status import PROTOCOL_CODES, ChannelError
from .wire import Wire

_PING_HEADERS = 32  # segment header and length


class SenderStart(ChannelEnd):
    """The sending end until it runs."""

    __slots__ = ("_luwids", "_ping", "_saved", "_sequence")

    TABLE: ClassVar[Table] = SENDER

    def __init__(
        self,
        parameters: ChannelParameters,
        saved: SenderState,
        luwids: Callable[[], bytes],
        now: float,
        *,
        ping: bytes | None,
        wire: Wire | None,
    ) -> None:
        self._saved = saved
        self._luwids = luwids
        self._ping = ping
        self._sequence = saved.sequence
        super().__init__(parameters, now, wire=wire, requester=False)

    def recorded(self, now: float) -> list[Event]:
        """What :class:`InDoubtResolved` or :class:`SequenceReset` told is durable; the channel goes on.

        Raises ``LocalProtocolError`` when nothing was told. After the end of the machine it does nothing.
        """
        if not self.closed:
            if self._saved.tells_number:
                self._go(Trigger.RECORDED_RESET)
                self._send_reset()
            else:
                self._go(Trigger.RECORDED)
                self._run(now)
        return self._drain()

    def _run(self, now: float) -> None:
        raise NotImplementedError

    def _close_normally(self, reason: str, amq: str, *, by_partner: bool = False) -> None:
        self.wire.send(SegmentType.STATUS_DATA, flags=int(inferred.CLOSE_FLAGS))
        self._finish(reason, amq, normal=True, by_partner=by_partner)

    def _agreed(self, negotiated: Negotiated, now: float) -> None:
        if self._ping is not None:
            self._go(Trigger.AGREED_PING)
            self._ping = self._ping[: negotiated.transmission_size - _PING_HEADERS]
            body = ping_data(self.wire.writer.order, self._ping)
            self.wire.send(SegmentType.PING_DATA, body, flags=int(inferred.PING_FLAGS))
        elif self._saved.in_doubt is not None:
            self._go(Trigger.AGREED_IN_DOUBT)
            in_doubt = self._saved.in_doubt
            body = resync_body(self.wire.writer.order, in_doubt.sequence)
            self.wire.send(SegmentType.RESYNC_DATA, body, flags=int(inferred.RESYNC_FLAGS), luwid=in_doubt.luwid)
        elif self._saved.tells_number:
            self._go(Trigger.AGREED_RESET)
            self._send_reset()
        else:
            self._go(Trigger.AGREED)
            self._run(now)

    # Ping

    def _ping_answer(self, segment: Segment, now: float) -> None:
        del now
        if self.state is not State.PINGING:
            raise ChannelError("PING_DATA that nobody asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        try:
            data = parse_ping(segment.body_view, segment.order).data
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        self._emit(PingAnswered(length=len(data), same=data == self._ping))
        self._close_normally("ping done", "AMQ9001")

    # Resynchronisation and reset

    def _resync_answer(self, segment: Segment, now: float) -> None:
        del now
        if self.state is not State.RESYNCHRONISING:
            raise ChannelError("RESYNC_DATA that nobody asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        try:
            sequence = read_resync(segment)
        except ChannelError as error:
            error.amq = "AMQ9507"  # the batch stays in doubt until somebody decides
            raise
        saved, in_doubt, negotiated = self._saved, self._saved.in_doubt, self.negotiated
        if in_doubt is None or negotiated is None:
            raise LocalProtocolError("no batch is in doubt")
        wrap = negotiated.sequence_wrap
        outcome = settle(saved, segment.luwid, sequence, wrap)
        if outcome is Outcome.DISAGREE:
            raise ChannelError(
                f"the partner committed batch {segment.luwid.hex()} and number {sequence} last; here batch"
                f" {in_doubt.luwid.hex()} is in doubt and {saved.sequence} was last before it",
                StatusCode.MSG_SEQUENCE_ERROR,
                amq="AMQ9526",
                value=next_number(saved.sequence, wrap),
            )
        self._go(Trigger.RESYNC_ANSWERED)
        commit = outcome is Outcome.COMMIT
        self._saved = saved.settled(commit)
        self._sequence = self._saved.sequence
        self._emit(InDoubtResolved(commit=commit, luwid=in_doubt.luwid, sequence=self._sequence))

    def _partner_error(self, code: StatusCode, value: int | None) -> None:
        if self.state is State.RESYNCHRONISING and code in PROTOCOL_CODES:
            self._finish(
                f"the partner does not know our resynchronisation ({code}); RESOLVE CHANNEL settles the batch",
                "AMQ9507",
                status=code,
                by_partner=True,
                value=value,
            )
        else:
            super()._partner_error(code, value)

    @property
    def _next(self) -> int:
        """The number of the next message."""
        return next_number(self._saved.sequence, self.parameters.sequence_wrap)

    def _send_reset(self) -> None:
        body = reset_data(self.wire.writer.order, self._next).build()
        self.wire.send(SegmentType.RESET_DATA, body, flags=int(inferred.RESET_FLAGS))

    def _reset_answer(self, segment: Segment, now: float) -> None:
        del segment, now
        self._step(Trigger.RESET_ANSWERED)
        self._saved = self._saved.reset_done()
        self._emit(SequenceReset(sequence=self._next))
