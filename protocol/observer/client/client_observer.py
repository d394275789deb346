"""Both ends of a client connection, as observed in a capture.

Theory of operation
-------------------

The tables of the live machines define what may be sent when: ``CONNECTION``, ``CONVERSATION`` and ``DELIVERY``
(``protocol.mqi.states``). Each conversation has a :class:`~.tracking.ConversationTrack`. A call is parsed when its last
segment has arrived, is pending in its track, and is matched by the reply with its type and request id; on a connection
that is not shared there is one track, and only the order of the calls. The effects of a call (handles, units of work)
are applied with its reply.

Traffic that the tables do not accept is reported and then accepted. After lost bytes a track is *unsure*: pending calls
are dropped, and replies without a call and unknown handles are not reported until a call and its reply were seen again.
A capture that begins in the middle of a connection is unsure from the start.

Memory is bounded by the limits of ``tracking`` and ``messages``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.mqi.states import DeliveryState
from mqbridge.protocol.observer.observations import Ending, MessageOutcome, Observation, Place, SegmentTooLong
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import SHARED, SINGLE, SINGLE_WORDS, Segment

from .call_assembly import CallAssembly
from .call_observations import CallMalformed
from .connection_observations import ClientEnded
from .conversations import ConversationObserver, is_over
from .heartbeats import ClientHeartbeatObserver
from .message_outcomes import MessageOutcomes
from .message_streams import StreamObserver
from .negotiation import ClientNegotiationObserver
from .open_calls import OpenCalls
from .put_runs import PutRuns
from .received_messages import ReceivedMessages
from .replies import ReplyObserver
from .requests import COMPRESSED, Requests
from .sign_on import SignOn
from .socket_actions import SocketActions
from .stream_runs import StreamRuns
from .tracking import ConversationTrack

_FIRST_CALL: Final = int(SegmentType.MQCONN)
_FIRST_STREAMED: Final = int(SegmentType.ASYNC_MESSAGE)
_CONVERSATION: Final = 2  # places of words in a header, from the front and from the end
_TYPE: Final = -5
_FLAGS2: Final = -3
_SINGLE_SIZE: Final = SINGLE.size
_SHARED_SIZE: Final = SHARED.size

_TakeInRun = Callable[[ConversationTrack, tuple[Any, ...], bytes, int, int], bool]


@final
class ClientObserver:
    """Follows a client connection. Its members are its parts."""

    __slots__ = (
        "_begun", "_bytes", "_idle", "_last_call", "_longest", "_runs", "_segments", "calls", "conversations",
        "heartbeats", "log", "negotiation", "open_calls", "outcomes", "overview", "received", "replies", "requests",
        "sign_on", "socket_actions", "streams",
    )  # fmt: skip

    def __init__(self, overview: Overview) -> None:
        log = ObservationLog()
        self.overview, self.log = overview, log
        self.negotiation = negotiation = ClientNegotiationObserver(log, overview)
        self.conversations = conversations = ConversationObserver(log, overview, negotiation)
        self.outcomes = outcomes = MessageOutcomes(log, conversations)
        self.open_calls = open_calls = OpenCalls(log, outcomes)
        self.received = received = ReceivedMessages(log, outcomes)
        self.streams = streams = StreamObserver(log, overview, conversations, outcomes, received)
        self.requests = Requests(log, conversations, outcomes, open_calls)
        self.replies = ReplyObserver(log, overview, conversations, outcomes, received, streams)
        self.calls = CallAssembly(log, overview, negotiation, conversations, self.requests, self.replies)
        self.sign_on = SignOn(log, overview, negotiation, conversations, open_calls)
        self.socket_actions = SocketActions(log, overview, conversations, open_calls)
        self.heartbeats = ClientHeartbeatObserver(log, overview, negotiation, conversations)
        puts, deliveries = PutRuns(log, overview, conversations, outcomes), StreamRuns(log, outcomes, streams)
        self._runs: dict[int, _TakeInRun] = {
            SegmentType.MQPUT: puts.request,
            SegmentType.MQPUT_REPLY: puts.reply,
            SegmentType.REQUEST_MSGS: deliveries.request,
            SegmentType.ASYNC_MESSAGE: deliveries.deliver,
            SegmentType.NOTIFICATION: deliveries.notify,
        }
        self._begun = 0.0
        self._last_call = 0.0
        self._idle = 0.0
        self._longest = 1 << 32  # bytes of the longest segment agreed or seen: more than any on the wire
        self._segments = self._bytes = 0

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take a segment."""
        log, heartbeats = self.log, self.heartbeats
        log.direction, log.place = direction, place
        kind, now = segment.type, place.time
        if not self._segments:
            self._begun = now
        self._segments += 1
        self._bytes += segment.length
        if now - heartbeats.last > heartbeats.patience:
            heartbeats.silent(now)
        heartbeats.last = now
        if segment.length > self._longest:
            self._too_long(segment)
        if kind >= _FIRST_STREAMED:
            if now - self._last_call > self._idle:
                self._note_idle(now)
            self._last_call = now
        try:
            if kind >= _FIRST_CALL:
                self.calls.receive(segment, kind)
            elif segment.flags2 & COMPRESSED and kind >= _FIRST_STREAMED:
                self._unread(segment)
            else:
                handler = _HANDLERS.get(kind)
                if handler is not None:
                    handler(self, segment)
        except MQBridgeError as error:
            log.add(CallMalformed, segment.conversation_id, str(SegmentType(kind)), str(error))
        return log.take()

    def receive_in_run(
        self, direction: Direction, words: tuple[Any, ...], buffer: bytes, start: int, place: Place
    ) -> list[Observation] | None:
        """Take a segment that continues a run, given by its header and position; None, with nothing changed, for any
        other."""
        take = self._runs.get(words[_TYPE])
        if take is None:
            return None
        if len(words) == SINGLE_WORDS:
            track, body = self.conversations.tracks.get(0), start + _SINGLE_SIZE
        else:
            track, body = self.conversations.tracks.get(words[_CONVERSATION]), start + _SHARED_SIZE
        length, now, heartbeats, log = words[1], place.time, self.heartbeats, self.log
        if track is None or words[_FLAGS2] or now - heartbeats.last > heartbeats.patience or length > self._longest:
            return None
        if now - self._last_call > self._idle:
            self._note_idle(now)
        log.direction, log.place = direction, place
        if not take(track, words, buffer, body, start + length):
            return None
        self._segments += 1
        self._bytes += length
        heartbeats.last = self._last_call = now
        return log.take()

    def _initial_data(self, segment: Segment) -> None:
        negotiation, conversations = self.negotiation, self.conversations
        if not negotiation.receive(segment) or negotiation.agreed is None:
            return
        if not negotiation.shared and 0 not in conversations.tracks:
            conversations.start(0, self.log.place, unsure=self.overview.uncertain)
        self.heartbeats.agree(negotiation.heartbeat_interval)
        self._longest = negotiation.agreed.transmission_size

    def _unread(self, segment: Segment) -> None:
        """Take a compressed segment of streamed messages: the state of its stream is unknown afterwards."""
        self.calls.report_compressed(segment)
        track = self.conversations.find(segment)
        if track is not None:
            track.lose()

    def _note_idle(self, now: float) -> None:
        """Record the time since the last call, unless a get was waiting."""
        waits = any(
            track.waiting or any(stream.state is DeliveryState.STREAMING for stream in track.streams.values())
            for track in self.conversations.tracks.values()
        )
        if self._last_call and not waits:
            self._idle = now - self._last_call

    def _too_long(self, segment: Segment) -> None:
        """Report a segment longer than agreed, and longer than any before it."""
        agreed = self.negotiation.agreed
        assert agreed is not None
        self._longest = segment.length
        self.log.add(SegmentTooLong, segment.length, agreed.transmission_size)

    def lose(self, direction: Direction, length: int, place: Place) -> None:
        """Note bytes that are not in the capture."""
        self.log.direction, self.log.place = direction, place
        self.overview.uncertain = True
        self.heartbeats.lose()
        for track in self.conversations.tracks.values():
            self.outcomes.settle_conversation(track, MessageOutcome.UNKNOWN)
            track.waiting.clear()
            track.lose()
        self.outcomes.settle_rest(Ending.OPEN)

    def close(self, direction: Direction, ending: Ending, place: Place) -> list[Observation]:
        """Note the end of the connection."""
        log, conversations, overview = self.log, self.conversations, self.overview
        log.direction, log.place = direction, place
        tracks = list(conversations.tracks.values())
        if place.time - self._last_call > self._idle:
            self._note_idle(place.time)
        disconnected = conversations.connected and all(is_over(track.state) for track in tracks)
        closing = conversations.closing or disconnected
        left = sum(not track.unsure and not is_over(track.state) for track in tracks)
        if ending is not Ending.OPEN or not tracks:
            self.heartbeats.end(ending)
        for track in tracks:
            self.open_calls.end_conversation(track, ending)
        self.outcomes.settle_rest(ending)
        if overview.outcome == "open" and ending is not Ending.OPEN:
            overview.outcome = "ended" if closing and not overview.reason else "cut"
        self._report_end(ending, closing and not left, left)
        return log.take()

    def _report_end(self, ending: Ending, orderly: bool, left: int) -> None:
        calls, outcomes, received = self.calls, self.outcomes, self.received
        self.log.add(
            ClientEnded,
            ending=ending,
            orderly=orderly,
            left=left,
            begun=self._begun,
            ended=self.heartbeats.last,
            segments=self._segments,
            bytes=self._bytes,
            calls=self.conversations.calls,
            connects=self.replies.connects,
            opens=self.replies.opens,
            messages=outcomes.messages,
            split=calls.split,
            split_segments=calls.split_segments,
            short=calls.short,
            units=outcomes.units,
            single=outcomes.single,
            gets=received.gets,
            empty_gets=sum(received.empty.values()),
            polled=received.polled,
            heartbeats=self.heartbeats.count,
            idle=self._idle,
        )


_HANDLERS: Final[dict[int, Callable[[ClientObserver, Segment], None]]] = {
    SegmentType.INITIAL_DATA: ClientObserver._initial_data,
    SegmentType.STATUS_DATA: lambda observer, segment: observer.sign_on.status(segment),
    SegmentType.USERID_DATA: lambda observer, segment: observer.sign_on.user_id(segment),
    SegmentType.CONAUTH_INFO: lambda observer, segment: observer.sign_on.credentials(segment),
    SegmentType.HEARTBEAT: lambda observer, segment: observer.heartbeats.receive(segment),
    SegmentType.SOCKET_ACTION: lambda observer, segment: observer.socket_actions.receive(segment),
    SegmentType.REQUEST_MSGS: lambda observer, segment: observer.streams.request(segment),
    SegmentType.ASYNC_MESSAGE: lambda observer, segment: observer.streams.deliver(segment),
    SegmentType.NOTIFICATION: lambda observer, segment: observer.streams.notify(segment),
}
