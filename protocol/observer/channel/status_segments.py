"""STATUS_DATA of message channels: requests, answers, refusals and ends (mq-wire.md 7.5 to 7.8)."""

from __future__ import annotations

from typing import final

from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ControlFlags1, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import NO_LUWID
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import parse_status_data

from .batches import Batches
from .confirmations import Confirmations
from .ends import ChannelEnds
from .heartbeats import ChannelHeartbeatObserver
from .negotiation import ChannelNegotiationObserver
from .observations import ChannelClosing, ChannelStatusSeen, CloseRequestSeen, FieldSeen, SegmentUnreadable
from .start_exchanges import StartExchanges


@final
class StatusSegments:
    """Determines the purpose of a STATUS_DATA and passes it to the part concerned."""

    __slots__ = (
        "_batches", "_confirmations", "_ends", "_exchanges", "_heartbeats", "_log", "_negotiation", "_overview",
    )  # fmt: skip

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        negotiation: ChannelNegotiationObserver,
        ends: ChannelEnds,
        batches: Batches,
        confirmations: Confirmations,
        heartbeats: ChannelHeartbeatObserver,
        exchanges: StartExchanges,
    ) -> None:
        self._log, self._overview, self._negotiation, self._ends = log, overview, negotiation, ends
        self._batches, self._confirmations = batches, confirmations
        self._heartbeats, self._exchanges = heartbeats, exchanges

    def receive(self, segment: Segment) -> None:
        """Take a STATUS_DATA."""
        ends, direction = self._ends, self._log.direction
        code, value = self._read(segment)
        flags = segment.flags1
        if flags & ControlFlags1.ERROR or code:
            self._error(code, value)
            return
        closes = flags & ControlFlags1.CLOSE_CHANNEL
        if flags & ControlFlags1.CONFIRM_REQUEST:
            ends.sends("confirmation asked for", True)
            self._confirmations.ask(segment)
            if closes:
                self._close()
            return
        if ends.sender is None and segment.luwid != NO_LUWID:
            ends.sender = direction.other
        if direction is ends.receiver:
            self._of_receiver(segment)
        elif closes:
            self._close()
        elif not self._heartbeats.answered():
            self._answers_nothing(segment)

    def _of_receiver(self, segment: Segment) -> None:
        flags, batch, ends = segment.flags1, self._batches.batch, self._ends
        closes = flags & ControlFlags1.CLOSE_CHANNEL
        awaited = segment.luwid == NO_LUWID and any(asker is ends.sender for asker, _ in self._heartbeats.open)
        names = batch is not None and segment.luwid in (batch.luwid, batch.asked_luwid)
        confirming = ends.states.sender is State.CONFIRMING
        if not awaited and (names or (confirming and not closes)):
            self._confirmations.confirm(segment)
            if closes:
                self._close()
        elif closes:
            self._close()
        elif self._exchanges.awaits_reset:
            self._exchanges.reset_answered()
        elif awaited and self._heartbeats.answered():
            pass
        elif not flags & ControlFlags1.REQUEST_CLOSE:
            self._answers_nothing(segment)
        if flags & ControlFlags1.REQUEST_CLOSE:
            self._log.add(CloseRequestSeen)

    def _answers_nothing(self, segment: Segment) -> None:
        """Report a status that answers nothing, usually an unrequested confirmation."""
        ends = self._ends
        if self._log.direction is ends.receiver:
            ends.answer(Trigger.CONFIRMED)
        elif ends.sender is not None:
            ends.unanswering(f"STATUS_DATA with flags {segment.flags1:02x}", "CONFIRM_REQUEST or CLOSE_CHANNEL")

    def _read(self, segment: Segment) -> tuple[int, int | None]:
        """Return code and value of a body, 0 and None without one."""
        there = segment.body_length
        if not there:
            return 0, None
        try:
            body = parse_status_data(segment.body_view, segment.order)
        except StructureError:
            self._log.add(SegmentUnreadable, "STATUS_DATA", "no body, or one of 8 or 12 bytes", f"{there} bytes")
            return 0, None
        assert body is not None
        if body.record.length not in (8, 12) or body.record.length > there:
            expected = f"8 or 12, at most the {there} bytes of the body"
            self._log.add(FieldSeen, "STATUS", "Length", expected, str(body.record.length))
        return int(body.record.code), int(body.record.value) if body.has("value") else None

    def _error(self, code: int, value: int | None) -> None:
        ends, overview, agreed = self._ends, self._overview, self._negotiation.agreed
        self._log.add(ChannelStatusSeen, code, value, agreed is not None)
        ends.closed.setdefault(self._log.direction, False)
        if overview.outcome == "open":
            overview.outcome = "refused" if agreed is None and not overview.uncertain else "cut"
            overview.reason = code
        if self._log.direction is ends.receiver and code in StatusCode._value2member_map_:
            self._confirmations.refused = code

    def _close(self) -> None:
        overview, direction = self._overview, self._log.direction
        self._ends.closed.setdefault(direction, False)
        if overview.outcome == "open":
            overview.outcome = "ended"
        agreed = self._negotiation.agreed
        call_back = agreed is None and not overview.uncertain and direction is Direction.RESPONDER
        self._log.add(ChannelClosing, call_back)
