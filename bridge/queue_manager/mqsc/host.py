"""What MQSC commands need of the queue manager (`QueueManager` has it) and of its publish/subscribe (`PubSub`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Definition, Objects, Value
from mqbridge.bridge.queue_manager.queues.open_handle import OpenHandle
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.bridge.security import Security
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.connections import Connections
    from mqbridge.bridge.queue_manager.events import Events
    from mqbridge.bridge.queue_manager.turns import Turns


class SubscriptionAdministration(Protocol):
    """Commands on subscriptions. Each returns the transaction, None if there is nothing to store."""

    def define(
        self, name: str, attributes: Mapping[str, Value], now: Time, *, like: str, replace: bool
    ) -> PendingCommit | None:
        """DEFINE SUB; raises ``ObjectError``, `MQError`."""
        ...

    def alter(self, definition: Definition, attributes: Mapping[str, Value], now: Time) -> PendingCommit | None:
        """ALTER SUB; raises ``ObjectError``, `MQError`."""
        ...

    def delete(self, definition: Definition, now: Time) -> PendingCommit | None:
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
        """Commands on subscriptions."""
        ...

    @property
    def status(self) -> SubscriptionStatus:
        """Status rows."""
        ...

    def clear_retained(self, topic: str, now: Time) -> tuple[int, PendingCommit | None]:
        """CLEAR TOPICSTR. Returns the number of publications, and the transaction."""
        ...


class Counts(Protocol):
    """Counts for performance events since ``since``."""

    high_depth: int
    enqueued: int
    dequeued: int
    since: Time

    def restart(self, depth: int, now: Time) -> None:
        """Reset the counts."""
        ...


class QueueState(Protocol):
    """Counters of a local queue, as displays show them; times are seconds since the epoch, 0 for never."""

    name: str
    input_count: int
    output_count: int
    last_get: Time
    last_put: Time

    @property
    def handles(self) -> Sequence[OpenHandle]:
        """Open handles."""
        ...

    @property
    def meter(self) -> Counts | None:
        """Counts for performance events; None while these are disabled."""
        ...

    @property
    def depth(self) -> int:
        """CURDEPTH."""
        ...

    @property
    def uncommitted(self) -> int:
        """UNCOM."""
        ...

    @property
    def oldest_message(self) -> float | None:
        """When the first message was put."""
        ...


class CommandTarget(Protocol):
    """What commands need of a queue manager (`QueueManager` has it)."""

    @property
    def turns(self) -> Turns:
        """Tasks in turns."""
        ...

    security: Security
    connections: Connections
    events: Events

    @property
    def pubsub(self) -> SubscriptionTarget:
        """Topics and subscriptions."""
        ...

    @property
    def objects(self) -> Objects:
        """The definitions."""
        ...

    def objects_changed(self, now: Time) -> None:
        """Follow changes of the definitions."""
        ...

    def submit(self, operations: Sequence[Operation], then: Callable[[MQError | None], None] | None = None) -> None:
        """Commit operations and call ``then`` with the outcome."""
        ...

    def queue(self, name: str) -> QueueState | None:
        """A local queue at run time."""
        ...

    def clear_queue(self, name: str, now: Time, then: Callable[[MQError | None], None] | None = None) -> None:
        """Remove all messages. Raises `MQError` 2042, 2055."""
        ...

    def drop_queue(self, name: str, *, purge: bool) -> list[Operation]:
        """Operations that remove the messages of a queue from the store. Raises `MQError` 2042, 2055."""
        ...
