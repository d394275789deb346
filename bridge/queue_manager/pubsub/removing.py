"""Closing, removing and expiring subscriptions, and asking for retained publications (mqi.md 3, 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.constants import MQCO, MQRC, MQSR, MQSRO

from .destinations import commit_changes, delete_managed_queue
from .late_delivery import deliver_retained

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.objects import Change
    from mqbridge.bridge.queue_manager.turns import Steps
    from mqbridge.bridge.queue_manager.units_of_work import PendingCommit

    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription, SubscriptionHandle

_REMOVED: Final = 2_000
"""Turn units for a subscription that is removed."""
_KNOWN: Final = int(MQCO.KEEP_SUB | MQCO.REMOVE_SUB | MQCO.QUIESCE)
_DELETES: Final = int(MQCO.DELETE | MQCO.DELETE_PURGE)


class SubscriptionRemoval:
    """MQCLOSE of subscriptions, and their removal."""

    __slots__ = ("_state",)

    def __init__(self, state: PubSubState) -> None:
        self._state = state

    def close(self, handle: SubscriptionHandle, options: int, now: Time) -> PendingCommit | None:
        """Close a subscription; see `PubSub.close`."""
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
        return self.remove(subscription, now) if ends and not subscription.deleted else None

    def remove(self, subscription: Subscription, now: Time) -> PendingCommit | None:
        """Remove a subscription and its managed queue. Returns the transaction."""
        changes = self.removal_of(subscription)
        return commit_changes(self._state.core, changes, UnitOfWork(implicit=True), now)

    def removal_of(self, subscription: Subscription) -> list[Change]:
        """The changes of `remove`, for the caller to commit."""
        core = self._state.core
        definition = subscription.definition
        changes = [core.objects.delete(Kind.SUB, definition.name, {"SUBID": definition["SUBID"]})]
        if subscription.managed:
            changes += delete_managed_queue(core, subscription.destination[0])
        return changes

    def expire(self, now: Time) -> None:
        """Remove expired subscriptions, open ones too."""
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
    now: Time,
) -> tuple[int | None, PendingCommit | None]:
    """MQSUBRQ; see `PubSub.request`."""
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
    unit = UnitOfWork(implicit=True)
    count = deliver_retained(state, retained, subscription, unit, now, required=True)
    return count, commit(state.core, unit, now)
