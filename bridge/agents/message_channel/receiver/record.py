"""The synchronisation record of a receiver: its last committed batch, in memory and on disk (channels.md 5.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mqbridge.bridge.agents.message_channel.channel_program import OnStored
from mqbridge.bridge.agents.message_channel.channel_records import ReceiverRecord
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import ReceiverState

Write: TypeAlias = Callable[[tuple[Operation, ...], OnStored, Time], None]


class ReceivingRecord:
    """The record of one channel and partner during a connection.

    ``write``: writes rows. ``unsure_on_disk``: the row on disk says that numbers of fast batches may be missing, so
    their rows need not be awaited (:data:`protocol.inferred.FAST_BATCHES_RECORDED_BEHIND`).
    """

    __slots__ = ("_again", "_channel", "_host", "_write", "_writing", "partner", "state", "unsure_on_disk")

    def __init__(self, host: MCAHost, write: Write, channel: str, partner: str, state: ReceiverState) -> None:
        self._host = host
        self._write = write
        self._channel = channel
        self.partner = partner
        self.state = state
        self.unsure_on_disk = state.unsure
        self._writing = False
        self._again = False

    def committing(self, state: ReceiverState) -> tuple[Operation, ...]:
        """The row for a transaction. Until `committed` is called, the state on disk is unknown.

        A pending older row is discarded, since it must not be written after this one.
        """
        self.unsure_on_disk = False
        self._again = False
        return (ReceiverRecord(self.partner, state).operation(self._channel),)

    def committed(self, state: ReceiverState) -> None:
        """The row is on disk."""
        self.unsure_on_disk = state.unsure
        self._remember(state)

    def follow(self, state: ReceiverState, now: Time) -> None:
        """Set the state at once and write its row later, one row at a time: states in between share the next one."""
        self._remember(state)
        if self._writing:
            self._again = True
            return
        self._writing, self._again = True, False
        row = ReceiverRecord(self.partner, state).operation(self._channel)
        self._write((row,), self._written, now)

    def end(self) -> None:
        """The connection has ended and another agent may write, so discard pending rows."""
        self._again = False

    def _written(self, error: MQError | None) -> None:
        self._writing = False
        if error is None and self._again:
            self.follow(self.state, self._host.now)

    def _remember(self, state: ReceiverState) -> None:
        self.state = state
        self._host.synchronisation.remember(self._channel, ReceiverRecord(self.partner, state))
