"""The flow of messages from a transmission queue to a sender's machine."""

from __future__ import annotations

from typing import Final, Protocol

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.message_channel.bus_channel import bus_channel
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.sender.batches import SendingBatches
from mqbridge.bridge.agents.message_channel.sender.outgoing import outgoing
from mqbridge.bridge.agents.message_channel.sender.prefetch import PREFETCH_BYTES, Prefetch
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Outcome
from mqbridge.bridge.queue_manager.calls.requests import Cancel, Close, Open, Wait, Wanted
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.conversion import NO_FORMATS, DataEncoding
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import unwrap
from mqbridge.protocol.channel import Negotiated, Outgoing, SenderChannel
from mqbridge.protocol.channel.batch_limits import bytes_of
from mqbridge.protocol.constants import MQCO, MQFB, MQGMO, MQMODE, MQOO, MQRC
from mqbridge.protocol.errors import MQBridgeError

MAX_UNSENT: Final = 1 << 16
"""Bytes waiting for the transport above which no further message is got. Few, so that the partner can work while the
rest of a batch is prepared."""

HOP: Final = 0.1
"""Seconds of Expiry that a message loses by each hop at least: the unit of Expiry, so that rounding does not keep a
message in a routing loop alive for ever."""

_OPEN: Final = int(MQOO.INPUT_EXCLUSIVE | MQOO.FAIL_IF_QUIESCING)
_WANTED: Final = Wanted(int(MQGMO.SYNCPOINT | MQGMO.NO_WAIT))


class SendingAgent(Protocol):
    """The agent that sends the messages."""

    host: MCAHost
    definition: Definition
    connection: PartnerConnection
    machine: SenderChannel
    events: EventQueue
    batches: SendingBatches
    transmission_queue: str

    def settled(self, error: MQError | None) -> None:
        """A record was written, or failed to be."""
        ...

    def stop(self, mode: MQMODE, now: Time) -> None:
        """End the channel; it may start again."""
        ...

    def give_up(self, amq: str, error: MQError, now: Time) -> None:
        """Stop the channel because of a failure that an operator must correct."""
        ...


