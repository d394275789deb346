"""Batches at the receiving end: messages, sequence numbers, confirmation (channels.md 5; mq-wire.md 7.4, 7.5)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import Segment

from .events import BatchFailed, ConfirmRequested, Event, MessagePart, MessageReceived
from .inbound import HEADERS_LENGTH, PART_LENGTH, PartialMessage, read_message, read_whole_messages
from .link import Link
from .parameters import NO_LUWID, Negotiated, ReceiverState
from .sequence import is_number, next_number
from .states import State, Trigger
from .status import ChannelError

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_ALONE: Final = _FIRST | _LAST
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_DATA: Final = HEADERS_LENGTH - 28  # in the body
_BATCH: Final = State.BATCH


class BatchesIn:
    """The batches that a receiving end takes, one at a time.

    :meth:`begin` sets the negotiated values and the first sequence number, before the first message.
    """

    __slots__ = (
        "_counters",
        "_fast",
        "_link",
        "_longest",
        "_luwid",
        "_partial",
        "_unsure",
        "_wrap",
        "last",
    )

    def __init__(self, link: Link[Event], saved: ReceiverState) -> None:
        self._link = link
        self._counters = link.wire.counters
        self._counters.current_sequence = saved.sequence
        self._longest = self._wrap = 0
        self._fast = self._unsure = False
        self._luwid = NO_LUWID  # of the batch to be confirmed
        self._partial: PartialMessage | None = None
        self.last = False
        """The sender closes the channel after the batch that is to be confirmed."""

    def begin(self, negotiated: Negotiated, saved: ReceiverState) -> None:
        """Expect the sequence number after the last one committed."""
        self._fast = negotiated.fast
        self._longest = negotiated.max_message_length
        self._wrap = negotiated.sequence_wrap
        self._unsure = saved.unsure
        self._counters.current_sequence = saved.sequence

    @property
    def open(self) -> bool:
        """Whether an unconfirmed message, or part of one, has arrived."""
        return self._link.state in (State.BATCH, State.PARTIAL, State.CONFIRMING)

    def message(self, segment: Segment, now: float) -> None:
        """Take a MESSAGE_DATA segment: a message, or part of one. Raises ``ChannelError``."""
        flags = segment.flags1
        counters = self._counters
        if flags & _ALONE == _ALONE and self._partial is None:
            if self._link.state is not _BATCH:
                self._link.step(Trigger.MESSAGE)
            message = read_message(segment, None, self._fast)
            last = counters.current_sequence
            if message.sequence != last + 1 or last >= self._wrap or message.length > self._longest:
                self._check(message)
        else:
            whole = self._take_part(segment)
            if whole is None:
                return
            message = whole
        counters.current_sequence = message.sequence
        counters.messages += 1
        counters.current_messages += 1
        counters.current_luwid = message.luwid
        counters.last_message = now
        self._link.events.append(message)
        if flags & _CONFIRM and inferred.CONFIRM_ON_MESSAGE_ENDS_BATCH:
            self.confirm_asked(segment)
        elif self._link.state is _BATCH:
            self._take_more()

    def _take_more(self) -> None:
        """Take the whole messages behind a message that have arrived with it, each as :meth:`message` does."""
        link, counters = self._link, self._counters
        reader = link.wire.reader
        limits = reader.max_segment, self._wrap, self._longest
        found, reader.position = read_whole_messages(
            reader.buffer, reader.position, limits, counters.current_sequence + 1, self._fast
        )
        if found:
            count, last = len(found), found[-1]
            counters.buffers_received += count
            counters.messages += count
            counters.current_messages += count
            counters.current_sequence = last.sequence
            counters.current_luwid = last.luwid
            link.events.extend(found)

    def _take_part(self, segment: Segment) -> MessageReceived | None:
        """Take part of a message; return the message with its last part."""
        first, last = segment.flags1 & _FIRST, segment.flags1 & _LAST
        self._link.step(Trigger.MESSAGE if last else Trigger.MESSAGE_PART)
        if self._partial is None:
            if not first:
                raise ChannelError("part of a message that did not begin", StatusCode.SEGMENT_NUMBER_ERROR)
            partial = PartialMessage(segment, self._fast)
            self._check(partial.message)
            partial.add(segment.body_from(_DATA))
            self._partial = partial
            return None
        if first:
            raise ChannelError("a message begins inside another", StatusCode.SEGMENT_NUMBER_ERROR)
        if not segment.body_length:
            raise ChannelError("part of a message without data", StatusCode.PROTOCOL_LENGTH_ERROR)
        partial = self._partial
        partial.add(segment.body)
        if last:
            self._partial = None
            return partial.finish()
        if partial.untold >= PART_LENGTH:
            partial.untold = 0
            self._link.emit(MessagePart(message=partial.message))
        return None

    def _check(self, message: MessageReceived) -> None:
        """Raise ``ChannelError`` for a wrong sequence number or length.

        The first number of a session is adopted if our record may lack batches of fast messages.
        """
        number = message.sequence
        expected = next_number(self._counters.current_sequence, self._wrap)
        takes_over = self._unsure and not self._counters.messages and is_number(number, self._wrap)
        if number != expected and not takes_over:
            raise ChannelError(
                f"message number {number} instead of {expected}",
                StatusCode.MSG_SEQUENCE_ERROR,
                amq="AMQ9526",
                value=expected,
            )
        if message.length > self._longest:
            raise ChannelError(
                f"a message of {message.length} bytes, the channel takes {self._longest}",
                StatusCode.MESSAGE_LENGTH_ERROR,
                amq="AMQ9207",
            )

    def confirm_asked(self, segment: Segment) -> None:
        """Take a request to confirm the batch. Raises ``ChannelError`` if the state does not allow it."""
        self._link.step(Trigger.CONFIRM_ASKED)
        self._luwid = segment.luwid
        self.last = bool(segment.flags1 & ControlFlags1.CLOSE_CHANNEL)
        counters = self._counters
        self._link.emit(
            ConfirmRequested(luwid=segment.luwid, sequence=counters.current_sequence, count=counters.current_messages)
        )

    def confirmed(self, flags: int) -> None:
        """Tell the sender that the batch is committed; ``flags`` are added to the answer.

        Raises ``LocalProtocolError`` if no confirmation was requested.
        """
        link = self._link
        link.go(Trigger.CONFIRMED)
        link.wire.send(SegmentType.STATUS_DATA, flags=int(inferred.CONFIRM_ANSWER_FLAGS) | flags, luwid=self._luwid)
        self._counters.batches += 1
        self._counters.current_messages = 0

    def abandon(self) -> None:
        """Report an open batch as failed; one that is being committed is the agent's."""
        counters = self._counters
        if self._link.state in (State.BATCH, State.PARTIAL):
            self._link.emit(BatchFailed(luwid=counters.current_luwid, count=counters.current_messages, in_doubt=False))
        self._partial = None
