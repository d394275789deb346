"""Pending calls, and calls without a reply when their conversation ended (client-observed.md 3)."""

from __future__ import annotations

from typing import final

from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.observer.observations import Ending, MessageOutcome
from mqbridge.protocol.observer.overview import ObservationLog

from .call_observations import CallUnanswered, GetOutlived
from .connection_observations import ConversationEndSeen
from .conversations import is_over
from .message_outcomes import MessageOutcomes
from .tracking import MAX_WAITING, ConversationTrack, Waiting


@final
class OpenCalls:
    """Pending calls; they are in the ``waiting`` of their conversations."""

    __slots__ = ("_log", "_outcomes")

    def __init__(self, log: ObservationLog, outcomes: MessageOutcomes) -> None:
        self._log, self._outcomes = log, outcomes

    def add(self, track: ConversationTrack, call: Waiting) -> None:
        """Add a pending call; drop the oldest if there are too many."""
        if len(track.waiting) >= MAX_WAITING:
            self._give_up(track, track.waiting.popleft(), Ending.OPEN)
        track.waiting.append(call)

    def end_conversation(self, track: ConversationTrack, ending: Ending) -> None:
        """Report what was pending in an ended conversation, and the outcomes of its messages."""
        log, now, orderly = self._log, self._log.place.time, is_over(track.state)
        fate = MessageOutcome.UNKNOWN if ending is Ending.OPEN else MessageOutcome.BACKED_OUT
        self._outcomes.settle_conversation(track, fate)
        gone = ending is not Ending.OPEN and not track.unsure
        for call in track.waiting:
            if gone and call.wait:
                waited = now - call.asked.time
                log.add(GetOutlived, track.id, call.handle, call.object_name, waited, call.wait)
            self._give_up(track, call, ending)
        track.waiting.clear()
        for number, stream in track.streams.items():
            if stream.asked is None or orderly:
                continue
            handle = track.handles.get(number)
            name = "" if handle is None else handle.object_name
            if gone and stream.wait:
                log.add(GetOutlived, track.id, number, name, now - stream.asked.time, stream.wait)
            log.add(
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
        log.add(ConversationEndSeen, track.id, orderly, track.calls)
        track.step(ConversationTrigger.END)

    def _give_up(self, track: ConversationTrack, call: Waiting, ending: Ending) -> None:
        if call.message is not None:
            message, call.message = call.message, None
            self._outcomes.see(message)
            self._outcomes.settle(message, MessageOutcome.UNKNOWN)
        if not track.unsure:
            about = call.name, call.handle, call.object_name, call.asked, call.size, call.wait, ending
            self._log.add(CallUnanswered, track.id, *about)
