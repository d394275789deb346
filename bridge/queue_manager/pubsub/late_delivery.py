"""Retained publications for one subscription: when it is made, and on request (mqi.md 17 row 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager.committing import retract
from bridge.queue_manager.errors import MQError
from mappings.properties import PropertyView
from protocol.constants import MQRC

from .copies import Copies
from .delivering import deliver

if TYPE_CHECKING:
    from bridge.queue_manager.units_of_work import UnitOfWork

    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription


def deliver_retained(
    state: PubSubState, retained: RetainedPublications, subscription: Subscription, work: UnitOfWork, now: float
) -> int:
    """Puts what is retained for its topics, and selected, to a subscription's destination; returns how many.

    Raises `MQError` 2526 where one of them cannot be put there or on the dead-letter queue, 2525 where it cannot be
    read; the unit of work is as it was then.
    """
    core, mark, count = state.core, len(work.puts), 0
    try:
        for topic, message in retained.matching(subscription.pattern, now):
            attributes = state.topics.attributes(topic)
            pattern = subscription.pattern
            if attributes.blocked and not isinstance(pattern, str) and not pattern.reaches_below(attributes.blocked):
                continue
            copies = Copies(core, message, topic, now, retained=True)
            if subscription.selector is not None and not subscription.selects(PropertyView.of(copies.form()).get):
                continue
            use = attributes.uses_dead_letter_queue
            reason = deliver(core, subscription, copies, work, now, use_dead_letter_queue=use)
            if reason:
                raise MQError(MQRC.RETAINED_NOT_DELIVERED, f"{subscription.destination[0]}: {MQRC(reason)}")
            count += 1
    except BaseException:
        retract(core, work, mark)
        raise
    if count:
        subscription.messages += count
        subscription.last_message = now
    return count
