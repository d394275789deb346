"""Heartbeats of message channels and their answers (channels.md 6.1)."""

from __future__ import annotations

from collections import deque
from typing import Final, final

from mqbridge.protocol.channel.states import Trigger
from mqbridge.protocol.constants import ControlFlags1
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Place
from mqbridge.protocol.observer.overview import ObservationLog
from mqbridge.protocol.segment import Segment

from .ends import ChannelEnds
from .observations import ChannelHeartbeatAnswered, ChannelHeartbeatUnanswered, CloseRequestSeen, HeartbeatSeen

MAX_OPEN_HEARTBEATS: Final = 16
"""Unanswered heartbeats that are kept; older ones are dropped."""


@final
class ChannelHeartbeatObserver:
    """Heartbeats of both ends. ``open``: unanswered ones, with the end that sent them."""

    __slots__ = ("_ends", "_log", "open")

    def __init__(self, log: ObservationLog, ends: ChannelEnds) -> None:
        self._log, self._ends = log, ends
        self.open: deque[tuple[Direction, Place]] = deque(maxlen=MAX_OPEN_HEARTBEATS)

    def receive(self, segment: Segment) -> None:
        """Take a HEARTBEAT."""
        log, ends, direction = self._log, self._ends, self._log.direction
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            before = sum(asker is direction for asker, _ in self.open)
            if direction is ends.sender:
                ends.step(Trigger.HEARTBEAT)
            by_sender = None if ends.sender is None else direction is ends.sender
            self.open.append((direction, log.place))
            log.add(HeartbeatSeen, by_sender, before)
            return
        if not self.answered():
            ends.unanswering(Trigger.HEARTBEAT_ANSWERED.value, "no answer")
        if segment.flags1 & ControlFlags1.REQUEST_CLOSE:
            log.add(CloseRequestSeen)

    def answered(self) -> bool:
        """Take the segment at hand as an answer; return whether a heartbeat of the other end was open."""
        log, ends = self._log, self._ends
        for index, (asker, asked) in enumerate(self.open):
            if asker is not log.direction:
                del self.open[index]
                if log.direction is ends.receiver:
                    ends.answer(Trigger.HEARTBEAT_ANSWERED)
                log.add(ChannelHeartbeatAnswered, asked, log.place.time - asked.time)
                return True
        return False

    def end(self, *, capture_stops: bool) -> None:
        """Report the unanswered heartbeats at the end of the connection."""
        place = self._log.place
        for asker, asked in self.open:
            waited = place.time - asked.time
            self._log.observations.append(ChannelHeartbeatUnanswered(asker.other, place, asked, waited, capture_stops))
