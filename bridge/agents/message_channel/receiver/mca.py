"""The receiver MCA: puts messages, commits each batch with its sequence number and LUWID, then confirms it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mqbridge.bridge.agents.channel_instance import status_word
from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.receiver.delivery import ReceivedMessagePuts
from mqbridge.bridge.agents.message_channel.receiver.record import ReceivingRecord
from mqbridge.bridge.agents.message_channel.status import running_row
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import CHANNEL_USER
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import (
    BatchFailed,
    Closed,
    ConfirmRequested,
    Event,
    MessagePart,
    MessageReceived,
    ReceiverChannel,
    ReceiverState,
    SequenceReset,
    Started,
)
from mqbridge.protocol.constants import MQCHS, MQMODE, MQRC, StatusCode

RETRIED = frozenset({MQRC.Q_FULL, MQRC.PUT_INHIBITED, MQRC.STORAGE_MEDIUM_FULL, MQRC.Q_SPACE_NOT_AVAILABLE})
"""Reasons after which a put is retried MRRTY times (channels.md 7.2 step 1)."""


class ReceiverMCA:
    """The agent of a receiver or requester channel on one connection."""

    __slots__ = (
        "_attempts",
        "_delivery",
        "_refused",
        "_retry_at",
        "_retry_event",
        "after_commit",
        "channel",
        "committing",
        "connection",
        "definition",
        "events",
        "host",
        "machine",
        "out",
        "partner",
        "product",
        "record",
        "replaced",
        "started_at",
        "stopping",
        "wake",
    )

    def __init__(
        self,
        host: MCAHost,
        channel: Channel,
        definition: Definition,
        connection: PartnerConnection,
        machine: ReceiverChannel,
        partner: str,
        state: ReceiverState,
    ) -> None:
        self.host = host
        self.channel = channel
        self.definition = definition
        self.connection = connection
        self.machine = machine
        self.events = EventQueue(machine, self.handle, connection)
        self.wake, self.out = self.events.run, machine.link.wire
        self.partner = partner
        self.product = ""
        self.started_at = 0.0
        self.committing = False
        self.stopping = False
        self.replaced = False
        """A newer connection of the same partner takes over."""
        self.after_commit: list[Callable[[Time], None]] = []
        """Called when this agent has ended and no commit of it is in progress."""
        self._delivery = ReceivedMessagePuts(host, definition, connection)
        self.record = ReceivingRecord(host, self._delivery.write, channel.name, partner, state)
        self._refused = False
        self._retry_event: MessageReceived | MessagePart | None = None
        self._retry_at: float | None = None
        self._attempts = 0

    # The conversation

    def receive_data(self, data: bytes, now: Time) -> None:
        """Process received bytes; none at the end of the connection. Then fast messages become visible."""
        self.events.receive_data(data, now)
        self._delivery.publish(now)

    def writable(self, now: Time) -> None:
        """Do nothing: a receiver only answers."""

    def next_timeout(self) -> float | None:
        """The machine's next deadline, or the time of a put retry."""
        due = self.machine.link.next_timeout()
        if self._retry_at is None or due is None:
            return self._retry_at if due is None else due
        return min(due, self._retry_at)

    def timeout(self, now: Time) -> None:
        """Do what is due: the machine's deadlines, and the put retry with the messages behind it."""
        self.events.timeout(now)
        if self._retry_event is not None and self._retry_at is not None and self._retry_at <= now:
            event, self._retry_event, self._retry_at = self._retry_event, None, None
            self.handle(event, now)
            if not self._keeps_event:  # it may be kept again
                self.events.release(now)
        self._delivery.publish(now)

    @property
    def _keeps_event(self) -> bool:
        return self._retry_event is not None

    def row(self) -> StatusRow:
        """The row of DISPLAY CHSTATUS."""
        state = self.record.state
        saved: StatusRow = {"INDOUBT": "NO", "LSTLUWID": state.luwid.hex().upper(), "LSTSEQNO": state.sequence}
        return running_row(self, self.machine, saved)

    # Events

    def handle(self, event: Event, now: Time) -> None:
        """Process one event of the machine."""
        if type(event) is MessageReceived:
            if not self._refused:
                self._put([event, *self.events.take(MessageReceived)], now)
            return
        match event:
            case ConfirmRequested() | SequenceReset() | MessagePart() if self._refused:
                pass
            case MessagePart():
                self._part(event, now)
            case ConfirmRequested():
                self._confirm(event, now)
            case Started():
                self.started_at, self.product = now, event.product
                self.partner = event.partner
                self.host.started(self.channel, self)
                if self._delivery.user == CHANNEL_USER:
                    self.host.log("AMQ5045", self.channel.name, CHANNEL_USER)
            case BatchFailed():
                self._delivery.back_out(now)
            case SequenceReset():
                self._reset(event, now)
            case Closed():
                self._closed(event, now)
            case _:
                pass

    # Messages

    def _put(self, messages: list[MessageReceived], now: Time) -> None:
        """Put messages that arrived together."""
        count, failed = self._delivery.put(messages, now)
        if count:
            self._attempts = 0
        if failed is not None:
            self.events.put_back(messages[count + 1 :])
            self._not_put(messages[count], failed.error(), now)

    def _not_put(self, event: MessageReceived, error: MQError, now: Time) -> None:
        """Retry a message that could not be put, or dispose of it (channels.md 7.2)."""
        if self._tries_again(event, error, now):
            return
        try:
            self._delivery.dispose_undelivered(event, error.reason, self.channel.name, now)
        except MQError as failure:
            self._cannot_store(failure, now)
        self._attempts = 0

    def _part(self, event: MessagePart, now: Time) -> None:
        """Stage a part of a long message, to save memory."""
        try:
            self._delivery.part(event)
        except MQError as error:
            if self._tries_again(event, error, now):
                return
            self._cannot_store(error, now)
        self._attempts = 0

    def _tries_again(self, event: MessageReceived | MessagePart, error: MQError, now: Time) -> bool:
        """Keep an event for a retry, if its failure may be temporary and retries are left. Returns whether it is
        kept."""
        if error.reason not in RETRIED or self._attempts >= self.definition.integer("MRRTY"):
            return False
        self._attempts += 1
        self._retry_event = event
        self._retry_at = now + self.definition.integer("MRTMR") / 1000
        self.events.hold()
        return True

    def _cannot_store(self, failure: MQError, now: Time) -> None:
        self.host.problem("AMQ9544", self.channel.name, failure)
        unknown = failure.reason in (MQRC.UNKNOWN_OBJECT_NAME, MQRC.UNKNOWN_REMOTE_Q_MGR)
        status = StatusCode.TARGET_Q_UNKNOWN if unknown else StatusCode.CAN_NOT_STORE
        self._reject(status, str(failure), now)

    # Batches

    def _confirm(self, event: ConfirmRequested, now: Time) -> None:
        """Commit messages and record in one transaction; the confirmation waits for the sync.

        A batch of fast messages alone need not wait if the record on disk says that its numbers are ``unsure``.
        """
        self._delivery.publish(now)
        fast_only = not self._delivery.holds and event.count > 0
        state = ReceiverState(luwid=event.luwid, sequence=event.sequence, unsure=fast_only)
        if fast_only and self.record.unsure_on_disk:
            self.record.follow(state, now)
            self._answer(now)
            return
        self.committing = True
        self._delivery.commit(self.record.committing(state), partial(self._on_disk, state, self._answer), now)

    def _answer(self, now: Time) -> None:
        dlq_used, self._delivery.dlq_used = self._delivery.dlq_used, False
        self.events.add(self.machine.confirm(now, dlq_used=dlq_used))

    def _reset(self, event: SequenceReset, now: Time) -> None:
        """The sender was RESET; its sequence number applies from now on."""
        state = self.record.state.reset_to(event.sequence)
        self.committing = True

        def recorded(now: Time) -> None:
            self.events.add(self.machine.recorded(now))

        self._delivery.write(self.record.committing(state), partial(self._on_disk, state, recorded), now)

    def _on_disk(self, state: ReceiverState, answer: Callable[[Time], None], error: MQError | None) -> None:
        """A transaction with the record has ended: answer the partner, if still connected."""
        now = self.host.now
        self.committing = False
        if error is None:
            self.record.committed(state)
        if not self.machine.link.closed:
            if error is None:
                answer(now)
            else:
                self.host.problem("AMQ9540", self.channel.name, error)
                self._reject(StatusCode.CAN_NOT_STORE, str(error), now)
            self.events.run(now)
            self.connection.wake()
        self._ended_at_last(now)

    # Status

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        if self._retry_event is not None:
            return "PAUSED"
        return "STOPPING" if self.stopping else status_word(self.machine.status)

    @property
    def over(self) -> bool:
        """Whether the connection has ended; one that requested a callback may not have noticed yet."""
        return self.machine.link.closed or self.machine.status == MQCHS.REQUESTING

    def keeps_record_of(self, partner: str) -> bool:
        """Whether the sequence numbers are those of a partner."""
        return self.record.partner == partner

    # Ending

    def stop(self, mode: MQMODE, now: Time, status: StatusCode = StatusCode.USER_CLOSED) -> None:
        """Stop: STOP CHANNEL, REFRESH SECURITY, a newer connection takes over, or the queue manager ends."""
        self.stopping = True
        if mode != MQMODE.QUIESCE and self._retry_event is not None:
            self._retry_event = self._retry_at = None
            self._refused = True
            self.events.drop()
        if not self.machine.link.closed:
            if self.host.stopping:
                status = StatusCode.QM_TERMINATING
                if self.machine.idle:  # no need to wait for the next batch or heartbeat
                    mode = MQMODE.FORCE
            self.events.add(self.machine.link.close(mode, now, status))
            self.events.run(now)
            self.connection.wake()

    def replace(self, action: Callable[[Time], None], now: Time) -> None:
        """End at once because a newer connection takes over; calls ``action`` when no commit is in progress."""
        self.replaced = True
        self.after_commit.append(action)
        self.stop(MQMODE.FORCE, now)
        self._ended_at_last(now)

    def _reject(self, status: StatusCode, reason: str, now: Time) -> None:
        """End the channel; events received behind the refused message are discarded."""
        self._refused = True
        self.events.drop()
        if not self.machine.link.closed:
            self.events.add(self.machine.reject(status, reason, now))

    def _closed(self, event: Closed, now: Time) -> None:
        self._delivery.back_out(now)
        self.record.end()
        self._retry_event = self._retry_at = None
        self.host.ended(self.channel, self, event, now)
        self._ended_at_last(now)

    def _ended_at_last(self, now: Time) -> None:
        if self.machine.link.closed and not self.committing:
            if self in self.channel.receiving:
                self.channel.receiving.remove(self)
            actions, self.after_commit = self.after_commit, []
            for action in actions:
                action(now)
