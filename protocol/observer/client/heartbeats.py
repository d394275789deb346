"""Heartbeats and silence on a client connection (mq-wire.md 8.6, client-observed.md O-120 to O-123).

On a shared connection the client sends a heartbeat after an interval of silence; on one that is not shared the queue
manager does, while an MQGET waits.
"""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import ControlFlags1
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Ending, Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import SHARED_HEADERS, Segment

from .connection_observations import ClientHeartbeatAnswered, ClientHeartbeatUnanswered, SilenceSeen
from .conversations import ConversationObserver
from .negotiation import ClientNegotiationObserver

_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_SILENT_INTERVALS: Final = 2
"""Silent intervals after which a heartbeat counts as missing; one passes before it is due."""
_FOR_EVER: Final = float("inf")


@final
class ClientHeartbeatObserver:
    """Heartbeats of both ends.

    ``last``: time of the last segment, seconds since the epoch. ``patience``: seconds of silence that are tolerated.
    ``count``: heartbeats and answers so far.
    """

    __slots__ = ("_asked", "_conversations", "_log", "_negotiation", "_overview", "count", "last", "patience")

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        negotiation: ClientNegotiationObserver,
        conversations: ConversationObserver,
    ) -> None:
        self._log, self._overview = log, overview
        self._negotiation, self._conversations = negotiation, conversations
        self.last = 0.0
        self.patience = _FOR_EVER
        self.count = 0
        self._asked: dict[Direction, Place] = {}

    def agree(self, interval: int) -> None:
        """Adopt a negotiated interval in seconds, 0 for none."""
        self.patience = interval * _SILENT_INTERVALS if interval else _FOR_EVER
        self.last = self._log.place.time

    def lose(self) -> None:
        """Drop heartbeats whose answers may be lost."""
        self._asked.clear()

    def silent(self, now: float) -> None:
        """Report a silence longer than ``patience`` if a heartbeat was due."""
        negotiation = self._negotiation
        running = negotiation.state is State.RUNNING and self._conversations.connected
        if not running or self._overview.uncertain:
            return
        if not negotiation.shared and not self._get_waits(now):
            return  # without shared conversations only a waiting get needs heartbeats
        who = Direction.INITIATOR if negotiation.shared else Direction.RESPONDER
        observation = SilenceSeen(who, self._log.place, now - self.last, negotiation.heartbeat_interval)
        self._log.observations.append(observation)

    def _get_waits(self, now: float) -> bool:
        """Return whether an MQGET has waited for longer than ``patience``."""
        return any(
            call.wait and now - call.asked.time > self.patience
            for track in self._conversations.tracks.values()
            for call in track.waiting
        )

    def receive(self, segment: Segment) -> None:
        """Take a HEARTBEAT."""
        if segment.struc_id in SHARED_HEADERS and self._negotiation.shared:
            return  # for one conversation: neither end treats it as a heartbeat (client-observed.md O-121)
        self.count += 1
        direction = self._log.direction
        if not segment.flags1 & _CONFIRM:
            asked = self._asked.pop(direction.other, None)
            if asked is not None:
                self._log.add(ClientHeartbeatAnswered, asked)
            return
        asked = self._asked.get(direction)
        if asked is not None:
            self._unanswered(direction, asked, Ending.CLOSED)
        self._asked[direction] = self._log.place

    def end(self, ending: Ending) -> None:
        """Report the unanswered heartbeats at the end of the connection."""
        for direction, asked in self._asked.items():
            self._unanswered(direction, asked, ending)

    def _unanswered(self, direction: Direction, asked: Place, ending: Ending) -> None:
        place, interval = self._log.place, self._negotiation.heartbeat_interval
        observation = ClientHeartbeatUnanswered(direction, place, asked, place.time - asked.time, interval, ending)
        self._log.observations.append(observation)
