"""SOCKET_ACTION: start and end of conversations on a shared connection (client-observed.md 3)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.constants import ControlFlags1, SocketAction
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Ending, Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import SOCKET

from .connection_observations import ConversationRefused, Quiesced
from .conversations import ConversationObserver
from .open_calls import OpenCalls
from .tracking import MAX_CONVERSATIONS

_CLOSE: Final = int(ControlFlags1.CLOSE_CHANNEL)
_QUIESCING: Final = (SocketAction.CONVERSATION_QUIESCING, SocketAction.Q_MGR_QUIESCING)


@final
class SocketActions:
    """Requests for further conversations, and their answers. ``asked``: place of each request, by id."""

    __slots__ = ("_conversations", "_log", "_open_calls", "_overview", "asked")

    def __init__(
        self, log: ObservationLog, overview: Overview, conversations: ConversationObserver, open_calls: OpenCalls
    ) -> None:
        self._log, self._overview = log, overview
        self._conversations, self._open_calls = conversations, open_calls
        self.asked: dict[int, Place] = {}

    def receive(self, segment: Segment) -> None:
        """Take a SOCKET_ACTION. Raises ``StructureError``."""
        action = SOCKET.codec(segment.order).parse(segment.body_view)
        number, kind = action.conversation_id, action.type
        if self._log.direction is not Direction.INITIATOR:
            self._answered(number, kind)
        elif kind == SocketAction.START_CONVERSATION:
            if len(self.asked) < MAX_CONVERSATIONS:
                self.asked[number] = self._log.place
        elif kind == SocketAction.END_CONVERSATION:
            conversations = self._conversations
            conversations.closing = conversations.closing or bool(segment.flags1 & _CLOSE)
            self.asked.pop(number, None)
            track = conversations.remove(number)
            if track is not None:
                self._open_calls.end_conversation(track, Ending.CLOSED)

    def _answered(self, number: int, kind: int) -> None:
        conversations, asked = self._conversations, self.asked.pop(number, None)
        if kind in _QUIESCING:
            self._log.add(Quiesced, number, "SOCKET_ACTION")
        elif asked is None:
            return
        elif kind != SocketAction.CONVERSATION_STARTED:
            self._log.add(ConversationRefused, number, kind)
        elif number in conversations.tracks:
            if not self._overview.uncertain:
                state = conversations.tracks[number].state.value
                conversations.out_of_state(number, f"conversation {number} again", state, ())
        elif len(conversations.tracks) < MAX_CONVERSATIONS:
            conversations.start(number, asked)
