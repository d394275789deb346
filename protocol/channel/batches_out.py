"""Batches at the sending end: messages, end of batch, confirmation (channels.md 5.1 to 5.3; mq-wire.md 7.4, 7.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import NO_LUWID, Segment

from .events import BatchConfirmed, BatchFailed, EndOfBatch, Event
from .heartbeats import Heartbeats
from .link import Link
from .outbound import MQXQH_LENGTH, PREFIX_LENGTH, OpenBatch, Outgoing, prefix_builder
from .parameters import ChannelParameters, Negotiated, SenderState
from .sender_recovery import SenderRecovery
from .sequence import next_number, number_after
from .states import State, Trigger
from .status import ChannelError
from .wire import Piece, SplitMessage

READY_STATES: Final = (State.BATCH, State.RUNNING, State.HEARTBEATING)
"""States in which a message may be sent, the most frequent first."""

_ALONE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)


class MessageTooLong(LocalProtocolError):
    """The message exceeds the negotiated length and cannot go through this channel (MQRC 2218, channels.md 4)."""


class BatchesOut:
    """The batches that a sending end sends, one at a time.

    ``luwids`` returns the LUWID of a new batch. ``heartbeats`` checks the partner before a batch ends (BATCHHB).
    Confirmed batches become the state of ``recovery``.
    """

    __slots__ = (
        "_batch",
        "_heartbeats",
        "_link",
        "_longest_whole",
        "_luwids",
        "_next_luwid",
        "_parameters",
        "_prefix",
        "_recovery",
        "_sequence",
        "negotiated",
        "refused",
    )

    def __init__(
        self,
        link: Link[Event],
        parameters: ChannelParameters,
        luwids: Callable[[], bytes],
        recovery: SenderRecovery,
        heartbeats: Heartbeats,
    ) -> None:
        self._link = link
        self._parameters = parameters
        self._luwids = luwids
        self._recovery = recovery
        self._heartbeats = heartbeats
        self.negotiated: Negotiated | None = None
        """Negotiated values; None before the ends have agreed."""
        self._longest_whole = 0  # MQXQH and data in one segment
        writer = link.wire.writer
        self._prefix = prefix_builder(writer.order, writer.ccsid, writer.encoding)
        self._batch: OpenBatch | None = None
        self._sequence = 0  # of the last message of the open batch
        self._next_luwid: bytes | None = None
        self.refused = False
        """The partner certainly did not commit the batch."""

    # For the agent.

    @property
    def ready(self) -> bool:
        """Whether :meth:`send_message` may be called now."""
        return self._link.state in READY_STATES and not self._link.closing

    @property
    def open(self) -> bool:
        """Whether there are sent, unconfirmed messages."""
        return self._batch is not None

    @property
    def confirming(self) -> bool:
        """Whether a confirmation was requested and has not arrived."""
        return self._link.state is State.CONFIRMING

    @property
    def in_doubt(self) -> bool:
        """Whether a batch is in doubt: this connection's or an earlier one."""
        return (self.confirming and not self.refused) or self._recovery.saved.in_doubt is not None

    def planned_end(self, count: int, persistent: int) -> EndOfBatch:
        """Return the :class:`EndOfBatch` of the next batch if it ends with ``count`` messages, ``persistent`` of which
        are deleted on confirmation.

        An agent that makes this record durable in advance need not do so at the end of that batch. Raises
        ``LocalProtocolError`` while a batch is open or nothing is negotiated.
        """
        if self._batch is not None or self.negotiated is None:
            raise LocalProtocolError(f"the end of the next batch cannot be planned in state {self._link.state.value}")
        if self._next_luwid is None:
            self._next_luwid = self._luwids()
        sequence = number_after(self._recovery.saved.sequence, count, self.negotiated.sequence_wrap)
        return EndOfBatch(luwid=self._next_luwid, sequence=sequence, count=count, persistent=persistent)

    def send_message(
        self,
        payload: bytes | Iterable[Piece],
        now: float,
        *,
        persistent: bool,
        length: int | None = None,
    ) -> list[Event]:
        """Send one message; returns :class:`EndOfBatch` if it fills the batch.

        ``payload``: MQXQH (428 bytes in our byte order and CCSID) and the data, as bytes or a list of pieces; or, with
        ``length`` (total bytes), any iterable of pieces, read only as segments are taken. It must not change until it
        has been sent. Raises :class:`MessageTooLong`, and ``LocalProtocolError`` if not :attr:`ready` or if the payload
        is shorter than MQXQH.
        """
        negotiated, link = self.negotiated, self._link
        if link.state not in READY_STATES or link.closing or negotiated is None:
            raise LocalProtocolError(f"no message can be sent in state {link.state.value}")
        pieces: Iterable[Piece] = (payload,) if isinstance(payload, bytes) else payload
        if length is None:
            pieces = tuple(pieces)
            length = sum(map(len, pieces))
        data_length = length - MQXQH_LENGTH
        if data_length < 0:
            raise LocalProtocolError(f"a message of {length} bytes lacks its MQXQH")
        if data_length > negotiated.max_message_length:
            raise MessageTooLong(f"{data_length} bytes of data, the channel takes {negotiated.max_message_length}")
        segment_length = PREFIX_LENGTH + length
        wire = link.wire
        batch = self._batch or self._begin(negotiated)
        number = self._sequence = next_number(self._sequence, negotiated.sequence_wrap)
        if segment_length > negotiated.transmission_size:
            self._queue_split(pieces, length, number, negotiated.transmission_size, batch.luwid)
        else:
            prefix = self._prefix(segment_length, _ALONE, batch.luwid, number, data_length, length)
            ready = (prefix, payload) if isinstance(payload, bytes) else (prefix, *map(bytes, pieces))
            wire.queue(ready, segment_length)
        full = batch.add(data_length, persistent or not negotiated.fast, now)
        self._sent(batch, 1, now)
        if full:
            self.end(now)
            return link.drain()
        return []

    def is_whole(self, message: Outgoing) -> bool:
        """Whether a message is in memory, is no longer than the channel allows, and fits into a segment."""
        return type(message.payload) is bytes and MQXQH_LENGTH <= message.length <= self._longest_whole

    def send_whole(
        self, messages: Sequence[Outgoing | None], first: int, room: int, now: float
    ) -> tuple[int, list[Event]]:
        """Send messages from ``first`` on with one write, each as :meth:`send_message` does.

        They end with the batch, in front of one that is None or not :meth:`is_whole`, and where the next segment would
        exceed ``room`` bytes; where nothing waits, there is room for one. Returns how many were sent, and
        :class:`EndOfBatch` if they fill the batch. Raises ``LocalProtocolError`` if not :attr:`ready`.
        """
        negotiated, link, build = self.negotiated, self._link, self._prefix
        if link.state not in READY_STATES or link.closing or negotiated is None:
            raise LocalProtocolError(f"no message can be sent in state {link.state.value}")
        number, wrap, all_kept, batch = self._sequence, negotiated.sequence_wrap, not negotiated.fast, self._batch
        pieces: list[bytes] = []
        size = count = 0
        full = False
        while not full and first + count < len(messages):
            message = messages[first + count]
            if message is None or not self.is_whole(message):
                break
            length = message.length
            if size + PREFIX_LENGTH + length > room and (count or link.wire.unsent):
                break
            if batch is None:
                batch = self._begin(negotiated)
                number = self._sequence
            number = next_number(number, wrap)
            data_length = length - MQXQH_LENGTH
            pieces.append(build(PREFIX_LENGTH + length, _ALONE, batch.luwid, number, data_length, length))
            pieces.append(message.payload)  # type: ignore[arg-type]  # it is whole
            size += PREFIX_LENGTH + length
            count += 1
            full = batch.add(data_length, message.persistent or all_kept, now)
        if batch is None or not count:
            return 0, []
        link.wire.queue(tuple(pieces), size, segments=count)
        self._sequence = number
        self._sent(batch, count, now)
        if full:
            self.end(now)
            return count, link.drain()
        return count, []

    def _begin(self, negotiated: Negotiated) -> OpenBatch:
        """Open a batch for its first message."""
        self._link.go(Trigger.MESSAGE)
        luwid, self._next_luwid = self._next_luwid or self._luwids(), None
        batch = self._batch = OpenBatch(luwid, self._parameters, negotiated)
        self._link.wire.counters.current_luwid = luwid
        self._sequence = self._recovery.saved.sequence
        return batch

    def _sent(self, batch: OpenBatch, count: int, now: float) -> None:
        """Count messages that were sent."""
        self._heartbeats.last_sent = now
        counters = self._link.wire.counters
        counters.messages += count
        counters.current_messages = batch.count
        counters.current_sequence = self._sequence
        counters.last_message = now

    def _queue_split(self, pieces: Iterable[Piece], length: int, number: int, size: int, luwid: bytes) -> None:
        build, data_length = self._prefix, length - MQXQH_LENGTH

        def prefix(segment_length: int, flags: int) -> bytes:
            return build(segment_length, flags, luwid, number, data_length, length)

        wire = self._link.wire
        wire.queue_split(
            SplitMessage(prefix, PREFIX_LENGTH, pieces, length, size=size, luwid=luwid, writer=wire.writer)
        )

    def queue_empty(self, now: float) -> list[Event]:
        """Note that the transmission queue is empty: an open batch ends now, or when BATCHINT has passed."""
        if self._link.state is State.BATCH and self._the_batch().wait(now) <= now:
            self.end(now)
        return self._link.drain()

    def end_batch(self, now: float) -> list[Event]:
        """End an open batch for a reason of the agent's own; without one, do nothing."""
        if self._link.state is State.BATCH:
            self.end(now)
        return self._link.drain()

    def request_confirm(self, now: float) -> None:
        """Ask the partner to commit; the in-doubt record of :class:`EndOfBatch` is durable.

        Raises ``LocalProtocolError`` if no batch has ended. After the end of the machine it does nothing.
        """
        link = self._link
        if link.closed:
            return
        link.go(Trigger.CONFIRM_ASKED)
        flags = int(ControlFlags1.CONFIRM_REQUEST)
        link.wire.send(SegmentType.STATUS_DATA, flags=flags, luwid=self._the_batch().luwid)
        self._heartbeats.asked(now)

    # For the channel.

    def agreed(self, negotiated: Negotiated) -> None:
        """Note the negotiated values."""
        self.negotiated = negotiated
        self._longest_whole = min(
            negotiated.transmission_size - PREFIX_LENGTH, negotiated.max_message_length + MQXQH_LENGTH
        )

    @property
    def deadline(self) -> float | None:
        """When the open batch ends if the queue stays empty; None while the queue is not empty or no batch is open."""
        return None if self._batch is None else self._batch.deadline

    def end(self, now: float) -> None:
        """End the open batch, after a batch heartbeat if the partner was silent for BATCHHB."""
        silence = self._parameters.batch_heartbeat_seconds
        if silence and now - self._link.last_heard >= silence:
            self._link.go(Trigger.BATCH_CHECK)
            self._heartbeats.send(now)
        else:
            self._link.go(Trigger.BATCH_ENDS)
            self.tell_end()

    def tell_end(self) -> None:
        """Emit :class:`EndOfBatch`."""
        batch = self._the_batch()
        self._link.emit(
            EndOfBatch(luwid=batch.luwid, sequence=self._sequence, count=batch.count, persistent=batch.persistent)
        )

    def is_confirmation(self, segment: Segment) -> bool:
        """Return whether an answer confirms the batch; one that closes the channel does only if it names the batch."""
        closes = segment.flags1 & ControlFlags1.CLOSE_CHANNEL
        return not closes or segment.luwid == self._the_batch().luwid

    def confirmed(self, segment: Segment) -> None:
        """Take the confirmation of the batch. Raises ``ChannelError`` if it names another batch."""
        batch, link = self._the_batch(), self._link
        if segment.luwid not in (batch.luwid, NO_LUWID):
            raise ChannelError(
                f"confirmation of {segment.luwid.hex()} instead of {batch.luwid.hex()}", StatusCode.BATCH_FAILURE
            )
        link.step(Trigger.CONFIRMED)
        self._batch = None
        counters = link.wire.counters
        counters.batches += 1
        counters.current_messages = 0
        self._recovery.saved = SenderState(luwid=batch.luwid, sequence=self._sequence)
        link.emit(
            BatchConfirmed(
                luwid=batch.luwid,
                sequence=self._sequence,
                count=batch.count,
                dlq_used=bool(segment.flags1 & ControlFlags1.DLQ_USED),
            )
        )

    def abandon(self) -> bool:
        """Report an open batch as failed; return whether a batch is in doubt."""
        in_doubt = self.in_doubt
        batch, self._batch = self._batch, None
        if batch is not None:
            self._link.emit(BatchFailed(luwid=batch.luwid, count=batch.count, in_doubt=in_doubt))
        return in_doubt

    def _the_batch(self) -> OpenBatch:
        if self._batch is None:
            raise LocalProtocolError("no batch is open")
        return self._batch
