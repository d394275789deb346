"""Conversations of a shared socket: how they begin and end, and what is still open then (client-observed.md 3)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import ControlFlags1, SocketAction
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.observer.observations import Ending, MessageFate, Place
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import SOCKET

from .call_observations import CallUnanswered, GetOutlived
from .connection_observations import ConversationEnded, ConversationRefused, ConversationStarted, Quiesced
from .heartbeats import Heartbeats
from .signing_on import is_over
from .tracking import MAX_CONVERSATIONS, MAX_OVER, Track, Waiting

_INITIATOR: Final = Direction.INITIATOR
_CLOSE: Final = int(ControlFlags1.CLOSE_CHANNEL)


class Conversations(Heartbeats):
    """The part with all its conversations. ``_starts``: where a further one was wished for, by its id."""

    def __init__(self, whole: bool) -> None:
        super().__init__(whole)
        self._starts: dict[int, Place] = {}

    def _socket_action(self, segment: Segment) -> None:
        action = SOCKET.codec(segment.order).parse(segment.body_view)
        number, kind = action.conversation_id, action.type
        if self._direction is _INITIATOR:
            if kind == SocketAction.START_CONVERSATION:
                if len(self._starts) < MAX_CONVERSATIONS:
                    self._starts[number] = self._place
            elif kind == SocketAction.END_CONVERSATION:
                self._closing = self._closing or bool(segment.flags1 & _CLOSE)
                self._starts.pop(number, None)
                track = self._tracks.pop(number, None)
                if track is not None:
                    self._note_over(number)
                    self._end_track(track, Ending.CLOSED, orderly=is_over(track.state))
            return
        asked = self._starts.pop(number, None)
        if kind in (SocketAction.CONVERSATION_QUIESCING, SocketAction.Q_MGR_QUIESCING):
            self._tell(Quiesced, number, "SOCKET_ACTION")
        elif asked is None:
            return
        elif kind != SocketAction.CONVERSATION_STARTED:
            self._tell(ConversationRefused, number, kind)
        elif number in self._tracks:
            if not self.uncertain:
                self._out_of_state(number, f"conversation {number} again", self._tracks[number].state.value, ())
        elif len(self._tracks) < MAX_CONVERSATIONS:
            self._over.pop(number, None)
            self._tracks[number] = Track(number, unsure=False)
            self._tell(ConversationStarted, number, asked)

    def _note_over(self, number: int) -> None:
        self._over[number] = None
        if len(self._over) > MAX_OVER:
            del self._over[next(iter(self._over))]

    def _end_track(self, track: Track, ending: Ending, *, orderly: bool) -> None:
        """A conversation is over: tell what waited, and what becomes of its messages."""
        now = self._place.time
        self._settle_track(track, MessageFate.UNKNOWN if ending is Ending.OPEN else MessageFate.BACKED_OUT)
        gone = ending is not Ending.OPEN and not track.unsure
        for call in track.waiting:
            if gone and call.wait:
                self._outlived(track, call.handle, call.object_name, now - call.asked.time, call.wait)
            self._give_up(track, call, ending)
        track.waiting.clear()
        for number, stream in track.streams.items():
            if stream.asked is None or is_over(track.state):
                continue
            handle = track.handles.get(number)
            name = "" if handle is None else handle.object_name
            if gone and stream.wait:
                self._outlived(track, number, name, now - stream.asked.time, stream.wait)
            self._tell(
                CallUnanswered,
                track.id,
                "MQGET",
                number,
                name,
                stream.asked,
                stream.asked_bytes,
                stream.wait,
                ending,
                streamed=True,
            )
        self._tell(ConversationEnded, track.id, orderly, track.calls)
        track.step(ConversationTrigger.END)

    def _outlived(self, track: Track, handle: int, name: str, waited: float, wait: int) -> None:
        self._tell(GetOutlived, track.id, handle, name, waited, wait)

    def _give_up(self, track: Track, call: Waiting, ending: Ending = Ending.OPEN) -> None:
        if call.message is not None:
            message, call.message = call.message, None
            self._see(message)
            self._settle(message, MessageFate.UNKNOWN)
        if track.unsure:
            return
        self._tell(
            CallUnanswered, track.id, call.name, call.handle, call.object_name, call.asked, call.size, call.wait, ending
        )
