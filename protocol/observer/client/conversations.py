"""The conversations of an observed client connection, by the table of the live machines (client-observed.md 3)."""

from __future__ import annotations

from typing import final

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.mqi.states import CONVERSATION, ConversationState, ConversationTrigger
from mqbridge.protocol.observer.observations import Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment

from .call_observations import ClientSegmentOutOfState
from .connection_observations import ConversationStartSeen
from .negotiation import ClientNegotiationObserver
from .tracking import MAX_CONVERSATIONS, MAX_OVER, ConversationTrack


@final
class ConversationObserver:
    """All conversations of a connection.

    ``tracks``: open ones by id. ``calls``: answered calls of all. ``connected``: some conversation had a successful
    MQCONN. ``closing``: an end has closed the connection normally.
    """

    __slots__ = ("_log", "_negotiation", "_over", "_overview", "calls", "closing", "connected", "tracks")

    def __init__(self, log: ObservationLog, overview: Overview, negotiation: ClientNegotiationObserver) -> None:
        self._log, self._overview, self._negotiation = log, overview, negotiation
        self.tracks: dict[int, ConversationTrack] = {}
        self._over: dict[int, None] = {}
        self.calls = 0
        self.connected = False
        self.closing = False

    def find(self, segment: Segment) -> ConversationTrack | None:
        """Return the conversation of a segment; None if it has ended, or there are too many."""
        number = segment.conversation_id
        track = self.tracks.get(number)
        if track is None:
            if number in self._over and self._log.direction is not Direction.INITIATOR:
                return None  # in transit when the client ended the conversation
            if len(self.tracks) >= MAX_CONVERSATIONS:
                self._overview.uncertain = True
                return None
            known = not self._overview.uncertain
            negotiating = self._negotiation.state is State.NEGOTIATING
            if known and not negotiating and (self.tracks or not self._negotiation.shared):
                self.out_of_state(number, f"conversation {number}", "not started", ())
                known = False
            track = self.tracks[number] = ConversationTrack(number, unsure=not known)
            if known:
                self._log.add(ConversationStartSeen, number, self._log.place)
        return track

    def start(self, number: int, asked: Place, *, unsure: bool = False) -> None:
        """Begin a conversation that was requested at a place."""
        self._over.pop(number, None)
        self.tracks[number] = ConversationTrack(number, unsure=unsure)
        self._log.add(ConversationStartSeen, number, asked)

    def remove(self, number: int) -> ConversationTrack | None:
        """Remove a conversation that the client ended."""
        track = self.tracks.pop(number, None)
        if track is not None:
            self._over[number] = None
            if len(self._over) > MAX_OVER:
                del self._over[next(iter(self._over))]
        return track

    def out_of_state(self, conversation: int, what: str, state: str, possible: tuple[str, ...]) -> None:
        """Report a segment that the tables do not accept."""
        self._log.add(ClientSegmentOutOfState, conversation, what, state, possible)

    def step(self, track: ConversationTrack, trigger: ConversationTrigger, what: str) -> None:
        """Make a transition; if the table has none, report that, accept the traffic and continue from there."""
        if track.step(trigger):
            return
        if not track.unsure:
            possible = tuple(found.value for found in CONVERSATION[track.state])
            self.out_of_state(track.id, what, track.state.value, possible)
        for following in CONVERSATION.values():
            if trigger in following and trigger is not ConversationTrigger.END:
                track.state = following[trigger]
                return

    def accept(self) -> None:
        """Note a successful MQCONN."""
        self.connected = True
        self._overview.outcome, self._overview.reason = "open", 0

    def refuse(self, reason: int) -> None:
        """Note a refused login or MQCONN, which ends nothing if other conversations are connected."""
        if not self.connected:
            self._overview.outcome, self._overview.reason = "refused", reason


def is_over(state: ConversationState) -> bool:
    """Return whether a conversation in that state has no connected program."""
    return state in (ConversationState.STARTED, ConversationState.DISCONNECTED, ConversationState.ENDED)
