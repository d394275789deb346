"""The batches of a sender: messages out, end of batch, confirmation (channels.md 5.1 to 5.3; mq-wire.md 7.4, 7.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import NO_LUWID, Segment

from .events import BatchConfirmed, BatchFailed, CloseRequested, EndOfBatch, Event
from .outbound import MQXQH_LENGTH, PREFIX_LENGTH, OpenBatch, prefix_builder
from .parameters import ChannelParameters, SenderState
from .resync import next_number
from .sender_start import SenderStart
from .states import State, Trigger
from .status import ChannelError
from .wire import Piece, SplitMessage, Wire

READY_STATES: Final = (State.BATCH, State.RUNNING, State.HEARTBEATING)
"""States in which a message may be sent, that in which most are sent first."""

_ALONE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)


class MessageTooLong(LocalProtocolError):
    """The message exceeds what was agreed; it cannot go through this channel (MQRC 2218, channels.md 4)."""


class SenderBatches(SenderStart):
    """The sending end as far as batches go."""

    __slots__ = ("_batch", "_last_sent", "_next_luwid", "_prefix", "_refused", "_wished")

    def __init__(
        self,
        parameters: ChannelParameters,
        saved: SenderState,
        luwids: Callable[[], bytes],
        now: float,
        *,
        ping: bytes | None,
        wire: Wire | None,
    ) -> None:
        super().__init__(parameters, saved, luwids, now, ping=ping, wire=wire)
        writer = self.wire.writer
        self._prefix = prefix_builder(writer.order, writer.ccsid, writer.encoding)
        self._batch: OpenBatch | None = None
        self._next_luwid: bytes | None = None
        self._last_sent = now
        self._refused = False
        self._wished = False

    # What the agent does

    @property
    def ready(self) -> bool:
        """Whether :meth:`send_message` is possible now."""
        return self.state in READY_STATES and not self._closing

    @property
    def batch_open(self) -> bool:
        """Whether messages were sent that are not confirmed yet."""
        return self._batch is not None

    @property
    def confirming(self) -> bool:
        """Whether confirmation was asked for and not given yet."""
        return self.state is State.CONFIRMING

    def foretell(self, count: int, persistent: int) -> EndOfBatch:
        """What :class:`EndOfBatch` will say of the next batch if it ends with ``count`` messages, of which
        ``persistent`` are to be deleted. Who makes that durable early need not do so at the end of that batch.

        Raises ``LocalProtocolError`` while a batch is open or nothing is agreed on.
        """
        if self._batch is not None or self.negotiated is None:
            raise LocalProtocolError(f"the next batch cannot be foretold in state {self.state.value}")
        if self._next_luwid is None:
            self._next_luwid = self._luwids()
        sequence, wrap = self._sequence, self.negotiated.sequence_wrap
        for _ in range(count):
            sequence = next_number(sequence, wrap)
        return EndOfBatch(luwid=self._next_luwid, sequence=sequence, count=count, persistent=persistent)

    @property
    def in_doubt(self) -> bool:
        """Whether a batch is in doubt, this connection's or an older one."""
        return (self.state is State.CONFIRMING and not self._refused) or self._saved.in_doubt is not None

    def send_message(
        self,
        payload: bytes | Iterable[Piece],
        now: float,
        *,
        persistent: bool,
        length: int | None = None,
    ) -> list[Event]:
        """Send one message; :class:`EndOfBatch` comes back when the batch is full with it.

        ``payload``: MQXQH, 428 bytes in our byte order and CCSID, and the data; as bytes, as a list of pieces, or
        with ``length`` (of all of it, bytes) as any iterable of pieces, read only as segments are taken. It must not
        change until it was sent. Raises :class:`MessageTooLong`, and ``LocalProtocolError`` when not :attr:`ready`
        or when the payload is shorter than MQXQH.
        """
        negotiated = self.negotiated
        if self.state not in READY_STATES or self._closing or negotiated is None:
            raise LocalProtocolError(f"no message can be sent in state {self.state.value}")
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
        batch = self._batch
        if batch is None:
            self._go(Trigger.MESSAGE)
            luwid, self._next_luwid = self._next_luwid or self._luwids(), None
            batch = self._batch = OpenBatch(luwid, self.parameters, negotiated)
            self.counters.current_luwid = batch.luwid
        number = self._sequence = next_number(self._sequence, negotiated.sequence_wrap)
        if segment_length > negotiated.transmission_size:
            self._queue_split(pieces, length, number, negotiated.transmission_size, batch.luwid)
        else:
            prefix = self._prefix(segment_length, _ALONE, batch.luwid, number, data_length, length)
            ready = (prefix, payload) if isinstance(payload, bytes) else (prefix, *map(bytes, pieces))
            self.wire.queue(ready, segment_length)
        full = batch.add(data_length, persistent or not negotiated.fast, now)
        self._last_sent = now
        counters = self.wire.counters
        counters.messages += 1
        counters.current_messages = batch.count
        counters.current_sequence = number
        counters.last_message = now
        if full:
            self._end_batch(now)
            return self._drain()
        return []

    def _queue_split(self, pieces: Iterable[Piece], length: int, number: int, size: int, luwid: bytes) -> None:
        build, data_length = self._prefix, length - MQXQH_LENGTH

        def prefix(segment_length: int, flags: int) -> bytes:
            return build(segment_length, flags, luwid, number, data_length, length)

        self.wire.queue_split(
            SplitMessage(prefix, PREFIX_LENGTH, pieces, length, size=size, luwid=luwid, writer=self.wire.writer)
        )

    def queue_empty(self, now: float) -> list[Event]:
        """Nothing is left to send for the moment: an open batch ends now, or when BATCHINT has passed."""
        if self.state is State.BATCH and self._batch is not None and self._batch.wait(now) <= now:
            self._end_batch(now)
        return self._drain()

    def end_batch(self, now: float) -> list[Event]:
        """End an open batch for a reason of the agent's own; nothing where none is open."""
        if self.state is State.BATCH:
            self._end_batch(now)
        return self._drain()

    def request_confirm(self, now: float) -> None:
        """Ask the partner to commit: the in-doubt record that :class:`EndOfBatch` asked for is durable.

        Raises ``LocalProtocolError`` when no batch has ended. After the end of the machine it does nothing.
        """
        if self.closed:
            return
        self._go(Trigger.CONFIRM_ASKED)
        batch = self._the_batch()
        self.wire.send(SegmentType.STATUS_DATA, flags=int(ControlFlags1.CONFIRM_REQUEST), luwid=batch.luwid)
        self._last_sent = now
        self._asked(now)

    # End of batch

    def _the_batch(self) -> OpenBatch:
        if self._batch is None:
            raise LocalProtocolError("no batch is open")
        return self._batch

    def _end_batch(self, now: float) -> None:
        silence = self.parameters.batch_heartbeat_seconds
        if silence and now - self._last_heard >= silence:
            self._go(Trigger.BATCH_CHECK)
            self._send_heartbeat(now)
        else:
            self._go(Trigger.BATCH_ENDS)
            self._tell_end_of_batch()

    def _tell_end_of_batch(self) -> None:
        batch = self._the_batch()
        self._emit(
            EndOfBatch(luwid=batch.luwid, sequence=self._sequence, count=batch.count, persistent=batch.persistent)
        )

    def _confirmed(self, segment: Segment, now: float) -> None:
        batch = self._the_batch()
        if segment.luwid not in (batch.luwid, NO_LUWID):
            raise ChannelError(
                f"confirmation of {segment.luwid.hex()} instead of {batch.luwid.hex()}", StatusCode.BATCH_FAILURE
            )
        self._step(Trigger.CONFIRMED)
        self._batch = None
        counters = self.counters
        counters.batches += 1
        counters.current_messages = 0
        self._saved = SenderState(luwid=batch.luwid, sequence=self._sequence)
        self._emit(
            BatchConfirmed(
                luwid=batch.luwid,
                sequence=self._sequence,
                count=batch.count,
                dlq_used=bool(segment.flags1 & ControlFlags1.DLQ_USED),
            )
        )
        if segment.flags1 & ControlFlags1.CLOSE_CHANNEL:
            self._partner_closes()
            return
        if segment.flags1 & ControlFlags1.REQUEST_CLOSE:
            self._wished = self._closing = True
            self._emit(CloseRequested())
        self._run(now)

    def _send_heartbeat(self, now: float) -> None:
        raise NotImplementedError

    def _abandon(self) -> bool:
        in_doubt = self.in_doubt
        batch, self._batch = self._batch, None
        if batch is not None:
            self._emit(BatchFailed(luwid=batch.luwid, count=batch.count, in_doubt=in_doubt))
        return in_doubt
