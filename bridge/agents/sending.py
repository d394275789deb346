"""A sending end: takes messages from its transmission queue, batch by batch, and settles each batch exactly once.

The order of things, with D for what is on disk before the next step (channels.md 5.2):

1. Messages are got under the batch's unit of work and sent. Fast ones are gone from the queue when they are sent.
2. The batch ends: D the in-doubt record (LUWID, last number, positions of the messages).
3. Confirmation is asked for and given.
4. D the messages are deleted and the record says "committed". While there is more to send this shares the transaction
   with step 2 of the next batch: if the process dies in between, the record still has the batch in doubt and the
   partner's LUWID settles it at the next start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager import GetOptions, Got, MQError, PutOptions, UnitOfWork, Waiter
from bridge.queue_manager.control import StatusRow
from bridge.queue_manager.opening import Handle
from bridge.queue_manager.units_of_work import Then
from bridge.store.interface import Operation
from mappings.mq import unwrap
from protocol.channel import (
    BatchConfirmed,
    BatchFailed,
    Closed,
    EndOfBatch,
    Event,
    InDoubtResolved,
    PingAnswered,
    SenderChannel,
    SequenceReset,
    Started,
)
from protocol.constants import MQCO, MQGMO, MQMODE, MQOO, MQPMO, MQRC

from .outgoing import outgoing
from .receiving import application_of
from .status import sender_numbers, status_word

if TYPE_CHECKING:
    from bridge.queue_manager.objects import Definition

    from .attempts import Attempt
    from .channel import Channel
    from .connection import Connection
    from .supervisor import Supervisor

MAX_UNSENT = 1 << 20
"""Bytes that may wait for the transport before no further message is taken from the queue."""


class SendingEnd:
    """The agent of a sender or server channel on one connection."""

    __slots__ = (
        "_confirmed",
        "_convert",
        "_got_options",
        "_handle",
        "_ping",
        "_put_options",
        "_unit",
        "_waiter",
        "channel",
        "connection",
        "definition",
        "machine",
        "manager",
        "started_at",
        "stopping",
        "supervisor",
    )

    def __init__(
        self,
        supervisor: Supervisor,
        channel: Channel,
        definition: Definition,
        connection: Connection,
        ping: Attempt | None = None,
    ) -> None:
        self.supervisor = supervisor
        self.manager = supervisor.manager
        self.channel = channel
        self.definition = definition
        self.connection = connection
        self.machine: SenderChannel
        self.started_at = 0.0
        self.stopping = False
        self._ping = ping
        self._unit: UnitOfWork | None = None
        self._confirmed: UnitOfWork | None = None
        self._handle: Handle | None = None
        self._convert = definition.text("CONVERT") == "YES"
        application = application_of(supervisor, definition, connection)
        self._got_options = GetOptions(MQGMO.SYNCPOINT | MQGMO.NO_WAIT, application=application)
        self._put_options = PutOptions(MQPMO.PASS_ALL_CONTEXT, application=application, direct=True)
        self._waiter: Waiter | None = None

    @property
    def transmission_queue(self) -> str:
        """XMITQ of the definition."""
        return self.definition.text("XMITQ")

    # Events

    def handle(self, event: Event, now: float) -> None:
        """Acts on one event of the machine."""
        match event:
            case BatchConfirmed():
                self._batch_confirmed(now)
            case EndOfBatch():
                self._end_of_batch(event, now)
            case Started():
                self._started(event, now)
            case BatchFailed():
                self._batch_failed(event, now)
            case InDoubtResolved():
                self._in_doubt_resolved(event, now)
            case SequenceReset():
                self.channel.sender.state = self.channel.sender.state.reset_done()
                self._record(now)
            case PingAnswered():
                if self._ping is not None and self._ping.ping_reply is not None:
                    word = "answered" if event.same else "answered with other data"
                    self._ping.ping_reply("AMQ8020", f"PING of {event.length} bytes {word}")
                    self._ping.ping_reply = None
            case Closed():
                self._closed(event, now)
            case _:
                pass

    def _started(self, event: Started, now: float) -> None:
        self.started_at = now
        if self._ping is not None:
            return
        self.channel.sender.partner = event.partner
        if event.negotiated.fast:
            self._got_options.options = MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.NO_WAIT
        self.supervisor.started(self.channel, self)
        try:
            options = MQOO.INPUT_EXCLUSIVE | MQOO.FAIL_IF_QUIESCING
            self._handle = self.manager.open(self.transmission_queue, options=options, owner=self, now=now)
        except MQError as error:
            self.supervisor.problem("AMQ9509", self.channel.name, error)
            self._close(MQMODE.FORCE, now, stop=error.reason != MQRC.OBJECT_IN_USE)
            return
        self.fill(now)

    # Sending

    def writable(self, now: float) -> None:
        """The transport takes more."""
        self.fill(now)

    def woken(self, reason: int, now: float) -> None:
        """A message came to the transmission queue, or the wait for one ended otherwise."""
        self._waiter = None
        if reason in (MQRC.NONE, MQRC.NO_MSG_AVAILABLE):
            self.fill(now)
        elif not self.machine.closed:
            self.supervisor.problem("AMQ9549" if reason == MQRC.GET_INHIBITED else "AMQ9510", self.channel.name, reason)
            self._close(MQMODE.QUIESCE, now, stop=False)

    def fill(self, now: float) -> None:
        """Takes messages from the queue while the machine and the transport want more."""
        machine, manager = self.machine, self.manager
        handle = self._handle
        while handle is not None and machine.ready and machine.unsent < MAX_UNSENT:
            if self._unit is None:
                self._unit = manager.begin(self)
            try:
                got = manager.get(handle.target, self._got_options, self._unit, now)
            except MQError as error:
                self.supervisor.problem("AMQ9510", self.channel.name, error)
                self._close(MQMODE.QUIESCE, now, stop=False)
                return
            if got is None:
                self.connection.deliver(machine.queue_empty(now), now)
                self._settle_when_idle(now)
                if machine.ready and self._waiter is None:
                    self._waiter = Waiter(self, self._got_options)
                    manager.wait(handle.target, self._waiter, now)
                break
            self._send(got, now)
        self.supervisor.touched(self.connection, now)

    def _send(self, got: Got, now: float) -> None:
        """Sends one message, or dead-letters one that the channel cannot carry."""
        negotiated = self.machine.negotiated
        assert negotiated is not None
        try:
            ready = outgoing(got.message, negotiated.max_message_length, convert=self._convert)
        except MQError as error:
            self._undeliverable(got, error.reason, now)
            return
        events = self.machine.send_message(ready.payload, now, persistent=ready.persistent, length=ready.length)
        if events:
            self.connection.deliver(events, now)

    def _undeliverable(self, got: Got, reason: int, now: float) -> None:
        """A message that cannot travel goes to the dead-letter queue of this end (channels.md 7.2)."""
        if reason == MQRC.XQH_ERROR:
            message, queue, manager_name = got.message, "", ""
        else:
            wrapped = unwrap(got.message)
            message, queue, manager_name = wrapped.message, wrapped.remote_q_name, wrapped.remote_q_mgr_name
        md = got.message.md
        try:
            self.manager.undeliverable(
                message,
                queue,
                manager_name,
                reason,
                self._put_options,
                self._unit,
                now,
                use_dead_letter_queue=self.definition.text("USEDLQ") == "YES",
                fast=md.persistence == 0 and bool(self._got_options.options & MQGMO.SYNCPOINT_IF_PERSISTENT),
            )
            self.supervisor.log("AMQ9548", self.channel.name, queue, manager_name, reason)
        except MQError as error:
            self.supervisor.problem("AMQ9527", self.channel.name, error)
            self._close(MQMODE.FORCE, now, stop=True)

    # Batches

    def _end_of_batch(self, event: EndOfBatch, now: float) -> None:
        """Step 2: the in-doubt record, together with the deletes of the batch before."""
        record = self.channel.sender
        if self._unit is None:
            self._unit = self.manager.begin(self)
        record.state = record.state.asking(event.luwid, event.sequence, event.count)
        record.transmission_queue = self.transmission_queue
        record.positions = self.manager.stored_positions(self._unit, self.transmission_queue)
        operation = record.operation(self.channel.name)

        def asked(error: MQError | None) -> None:
            if error is None:
                if not self.machine.closed:
                    self.machine.request_confirm(self.supervisor.now)
                    self.supervisor.touched(self.connection, self.supervisor.now)
            elif not self.machine.closed:
                record.state = record.state.settled(commit=False)
                self.supervisor.problem("AMQ9540", self.channel.name, error)
                self._close(MQMODE.FORCE, self.supervisor.now, stop=False)

        self._settle([operation], asked, now)

    def _batch_confirmed(self, now: float) -> None:
        """Step 3: the messages may be deleted; with the next in-doubt record if one follows at once."""
        record = self.channel.sender
        record.state = record.state.settled(commit=True)
        self._confirmed, self._unit = self._unit, None
        self.fill(now)

    def _settle_when_idle(self, now: float) -> None:
        """Step 4, when no next batch ends right away."""
        if self._confirmed is not None:
            self._settle([self.channel.sender.operation(self.channel.name)], None, now)
        elif self._unit is not None and self._unit.count and not self.machine.batch_open and not self.machine.in_doubt:
            unit, self._unit = self._unit, None
            self.manager.commit(unit, now)

    def _settle(self, operations: list[Operation], then: Then | None, now: float) -> None:
        """Commits the deletes of the confirmed batch, if any, with the operations given.

        A confirmed batch whose deletes fail must not be sent again: its messages are held, and the record on disk
        still has it in doubt, so the next start settles it.
        """
        confirmed, self._confirmed = self._confirmed, None
        channel = self.channel
        channel.settling += 1
        positions = None
        if confirmed is not None:
            positions = self.manager.stored_positions(confirmed, self.transmission_queue)

        def settled(error: MQError | None) -> None:
            if error is not None and positions is not None:
                self.channel.held = self.manager.hold(self.transmission_queue, positions, self)
                self.supervisor.synchronisation.reload_sender(self.channel)
                self.supervisor.problem("AMQ9540", self.channel.name, error)
                if not self.machine.closed:
                    self._close(MQMODE.FORCE, self.supervisor.now, stop=False)
            elif then is not None:
                then(error)
            channel.settled(self.supervisor.now)

        if confirmed is None:
            self.manager.submit(operations, settled)
        else:
            self.manager.commit(confirmed, now, settled, operations)

    def _batch_failed(self, event: BatchFailed, now: float) -> None:
        record = self.channel.sender
        unit, self._unit = self._unit, None
        if event.in_doubt:
            self.channel.held = unit
            return
        if unit is not None:
            self.manager.backout(unit, now)
        if record.state.in_doubt is not None and record.state.in_doubt.luwid == event.luwid:
            record.state = record.state.settled(commit=False)
            self._settle([record.operation(self.channel.name)], None, now)

    def _in_doubt_resolved(self, event: InDoubtResolved, now: float) -> None:
        self.supervisor.synchronisation.settle(self.channel, event.commit, now, self._recorded)

    def _record(self, now: float) -> None:
        self._settle([self.channel.sender.operation(self.channel.name)], self._recorded, now)

    def _recorded(self, error: MQError | None) -> None:
        now = self.supervisor.now
        if self.machine.closed:
            return
        if error is not None:
            self.supervisor.problem("AMQ9540", self.channel.name, error)
            self._close(MQMODE.FORCE, now, stop=False)
            return
        self.connection.deliver(self.machine.recorded(now), now)
        self.fill(now)

    # Status

    @property
    def partner(self) -> str:
        """Queue manager name of the partner."""
        return self.channel.sender.partner

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        return "STOPPING" if self.stopping else status_word(self.machine.status)

    def saved_numbers(self) -> StatusRow:
        """Last confirmed batch, and whether one is in doubt."""
        return {"XMITQ": self.transmission_queue, **sender_numbers(self.channel)}

    # Ending

    def stop(self, mode: int, now: float) -> None:
        """STOP CHANNEL or the end of the queue manager."""
        self.stopping = True
        self.connection.deliver(self.machine.close(mode, now), now)
        self.supervisor.touched(self.connection, now)

    def _close(self, mode: int, now: float, *, stop: bool) -> None:
        if stop:
            self.channel.status.stopped = True
        if not self.machine.closed:
            self.stop(mode, now)

    def _closed(self, event: Closed, now: float) -> None:
        if self._confirmed is not None:
            self._settle([self.channel.sender.operation(self.channel.name)], None, now)
        if self._unit is not None:
            self.manager.backout(self._unit, now)
            self._unit = None
        if self._waiter is not None:
            self.manager.cancel_wait(self._waiter)
            self._waiter = None
        if self._handle is not None:
            self.manager.close(self._handle, MQCO.NONE, now)
            self._handle = None
        if self._ping is not None:
            if self._ping.ping_reply is not None:
                self._ping.ping_reply(event.amq, event.reason)
                self._ping.ping_reply = None
            self.supervisor.close(self.connection)
            return
        self.supervisor.ended(self.channel, self, self.definition, event, now)

    def next_timeout(self) -> float | None:
        """None: all deadlines are the machine's."""
        return None

    def timeout(self, now: float) -> None:
        """Nothing waits here."""
