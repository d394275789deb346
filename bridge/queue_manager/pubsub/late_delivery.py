"""Retained publications for one subscription: when it is made, and on request (mqi.md 17 row 8).

Thousands of them are delivered in turns. The subscription is there meanwhile: what is published for it is put behind
the places that are kept for the retained publications on its queue. Of each topic string it gets what is retained when
its turn comes, so one that is published meanwhile it may get both ways, and none not at all.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import backout, commit, work_in_turns
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.rows import pack_position
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork, tell
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
"""Units of work for a topic string that is compared."""
_DELIVERED: Final = 1_500
"""Units of work for a publication that is read, copied and put."""


def deliver_retained(
    state: PubSubState,
    retained: RetainedPublications,
    subscription: Subscription,
    unit: UnitOfWork,
    now: float,
    *,
    required: bool = False,
) -> int | None:
    """Put what is retained for its topics, and selected, to a subscription's destination: how many, None where it is
    delivered in turns. A commit of the unit of work, which has the last copies, waits for the end of that.

    Raises `MQError` 2526 where one of them could not be put there or on the dead-letter queue, 2525 where one could not
    be read, 2428 where the subscription is gone, 2437 where there is none and it is ``required``; what is not raised
    any more is the outcome of the commit.
    """
    core = state.core
    order = RETAINED if core.turns.busy(RETAINED) else None  # what was retained before is there first
    steps = _Delivery(state, retained, subscription, unit, required).steps(now)
    return work_in_turns(core, unit, steps, now, order)


class _Delivery:
    """One delivery."""

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
        self._place = queue.keep_places(retained.count(subscription.pattern)) if queue is not None else 0

    def steps(self, now: float) -> Generator[int, float, int]:
        """Everything, in pieces; how many there were."""
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
                    tell(commit(core, part, now), self._committed)
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

    def _deliver(self, topic: str, message: Message, now: float) -> bool:
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
