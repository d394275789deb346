"""Delivery of retained publications to one subscription: when it is created, and on request (mqi.md 17 row 8).

Thousands of them are delivered in turns. The subscription is active meanwhile: new publications are put behind the
positions reserved for the retained ones on its queue. For each topic string it gets what is retained when its turn
comes, so it may get a publication of that time twice, but never misses one.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import backout, commit, work_in_turns
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.rows import pack_position
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork, on_complete
from mqbridge.mappings.moment import Time
from mqbridge.mappings.properties import PropertyView
from mqbridge.protocol.constants import MQRC

from .copies import Copies
from .delivering import deliver
from .retained import RETAINED

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
    from mqbridge.mappings.message import Message

    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription

MAX_IN_UNIT: Final = 1_000
"""Copies in one unit of work; more go into further ones."""
_LOOKED_AT: Final = 20
"""Turn units for a topic string that is compared."""
_DELIVERED: Final = 1_500
"""Turn units for a publication that is read, copied and put."""


def deliver_retained(
    state: PubSubState,
    retained: RetainedPublications,
    subscription: Subscription,
    unit: UnitOfWork,
    now: Time,
    *,
    required: bool = False,
) -> int | None:
    """Put the retained publications that a subscription matches and selects to its destination.

    Returns how many, None while they are delivered in turns. The last copies are in ``unit``, whose commit waits until
    the delivery has ended. Raises `MQError` 2526 (one could be put neither there nor on the dead-letter queue), 2525
    (one cannot be read), 2428 (the subscription is deleted), 2437 (``required``, and there is none). An error after
    this call has returned is the outcome of the commit.
    """
    core = state.core
    order = RETAINED if core.turns.busy(RETAINED) else None  # behind publications that are still being retained
    steps = _Delivery(state, retained, subscription, unit, required).steps(now)
    return work_in_turns(core, unit, steps, now, order)


class _Delivery:
    """The delivery of retained publications to one subscription, in steps."""

    def __init__(
        self,
        state: PubSubState,
        retained: RetainedPublications,
        subscription: Subscription,
        unit: UnitOfWork,
        required: bool,
    ) -> None:
        self._state = state
        self._retained = retained
        self._subscription = subscription
        self._unit = unit
        self._required = required
        self._failure: MQError | None = None
        queue = state.core.queues.get(subscription.destination[0])
        self._queue: LocalQueue | None = queue
        self._place = queue.reserve_positions(retained.count(subscription.pattern)) if queue is not None else 0

    def steps(self, now: Time) -> Generator[int, Time, int]:
        """Deliver all of them in pieces. Returns how many."""
        core, subscription, unit, count = self._state.core, self._subscription, self._unit, 0
        try:
            for found in self._retained.matching(subscription.pattern, now):
                if found is not None and self._deliver(*found, now):
                    count += 1
                now = yield _LOOKED_AT if found is None else _DELIVERED
                if subscription.deleted:
                    raise MQError(MQRC.NO_SUBSCRIPTION, subscription.name)
                if self._failure is not None:
                    raise self._failure
                if unit.count >= MAX_IN_UNIT:
                    part = UnitOfWork(implicit=True)
                    part.puts, unit.puts, unit.bytes_held = unit.puts, [], 0
                    on_complete(commit(core, part, now), self._committed)
            if self._required and not count:
                raise MQError(MQRC.NO_RETAINED_MSG, subscription.topic)
        except MQError:
            backout(core, unit, now)
            raise
        if count:
            subscription.messages += count
            subscription.last_message = now
        return count

    def _committed(self, error: MQError | None) -> None:
        self._failure = self._failure or error

    def _deliver(self, topic: str, message: Message, now: Time) -> bool:
        state, subscription = self._state, self._subscription
        core, pattern = state.core, subscription.pattern
        attributes = state.topics.attributes(topic)
        if attributes.blocked and not isinstance(pattern, str) and not pattern.reaches_below(attributes.blocked):
            return False
        copies = Copies(core, message, topic, now, retained=True)
        if subscription.selector is not None and not subscription.selects(PropertyView.of(copies.form()).get):
            return False
        use = attributes.uses_dead_letter_queue
        reason = deliver(core, subscription, copies, self._unit, now, use_dead_letter_queue=use)
        if reason:
            raise MQError(MQRC.RETAINED_NOT_DELIVERED, f"{subscription.destination[0]}: {MQRC(reason)}")
        put = self._unit.puts[-1]
        if put.queue is self._queue:
            put.row = pack_position(put.queue.position_at(put.priority, self._place)) + put.tail
            self._place += 1
        return True
