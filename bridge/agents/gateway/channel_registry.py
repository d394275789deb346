"""The channels of a queue manager by name, and what must be known of them at the next start."""

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
    """What is known of channels at run time, defined or not.

    ``store`` is read, never written. ``luwids``: the ids of units of work that sending ends state.
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
        """What is known of a name; made when first asked for."""
        found = self._channels.get(name)
        if found is None:
            found = self._channels[name] = Channel(name)
        return found

    def get(self, name: str) -> Channel | None:
        """What is known of a name, if anything is."""
        return self._channels.get(name)

    def is_stopped(self, name: str) -> bool:
        """STOPPED: only a START CHANNEL helps."""
        channel = self._channels.get(name)
        return channel is not None and channel.status.stopped

    def parameters(self, definition: Definition) -> ChannelParameters:
        """What a machine takes from a definition."""
        return channel_parameters(definition, self.manager.objects.manager, self._handshake_timeout)

    def inactive(self, channel: Channel) -> None:
        """The channel ended in order: it starts again when it is triggered or told to."""
        if channel.status.running:
            channel.status.running = False
            self.record_status(channel)

    def stopped(self, channel: Channel) -> None:
        """The channel needs an operator."""
        channel.status.stopped, channel.status.running = True, False
        self.record_status(channel)

    def record_status(self, channel: Channel) -> None:
        """Makes durable what must be known after a restart."""
        self.manager.submit([channel.status.operation(channel.name)])
