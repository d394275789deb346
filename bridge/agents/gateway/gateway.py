"""A queue manager with its channels, whole, but for sockets, clock and writer thread.

Who drives it (an endpoint, a simulator) does this after every call::

    gateway.settle(now)
    pending = manager.take_commits()      # to the store in the writer thread; then gateway.committed(…) for each
    gateway.take_effects()                # connections and lines for the operator
    gateway.next_timeout()                # when to call gateway.timeout(now) at the latest
"""

from __future__ import annotations

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits, ChannelManager
from mqbridge.bridge.agents.gateway.effects import Effect
from mqbridge.bridge.queue_manager import PendingCommit, QueueManager
from mqbridge.bridge.queue_manager.effects import Completed, StartChannel, Wake
from mqbridge.bridge.store.interface import Store, StoreError

_MAX_ROUNDS = 10_000


class Gateway:
    """Joins ``manager`` and the channels; ``channel_manager`` has what endpoints call for connections."""

    def __init__(
        self, manager: QueueManager, store: Store, limits: ChannelLimits, now: float, *, salt: int = 0
    ) -> None:
        self.manager = manager
        self.channel_manager = ChannelManager(manager, store, limits, now, salt=salt)
        self.triggering = True
        """Whether channels start for messages that wait; while it is False they are noted, see `trigger_noted`."""
        self._noted: dict[str, None] = {}
        self._effects: list[Effect] = []

    def settle(self, now: float) -> None:
        """Performs the effects of the queue manager that concern channels, until there are no more."""
        self.channel_manager.now = now
        self.manager.at(now)
        for _ in range(_MAX_ROUNDS):
            effects = self.manager.take_effects()
            if not effects:
                return
            for effect in effects:
                if isinstance(effect, Wake):
                    effect.waiter.owner.woken(effect.waiter, effect.reason, now)
                elif isinstance(effect, Completed):
                    effect.session.tell(now)
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
        return effects + self.channel_manager.take_effects()

    @property
    def has_more(self) -> bool:
        """Whether what was performed has led to more that is to be performed."""
        return self.manager.has_more or self.channel_manager.has_more or bool(self._effects)

    def next_timeout(self) -> float | None:
        """When to call `timeout` at the latest."""
        first, second = self.channel_manager.next_timeout(), self.manager.next_timeout()
        if first is None or second is None:
            return first if second is None else second
        return min(first, second)

    def timeout(self, now: float) -> None:
        """Deadlines have come."""
        self.channel_manager.timeout(now)
        self.manager.timeout(now)
        self.settle(now)
