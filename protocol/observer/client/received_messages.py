"""Messages received by a client, in the reply to an MQGET or by streaming (mq-wire.md 5.4, client-observed.md 5)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.constants import MQCC, MQGMO, MQRC, ByteOrder
from mqbridge.protocol.observer.observations import MessageOutcome, MessageRoute, ObservedMessage
from mqbridge.protocol.observer.overview import ObservationLog

from .compressed_calls import unread_message
from .message_outcomes import MessageOutcomes
from .messages import DeliveredMessage, ReplyOutcome, is_browse, is_in_unit, kept_data, parse_get_reply
from .negotiation import field_text
from .tracking import ConversationTrack, PartialCallBody, Waiting

MAX_POLLED: Final = 1000
"""Queues whose empty gets are counted."""
TSH_SIZE: Final = 28
"""Bytes of the header that the length in a reply includes."""
_FAILED: Final = int(MQCC.FAILED)
_NO_MESSAGE: Final = int(MQRC.NO_MSG_AVAILABLE)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)


@final
class ReceivedMessages:
    """Gets and their messages. ``gets``: number. ``empty``: gets without a wait that found nothing, by queue."""

    __slots__ = ("_log", "_outcomes", "empty", "gets")

    def __init__(self, log: ObservationLog, outcomes: MessageOutcomes) -> None:
        self._log, self._outcomes = log, outcomes
        self.gets = 0
        self.empty: dict[str, int] = {}

    def count(self, queue: str, reason: int, wait: int) -> None:
        """Count a get with the MQRC of its answer. ``wait``: milliseconds."""
        self.gets += 1
        if reason == _NO_MESSAGE and not wait and (queue in self.empty or len(self.empty) < MAX_POLLED):
            self.empty[queue] = self.empty.get(queue, 0) + 1

    @property
    def polled(self) -> str:
        """Return the queue with most of the empty gets."""
        return max(self.empty.items(), key=lambda item: item[1], default=("", 0))[0]

    def take_reply(
        self,
        track: ConversationTrack,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        outcome: ReplyOutcome,
        whole: PartialCallBody | None,
    ) -> None:
        """Take the reply to an MQGET. Raises ``StructureError``."""
        self.count(call.object_name, outcome.reason, call.wait)
        if outcome.comp_code == _FAILED:
            return
        descriptor, options, resolved, at, length = parse_get_reply(body, order)
        options = call.options or options
        if options & MQGMO.UNLOCK:
            return  # a lock was released: no message
        if whole is None or whole.kept is None:
            end = min(len(body), at + length)
            if end < at + length:
                end = min(end, outcome.stated - TSH_SIZE)  # the message was truncated: padding follows
            kept, there = kept_data(body, at, end, (descriptor, order, ccsid)), end - at
        else:
            kept, there = (whole.kept.data(), whole.kept.digest()), whole.kept.length
        queue = call.object_name or field_text(resolved, ccsid)
        got = DeliveredMessage(descriptor, order, ccsid, kept, there, length, call.answered, outcome.reason)
        self.receive(track, call.handle, (queue, call.queue_manager), options, got)

    def take_compressed_reply(
        self, track: ConversationTrack, call: Waiting, outcome: ReplyOutcome, whole: PartialCallBody
    ) -> None:
        """Take the compressed reply to an MQGET, with or without a message."""
        self.count(call.object_name, outcome.reason, call.wait)
        options, outcomes = call.options, self._outcomes
        if outcome.comp_code == _FAILED or not options or options & MQGMO.UNLOCK:
            return  # without options it may have been a browse
        course = MessageRoute.BROWSE if is_browse(options) else MessageRoute.GET
        message = unread_message(course, self._log.direction, track.id, call, whole, self._log.place)
        outcomes.see(message)
        if outcome.reason == _TRUNCATED_FAILED:
            outcomes.settle(message, MessageOutcome.REFUSED, outcome.reason)
        elif course is MessageRoute.GET and (track.branch is not None or is_in_unit(options, b"", whole.order)):
            outcomes.join(track.branch or track.unit, message)
        else:
            outside = is_browse(options) or options & MQGMO.NO_SYNCPOINT
            outcomes.settle(message, MessageOutcome.CONFIRMED if outside else MessageOutcome.UNKNOWN)

    def receive(
        self,
        track: ConversationTrack,
        handle: int,
        source: tuple[str, str],
        options: int,
        got: DeliveredMessage,
        *,
        streamed: bool = False,
    ) -> ObservedMessage | None:
        """Report a message from a queue and queue manager.

        Returns a streamed message that only the client's next request settles; None for all others.
        """
        outcomes = self._outcomes
        browse = is_browse(options)
        whole = got.there >= got.length
        message = ObservedMessage(
            MessageRoute.BROWSE if browse else MessageRoute.GET,
            self._log.direction,
            got.descriptor,
            got.order,
            got.ccsid,
            got.kept[0],
            got.length,
            whole,
            got.first,
            self._log.place,
            *source,
            handle=handle,
            conversation=track.id,
            digest=got.kept[1] if whole else b"",
        )
        outcomes.see(message)
        if got.reason == _TRUNCATED_FAILED:
            outcomes.settle(message, MessageOutcome.REFUSED, got.reason)
        elif browse:
            outcomes.settle(message, MessageOutcome.CONFIRMED)
        elif track.branch is not None or is_in_unit(options, got.descriptor, got.order):
            outcomes.join(track.branch or track.unit, message)
        elif streamed:
            return message
        else:
            outcomes.settle(message, MessageOutcome.CONFIRMED)
        return None
