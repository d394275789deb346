"""A receiving end: puts what arrives, commits each batch with its number and LUWID, and only then confirms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from mqbridge.bridge.agents.gateway.status import status_word
from mqbridge.bridge.agents.message_channel.receiver.delivery import Delivery
from mqbridge.bridge.agents.message_channel.receiver.record import ReceivingRecord
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.security import CHANNEL_USER
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
from mqbridge.protocol.constants import MQMODE, MQRC, StatusCode

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel import Channel
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
    from mqbridge.bridge.agents.gateway.connection import Connection
    from mqbridge.bridge.queue_manager.objects import Definition

RETRIED = frozenset({MQRC.Q_FULL, MQRC.PUT_INHIBITED, MQRC.STORAGE_MEDIUM_FULL, MQRC.Q_SPACE_NOT_AVAILABLE})
"""Reasons after which a put is tried again MRRTY times (channels.md 7.2 step 1)."""


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
        "channel_manager",
        "committing",
        "connection",
        "definition",
        "machine",
        "manager",
        "partner",
        "product",
        "record",
        "replaced",
        "started_at",
        "stopping",
    )

    def __init__(
        self,
        channel_manager: ChannelManager,
        channel: Channel,
        definition: Definition,
        connection: Connection,
        partner: str,
        state: ReceiverState,
    ) -> None:
        self.channel_manager = channel_manager
        self.manager = channel_manager.manager
        self.channel = channel
        self.definition = definition
        self.connection = connection
        self.record = ReceivingRecord(channel_manager, channel.name, partner, state)
        self.partner = partner
        self.machine: ReceiverChannel
        self.product = ""
        self.started_at = 0.0
        self.committing = False
        self.stopping = False
        self.replaced = False
        """A newer connection of the same partner takes over."""
        self.after_commit: list[Callable[[float], None]] = []
        """Called when no commit of this end is under way any more and it has ended."""
        self._delivery = Delivery(channel_manager, definition, connection)
        self._refused = False
        self._retry_event: MessageReceived | MessagePart | None = None
        self._retry_at: float | None = None
        self._attempts = 0

    @property
    def paused(self) -> bool:
        """A message waits for its next attempt (status PAUSED)."""
        return self._retry_event is not None

    # Events

    def handle(self, event: Event, now: float) -> None:
        """Acts on one event of the machine."""
        if type(event) is MessageReceived:
            if not self._refused:
                self._message(event, now)
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
                self.channel_manager.started(self.channel, self)
                if self._delivery.user == CHANNEL_USER:
                    self.channel_manager.log("AMQ5045", self.channel.name, CHANNEL_USER)
            case BatchFailed():
                self._delivery.back_out(now)
            case SequenceReset():
                self._reset(event, now)
            case Closed():
                self._closed(event, now)
            case _:
                pass

    # Messages

    def _message(self, event: MessageReceived, now: float) -> None:
        """Puts one message (channels.md 7.1): resolved by the names of its MQXQH, all context kept."""
        try:
            self._delivery.put(event, now)
        except MQError as error:
            if self._tries_again(event, error, now):
                return
            self._dispose_undelivered(event, error, now)
        self._attempts = 0

    def _part(self, event: MessagePart, now: float) -> None:
        """Writes part of a long message ahead, so that it does not gather in memory."""
        try:
            self._delivery.part(event)
        except MQError as error:
            if self._tries_again(event, error, now):
                return
            self._cannot_store(error, now)
        self._attempts = 0

    def _tries_again(self, event: MessageReceived | MessagePart, error: MQError, now: float) -> bool:
        """Keeps an event for a later attempt, if its fault may pass by and there are attempts left."""
        if error.reason not in RETRIED or self._attempts >= self.definition.integer("MRRTY"):
            return False
        self._attempts += 1
        self._retry_event = event
        self._retry_at = now + self.definition.integer("MRTMR") / 1000
        self.connection.hold()
        return True

    def next_timeout(self) -> float | None:
        """When a message is put again."""
        return self._retry_at

    def timeout(self, now: float) -> None:
        """Puts the waiting message again; what came behind it follows."""
        event, self._retry_event, self._retry_at = self._retry_event, None, None
        if event is None:
            return
        self.handle(event, now)
        if self._retry_event is None:
            self.connection.release(now)

    def _dispose_undelivered(self, event: MessageReceived, error: MQError, now: float) -> None:
        try:
            self._delivery.dispose_undelivered(event, error.reason, self.channel.name, now)
        except MQError as failure:
            self._cannot_store(failure, now)

    def _cannot_store(self, failure: MQError, now: float) -> None:
        self.channel_manager.problem("AMQ9544", self.channel.name, failure)
        unknown = failure.reason in (MQRC.UNKNOWN_OBJECT_NAME, MQRC.UNKNOWN_REMOTE_Q_MGR)
        status = StatusCode.TARGET_Q_UNKNOWN if unknown else StatusCode.CAN_NOT_STORE
        self._reject(status, str(failure), now)

    def drained(self, now: float) -> None:
        """Everything in the bytes that came has been handled."""
        self._delivery.publish(now)

    # Batches

    def _confirm(self, event: ConfirmRequested, now: float) -> None:
        """Commits messages and record in one transaction; the answer waits for the disk.

        Not so for fast messages alone, once the record on disk says that the numbers are ``unsure``.
        """
        self._delivery.publish(now)
        unit = self._delivery.take_unit()
        fast_only = unit is None and event.count > 0
        state = ReceiverState(luwid=event.luwid, sequence=event.sequence, unsure=fast_only)
        if fast_only and self.record.unsure_on_disk:
            self.record.follow(state)
            self._answer(now)
            return
        self.committing = True
        operations = self.record.committing(state)
        self.manager.commit(unit or self.manager.begin(self), now, partial(self._committed, state), operations)

    def _answer(self, now: float) -> None:
        dlq_used, self._delivery.dlq_used = self._delivery.dlq_used, False
        self.connection.deliver(self.machine.confirm(now, dlq_used=dlq_used), now)

    def _committed(self, state: ReceiverState, error: MQError | None) -> None:
        self._on_disk(state, error, self._answer)

    def _reset(self, event: SequenceReset, now: float) -> None:
        """The sending end was RESET; its number counts from now on."""
        del now
        state = self.record.state.reset_to(event.sequence)
        self.committing = True

        def recorded(now: float) -> None:
            self.connection.deliver(self.machine.recorded(now), now)

        def done(error: MQError | None) -> None:
            self._on_disk(state, error, recorded)

        self.manager.submit(self.record.committing(state), done)

    def _on_disk(self, state: ReceiverState, error: MQError | None, answer: Callable[[float], None]) -> None:
        """A transaction with the record has ended; the partner is told, unless the connection is gone meanwhile."""
        now = self.channel_manager.now
        self.committing = False
        if error is None:
            self.record.committed(state)
        if not self.machine.link.closed:
            if error is None:
                answer(now)
            else:
                self.channel_manager.problem("AMQ9540", self.channel.name, error)
                self._reject(StatusCode.CAN_NOT_STORE, str(error), now)
            self.channel_manager.touched(self.connection, now)
        self._ended_at_last(now)

    # Status

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        if self.paused:
            return "PAUSED"
        return "STOPPING" if self.stopping else status_word(self.machine.status)

    def saved_numbers(self) -> StatusRow:
        """Last committed batch."""
        state = self.record.state
        return {"INDOUBT": "NO", "LSTLUWID": state.luwid.hex().upper(), "LSTSEQNO": state.sequence}

    # Ending

    def stop(self, mode: MQMODE, now: float) -> None:
        """STOP CHANNEL, adoption by a newer connection, or the end of the queue manager."""
        self.stopping = True
        if mode != MQMODE.QUIESCE and self._retry_event is not None:
            self._retry_event = self._retry_at = None
            self._refused = True
            self.connection.drop_held(now)
        if not self.machine.link.closed:
            status = StatusCode.USER_CLOSED
            if self.channel_manager.stopping:
                status = StatusCode.QM_TERMINATING
                if self.machine.idle:  # no need to wait for the next batch or heartbeat
                    mode = MQMODE.FORCE
            self.connection.deliver(self.machine.link.close(mode, now, status), now)
            self.channel_manager.touched(self.connection, now)

    def replace(self, action: Callable[[float], None], now: float) -> None:
        """A newer connection takes over: ends at once; calls ``action`` when no commit of this end is under way."""
        self.replaced = True
        self.after_commit.append(action)
        self.stop(MQMODE.FORCE, now)
        self._ended_at_last(now)

    def _reject(self, status: StatusCode, reason: str, now: float) -> None:
        """Ends the channel; what came behind the refused message in the same bytes counts as never received."""
        self._refused = True
        self.connection.drop_held(now)
        if not self.machine.link.closed:
            self.connection.deliver(self.machine.reject(status, reason, now), now)
            self.channel_manager.touched(self.connection, now)

    def _closed(self, event: Closed, now: float) -> None:
        self._delivery.back_out(now)
        self.record.end()
        self._retry_event = self._retry_at = None
        self.channel_manager.ended(self.channel, self, self.definition, event, now)
        self._ended_at_last(now)

    def _ended_at_last(self, now: float) -> None:
        if self.machine.link.closed and not self.committing:
            actions, self.after_commit = self.after_commit, []
            for action in actions:
                action(now)

    def writable(self, now: float) -> None:
        """A receiving end makes nothing on its own."""
