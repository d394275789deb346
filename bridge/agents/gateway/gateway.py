"""A queue manager with its channels, without sockets, clock and writer thread.

A driver (an endpoint, the simulator) does this after every call::

    gateway.settle(now)
    pending = manager.take_commits()      # to the store in the writer thread; then gateway.committed(…) for each
    gateway.take_effects()                # connections and operator messages
    gateway.next_timeout()                # when to call gateway.timeout(now) at the latest
"""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.carriers import Carriers
from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits, ChannelManager
from mqbridge.bridge.agents.gateway.connection_registry import ConnectionRegistry
from mqbridge.bridge.agents.gateway.effects import Effect
from mqbridge.bridge.agents.gateway.listener_protocols import PROTOCOLS, ListenerProtocol, begin
from mqbridge.bridge.queue_manager import PendingCommit, QueueManager
from mqbridge.bridge.queue_manager.effects import Completed, StartChannel, Wake
from mqbridge.bridge.store.interface import Store, StoreError
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE

_MAX_ROUNDS = 10_000


class Gateway:
    """The queue manager ``manager`` joined to the conversations of its partners.

    ``connections``: the interface for endpoints. ``channel_manager``: the interface for channel commands. ``carriers``:
    what moves messages beside the channels. ``protocols``: those that partners may speak on a
    listener, see `listener_protocols`.
    """

    def __init__(
        self,
        manager: QueueManager,
        store: Store,
        limits: ChannelLimits,
        now: Time,
        *,
        salt: int = 0,
        protocols: Sequence[ListenerProtocol] = PROTOCOLS,
    ) -> None:
        self.manager = manager
        self.channel_manager = ChannelManager(manager, store, limits, now, salt=salt)
        self.carriers = Carriers(self.channel_manager)
        self._protocols = protocols
        self.connections = ConnectionRegistry(self.channel_manager, self._begin)
        self.triggering = True
        """Whether channels are triggered at once; otherwise triggers are kept for `trigger_noted`."""
        self._noted: dict[str, None] = {}
        self._effects: list[Effect] = []

    def _begin(self, connection: PartnerConnection, now: Time) -> Conversation:
        return begin(self._protocols, self.channel_manager, connection, now)

    def settle(self, now: Time) -> None:
        """Perform the queue manager's effects on conversations and give requested turns, until none are left."""
        self.channel_manager.now = now
        self.manager.at(now)
        for _ in range(_MAX_ROUNDS):
            effects = self.manager.take_effects()
            if not effects:
                if not self.connections.ready:
                    return
                self.connections.take_turns(now)
            for effect in effects:
                if isinstance(effect, Wake):
                    effect.waiter.owner.woken(effect.waiter, effect.reason, now)
                elif isinstance(effect, Completed):
                    effect.program.completed(now)
                elif isinstance(effect, StartChannel):
                    self._trigger(effect.channel)
                else:
                    self._effects.append(effect)

    def _trigger(self, channel: str) -> None:
        if self.triggering:
            self.channel_manager.starter.trigger(channel)
        else:
            self._noted[channel] = None

    def trigger_noted(self, now: Time) -> None:
        """Trigger the kept channels, and all others at once from now on."""
        self.channel_manager.now = now
        self.triggering = True
        noted, self._noted = self._noted, {}
        for channel in noted:
            self.channel_manager.starter.trigger(channel)

    def committed(self, pending: PendingCommit, error: StoreError | None, now: Time) -> None:
        """A transaction has ended."""
        self.channel_manager.now = now
        self.manager.committed(pending, error, now)

    def take_effects(self) -> list[Effect]:
        """Return connections to open, write to and close, and operator messages."""
        effects, self._effects = self._effects, []
        return effects + self.channel_manager.effects.take()

    @property
    def has_more(self) -> bool:
        """Whether there are further effects to perform."""
        return bool(self.manager.has_more or self.channel_manager.effects or self.connections.ready or self._effects)

    def next_timeout(self) -> float | None:
        """Latest time at which `timeout` must be called."""
        first, second = self.connections.next_timeout(), self.manager.next_timeout()
        if first is None or second is None:
            return first if second is None else second
        return min(first, second)

    def timeout(self, now: Time) -> None:
        """Deadlines have passed."""
        self.connections.timeout(now)
        self.manager.timeout(now)
        self.settle(now)

    def stop_all(self, mode: MQMODE, now: Time) -> None:
        """Stop all channels and carriers because the queue manager ends: MQMODE.QUIESCE after the current batch, FORCE
        at once."""
        self.carriers.stop_all(mode, now)
        self.channel_manager.stop_all(mode, now)
        self.connections.stop_all(mode)
