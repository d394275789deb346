"""Heartbeats and silence on a client connection (mq-wire.md 8.6, client-observed O-120 to O-123).

On a shared connection the client asks when it has heard nothing for an interval; on one that is not shared the queue
manager does, while an MQGET waits.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import ControlFlags1
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Ending, Place
from mqbridge.protocol.segment import Segment

from .connection_observations import ClientProposed, HeartbeatAnswered, HeartbeatUnanswered, SilenceSeen
from .signing_on import SHARED_HEADERS
from .streams import Streams

_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_SILENT_INTERVALS: Final = 2
"""Intervals without anything after which a heartbeat is missing; one passes before it is due."""
_FOR_EVER: Final = float("inf")


class Heartbeats(Streams):
    """The part with its heartbeats. ``_last``: time of the last segment; ``_patience``: seconds of silence
    borne. ``_longest``: bytes of the longest segment that was agreed on, or seen."""

    def __init__(self, whole: bool) -> None:
        super().__init__(whole)
        self._last = 0.0
        self._patience = _FOR_EVER
        self._longest = _FOR_EVER
        self._heartbeats = 0
        self._asked: dict[Direction, Place] = {}

    def _agree(self, stated: ClientProposed) -> None:
        super()._agree(stated)
        interval = stated.heartbeat_interval
        self._patience = interval * _SILENT_INTERVALS if interval else _FOR_EVER
        self._last = self._place.time
        self._longest = stated.transmission_size

    def _silent(self, now: float) -> None:
        """Nothing has passed for some time."""
        if self.state is not State.RUNNING or self.uncertain or not self.connected:
            return
        if not self.shared and not self._get_waits(now):
            return  # without shared conversations only a get that waits needs heartbeats
        who = Direction.INITIATOR if self.shared else Direction.RESPONDER
        self._told.append(SilenceSeen(who, self._place, now - self._last, self.heartbeat_interval))

    def _get_waits(self, now: float) -> bool:
        """Whether an MQGET has waited for longer than the silence that is borne."""
        calls = (call for track in self._tracks.values() for call in track.waiting)
        return any(call.wait and now - call.asked.time > self._patience for call in calls)

    def _heartbeat(self, segment: Segment) -> None:
        if segment.struc_id in SHARED_HEADERS and self.shared:
            return  # of one conversation: neither end takes it for a heartbeat (client-observed O-121)
        self._heartbeats += 1
        other = self._direction.other
        if not segment.flags1 & _CONFIRM:
            asked = self._asked.pop(other, None)
            if asked is not None:
                self._tell(HeartbeatAnswered, asked)
            return
        asked = self._asked.get(self._direction)
        if asked is not None:
            self._unanswered(self._direction, asked, Ending.CLOSED)
        self._asked[self._direction] = self._place

    def _unanswered(self, direction: Direction, asked: Place, ending: Ending) -> None:
        waited = self._place.time - asked.time
        self._told.append(HeartbeatUnanswered(direction, self._place, asked, waited, self.heartbeat_interval, ending))

    def _outstanding_heartbeats(self, ending: Ending) -> None:
        for direction, asked in self._asked.items():
            self._unanswered(direction, asked, ending)
