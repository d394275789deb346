"""What commands need of publish/subscribe (`PubSub` has it)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import Definition, Value
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit


class SubscriptionAdministration(Protocol):
    """Subscriptions made, changed and removed: the transaction that does so, None where nothing is left to do."""

    def define(
        self, name: str, attributes: Mapping[str, Value], now: float, *, like: str, replace: bool
    ) -> PendingCommit | None:
        """DEFINE SUB; raises ``ObjectError``, `MQError`."""
        ...

    def alter(self, definition: Definition, attributes: Mapping[str, Value], now: float) -> PendingCommit | None:
        """ALTER SUB; raises ``ObjectError``, `MQError`."""
        ...

    def delete(self, definition: Definition, now: float) -> PendingCommit | None:
        """DELETE SUB; raises `MQError` 2429."""
        ...

    def find(self, name: str, identifier: str) -> Definition:
        """The subscription of a name or a SUBID; raises ``ObjectMissing``."""
        ...


class SubscriptionStatus(Protocol):
    """Rows of status by MQSC keyword; ``wanted`` is a topic string, with wildcards of the topic scheme."""

    def topics(self, wanted: str) -> Iterable[StatusRow]:
        """Topic strings."""
        ...

    def topic_subscribers(self, wanted: str) -> Iterable[StatusRow]:
        """Subscriptions to topic strings."""
        ...

    def topic_publishers(self, wanted: str) -> list[StatusRow]:
        """Topics open for output."""
        ...

    def subscriptions(self, identity: str | None = None) -> list[StatusRow]:
        """Subscriptions, or the one of an identity."""
        ...

    def engine(self) -> StatusRow:
        """The engine itself."""
        ...


class SubscriptionTarget(Protocol):
    """Publish/subscribe as commands see it."""

    @property
    def administration(self) -> SubscriptionAdministration:
        """What commands on subscriptions do."""
        ...

    @property
    def status(self) -> SubscriptionStatus:
        """What displays show."""
        ...

    def clear_retained(self, topic: str, now: float) -> tuple[int, PendingCommit | None]:
        """CLEAR TOPICSTR: how many publications, and the transaction."""
        ...
