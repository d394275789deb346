"""The channels of a queue manager by name, with the state that outlives a restart."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.channel_records import load_senders, load_statuses
from mqbridge.bridge.agents.message_channel.definitions import channel_parameters
from mqbridge.bridge.agents.message_channel.synchronisation import Synchronisation
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.channel import ChannelParameters, LuwidSource


class ChannelRegistry:
    """Run-time state of channels, defined or not.

    ``store`` is only read. ``luwids``: source of the unit-of-work ids of senders.
    """

    def __init__(self, manager: QueueManager, store: Store, handshake_timeout: float, luwids: LuwidSource) -> None:
        self.manager = manager
        self.luwids = luwids
        self.synchronisation = Synchronisation(manager, store)
        self._handshake_timeout = handshake_timeout
        self._channels: dict[str, Channel] = {}
        for name, record in load_senders(store).items():
            channel = self.named(name)
            channel.sender = record
            self.synchronisation.hold(channel)
        for name, status in load_statuses(store).items():
            self.named(name).status = status

    def __iter__(self) -> Iterator[Channel]:
        return iter(list(self._channels.values()))

    def named(self, name: str) -> Channel:
        """The state of a channel, created if there is none."""
        found = self._channels.get(name)
        if found is None:
            found = self._channels[name] = Channel(name)
        return found

    def get(self, name: str) -> Channel | None:
        """The state of a channel, or None."""
        return self._channels.get(name)

    def is_stopped(self, name: str) -> bool:
        """Whether the channel is STOPPED, so that only START CHANNEL starts it."""
        channel = self._channels.get(name)
        return channel is not None and channel.status.stopped

    def parameters(self, definition: Definition) -> ChannelParameters:
        """The parameters of a protocol machine for a definition."""
        return channel_parameters(definition, self.manager.objects.manager, self._handshake_timeout)

    def inactive(self, channel: Channel) -> None:
        """Set a channel inactive after a normal end: it starts again when triggered or told to."""
        if channel.status.running:
            channel.status.running = False
            self.record_status(channel)

    def stopped(self, channel: Channel) -> None:
        """Set a channel STOPPED: an operator must start it."""
        channel.status.stopped, channel.status.running = True, False
        self.record_status(channel)

    def record_status(self, channel: Channel) -> None:
        """Make the channel's state durable for the next start."""
        self.manager.submit([channel.status.operation(channel.name)])
