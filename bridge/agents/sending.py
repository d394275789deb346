"""A sending end: takes messages from its transmission queue and sends them, batch by batch.

What becomes durable in which order stands in :mod:`bridge.agents.sending_batches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager import GetOptions, Got, Handle, MQError, PutOptions, Waiter
from bridge.queue_manager.control import StatusRow
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
from protocol.constants import MQCO, MQFB, MQGMO, MQMODE, MQOO, MQPMO, MQRC
from protocol.errors import MQBridgeError

from .application import application_of
from .outgoing import outgoing
from .sending_batches import SendingBatches
from .status import sender_numbers, status_word

if TYPE_CHECKING:
    from bridge.queue_manager.objects import Definition

    from .attempts import Attempt
    from .channel import Channel
    from .connection import Connection
    from .supervisor import Supervisor

MAX_UNSENT = 1 << 20
"""Bytes that may wait for the transport before no further message is taken from the queue."""

HOP = 0.1
"""Seconds of its life that a message loses by each hop at least: the unit in which Expiry is told, so that rounding
does not keep one alive for ever that goes in a circle of routes."""


class SendingEnd:
    """The agent of a sender or server channel on one connection, or of PING CHANNEL (``ping``)."""

    __slots__ = (
        "_batches",
        "_convert",
        "_fast",
        "_got_options",
        "_handle",
        "_ping",
        "_put_options",
        "_waiter",
        "channel",
        "connection",
        "definition",
        "machine",
        "manager",
        "product",
        "replaced",
        "started_at",
        "stopping",
        "supervisor",
        "transmission_queue",
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
        self.transmission_queue = definition.text("XMITQ")
        self.product = ""
        self.started_at = 0.0
        self.stopping = False
        self.replaced = False
        """A newer connection of the same partner takes over."""
        self._ping = ping
        self._batches = SendingBatches(supervisor, channel, self.transmission_queue)
        self._handle: Handle | None = None
        self._waiter: Waiter | None = None
        self._fast = False
        self._convert = definition.text("CONVERT") == "YES"
        application = application_of(supervisor, definition, connection)
        self._got_options = GetOptions(MQGMO.SYNCPOINT | MQGMO.NO_WAIT, application=application)
        self._put_options = PutOptions(MQPMO.SET_ALL_CONTEXT, application=application, direct=True)

    # Events

    def handle(self, event: Event, now: float) -> None:
        """Acts on one event of the machine."""
        match event:
            case BatchConfirmed():
                self._batches.confirmed()
                self.fill(now)
            case EndOfBatch():
                self._batches.ending(event, self._asked, now)
            case Started():
                self._started(event, now)
            case BatchFailed():
                self._batches.failed(event, self._settled, now)
            case InDoubtResolved():
                outcome = "committed" if event.commit else "backed out"
                self.supervisor.log("AMQ8025", self.channel.name, event.luwid.hex(), outcome)
                self.supervisor.synchronisation.settle(self.channel, event.commit, now, self._recorded)
            case SequenceReset():
                self.channel.sender.state = self.channel.sender.state.reset_done()
                self._batches.record(self._recorded, now)
            case PingAnswered():
                word = "answered" if event.same else "answered with other data"
                self._ping_over("AMQ8020" if event.same else "AMQ9504", f"PING of {event.length} bytes {word}")
            case Closed():
                self._closed(event, now)
            case _:
                pass

    def _started(self, event: Started, now: float) -> None:
        self.started_at, self.product = now, event.product
        if self._ping is not None:
            return
        self.channel.sender.partner = event.partner
        self._fast = event.negotiated.fast
        self.supervisor.started(self.channel, self)
        try:
            options = MQOO.INPUT_EXCLUSIVE | MQOO.FAIL_IF_QUIESCING
            self._handle = self.manager.open(self.transmission_queue, options=options, owner=self, now=now)
        except MQError as error:
            self._give_up("AMQ9509", error, now)
            return
        self.fill(now)

    # Sending

    def drained(self, now: float) -> None:
        """Nothing has gathered here."""

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
            self.stop(MQMODE.QUIESCE, now)

    def fill(self, now: float) -> None:
        """Takes messages from the queue while the machine and the transport want more."""
        machine, handle = self.machine, self._handle
        while handle is not None and machine.ready and machine.unsent < MAX_UNSENT:
            try:
                got = self.manager.get(handle.target, self._got_options, self._batches.unit, now + HOP)
            except MQError as error:
                self.supervisor.problem("AMQ9510", self.channel.name, error)
                self.stop(MQMODE.QUIESCE, now)
                return
            if got is None:
                self._queue_empty(now)
                break
            self._send(got, now)
        self._batches.forget_fast(now)
        self.supervisor.touched(self.connection, now)

    def _queue_empty(self, now: float) -> None:
        machine = self.machine
        self.connection.deliver(machine.queue_empty(now), now)
        self._batches.settle(self._settled, now)
        if machine.ready and self._waiter is None and self._handle is not None:
            self._waiter = Waiter(self, self._got_options)
            self.manager.wait(self._handle.target, self._waiter, now)

    def _send(self, got: Got, now: float) -> None:
        """Sends one message, or dead-letters one that the channel cannot carry."""
        negotiated = self.machine.negotiated
        assert negotiated is not None
        try:
            ready = outgoing(got.message, negotiated.max_message_length, convert=self._convert, fast=self._fast)
        except MQError as error:
            self._undeliverable(got, error.reason, now)
            return
        if self._fast and not ready.persistent:
            self._batches.fast(got.position)
        events = self.machine.send_message(ready.payload, now, persistent=ready.persistent, length=ready.length)
        if events:
            self.connection.deliver(events, now)

    def _undeliverable(self, got: Got, reason: int, now: float) -> None:
        """A message that cannot travel goes to the dead-letter queue of this end (channels.md 7.2)."""
        message, queue, manager_name = got.message, "", ""
        try:
            if reason != MQRC.XQH_ERROR:
                wrapped = unwrap(message)
                message, queue, manager_name = wrapped.message, wrapped.remote_q_name, wrapped.remote_q_mgr_name
        except MQBridgeError:
            reason = int(MQRC.XQH_ERROR)
        if reason == MQRC.XQH_ERROR:
            reason = int(MQFB.XMIT_Q_MSG_ERROR)
        fast = self._fast and got.message.md.persistence == 0
        unit = self._batches.take_out(got.position)
        use_dead_letter_queue = self.definition.text("USEDLQ") == "YES"
        try:
            self.manager.undeliverable(
                message,
                queue,
                manager_name,
                reason,
                self._put_options,
                unit,
                now,
                use_dead_letter_queue=use_dead_letter_queue,
                fast=fast,
            )
        except MQError as error:
            self.manager.backout(unit, now)
            self._give_up("AMQ9527", error, now)
            return
        self.manager.commit(unit, now, self._settled)
        self.supervisor.log("AMQ9548", self.channel.name, queue, manager_name, reason)

    # What is on disk

    def _asked(self, error: MQError | None) -> None:
        """The in-doubt record is durable, or not."""
        if self.machine.closed:
            return
        if error is not None:
            self._settled(error)
            return
        self.machine.request_confirm(self.supervisor.now)
        self.supervisor.touched(self.connection, self.supervisor.now)

    def _recorded(self, error: MQError | None) -> None:
        """The outcome of resynchronisation or reset is durable, or not."""
        if self.machine.closed:
            return
        if error is not None:
            self._settled(error)
            return
        now = self.supervisor.now
        self.connection.deliver(self.machine.recorded(now), now)
        self.fill(now)

    def _settled(self, error: MQError | None) -> None:
        """A record is durable, or the channel must end: the store does not do what it should."""
        if error is not None:
            self.supervisor.problem("AMQ9540", self.channel.name, error)
            self.supervisor.store_failed(self.channel)
            self.stop(MQMODE.FORCE, self.supervisor.now)

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

    def stop(self, mode: MQMODE, now: float) -> None:
        """STOP CHANNEL, the end of the queue manager, or a reason of our own."""
        self.stopping = True
        if not self.machine.closed:
            self.connection.deliver(self.machine.close(mode, now), now)
            self.supervisor.touched(self.connection, now)

    def _give_up(self, amq: str, error: MQError, now: float) -> None:
        """A fault that an operator must mend: the channel stops."""
        self.supervisor.problem(amq, self.channel.name, error)
        self.channel.status.stopped = True
        self.stop(MQMODE.FORCE, now)

    def _ping_over(self, amq: str, text: str) -> None:
        if self._ping is not None and self._ping.ping_reply is not None:
            reply, self._ping.ping_reply = self._ping.ping_reply, None
            reply(amq, text)

    def _closed(self, event: Closed, now: float) -> None:
        self._batches.settle(self._settled, now)
        self._batches.back_out(now)
        if self._waiter is not None:
            self.manager.cancel_wait(self._waiter)
            self._waiter = None
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self.manager.close(handle, MQCO.NONE, now)
        if self._ping is not None:
            self._ping_over(event.amq, event.reason)
            self.supervisor.close(self.connection)
            return
        self.supervisor.ended(self.channel, self, self.definition, event, now)

    def next_timeout(self) -> float | None:
        """None: all deadlines are the machine's."""
        return None

    def timeout(self, now: float) -> None:
        """Nothing waits here."""
