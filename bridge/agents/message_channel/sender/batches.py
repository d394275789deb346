"""What a sending end makes durable, and when (channels.md 5.2).

The order of things, with D for what is on disk before the next step:

1. Messages are got under the batch's unit of work and sent. Fast ones are gone from the queue when they are sent.
2. The batch ends: D the in-doubt record (LUWID, last number, positions of the messages).
3. Confirmation is asked for and given.
4. D the messages are deleted and the record says "committed". While there is more to send this shares the transaction
   with step 2 of the next batch: if the process dies in between, the record still has the batch in doubt and the
   partner's LUWID settles it at the next start.

Where the messages of the next batch are known when a batch is confirmed (`prefetch`), steps 4
and 2 happen together at once, before the next batch is sent: it is in doubt on disk while nobody has asked for its
confirmation yet, and a start after a kill finds that the partner does not have it. If it ends otherwise than foretold
(a message cannot travel, the channel is stopped), the record is written again.

A batch of fast messages alone has nothing to delete, and nobody was promised anything: once the record on disk says
that its numbers are ``unsure``, such batches are not waited for, their records follow when the disk has time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.queue_manager import MQError, UnitOfWork
from mqbridge.bridge.queue_manager.units_of_work import Then
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.channel import BatchFailed, EndOfBatch


@dataclass(slots=True, eq=False)
class Foretold:
    """A batch whose in-doubt record was written before it was sent."""

    batch: EndOfBatch
    positions: list[int]
    durable: bool = False
    then: Then | None = None
    """Who waits for it to be durable."""


class SendingBatches:
    """The open batch and the confirmed one of a sending end.

    A confirmed batch whose deletes fail must not be sent again: its messages are held, and the record on disk still
    has it in doubt, so the next start settles it. ``failed`` is then called with the reason; the channel must end.
    """

    __slots__ = (
        "_behind",
        "_confirmed",
        "_fast",
        "_foretold",
        "_host",
        "_manager",
        "_persistent",
        "_queue",
        "_recording",
        "_unit",
        "channel",
    )

    def __init__(self, host: MCAHost, channel: Channel, transmission_queue: str) -> None:
        self._host = host
        self._manager = host.manager
        self.channel = channel
        self._queue = transmission_queue
        self._unit: UnitOfWork | None = None
        self._confirmed: UnitOfWork | None = None
        self._persistent = 0
        self._fast: UnitOfWork | None = None
        self._foretold: Foretold | None = None
        self._behind = False
        self._recording = False

    @property
    def unit(self) -> UnitOfWork:
        """The unit of work of the open batch; a new one when none is open."""
        if self._unit is None:
            self._unit = self._manager.begin(self)
        return self._unit

    def adopt(self, unit: UnitOfWork) -> None:
        """The next batch begins with the messages of this unit of work; none is open."""
        if self._unit is not None:  # what it had were fast messages
            self._manager.backout(self._unit, self._host.now)
        self._unit = unit

    def foretell(self, event: EndOfBatch, failed: Then, now: float) -> None:
        """Step 4, and step 2 for a batch that will end so; all of its messages are in the unit of work already.
        ``failed``: told the reason if it does not become durable."""
        record = self.channel.sender
        positions = self._manager.stored_positions(self.unit, self._queue)
        foretold = self._foretold = Foretold(event, positions)
        state = record.state.asking(event.luwid, event.sequence, event.count)
        ahead = replace(record, state=state, positions=positions, transmission_queue=self._queue)

        def done(error: MQError | None) -> None:
            then, foretold.then = foretold.then, None
            foretold.durable = error is None
            if error is not None and self._foretold is foretold:
                self._foretold = None
            if then is not None:
                then(error)
            elif error is not None:
                failed(error)

        self._commit([ahead.operation(self.channel.name)], done, now)

    def fast(self, position: int) -> None:
        """The message got last travels outside the batch: it leaves the queue whatever becomes of it."""
        if self._fast is None:
            self._fast = self._manager.begin(self)
        self._manager.move_get(self.unit, self._fast, position)

    def forget_fast(self, now: float) -> None:
        """Takes the fast messages that were sent off the queue for good."""
        if self._fast is not None:
            unit, self._fast = self._fast, None
            self._manager.commit(unit, now)

    def ending(self, event: EndOfBatch, then: Then, now: float) -> None:
        """Step 2, with step 4 of the batch before. ``then``: on disk, or why not."""
        record = self.channel.sender
        record.state = record.state.asking(event.luwid, event.sequence, event.count)
        record.transmission_queue = self._queue
        self._persistent = event.persistent
        if not event.persistent:
            if record.unsure_on_disk and self._confirmed is None:
                record.positions = []
                self._record_behind()
                then(None)
                return
            record.state = replace(record.state, unsure=True)
        record.positions = self._manager.stored_positions(self.unit, self._queue)

        def asked(error: MQError | None) -> None:
            if error is not None:
                record.state = record.state.settled(commit=False)
            then(error)

        foretold, self._foretold = self._foretold, None
        if foretold is not None and foretold.batch == event and foretold.positions == record.positions:
            if foretold.durable:
                then(None)
            else:
                foretold.then = asked
            return
        self._commit([record.operation(self.channel.name)], asked, now)

    def confirmed(self) -> None:
        """Step 3: the messages may be deleted."""
        record = self.channel.sender
        record.state = record.state.settled(commit=True)
        if self._persistent:
            record.state = replace(record.state, unsure=False)
            self._confirmed, self._unit = self._unit, None
        else:
            self._behind = True

    def settle(self, then: Then, now: float) -> bool:
        """Step 4, if it is due; whether it was."""
        if self._confirmed is None:
            if self._behind:
                self._record_behind()
            return False
        self._commit([self.channel.sender.operation(self.channel.name)], then, now)
        return True

    def take_out(self, position: int) -> UnitOfWork:
        """A unit of work of its own for a message that is not sent: its fate does not hang on the batch."""
        unit = self._manager.begin(self)
        self._manager.move_get(self.unit, unit, position)
        return unit

    def failed(self, event: BatchFailed, then: Then, now: float) -> None:
        """The open batch came to nothing, or into doubt."""
        record = self.channel.sender
        unit, self._unit = self._unit, None
        if event.in_doubt:
            self.channel.held = unit
            return
        if unit is not None:
            self._manager.backout(unit, now)
        doubt = record.state.in_doubt
        if doubt is not None and doubt.luwid == event.luwid:
            record.state = record.state.settled(commit=False)
            self._commit([record.operation(self.channel.name)], then, now)

    def record(self, then: Then, now: float) -> None:
        """Makes the sending end's record durable as it is."""
        self._commit([self.channel.sender.operation(self.channel.name)], then, now)

    def back_out(self, then: Then, now: float) -> None:
        """Puts back what was taken and is not in doubt; the record says so too if it had foretold something else."""
        unit, self._unit = self._unit, None
        if unit is not None:
            self._manager.backout(unit, now)
        if self._foretold is not None:
            self._foretold = None
            self.record(then, now)

    def _record_behind(self) -> None:
        """Writes the record of fast batches; one at a time, so what gathers meanwhile shares the next one."""
        self._behind = self._recording
        if self._recording:
            return
        self._recording = True

        def done(error: MQError | None) -> None:
            self._recording = False
            if error is None and self._behind:
                self._record_behind()

        self._manager.submit([self.channel.sender.operation(self.channel.name)], done)

    def _commit(self, operations: list[Operation], then: Then, now: float) -> None:
        """Commits the deletes of the confirmed batch, if any, with the operations given."""
        confirmed, self._confirmed = self._confirmed, None
        channel = self.channel
        channel.settling += 1
        self._behind = False
        record, unsure = channel.sender, channel.sender.state.unsure
        record.unsure_on_disk = record.unsure_on_disk and unsure

        def done(error: MQError | None) -> None:
            if error is not None and confirmed is not None:
                channel.held = confirmed
                self._host.synchronisation.reload_sender(channel)
            elif error is None and channel.sender is record:
                record.unsure_on_disk = unsure and record.state.unsure
            then(error)
            channel.settled(self._host.now)

        if confirmed is None:
            self._manager.submit(operations, done)
        else:
            confirmed.stays = True
            self._manager.commit(confirmed, now, done, operations)
