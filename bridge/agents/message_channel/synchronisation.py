"""What all channels keep for their next start: SYNCQ in memory, as the store has it (channels.md 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.channel_records import (
    ReceiverRecord,
    SenderRecord,
    load_receivers,
    load_senders,
)
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.units_of_work import Then
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.channel import ReceiverState


class Synchronisation:
    """Records of both kinds of end, and the batches in doubt."""

    def __init__(self, manager: QueueManager, store: Store) -> None:
        self._manager = manager
        self._store = store
        self._receivers = {key: record.state for key, record in load_receivers(store).items()}

    # Receiving ends

    def received(self, channel: str, partner: str) -> ReceiverState:
        """Last committed batch of a receiving end."""
        return self._receivers.get((channel, partner)) or ReceiverState()

    def partners(self, channel: str) -> Iterator[tuple[str, ReceiverState]]:
        """(partner, last committed batch) of a channel."""
        for (name, partner), state in self._receivers.items():
            if name == channel:
                yield partner, state

    def receiving_channels(self) -> set[str]:
        """Names that have a receiving end's record."""
        return {name for name, _ in self._receivers}

    def remember(self, channel: str, record: ReceiverRecord) -> None:
        """A receiving end's record is on disk."""
        self._receivers[channel, record.partner] = record.state

    def remember_all(self, channel: str, records: Iterable[ReceiverRecord]) -> None:
        """Takes over records of one channel."""
        for record in records:
            self.remember(channel, record)

    # Sending ends

    def reload_sender(self, channel: Channel) -> None:
        """Takes a sending end's record as the store has it, after a commit that failed."""
        channel.sender = load_senders(self._store).get(channel.name) or SenderRecord()

    def hold(self, channel: Channel) -> None:
        """After a restart: hides the messages of the batch in doubt on the transmission queue."""
        record = channel.sender
        if record.state.in_doubt is not None and record.positions and channel.held is None:
            channel.held = self._manager.hold(record.transmission_queue, record.positions, channel)

    def settle(self, channel: Channel, commit: bool, now: float, then: Then) -> None:
        """Deletes or puts back the messages of the batch in doubt, and records which.

        Where the store refuses, the batch is in doubt as before: its messages stay hidden and ``then`` is told why.
        """
        record = channel.sender
        record.state = record.state.settled(commit)
        operation = record.operation(channel.name)
        unit, channel.held = channel.held, None
        channel.settling += 1

        def done(error: MQError | None) -> None:
            if error is not None:
                channel.held = unit
                self.reload_sender(channel)
            elif unit is not None and not commit:
                self._manager.backout(unit, now)
            then(error)
            channel.settled(now)

        if unit is None or not commit:
            self._manager.submit([operation], done)
        else:
            unit.stays = True
            self._manager.commit(unit, now, done, [operation])
