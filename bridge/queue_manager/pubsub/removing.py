"""Closing, removing and expiring subscriptions, and asking for retained publications (mqi.md 3, 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.constants import MQCO, MQRC, MQSR, MQSRO

from .destinations import give_up_managed_queue, operations_of
from .late_delivery import deliver_retained

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqbridge.bridge.queue_manager.objects import Change
    from mqbridge.bridge.queue_manager.turns import Steps
    from mqbridge.bridge.queue_manager.units_of_work import Then

    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription, SubscriptionHandle

_REMOVED: Final = 2_000
"""Units of work for a subscription that is removed."""
_KNOWN: Final = int(MQCO.KEEP_SUB | MQCO.REMOVE_SUB | MQCO.QUIESCE)
_DELETES: Final = int(MQCO.DELETE | MQCO.DELETE_PURGE)


class Remover:
    """Ends what subscribing began."""

    __slots__ = ("_state",)

    def __init__(self, state: PubSubState) -> None:
        self._state = state

    def close(self, handle: SubscriptionHandle, options: int, now: float, then: Then | None = None) -> None:
        """See `PubSub.close`."""
        subscription = handle.subscription
        if handle.closed:
            raise MQError(MQRC.HOBJ_ERROR, subscription.name)
        keeps, removes = options & MQCO.KEEP_SUB, options & MQCO.REMOVE_SUB
        if options & _DELETES:
            raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, "a subscription is removed, not deleted")
        if (keeps and removes) or options & ~_KNOWN:
            raise MQError(MQRC.OPTIONS_ERROR, f"0x{options:X}")
        if keeps and not subscription.durable:
            raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, "KEEP_SUB of a non-durable subscription")
        if removes and any(each is not handle for each in subscription.handles):
            raise MQError(MQRC.SUBSCRIPTION_IN_USE, subscription.name)
        handle.closed = True
        if handle in subscription.handles:
            subscription.handles.remove(handle)
        ends = removes or (not subscription.durable and not subscription.handles)
        if ends and not subscription.deleted:
            self.remove(subscription, now, then)
        elif then is not None:
            then(None)

    def remove(self, subscription: Subscription, now: float, then: Then | None = None) -> None:
        """Takes a subscription away with its managed queue; ``then`` when that is on disk."""
        changes = self.take_away(subscription)

        def outcome(error: MQError | None) -> None:
            if error is not None:
                for change in reversed(changes):
                    self._state.core.objects.undo(change)
            if then is not None:
                then(error)

        commit(self._state.core, UnitOfWork(implicit=True), now, outcome, operations_of(changes))

    def take_away(self, subscription: Subscription) -> list[Change]:
        """The changes of `remove`, to be committed by the caller."""
        core = self._state.core
        definition = subscription.definition
        changes = [core.objects.delete(Kind.SUB, definition.name, {"SUBID": definition["SUBID"]})]
        if subscription.managed:
            changes += give_up_managed_queue(core, subscription.destination[0])
        return changes

    def expire(self, now: float) -> None:
        """Takes subscriptions away whose time is up, open ones too."""
        turns = self._state.core.turns
        end = self._state.next_expiry()
        if end is not None and end <= date_of(now) and not turns.busy(self):
            turns.begin(self._expire(), now, self)

    def _expire(self) -> Steps:
        now = yield 0
        for subscription in self._state.expired(now):
            self.remove(subscription, now)
            now = yield _REMOVED


def request_retained(
    state: PubSubState,
    retained: RetainedPublications,
    handle: SubscriptionHandle,
    action: int,
    options: int,
    now: float,
    then: Then | None,
    counted: Callable[[int], None] | None = None,
) -> int:
    """See `PubSub.request`."""
    subscription = handle.subscription
    if handle.closed:
        raise MQError(MQRC.HOBJ_ERROR, subscription.name)
    if subscription.deleted:
        raise MQError(MQRC.NO_SUBSCRIPTION, subscription.name)
    if action != MQSR.ACTION_PUBLICATION:
        raise MQError(MQRC.ACTION_ERROR, str(action))
    if options & ~MQSRO.FAIL_IF_QUIESCING:
        raise MQError(MQRC.OPTIONS_ERROR, f"0x{options:X}")
    if options & MQSRO.FAIL_IF_QUIESCING:
        state.core.require_not_quiescing()
    state.require_enabled()
    told: list[tuple[MQError | None, int]] = []
    at_once = True

    def delivered(error: MQError | None, work: UnitOfWork, count: int, at: float) -> None:
        if error is None and not count:
            error = MQError(MQRC.NO_RETAINED_MSG, subscription.topic)
        told.append((error, count))
        if error is None:
            if counted is not None:
                counted(count)
            commit(state.core, work, at, then)
        elif not at_once and then is not None:
            then(error)

    deliver_retained(state, retained, subscription, now, delivered)
    at_once = False
    if told and told[0][0] is not None:
        raise told[0][0]
    return told[0][1] if told else 0
