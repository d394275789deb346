"""What flows from a transmission queue into the machine of a sending end: which message comes next, and when."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.message_channel.application import application_of
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.sender.batches import SendingBatches
from mqbridge.bridge.agents.message_channel.sender.outgoing import Outgoing, outgoing
from mqbridge.bridge.agents.message_channel.sender.prefetch import LOOK_AHEAD_BYTES, LookAhead
from mqbridge.bridge.queue_manager import GetOptions, Handle, MQError, PutOptions, RetrievedMessage, Waiter
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.queue_manager.putting.on_behalf import authority_of
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.conversion import Form
from mqbridge.mappings.mq import unwrap
from mqbridge.protocol.channel import SenderChannel
from mqbridge.protocol.channel.batch_limits import bytes_of
from mqbridge.protocol.constants import MQCO, MQFB, MQGMO, MQMODE, MQOO, MQPMO, MQRC
from mqbridge.protocol.errors import MQBridgeError

MAX_UNSENT = 1 << 16
"""Bytes that may wait for the transport before no further message is taken from the queue. Few, so that the partner is
at work while the rest of a batch is prepared."""

HOP = 0.1
"""Seconds of its life that a message loses by each hop at least: the unit in which Expiry is told, so that rounding
does not keep one alive for ever that goes in a circle of routes."""


class SendingEnd(Protocol):
    """The agent that messages flow through."""

    host: MCAHost
    definition: Definition
    connection: PartnerConnection
    machine: SenderChannel
    events: EventQueue
    batches: SendingBatches
    transmission_queue: str

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """A message came to the transmission queue, or the wait for one ended otherwise."""
        ...

    def settled(self, error: MQError | None) -> None:
        """A record is durable, or not."""
        ...

    def stop(self, mode: MQMODE, now: float) -> None:
        """Ends the channel; it may start again."""
        ...

    def give_up(self, amq: str, error: MQError, now: float) -> None:
        """A fault that an operator must mend: the channel stops."""
        ...


class SendingFlow:
    """The open transmission queue of a sending end.

    ``fast``: messages that are not persistent travel outside the batch (NPMSPEED, as agreed).
    """

    __slots__ = (
        "_ahead",
        "_application",
        "_convert",
        "_end",
        "_fast",
        "_got_options",
        "_handle",
        "_manager",
        "_waiter",
    )

    def __init__(self, end: SendingEnd, *, fast: bool) -> None:
        self._end = end
        self._fast = fast
        self._manager = end.host.manager
        self._convert = end.definition.text("CONVERT") == "YES"
        self._application = application_of(end.host.manager.name, end.definition, end.connection)
        self._got_options = GetOptions(MQGMO.SYNCPOINT | MQGMO.NO_WAIT, application=self._application)
        self._ahead = LookAhead(end.host.manager, self._outgoing)
        self._waiter: Waiter | None = None
        self._handle: Handle | None = None

    def open(self, now: float) -> None:
        """Opens the transmission queue. Raises `MQError`."""
        options = MQOO.INPUT_EXCLUSIVE | MQOO.FAIL_IF_QUIESCING
        self._handle = self._manager.open(self._end.transmission_queue, options=options, owner=self._end, now=now)

    def close(self, now: float) -> None:
        """Waits no longer and closes the queue."""
        if self._waiter is not None:
            self._manager.cancel_wait(self._waiter)
            self._waiter = None
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self._manager.close(handle, MQCO.NONE, now)

    def woken(self, reason: int, now: float) -> None:
        """A message came, or the wait for one ended otherwise."""
        end, self._waiter = self._end, None
        if reason in (MQRC.NONE, MQRC.NO_MSG_AVAILABLE):
            self.fill(now)
        elif not end.machine.link.closed:
            end.host.problem("AMQ9549" if reason == MQRC.GET_INHIBITED else "AMQ9510", end.definition.name, reason)
            end.stop(MQMODE.QUIESCE, now)

    # Batches

    def batch_begins(self, now: float) -> None:
        """The messages that were taken ahead become the next batch; when they are all of it, it is recorded now."""
        end, ahead = self._end, self._ahead
        machine, negotiated = end.machine, end.machine.negotiated
        unit = ahead.adopt()
        if unit is None or negotiated is None:
            return
        end.batches.adopt(unit)
        limit = bytes_of(machine.parameters.batch_limit)
        whole = ahead.count == negotiated.batch_size and not 0 < limit < LOOK_AHEAD_BYTES
        if whole and machine.batches.ready and not ahead.stale(now):
            persistent = ahead.persistent if self._fast else ahead.count
            if persistent:
                end.batches.foretell(machine.batches.foretell(ahead.count, persistent), end.settled, now)

    def batch_ends(self) -> None:
        """What was taken ahead and is not in the batch waits for the next one."""
        self._ahead.leave(self._end.batches.unit)

    def give_back(self, now: float) -> None:
        """What was taken ahead and not sent goes back to the queue."""
        if self._ahead:
            self._ahead.give_back(self._end.batches.unit, now)

    # Messages

    def fill(self, now: float) -> None:
        """Takes messages from the queue while the machine and the transport want more, and looks ahead while the
        partner commits."""
        end, handle, ahead = self._end, self._handle, self._ahead
        machine, batches = end.machine, end.batches
        sending, wire = machine.batches, machine.link.wire
        if handle is not None and sending.confirming:
            self._look_ahead(handle, now)
        if handle is not None and sending.ready and ahead.stale(now):
            ahead.give_back(batches.unit, now)
        while handle is not None and sending.ready and wire.unsent < MAX_UNSENT:
            if ahead:
                self._send(*ahead.next(), now)
                continue
            try:
                got = self._manager.get(handle.target, self._got_options, batches.unit, now + HOP)
            except MQError as error:
                end.host.problem("AMQ9510", end.definition.name, error)
                end.stop(MQMODE.QUIESCE, now)
                return
            if got is None:
                self._queue_empty(now)
                break
            self._send(got, None, now)
        batches.forget_fast(now)

    def _look_ahead(self, handle: Handle, now: float) -> None:
        negotiated = self._end.machine.negotiated
        assert negotiated is not None
        self._ahead.gather(handle.target, negotiated.batch_size, now, now + HOP)

    def _queue_empty(self, now: float) -> None:
        end, machine = self._end, self._end.machine
        events = machine.batches.queue_empty(now)
        if events:
            end.events.add(events)
        else:
            end.batches.settle(end.settled, now)
        if machine.batches.ready and self._waiter is None and self._handle is not None:
            self._waiter = Waiter(end, self._got_options)
            self._manager.wait(self._handle.target, self._waiter, now)

    def _outgoing(self, got: RetrievedMessage) -> Outgoing:
        negotiated = self._end.machine.negotiated
        assert negotiated is not None
        form = Form(negotiated.partner_encoding, negotiated.partner_ccsid) if self._convert else None
        return outgoing(got.message, negotiated.max_message_length, convert=form, fast=self._fast)

    def _send(self, got: RetrievedMessage, ready: Outgoing | None, now: float) -> None:
        """Sends one message, or dead-letters one that the channel cannot carry."""
        if ready is None:
            try:
                ready = self._outgoing(got)
            except MQError as error:
                self._dispose_undelivered(got, error.reason, now)
                return
        if self._fast and not ready.persistent:
            self._end.batches.fast(got.position)
        send = self._end.machine.batches.send_message
        self._end.events.add(send(ready.payload, now, persistent=ready.persistent, length=ready.length))

    def _dispose_undelivered(self, got: RetrievedMessage, reason: int, now: float) -> None:
        """A message that cannot travel goes to the dead-letter queue of this end (channels.md 7.2)."""
        end = self._end
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
        unit = end.batches.take_out(got.position)
        use_dead_letter_queue = end.definition.text("USEDLQ") == "YES"
        user = authority_of(unit.gets[-1][1], got.message) if unit.gets else EVERYBODY_ELSE
        options = PutOptions(MQPMO.SET_ALL_CONTEXT, self._application, direct=True, authority=user)
        try:
            self._manager.dispose_undelivered(
                message,
                queue,
                manager_name,
                reason,
                options,
                unit,
                now,
                use_dead_letter_queue=use_dead_letter_queue,
                fast=fast,
            )
        except MQError as error:
            self._manager.backout(unit, now)
            end.give_up("AMQ9527", error, now)
            return
        self._manager.commit(unit, now, end.settled)
        end.host.log("AMQ9548", end.definition.name, queue, manager_name, reason)