class SendingFlow:
    """The open transmission queue of a sender, controlled by the ``negotiated`` values."""

    __slots__ = (
        "_ahead", "_bus", "_end", "_fast", "_form", "_hobj", "_longest", "_make", "_negotiated", "_program", "_waiting",
    )  # fmt: skip

    def __init__(self, end: SendingAgent, negotiated: Negotiated) -> None:
        self._end = end
        self._negotiated = negotiated
        self._fast = negotiated.fast
        self._longest = negotiated.max_message_length
        self._program: ChannelProgram = end.batches.program
        convert = end.definition.text("CONVERT") == "YES"
        self._form = DataEncoding(negotiated.partner_encoding, negotiated.partner_ccsid) if convert else None
        self._bus = bus_channel(end.host, end.definition.name)
        self._make = self._outgoing if self._bus is None else self._outgoing_from_bus
        self._ahead = Prefetch(self._program, self._make)
        self._waiting = 0  # the tag of the wait for a message
        self._hobj = 0

    def open(self, now: Time) -> None:
        """Open the transmission queue. Raises `MQError`."""
        opened = self._program.do(Open(0, self._end.transmission_queue, "", _OPEN), now)
        assert isinstance(opened, Opened)
        self._hobj = opened.hobj

    def close(self, now: Time) -> None:
        """Cancel the wait and close the queue."""
        program = self._program
        if self._waiting:
            program.forget(self._waiting)
            program.do(Cancel(0, self._waiting), now)
            self._waiting = 0
        if self._hobj:
            hobj, self._hobj = self._hobj, 0
            program.do(Close(0, hobj, MQCO.NONE), now)

    def _woken(self, outcome: Outcome) -> None:
        """A message has arrived, or the wait has ended."""
        end, self._waiting = self._end, 0
        now = end.host.now
        reason = outcome.reason if type(outcome) is Failed else 0
        if reason in (MQRC.NONE, MQRC.NO_MSG_AVAILABLE):
            self.fill(now)
        elif not end.machine.link.closed:
            end.host.problem("AMQ9549" if reason == MQRC.GET_INHIBITED else "AMQ9510", end.definition.name, reason)
            end.stop(MQMODE.QUIESCE, now)
        end.connection.wake()

    # Batches

    def batch_begins(self, now: Time) -> None:
        """Record the next batch now if the prefetched messages are all of it."""
        end, ahead, fast = self._end, self._ahead, self._fast
        machine, size = end.machine, self._negotiated.batch_size
        limit = bytes_of(machine.parameters.batch_limit)
        if ahead.left != size or 0 < limit < PREFETCH_BYTES or not machine.batches.ready:
            return
        ready = [form for form in ahead.ready[ahead.next :] if form is not None]
        persistent = sum([each.persistent for each in ready]) if fast else size
        if len(ready) == size and persistent and not ahead.stale(now):
            stored = [
                token
                for token, held, form in zip(ahead.tokens[-size:], ahead.stored[-size:], ready, strict=True)
                if held and (form.persistent or not fast)
            ]
            end.batches.record_ahead(machine.batches.planned_end(size, persistent), stored, end.settled, now)

    def give_back(self, now: Time) -> None:
        """Put prefetched messages that were not sent back."""
        self._ahead.give_back(now)

    # Messages

    def fill(self, now: Time) -> None:
        """Get and send messages while the machine and the transport take them; prefetches while the partner commits."""
        end, ahead = self._end, self._ahead
        sending, wire = end.machine.batches, end.machine.link.wire
        if self._hobj:
            if sending.confirming:
                ahead.gather(self._hobj, self._negotiated.batch_size, PREFETCH_BYTES, 0, now, now + HOP)
            elif ahead.stale(now):
                ahead.give_back(now)
        while self._hobj and sending.ready and wire.unsent < MAX_UNSENT:
            if not ahead.left:
                failed = self._take(MAX_UNSENT - wire.unsent, now)
                if failed is not None:
                    end.host.problem("AMQ9510", end.definition.name, failed.error())
                    end.stop(MQMODE.QUIESCE, now)
                    return
                if not ahead.left:
                    self._queue_empty(now)
                    break
            if not self._send(now):
                break
        end.batches.forget_fast(now)

    def _take(self, room: int, now: Time) -> Failed | None:
        """Get the next messages of the open batch; a single one if a later one cannot be got. Returns why the first one
        cannot, or None."""
        uncommitted = len(self._end.batches.tokens)
        most = max(self._negotiated.batch_size - self._end.machine.link.wire.counters.current_messages, 1)
        failed = self._ahead.gather(self._hobj, most, room, uncommitted, now, now + HOP)
        if failed is not None and most > 1:
            failed = self._ahead.gather(self._hobj, 1, room, uncommitted, now, now + HOP)
        return failed

    def _queue_empty(self, now: Time) -> None:
        end, machine = self._end, self._end.machine
        events = machine.batches.queue_empty(now)
        if events:
            end.events.add(events)
        else:
            end.batches.settle(end.settled, now)
        if machine.batches.ready and not self._waiting and self._hobj:
            self._waiting = self._program.next_tag()
            self._program.ask(Wait(self._waiting, self._hobj, _WANTED), self._woken, now)

    def _outgoing(self, message: Message) -> Outgoing:
        formats = NO_FORMATS if self._form is None else self._end.host.manager.formats
        return outgoing(message, self._longest, self._form, self._fast, formats)

    def _outgoing_from_bus(self, message: Message) -> Outgoing:
        assert self._bus is not None
        return self._outgoing(self._bus.sent(message))

    def _send(self, now: Time) -> bool:
        """Send messages that were got, those in memory with one write. Returns whether more may be sent."""
        end, ahead, sending = self._end, self._ahead, self._end.machine.batches
        ready = ahead.ready[ahead.next]
        if ready is not None and sending.is_whole(ready):
            room = MAX_UNSENT - end.machine.link.wire.unsent
            count, events = sending.send_whole(ahead.ready, ahead.next, room, now)
            self._sent(count)
            if events:
                end.events.add(events)
            return count > 0 and not events
        message, token = ahead.messages[ahead.next], ahead.tokens[ahead.next]
        if ready is None:
            try:
                ready = self._make(message)
            except MQError as error:
                if self._bus is not None:
                    self._bus.report(error)
                ahead.next += 1
                self._dispose_undelivered(message, token, error.reason, now)
                return True
            ahead.ready[ahead.next] = ready
        self._sent(1)
        events = sending.send_message(ready.payload, now, persistent=ready.persistent, length=ready.length)
        if events:
            end.events.add(events)
        return not events

    def _sent(self, count: int) -> None:
        """Take the next messages, which are sent, into the batch; fast ones leave the queue at once."""
        ahead, batches = self._ahead, self._end.batches
        for index in range(ahead.next, ahead.next + count):
            ready, token = ahead.ready[index], ahead.tokens[index]
            if self._fast and ready is not None and not ready.persistent:
                batches.fast.append(token)
            else:
                batches.tokens.append(token)
                if ahead.stored[index]:
                    batches.stored.append(token)
        ahead.next += count

    def _dispose_undelivered(self, original: Message, token: bytes, reason: int, now: Time) -> None:
        """Put a message that cannot be sent on the local dead-letter queue (channels.md 7.2)."""
        end = self._end
        message, queue, manager_name = original, "", ""
        try:
            if reason != MQRC.XQH_ERROR:
                wrapped = unwrap(message)
                message, queue, manager_name = wrapped.message, wrapped.remote_q_name, wrapped.remote_q_mgr_name
        except MQBridgeError:
            reason = MQRC.XQH_ERROR
        if reason == MQRC.XQH_ERROR:
            reason = MQFB.XMIT_Q_MSG_ERROR
        tag = self._program.next_tag()
        request = DisposeUndelivered(
            tag,
            queue,
            manager_name,
            message.raw_md,
            message.body,
            message.order,
            message.ccsid,
            reason,
            end.definition.text("USEDLQ") == "YES",
            self._fast and original.md.persistence == 0,
            original.md.user_identifier or EVERYBODY_ELSE,
            token,
        )
        failed = self._program.attempt(request, end.settled, now)
        if failed is not None:
            end.give_up("AMQ9527", failed, now)
            return
        end.host.log("AMQ9548", end.definition.name, queue, manager_name, reason)
