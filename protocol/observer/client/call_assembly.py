"""Reassembly of calls and replies from their segments (mq-wire.md 8.3)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.constants import ControlFlags1, ControlFlags2
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment

from .call_observations import CallCut
from .compressed_calls import stated_compression
from .connection_observations import ClientCompressedSeen
from .conversations import ConversationObserver
from .messages import data_begins
from .negotiation import ClientNegotiationObserver
from .replies import ReplyObserver
from .requests import COMPRESSED, Requests, call_name
from .tracking import MAX_PARTIALS, ConversationTrack, PartialCallBody

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_WHOLE: Final = _FIRST | _LAST
_REQUESTS: Final = frozenset((*range(0x81, 0x90), *range(0xA1, 0xAB)))


@final
class CallAssembly:
    """Calls and replies that span several segments; the incomplete ones are in the ``partials`` of their conversations.

    ``split``: number of calls with several segments. ``split_segments``: their segments. ``short``: those of them,
    except the last of a call, that are below half of the negotiated size.
    """

    __slots__ = (
        "_compressed", "_conversations", "_log", "_negotiation", "_overview", "_replies", "_requests", "short", "split",
        "split_segments",
    )  # fmt: skip

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        negotiation: ClientNegotiationObserver,
        conversations: ConversationObserver,
        requests: Requests,
        replies: ReplyObserver,
    ) -> None:
        self._log, self._overview, self._negotiation = log, overview, negotiation
        self._conversations, self._requests, self._replies = conversations, requests, replies
        self.split = self.split_segments = self.short = 0
        self._compressed: set[Direction] = set()

    def receive(self, segment: Segment, kind: int) -> None:
        """Take a segment of a call or reply of type ``kind``; pass on the call once it is complete."""
        track = self._conversations.find(segment)
        if track is None:
            return
        log, requested = self._log, kind in _REQUESTS
        if requested is not (log.direction is Direction.INITIATOR):
            if not self._overview.uncertain:
                whose = "a queue manager" if requested else "a client"
                self._conversations.out_of_state(track.id, f"{call_name(kind)} of {whose}", "running", ())
            return
        partial = track.partials.get(requested)
        if segment.flags1 & _WHOLE == _WHOLE and partial is None and not segment.flags2:
            take = self._requests.take if requested else self._replies.take
            take(
                track,
                None,
                kind,
                segment.body_view,
                segment.request_id,
                segment.order,
                segment.ccsid,
                log.place,
                segment.length,
            )
        else:
            self._piece(track, segment, partial, requested)

    def _piece(
        self, track: ConversationTrack, segment: Segment, partial: PartialCallBody | None, requested: bool
    ) -> None:
        """Take one of several segments, or a compressed one."""
        if segment.flags2 & COMPRESSED:
            self.report_compressed(segment)
        first, last = segment.flags1 & _FIRST, segment.flags1 & _LAST
        name = call_name(segment.type)
        if first:
            if partial is not None:
                self._log.add(CallCut, track.id, name, "a call inside another one")
            tracks = self._conversations.tracks.values()
            if not last and sum(len(other.partials) for other in tracks) >= MAX_PARTIALS:
                track.unsure = self._overview.uncertain = True
                return
            partial = track.partials[requested] = PartialCallBody(segment, self._log.place)
            data = None if last else data_begins(segment.body_view, segment.order, segment.type)
            if data is not None:
                partial.keep_data(*data)
        elif partial is None:
            if not track.unsure:
                self._log.add(CallCut, track.id, name, "a call without its first segment")
            return
        elif partial.type != segment.type or partial.request != segment.request_id:
            del track.partials[requested]
            detail = f"inside {call_name(partial.type)}, request {partial.request}"
            self._log.add(CallCut, track.id, name, detail)
            return
        else:
            partial.add(segment)
        if not first or not last:
            self._count(segment, bool(first), bool(last))
        if not last:
            return
        del track.partials[requested]
        body = partial.body
        if partial.more:
            body = b"".join((body, *partial.more))
        take = self._requests.take if requested else self._replies.take
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

    def report_compressed(self, segment: Segment) -> None:
        """Report the first compressed segment of each direction."""
        direction = self._log.direction
        if direction not in self._compressed:
            self._compressed.add(direction)
            parts = [bool(segment.flags2 & flag) for flag in (ControlFlags2.HDRCOMP, ControlFlags2.MSGCOMP)]
            self._log.add(ClientCompressedSeen, *parts, stated_compression(segment))

    def _count(self, segment: Segment, first: bool, last: bool) -> None:
        agreed = self._negotiation.agreed
        self.split += first
        self.split_segments += 1
        if not last and agreed is not None and 2 * segment.length < agreed.transmission_size:
            self.short += 1
