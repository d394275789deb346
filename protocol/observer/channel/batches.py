"""Messages and batches of an observed message channel (channels.md 5; mq-wire.md 7.4, 7.5)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.chain import RAW_HEADER_FORMATS
from mqbridge.protocol.channel.batch_limits import first_excess
from mqbridge.protocol.channel.sequence import HIGHEST_NUMBER, is_number, next_number
from mqbridge.protocol.constants import ControlFlags1
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import NO_LUWID
from mqbridge.protocol.observer.kept_data import MAX_KEPT_DATA, MAX_UNSETTLED_DATA, KeptData, Source
from mqbridge.protocol.observer.observations import (
    MessageOutcome,
    MessageRoute,
    MessageSeen,
    MessageSettled,
    ObservedMessage,
    Place,
    UnreadMessage,
    UnreadMessageSeen,
    persistence_of,
)
from mqbridge.protocol.observer.overview import ObservationLog
from mqbridge.protocol.segment import Segment

from .batch_observations import BatchBegun, BatchSettled, MessageDiffers, MessageJoined, PartOutOfPlace
from .compressed import message_in_clear
from .messages import (
    DESCRIPTOR,
    FORMAT,
    HEADERS,
    MSH_IDS,
    TRANSMISSION_HEADER,
    XQH_IDS,
    MessageHead,
    ObservedPartialMessage,
    odd_fields,
    read_head,
)
from .observations import FieldSeen, SegmentUnreadable
from .open_batch import ObservedBatch
from .values import ChannelValues, read_name

MAX_UNSETTLED_MESSAGES: Final = 10_000
"""Messages whose outcome is awaited; beyond it (no batch may have so many) that of the oldest is unknown."""

NO_LENGTH_LIMIT: Final = 1 << 32
"""More than any length on the wire."""

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_ALONE: Final = _FIRST | _LAST
_DATA: Final = HEADERS - 28  # in the body
_CHANNEL: Final = MessageRoute.CHANNEL


@final
class Batches:
    """Messages of the sending end, and the batch that they form.

    ``batch``: the open one. ``expected``: number of the next message, None if unknown. ``previous``: LUWID of the
    preceding batch, or empty. ``partial``: an incomplete split message. ``wrap``, ``fast``, ``numbered``,
    ``length_limit``: negotiated values. ``first_excess``: position of the message that makes a batch too large.
    ``kept``: bytes of messages without an outcome. ``ccsid``: of the latest whole message.
    """

    __slots__ = (
        "_log", "_number", "_order", "_tail", "_unread", "_whole", "batch", "ccsid", "expected", "fast", "first_excess",
        "kept", "length_limit", "numbered", "partial", "previous", "wrap",
    )  # fmt: skip

    def __init__(self, log: ObservationLog, *, whole: bool) -> None:
        self._log = log
        self.batch: ObservedBatch | None = None
        self.expected: int | None = None
        self.wrap = 0
        self.fast = False
        self.numbered = True
        self.first_excess = first_excess(0)
        self.length_limit = NO_LENGTH_LIMIT
        self.previous = b""
        self.partial: ObservedPartialMessage | None = None
        self._unread: UnreadMessage | None = None  # an incomplete compressed message
        self._number = self.kept = 0
        self._tail, self._order, self.ccsid = b"", 0, 0
        self._whole = whole  # no message since the last confirmation was lost

    def agree(self, agreed: ChannelValues) -> None:
        """Adopt negotiated values."""
        self.wrap, self.fast, self.numbered = agreed.sequence_wrap, agreed.fast, agreed.numbered
        self.first_excess = first_excess(agreed.batch_size)
        self.length_limit = agreed.message_length or NO_LENGTH_LIMIT

    # Messages

    def continues(self, tail: bytes, byte_order: int) -> bool:
        """Return whether nothing is incomplete, and the CCSID of a segment with this tail is that of the latest one."""
        return self.partial is None and self._unread is None and tail == self._tail and byte_order == self._order

    def message(self, segment: Segment) -> None:
        """Take uncompressed MESSAGE_DATA."""
        flags = segment.flags1
        if not flags & _FIRST:
            self._take_continuation(segment, bool(flags & _LAST))
            return
        if self.partial is not None or self._unread is not None:
            self._cut_off()
        if segment.length < HEADERS:
            self.unread(segment)
            what = "MESSAGE_DATA", f"at least {HEADERS} bytes", f"{segment.length} bytes"
            self._log.add(SegmentUnreadable, *what)
            return
        self._begin(segment, flags & _ALONE == _ALONE)

    def _begin(self, segment: Segment, alone: bool) -> None:
        values = read_head(segment)
        msh_id, number, data_length, unknown, message_length, xqh_id, xqh_version, queue, queue_manager = values
        luwid, there, start = segment.luwid, segment.length - HEADERS, segment.start
        log, batch = self._log, self.batch or self._open(luwid)
        batch.count += 1
        numbered = msh_id in MSH_IDS
        expected, wrap = self.expected, self.wrap or HIGHEST_NUMBER
        if not (numbered and self.numbered) or (not self.wrap and number == 1):
            expected = None  # no number, or one that may follow any other
        position = batch.count if batch.whole else 0
        differs = (
            (expected is not None and number != expected)
            or (self.numbered and not is_number(number, wrap))
            or luwid != batch.luwid
            or position == self.first_excess
            or (alone and there != data_length)
            or data_length > self.length_limit
        )
        if differs:
            behind = segment.buffer[start + FORMAT : start + FORMAT + 8] in RAW_HEADER_FORMATS
            lengths = data_length, there if alone else -1, behind
            log.add(MessageDiffers, number, expected, luwid, batch.luwid, position, *lengths)
        usual = xqh_version == 1 and not unknown and message_length == data_length + TRANSMISSION_HEADER
        if not (usual and numbered and xqh_id in XQH_IDS):
            for field in odd_fields(MessageHead._make(values), segment):
                log.add(FieldSeen, *field)
        self.expected = next_number(number, wrap) if numbered else None
        batch.first = batch.first or number
        batch.last = number
        room = self._room(data_length)
        if not alone:
            limit = min(MAX_KEPT_DATA, room)
            self.partial = ObservedPartialMessage(MessageHead._make(values), segment, log.place, limit)
            return
        if segment.tail != self._tail or segment.byte_order != self._order:
            self._tail, self._order, self.ccsid = segment.tail, segment.byte_order, segment.ccsid
        descriptor = segment.buffer[start + DESCRIPTOR : start + HEADERS]
        source = descriptor, segment.order, self.ccsid
        if there > MAX_KEPT_DATA or there > room:
            kept = KeptData(min(MAX_KEPT_DATA, room), source)
            kept.add(segment.body_view[_DATA:])
            shape = kept.data(), there, True, kept.digest()
        else:
            shape = segment.buffer[start + HEADERS : start + segment.length], there, True, b""
        self._emit_message(log.direction, (queue, queue_manager, number), source, shape, (log.place, log.place), luwid)

    def _take_continuation(self, segment: Segment, last: bool) -> None:
        """Take a later segment of a split message."""
        log, partial = self._log, self.partial
        if partial is None:
            if self._unread is not None:
                self._more_unread(segment)
            elif self._whole:  # else its beginning may be lost
                seen = f"flags {segment.flags1:02x} with no message begun"
                log.add(PartOutOfPlace, "a segment with FIRST", seen)
            return
        if not segment.body_length:
            log.add(PartOutOfPlace, "data behind the segment header", "none")
        if segment.luwid != partial.luwid:
            seen = f"LUWID {segment.luwid.hex()}"
            log.add(PartOutOfPlace, f"LUWID {partial.luwid.hex()} as in its first segment", seen)
        partial.add(segment, log.place)
        if last:
            if partial.whole:
                stated, there = partial.head.data_length, partial.data.length
                log.add(MessageJoined, partial.head.sequence_number, stated, there, partial.segments)
            self._finish(log.direction)

    def _cut_off(self) -> None:
        """Note that a message begins before another is complete."""
        if self.partial is not None and self.partial.whole:
            self._log.add(PartOutOfPlace, "the rest of a message", "another message, which begins")
            self.partial.whole = False
        self._finish(self._log.direction)
        self._finish_unread(self._log.direction)

    def _finish(self, direction: Direction) -> None:
        partial, self.partial = self.partial, None
        if partial is None:
            return
        data = partial.data
        kept = data.data(), data.length, partial.whole, data.digest() if partial.whole else b""
        head = partial.head.queue, partial.head.queue_manager, partial.head.sequence_number
        self._emit_message(direction, head, partial.source, kept, (partial.first, partial.last), partial.luwid)

    def _emit_message(
        self,
        direction: Direction,
        head: tuple[bytes, bytes, int],
        source: Source,
        kept: tuple[bytes, int, bool, bytes],
        places: tuple[Place, Place],
        luwid: bytes,
    ) -> None:
        descriptor, order, ccsid = source
        data, length, whole, digest = kept
        queue, queue_manager, number = head
        ebcdic = descriptor[0] & 0x80 != 0
        batch = self.batch
        assert batch is not None
        message = ObservedMessage(
            _CHANNEL,
            direction,
            descriptor,
            order,
            ccsid,
            data,
            length,
            whole,
            places[0],
            places[1],
            read_name(queue, ccsid, ebcdic),
            read_name(queue_manager, ccsid, ebcdic),
            number,
            luwid,
            batch.number,
            0,
            0,
            digest,
        )
        self.kept += len(data)
        self._log.observations.append(MessageSeen(direction, places[1], message))
        self._await_outcome(direction, message, batch)

    def _await_outcome(self, direction: Direction, message: ObservedMessage, batch: ObservedBatch) -> None:
        batch.size += message.length
        batch.messages.append(message)
        if len(batch.messages) > MAX_UNSETTLED_MESSAGES:
            oldest = batch.messages.popleft()
            self.kept = max(self.kept - len(oldest.data), 0)
            self._log.observations.append(MessageSettled(direction, message.last, oldest, MessageOutcome.UNKNOWN))

    def _room(self, wanted: int) -> int:
        """Return how many bytes may still be kept, not counting data whose observations are no longer referenced."""
        batch = self.batch
        if self.kept + min(wanted, MAX_KEPT_DATA) > MAX_UNSETTLED_DATA and batch is not None:
            self.kept = sum(len(message.data) for message in batch.messages)
        return max(MAX_UNSETTLED_DATA - self.kept, 0)

    def unread(self, segment: Segment) -> None:
        """Count a message, or part of one, that cannot be parsed: its number is unknown."""
        if segment.flags1 & _FIRST:
            batch = self.batch or self._open(segment.luwid)
            batch.count += 1
            self.expected = None
        elif self.partial is not None:
            self.partial.whole = False
            if segment.flags1 & _LAST:
                self._finish(self._log.direction)

    def compressed(self, segment: Segment) -> None:
        """Take MESSAGE_DATA that is compressed."""
        begun = segment.flags1 & _FIRST
        if not begun and self._unread is not None:
            self._more_unread(segment)
            return
        if begun:
            self._cut_off()
        self.unread(segment)
        if begun and self.batch is not None:
            message = self._unread = message_in_clear(self._log.direction, segment, self._log.place, self.batch.number)
            self.batch.first = self.batch.first or message.sequence_number
            self.batch.last = message.sequence_number or self.batch.last
            if segment.flags1 & _LAST:
                self._finish_unread(self._log.direction)

    def _more_unread(self, segment: Segment) -> None:
        """Take a later segment of a compressed message, which may itself be uncompressed."""
        assert self._unread is not None
        self._unread.length += segment.body_length
        self._unread.last = self._log.place
        if segment.flags1 & _LAST:
            self._finish_unread(self._log.direction)

    def _finish_unread(self, direction: Direction) -> None:
        message, self._unread = self._unread, None
        if message is not None and self.batch is not None:
            self._log.observations.append(UnreadMessageSeen(direction, message.last, message))
            self._await_outcome(direction, message, self.batch)

    # Batches

    def _open(self, luwid: bytes) -> ObservedBatch:
        self._number += 1
        self.batch = ObservedBatch(self._number, luwid, self._log.place, self._whole)
        self._log.add(BatchBegun, self._number, luwid, self.previous)
        return self.batch

    def lose(self) -> None:
        """Note lost bytes of the sending end."""
        self.expected = None
        self._whole = False
        if self.batch is not None:
            self.batch.whole = False
        if self.partial is not None:
            self.partial.whole = False

    def settle(
        self,
        sender: Direction,
        fate: MessageOutcome,
        *,
        reason: int = 0,
        confirmed: bool = False,
        capture_stops: bool = False,
        whole: bool = True,
    ) -> None:
        """End the open batch, if any, with the outcome of its messages.

        ``whole``: its end was seen, so that lost bytes belong to no later batch.
        """
        log, place = self._log, self._log.place
        if self.partial is not None:
            self.partial.whole = False
            self._finish(sender)
        self._finish_unread(sender)
        batch, self.batch = self.batch, None
        self.kept = 0
        self._whole = whole
        if batch is None:
            return
        for message in batch.messages:
            log.observations.append(MessageSettled(sender, place, message, self._fate_of(message, fate), reason))
        held = batch.number, batch.luwid, batch.first, batch.last, batch.count, batch.size, batch.whole
        times = batch.begun, batch.asked, place if confirmed else None
        log.observations.append(BatchSettled(sender, place, *held, *times, fate, reason, capture_stops))
        self.previous = batch.luwid if batch.luwid != NO_LUWID else b""

    def _fate_of(self, message: ObservedMessage, fate: MessageOutcome) -> MessageOutcome:
        """Return the outcome of a message: fast messages are put outside the batch, so they may have arrived although
        it did not (channels.md 5.2)."""
        lost = self.fast and (fate is MessageOutcome.BACKED_OUT or fate is MessageOutcome.IN_DOUBT)
        return MessageOutcome.UNKNOWN if lost and not persistence_of(message.descriptor, message.order) else fate
