"""Both ends of a client connection, as a third party sees them.

Theory of operation
-------------------

The tables of the live machines say what may come when: ``CONNECTION``, ``CONVERSATION`` and ``DELIVERY``
(``protocol.mqi.states``). Each conversation is followed in a :class:`~.tracking.Track`. A call is read when its last
segment is there, waits in its track, and is taken from there by the reply of the same type and request id; on a
connection that is not shared there is one track, and the order of the calls alone. What the reply changes (handles,
units of work) is changed then.

Where traffic leaves the tables it is told and taken as the truth. After lost bytes a track is *unsure*: calls that
waited are forgotten, replies without a call and handles that nobody opened are not told, until a call and its reply
were seen again. A capture that begins in the middle is unsure from its start.

Memory is bounded by the limits of ``tracking`` and ``messages``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.protocol.constants import ControlFlags1, ControlFlags2, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.mqi.states import DeliveryState
from mqbridge.protocol.observer.observations import Ending, MessageFate, Observation, Place, SegmentTooLong
from mqbridge.protocol.segment import Segment

from .call_observations import CallCut
from .compressed_calls import stated_compression
from .connection_observations import (
    ClientEnded,
    Compressed,
)
from .conversations import Conversations
from .messages import data_begins
from .requests import COMPRESSED, call_name
from .signing_on import is_over
from .tracking import MAX_PARTIALS, Partial, Track

_INITIATOR: Final = Direction.INITIATOR
_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_WHOLE: Final = _FIRST | _LAST
_CLOSE: Final = int(ControlFlags1.CLOSE_CHANNEL)
_REQUESTS: Final = frozenset((*range(0x81, 0x90), *range(0xA1, 0xAB)))


class ClientPart(Conversations):
    """Understands a client connection; see ``protocol.observer.connection.Part``."""

    def __init__(self, whole: bool) -> None:
        super().__init__(whole)
        self._begun = 0.0
        self._last_call = 0.0
        self._idle = 0.0
        self._segments = self._bytes = 0
        self._split = self._split_segments = self._short = 0
        self._compressed: set[Direction] = set()

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take a segment."""
        self._direction, self._place = direction, place
        kind = segment.type
        if not self._segments:
            self._begun = place.time
        self._segments += 1
        self._bytes += segment.length
        if place.time - self._last > self._patience:
            self._silent(place.time)
        self._last = place.time
        if segment.length > self._longest:
            self._too_long(segment)
        if kind >= _FIRST_STREAMED:
            if place.time - self._last_call > self._idle:
                self._was_idle(place.time)
            self._last_call = place.time
        try:
            if kind >= _FIRST_CALL:
                self._call(segment, kind)
            else:
                handler = _HANDLERS.get(kind)
                if segment.flags2 & COMPRESSED and kind >= _FIRST_STREAMED:
                    self._unread(segment)
                elif handler is not None:
                    handler(self, segment)
        except MQBridgeError as error:
            self._malformed(segment.conversation_id, str(SegmentType(kind)), str(error))
        told = self._told
        if told:
            self._told = []
        return told

    def _was_idle(self, now: float) -> None:
        """Nothing but heartbeats since the last call; a get that waits is at work."""
        waits = any(
            track.waiting or any(stream.state is DeliveryState.STREAMING for stream in track.streams.values())
            for track in self._tracks.values()
        )
        if self._last_call and not waits:
            self._idle = now - self._last_call

    def _too_long(self, segment: Segment) -> None:
        """A segment longer than agreed, and than those before it."""
        assert self.agreed is not None
        self._longest = segment.length
        self._tell(SegmentTooLong, segment.length, self.agreed.transmission_size)

    def lose(self, direction: Direction, length: int, place: Place) -> None:
        """Bytes are not in the capture."""
        del length
        self._direction, self._place = direction, place
        self.uncertain = True
        self._asked.clear()
        for track in self._tracks.values():
            self._settle_track(track, MessageFate.UNKNOWN)
            track.waiting.clear()
            track.lose()
        self._settle_rest(Ending.OPEN)

    def close(self, direction: Direction, ending: Ending, place: Place) -> list[Observation]:
        """The connection is over."""
        self._direction, self._place = direction, place
        if place.time - self._last_call > self._idle:
            self._was_idle(place.time)
        disconnected = self.connected and all(is_over(track.state) for track in self._tracks.values())
        self._closing = self._closing or disconnected
        left = sum(not track.unsure and not is_over(track.state) for track in self._tracks.values())
        if ending is not Ending.OPEN or not self._tracks:
            self._outstanding_heartbeats(ending)
        for track in list(self._tracks.values()):
            self._end_track(track, ending, orderly=is_over(track.state))
        self._settle_rest(ending)
        if self.outcome == "open" and ending is not Ending.OPEN:
            self.outcome = "ended" if self._closing and not self.reason else "cut"
        self._told.append(self._summary(ending, left))
        told, self._told = self._told, []
        return told

    # Calls

    def _call(self, segment: Segment, kind: int) -> None:
        track = self._track(segment)
        if track is None:
            return
        requested = kind in _REQUESTS
        if requested is not (self._direction is _INITIATOR):
            if not self.uncertain:
                whose = "a queue manager" if requested else "a client"
                self._out_of_state(track.id, f"{call_name(kind)} of {whose}", "running", ())
            return
        flags = segment.flags1
        partial = track.partials.get(requested)
        if flags & _WHOLE == _WHOLE and partial is None and not segment.flags2:
            take = self._take_request if requested else self._take_reply
            take(
                track,
                None,
                kind,
                segment.body_view,
                segment.request_id,
                segment.order,
                segment.ccsid,
                self._place,
                segment.length,
            )
        else:
            self._piece(track, segment, partial, requested)

    def _piece(self, track: Track, segment: Segment, partial: Partial | None, requested: bool) -> None:
        """A segment of several, or a compressed one."""
        if segment.flags2 & COMPRESSED:
            self._tell_compressed(segment)
        first, last = segment.flags1 & _FIRST, segment.flags1 & _LAST
        name = call_name(segment.type)
        if first:
            if partial is not None:
                self._not_whole(track, name, "a call inside another one")
            if not last and sum(len(other.partials) for other in self._tracks.values()) >= MAX_PARTIALS:
                track.unsure = self.uncertain = True
                return
            partial = track.partials[requested] = Partial(segment, self._place)
            data = None if last else data_begins(segment.body_view, segment.order, segment.type)
            if data is not None:
                partial.keep_data(*data)
        elif partial is None:
            if not track.unsure:
                self._not_whole(track, name, "a call without its first segment")
            return
        elif partial.type != segment.type or partial.request != segment.request_id:
            del track.partials[requested]
            self._not_whole(track, name, f"inside {call_name(partial.type)}, request {partial.request}")
            return
        else:
            partial.add(segment)
        if not first or not last:
            self._count_piece(segment, bool(first), bool(last))
        if not last:
            return
        del track.partials[requested]
        body = partial.body
        if partial.more:
            body = b"".join((body, *partial.more))
        take = self._take_request if requested else self._take_reply
        take(
            track,
            partial,
            partial.type,
            memoryview(body),
            partial.request,
            partial.order,
            partial.ccsid,
            partial.first,
            partial.bytes,
        )

    def _unread(self, segment: Segment) -> None:
        """Something compressed of a stream of messages: what becomes of its stream is not known."""
        self._tell_compressed(segment)
        track = self._track(segment)
        if track is not None:
            track.lose()

    def _tell_compressed(self, segment: Segment) -> None:
        """Said once a direction."""
        if self._direction not in self._compressed:
            self._compressed.add(self._direction)
            parts = (bool(segment.flags2 & flag) for flag in (ControlFlags2.HDRCOMP, ControlFlags2.MSGCOMP))
            self._tell(Compressed, *parts, stated_compression(segment))

    def _not_whole(self, track: Track, name: str, detail: str) -> None:
        self._tell(CallCut, track.id, name, detail)

    def _count_piece(self, segment: Segment, first: bool, last: bool) -> None:
        self._split += first
        self._split_segments += 1
        if not last and self.agreed is not None and 2 * segment.length < self.agreed.transmission_size:
            self._short += 1

    # The end

    def _summary(self, ending: Ending, left: int) -> ClientEnded:
        polled = max(self._empty.items(), key=lambda item: item[1], default=("", 0))[0]
        return ClientEnded(
            self._direction,
            self._place,
            ending=ending,
            orderly=self._closing and not left,
            left=left,
            begun=self._begun,
            ended=self._last,
            segments=self._segments,
            bytes=self._bytes,
            calls=self.calls,
            connects=self.connects,
            opens=self.opens,
            messages=self.messages,
            split=self._split,
            split_segments=self._split_segments,
            short=self._short,
            units=self.units,
            single=self.single,
            gets=self.gets,
            empty_gets=sum(self._empty.values()),
            polled=polled,
            heartbeats=self._heartbeats,
            idle=self._idle,
        )


_FIRST_CALL: Final = int(SegmentType.MQCONN)
_FIRST_STREAMED: Final = int(SegmentType.ASYNC_MESSAGE)
_HANDLERS: Final[dict[int, Callable[[ClientPart, Segment], None]]] = {
    SegmentType.INITIAL_DATA: ClientPart._initial_data,
    SegmentType.STATUS_DATA: ClientPart._status,
    SegmentType.USERID_DATA: ClientPart._user_id,
    SegmentType.CONAUTH_INFO: ClientPart._credentials,
    SegmentType.HEARTBEAT: ClientPart._heartbeat,
    SegmentType.SOCKET_ACTION: ClientPart._socket_action,
    SegmentType.REQUEST_MSGS: ClientPart._request_messages,
    SegmentType.ASYNC_MESSAGE: ClientPart._delivered,
    SegmentType.NOTIFICATION: ClientPart._notified,
}
