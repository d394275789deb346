"""What a sender writes to disk, and when (channels.md 5.2).

The order of steps; D marks what is on disk before the next step:

1. Messages are got, held by the session, and sent. Fast ones leave the queue when they are sent.
2. The batch ends: D the in-doubt record (LUWID, last number, positions of the messages).
3. Confirmation is requested and received.
4. D the messages are deleted and the record says "committed". While there is more to send, this shares the transaction
   with step 2 of the next batch: if the process dies in between, the record still has the batch in doubt, and the
   partner's LUWID resolves it at the next start.

If the messages of the next batch are known when a batch is confirmed (`prefetch`), steps 4 and 2 happen together at
once, before the next batch is sent: it is in doubt on disk before its confirmation is requested, and a start after a
crash finds that the partner does not have it. If it ends differently than planned (a message cannot be sent, the
channel is stopped), the record is written again.

A batch of fast messages alone has nothing to delete and promises nothing: if the record on disk says that its numbers
are ``unsure``, such batches are not awaited; their records are written when the disk has time.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram, InDoubtBatch, OnStored
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, Settle
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import BatchFailed, EndOfBatch


@dataclass(slots=True, eq=False)
class PlannedBatch:
    """A batch whose in-doubt record is written before it is sent."""

    batch: EndOfBatch
    positions: list[int]
    durable: bool = False
    then: OnStored | None = None
    """Called when it is durable."""


def positions_of(tokens: list[bytes]) -> list[int]:
    """The queue positions of messages with these tokens."""
    return list(struct.unpack(f">{2 * len(tokens)}Q", b"".join(tokens))[1::2])


class SendingBatches:
    """The open and the confirmed batch of a sender, by the tokens of their messages.

    A confirmed batch whose deletes fail must not be sent again: its messages are held, and the record on disk still has
    it in doubt, so the next start resolves it. ``failed`` is then called with the reason; the channel must end.
    """

    __slots__ = (
        "_behind",
        "_confirmed",
        "_host",
        "_persistent",
        "_planned",
        "_queue",
        "_recording",
        "channel",
        "fast",
        "program",
        "stored",
        "tokens",
    )

    def __init__(self, host: MCAHost, channel: Channel, program: ChannelProgram, transmission_queue: str) -> None:
        self._host = host
        self.channel = channel
        self.program = program
        self._queue = transmission_queue
        self.tokens: list[bytes] = []
        """Messages of the open batch that are deleted with it."""
        self.stored: list[bytes] = []
        """Those of them that are in the store."""
        self.fast: list[bytes] = []
        """Fast messages sent, which leave the queue whatever happens to the batch."""
        self._confirmed: tuple[bytes, ...] = ()
        self._persistent = 0
        self._planned: PlannedBatch | None = None
        self._behind = False
        self._recording = False

    def record_ahead(self, event: EndOfBatch, stored: list[bytes], failed: OnStored, now: Time) -> None:
        """Step 4, and step 2 for a batch that will end as planned. ``stored``: its messages in the store. ``failed``:
        called with the reason if the record is not written."""
        record = self.channel.sender
        planned = self._planned = PlannedBatch(event, positions_of(stored))
        state = record.state.asking(event.luwid, event.sequence, event.count)
        ahead = replace(record, state=state, positions=planned.positions, transmission_queue=self._queue)

        def done(error: MQError | None) -> None:
            then, planned.then = planned.then, None
            planned.durable = error is None
            if error is not None and self._planned is planned:
                self._planned = None
            if then is not None:
                then(error)
            elif error is not None:
                failed(error)

        self._commit(ahead.operation(self.channel.name), done, now)

    def forget_fast(self, now: Time) -> None:
        """Remove the fast messages that were sent from the queue."""
        if self.fast:
            arrived, self.fast = tuple(self.fast), []
            self.program.session.submit(Settle(0, arrived), now)

    def ending(self, event: EndOfBatch, then: OnStored, now: Time) -> None:
        """Step 2, with step 4 of the previous batch. ``then``: called when on disk, or with the reason why not."""
        record = self.channel.sender
        record.state = record.state.asking(event.luwid, event.sequence, event.count)
        record.transmission_queue = self._queue
        self._persistent = event.persistent
        if not event.persistent:
            if record.unsure_on_disk and not self._confirmed:
                record.positions = []
                self._record_behind()
                then(None)
                return
            record.state = replace(record.state, unsure=True)
        record.positions = positions_of(self.stored)

        def asked(error: MQError | None) -> None:
            if error is not None:
                record.state = record.state.settled(commit=False)
            then(error)

        planned, self._planned = self._planned, None
        if planned is not None and planned.batch == event and planned.positions == record.positions:
            if planned.durable:
                then(None)
            else:
                planned.then = asked
            return
        self._commit(record.operation(self.channel.name), asked, now)

    def confirmed(self) -> None:
        """Step 3: the messages may be deleted."""
        record = self.channel.sender
        record.state = record.state.settled(commit=True)
        if self._persistent:
            record.state = replace(record.state, unsure=False)
            self._confirmed = self._closed_batch()
        else:
            self._behind = True

    def settle(self, then: OnStored, now: Time) -> bool:
        """Step 4, if due. Returns whether it was."""
        if not self._confirmed:
            if self._behind:
                self._record_behind()
            return False
        self.record(then, now)
        return True

    def failed(self, event: BatchFailed, then: OnStored, now: Time) -> None:
        """The open batch has failed, or is in doubt."""
        record = self.channel.sender
        tokens = self._closed_batch()
        if event.in_doubt:
            self.channel.held = InDoubtBatch(self.program, tokens)
            return
        self.program.session.submit(Backout(0, tokens), now)
        doubt = record.state.in_doubt
        if doubt is not None and doubt.luwid == event.luwid:
            record.state = record.state.settled(commit=False)
            self.record(then, now)

    def record(self, then: OnStored, now: Time) -> None:
        """Write the sender's record as it is."""
        self._commit(self.channel.sender.operation(self.channel.name), then, now)

    def back_out(self, then: OnStored, now: Time) -> None:
        """Put back messages that were got and are not in doubt; corrects a record written ahead for another end of the
        batch."""
        self.program.session.submit(Backout(0, self._closed_batch()), now)
        if self._planned is not None:
            self._planned = None
            self.record(then, now)

    def _closed_batch(self) -> tuple[bytes, ...]:
        """Close the open batch and return its messages."""
        tokens, self.tokens, self.stored = tuple(self.tokens), [], []
        return tokens

    def _record_behind(self) -> None:
        """Write the record of fast batches, one row at a time: states in between share the next one."""
        self._behind = self._recording
        if self._recording:
            return
        self._recording = True

        def done(error: MQError | None) -> None:
            self._recording = False
            if error is None and self._behind:
                self._record_behind()

        row = self.channel.sender.operation(self.channel.name)
        self.program.commit(Commit(self.program.next_tag(), (row,)), done, self._host.now)

    def _commit(self, row: Operation, then: OnStored, now: Time) -> None:
        """Commit the deletes of the confirmed batch, if any, with a row."""
        confirmed, self._confirmed = self._confirmed, ()
        channel = self.channel
        channel.settling += 1
        self._behind = False
        record, unsure = channel.sender, channel.sender.state.unsure
        record.unsure_on_disk = record.unsure_on_disk and unsure

        def done(error: MQError | None) -> None:
            if error is not None and confirmed:
                channel.held = InDoubtBatch(self.program, confirmed)
                self._host.synchronisation.reload_sender(channel)
            elif error is None and channel.sender is record:
                record.unsure_on_disk = unsure and record.state.unsure
            then(error)
            channel.settled(self._host.now)

        self.program.commit(Commit(self.program.next_tag(), (row,), confirmed), done, now)
