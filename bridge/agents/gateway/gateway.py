"""A queue manager with its channels, whole, but for sockets, clock and writer thread.

Who drives it (an endpoint, a simulator) does this after every call::

    gateway.settle(now)
    pending = manager.take_commits()      # to the store in the writer thread; then gateway.committed(…) for each
    gateway.take_effects()                # connections and lines for the operator
    gateway.next_timeout()                # when to call gateway.timeout(now) at the latest
"""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits, ChannelManager
from mqbridge.bridge.agents.gateway.connection_registry import ConnectionRegistry
from mqbridge.bridge.agents.gateway.effects import Effect
from mqbridge.bridge.agents.gateway.listener_protocols import PROTOCOLS, ListenerProtocol, begin
from mqbridge.bridge.queue_manager import PendingCommit, QueueManager
from mqbridge.bridge.queue_manager.effects import Completed, StartChannel, Wake
from mqbridge.bridge.store.interface import Store, StoreError
from mqbridge.protocol.constants import MQMODE

_MAX_ROUNDS = 10_000


class Gateway:
    """Joins ``manager`` and the conversations of its partners.

    ``connections`` has what endpoints call, ``channel_manager`` what commands ask of channels. ``protocols``: what
    partners may speak who connect to a listener, see `listener_protocols`.
    """

    def __init__(
        self,
        manager: QueueManager,
        store: Store,
        limits: ChannelLimits,
        now: float,
        *,
        salt: int = 0,
        protocols: Sequence[ListenerProtocol] = PROTOCOLS,
    ) -> None:
        self.manager = manager
        self.channel_manager = ChannelManager(manager, store, limits, now, salt=salt)
        self._protocols = protocols
        self.connections = ConnectionRegistry(self.channel_manager, self._begin)
        self.triggering = True
        """Whether channels start for messages that wait; while it is False they are noted, see `trigger_noted`."""
        self._noted: dict[str, None] = {}
        self._effects: list[Effect] = []

    def _begin(self, connection: PartnerConnection, now: float) -> Conversation:
        return begin(self._protocols, self.channel_manager, connection, now)

    def settle(self, now: float) -> None:
        """Performs the effects of the queue manager that concern conversations, and gives those a turn that have asked
        for it, until there are no more."""
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

    def trigger_noted(self, now: float) -> None:
        """From now on channels are triggered at once; those noted before are now."""
        self.channel_manager.now = now
        self.triggering = True
        noted, self._noted = self._noted, {}
        for channel in noted:
            self.channel_manager.starter.trigger(channel)

    def committed(self, pending: PendingCommit, error: StoreError | None, now: float) -> None:
        """A transaction has ended."""
        self.channel_manager.now = now
        self.manager.committed(pending, error, now)

    def take_effects(self) -> list[Effect]:
        """Connections to open, write to and close, and lines for the operator."""
        effects, self._effects = self._effects, []
        return effects + self.channel_manager.effects.take()

    @property
    def has_more(self) -> bool:
        """Whether what was performed has led to more that is to be performed."""
        return bool(self.manager.has_more or self.channel_manager.effects or self.connections.ready or self._effects)

    def next_timeout(self) -> float | None:
        """When to call `timeout` at the latest."""
        first, second = self.connections.next_timeout(), self.manager.next_timeout()
        if first is None or second is None:
            return first if second is None else second
        return min(first, second)

    def timeout(self, now: float) -> None:
        """Deadlines have come."""
        self.connections.timeout(now)
        self.manager.timeout(now)
        self.settle(now)

    def stop_all(self, mode: MQMODE, now: float) -> None:
        """The queue manager ends: with MQMODE.QUIESCE every channel ends after its batch, with FORCE at once."""
        self.channel_manager.stop_all(mode, now)
        self.connections.stop_all(mode)
