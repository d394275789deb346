"""Synchronisation records of all channels (SYNCQ), in memory as they are in the store (channels.md 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram, InDoubtBatch, OnStored
from mqbridge.bridge.agents.message_channel.channel_records import (
    ReceiverRecord,
    SenderRecord,
    load_receivers,
    load_senders,
)
from mqbridge.bridge.queue_manager import Application, MQError, QueueManager
from mqbridge.bridge.queue_manager.calls.agent_requests import HoldMessages
from mqbridge.bridge.queue_manager.calls.outcomes import MessagesHeld
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit
from mqbridge.bridge.store.interface import Store
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import ReceiverState


class Synchronisation:
    """Records of senders and receivers, and the batches in doubt."""

    def __init__(self, manager: QueueManager, store: Store) -> None:
        self._store = store
        self._program = ChannelProgram(manager, Application())
        self._receivers = {key: record.state for key, record in load_receivers(store).items()}

    # Receiving ends

    def received(self, channel: str, partner: str) -> ReceiverState:
        """The last committed batch of a receiver."""
        return self._receivers.get((channel, partner)) or ReceiverState()

    def partners(self, channel: str) -> Iterator[tuple[str, ReceiverState]]:
        """(partner, last committed batch) for all partners of a channel."""
        for (name, partner), state in self._receivers.items():
            if name == channel:
                yield partner, state

    def receiving_channels(self) -> set[str]:
        """Names of channels that have a receiver's record."""
        return {name for name, _ in self._receivers}

    def remember(self, channel: str, record: ReceiverRecord) -> None:
        """A receiver's record is on disk."""
        self._receivers[channel, record.partner] = record.state

    def remember_all(self, channel: str, records: Iterable[ReceiverRecord]) -> None:
        """Receivers' records of one channel are on disk."""
        for record in records:
            self.remember(channel, record)

    # Sending ends

    def reload_sender(self, channel: Channel) -> None:
        """Reload a sender's record from the store after a failed commit."""
        channel.sender = load_senders(self._store).get(channel.name) or SenderRecord()

    def hold(self, channel: Channel) -> None:
        """Hide the messages of the batch in doubt on the transmission queue, after a restart."""
        record = channel.sender
        if record.state.in_doubt is not None and record.positions and channel.held is None:
            held = self._program.do(HoldMessages(0, record.transmission_queue, tuple(record.positions)), 0.0)
            assert isinstance(held, MessagesHeld)
            channel.held = InDoubtBatch(self._program, held.tokens)

    def settle(self, channel: Channel, commit: bool, now: Time, then: OnStored) -> None:
        """Delete or put back the messages of the batch in doubt, and record the outcome.

        If the store refuses, the batch stays in doubt and its messages hidden; ``then`` is called with the reason.
        """
        record = channel.sender
        record.state = record.state.settled(commit)
        row = record.operation(channel.name)
        held, channel.held = channel.held, None
        program = self._program if held is None else held.program
        channel.settling += 1

        def done(error: MQError | None) -> None:
            if error is not None:
                channel.held = held
                self.reload_sender(channel)
            elif held is not None and not commit:
                program.do(Backout(0, held.tokens), now)
            then(error)
            channel.settled(now)

        gone = () if held is None or not commit else held.tokens
        program.commit(Commit(program.next_tag(), (row,), gone), done, now)
