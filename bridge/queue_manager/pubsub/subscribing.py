"""MQSUB: create, resume and alter subscriptions of programs (mqi.md 17 rows 9 to 18)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Change, Definition, Kind, date_and_time
from mqbridge.bridge.queue_manager.opening import open_queue
from mqbridge.bridge.queue_manager.programs import ProgramId
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit, UnitOfWork
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.constants import MQRC, MQSO

from .destinations import add_managed_queue, commit_changes, provided_destination, undo
from .late_delivery import deliver_retained
from .requests import PROVIDED_OPEN_OPTIONS, alterable_values, new_values
from .subscription import SubscriptionHandle
from .topic_strings import full_topic

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.objects import Value

    from .removing import SubscriptionRemoval
    from .requests import SubscriptionRequest
    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription

_DURABLE: Final = int(MQSO.DURABLE)
_MANAGED: Final = int(MQSO.MANAGED)
_WITHOUT_RETAINED: Final = int(MQSO.NEW_PUBLICATIONS_ONLY | MQSO.PUBLICATIONS_ON_REQUEST)
_DATES: Final = ("ALTDATE", "ALTTIME")


class Subscribing(NamedTuple):
    """Result of MQSUB: an open subscription, and the transaction that makes it durable, None if there is none."""

    handle: SubscriptionHandle
    pending: PendingCommit | None


class Subscriber:
    """MQSUB of one queue manager. ``closes``: closes an Hsub at the end of its connection."""

    __slots__ = ("_closes", "_remover", "_retained", "_state")

    def __init__(
        self,
        state: PubSubState,
        retained: RetainedPublications,
        remover: SubscriptionRemoval,
        closes: Callable[[SubscriptionHandle, Time], None],
    ) -> None:
        self._state = state
        self._retained = retained
        self._remover = remover
        self._closes = closes

    def subscribe(
        self,
        request: SubscriptionRequest,
        owner: ProgramId,
        now: Time,
        handle: SubscriptionHandle | None = None,
    ) -> Subscribing:
        """Create, resume or alter a subscription; see `PubSub.subscribe`."""
        state, core = self._state, self._state.core
        request.check()
        if request.has(MQSO.FAIL_IF_QUIESCING):
            core.require_not_quiescing()
        state.require_enabled()
        if handle is not None:
            return self._alter_open(handle, request, now)
        known = state.asked_for(request)
        if known is not None and known.expires_at is not None and known.expires_at <= date_of(now):
            self._remover.remove(known, now)
            known = None
        if known is None:
            if request.has(MQSO.CREATE):
                return self._create(request, owner, now, [])
            if not request.name and not request.identifier:
                raise MQError(MQRC.SUB_NAME_ERROR, "no subscription is named")
            raise MQError(MQRC.NO_SUBSCRIPTION, request.name or request.identifier.hex())
        if not request.has(MQSO.ALTER | MQSO.RESUME):
            raise MQError(MQRC.SUB_ALREADY_EXISTS, request.name)
        self._check_user(known, request)
        if request.identifier:
            if request.has(_MANAGED) != known.managed:
                raise MQError(MQRC.DEST_CLASS_NOT_ALTERABLE, known.name)
            return self._open(known, request, owner, now, [])
        if known.handles and not (known.shared and request.shared):
            raise MQError(MQRC.SUBSCRIPTION_IN_USE, request.name)
        changed = self._difference(known, request)
        if changed and (known.handles or not request.replaces):
            raise MQError(changed, request.name)
        if changed:
            return self._create(request, owner, now, self._remover.removal_of(known))
        changes = self._altered(known, request, now) if request.has(MQSO.ALTER) else []
        return self._open(known, request, owner, now, changes)

    # --- a new one -----------------------------------------------------------------------------------------------

    def _create(self, request: SubscriptionRequest, owner: ProgramId, now: Time, changes: list[Change]) -> Subscribing:
        """Create a subscription. ``changes``: those already made for it, such as the removal of the one it replaces."""
        core, unit = self._state.core, UnitOfWork(implicit=True)
        handle: SubscriptionHandle | None = None
        try:
            subscription = self._define(request, now, changes)
            handle = self._opened(subscription, request, owner, now)
            if not request.has(_WITHOUT_RETAINED):
                deliver_retained(self._state, self._retained, subscription, unit, now)
        except BaseException:
            if handle is not None:
                _withdraw(handle)
            undo(core, changes)
            raise
        return Subscribing(handle, commit_changes(core, changes, unit, now, partial(_withdraw, handle)))

    def _define(self, request: SubscriptionRequest, now: Time, changes: list[Change]) -> Subscription:
        state, core = self._state, self._state.core
        durable, managed = request.has(_DURABLE), request.has(_MANAGED)
        if durable and not request.name.strip():
            raise MQError(MQRC.SUB_NAME_ERROR, "a durable subscription needs a name")
        topic = full_topic(core.objects, request.object_name, request.object_string)
        attributes = state.topics.attributes(topic)
        if not attributes.subscribe_enabled:
            raise MQError(MQRC.SUB_INHIBITED, topic)
        if durable and not attributes.durable_allowed:
            raise MQError(MQRC.DURABILITY_NOT_ALLOWED, topic)
        state.selector(request.selection)
        if managed:
            change = add_managed_queue(core, attributes, now, durable=durable)
            changes.append(change)
            assert change.new is not None  # it was added
            destination = (change.new.name, "")
        else:
            destination = provided_destination(core, request.destination, durable=durable)
        ids = (core.ids.message_id(), core.ids.message_id())
        values = new_values(request, topic, destination, ids, now)
        if request.has(MQSO.GROUP_SUB):
            self._check_group(values)
        definition = Definition(Kind.SUB, request.name, values)
        changes.append(core.objects.add(definition))
        return state.subscriptions[definition.identity]

    def _check_group(self, values: dict[str, Value]) -> None:
        """Raise `MQError` 2514 if the group (same destination and CorrelId) already has this topic string."""
        keys = ("TOPICSTR", "WSCHEMA", "DEST", "DESTQMGR", "DESTCORL")
        wanted = [values[key] for key in keys]
        for each in self._state.subscriptions.values():
            if each.grouped and [each.definition[key] for key in keys] == wanted:
                raise MQError(MQRC.DUPLICATE_GROUP_SUB, each.topic)

    # --- one that is there ---------------------------------------------------------------------------------------

    @staticmethod
    def _check_user(known: Subscription, request: SubscriptionRequest) -> None:
        if not known.any_user and known.user != request.application.user:
            raise MQError(MQRC.IDENTITY_MISMATCH, known.name)

    def _difference(self, known: Subscription, request: SubscriptionRequest) -> int:
        """2510 or 2524 if the topic or the selection string differs from the subscription's, else 0.

        Raises `MQError` 2509, 2533, 2515, 2512, 2435 for a difference that can be neither altered nor replaced.
        """
        if not request.only_resumes:
            if request.has(_DURABLE) != known.durable:
                raise MQError(MQRC.DURABILITY_NOT_ALTERABLE, known.name)
            if request.has(_MANAGED) != known.managed:
                raise MQError(MQRC.DEST_CLASS_NOT_ALTERABLE, known.name)
        if request.has(MQSO.ALTER):
            if request.has(MQSO.GROUP_SUB) != known.grouped:
                raise MQError(MQRC.GROUPING_NOT_ALTERABLE, known.name)
            if request.level != known.level:
                raise MQError(MQRC.SUBLEVEL_NOT_ALTERABLE, known.name)
            if request.shared != known.shared:
                raise MQError(MQRC.ALTER_SUB_ERROR, f"{known.name} is {'' if known.shared else 'not '}shared")
        if request.names_topic:
            topic = full_topic(self._state.core.objects, request.object_name, request.object_string)
            if topic != known.topic or request.has(MQSO.WILDCARD_CHAR) != known.characters:
                return MQRC.TOPIC_NOT_ALTERABLE
        if request.selection or request.replaces:
            self._state.selector(request.selection, resuming=True)
            if request.selection != known.selection:
                return MQRC.SELECTOR_NOT_ALTERABLE
        return 0

    def _altered(self, known: Subscription, request: SubscriptionRequest, now: Time) -> list[Change]:
        """The change that MQSO_ALTER makes; empty if no attribute differs."""
        old = known.definition
        values = dict(old.attributes) | alterable_values(request)
        if not request.has(_MANAGED) and request.destination is not None:
            names = provided_destination(self._state.core, request.destination, durable=known.durable)
            values["DEST"], values["DESTQMGR"] = names
        if values == old.attributes:
            return []
        values.update(zip(_DATES, date_and_time(now), strict=True))
        return [self._state.core.objects.replace(old, Definition(Kind.SUB, known.name, values))]

    def _alter_open(self, handle: SubscriptionHandle, request: SubscriptionRequest, now: Time) -> Subscribing:
        """MQSUB with MQSO_ALTER and the Hsub of an open subscription, which needs no name."""
        known = handle.subscription
        if handle.closed:
            raise MQError(MQRC.HOBJ_ERROR, known.name)
        if known.deleted:
            raise MQError(MQRC.NO_SUBSCRIPTION, known.name)
        if not request.has(MQSO.ALTER) or request.name not in ("", known.name):
            raise MQError(MQRC.OPTIONS_ERROR, "an open subscription can be altered")
        self._check_user(known, request)
        changed = self._difference(known, request)
        if changed:
            raise MQError(changed, known.name)
        changes = self._altered(known, request, now)
        return Subscribing(handle, commit_changes(self._state.core, changes, UnitOfWork(implicit=True), now))

    # --- open ----------------------------------------------------------------------------------------------------

    def _open(
        self,
        subscription: Subscription,
        request: SubscriptionRequest,
        owner: ProgramId,
        now: Time,
        changes: list[Change],
    ) -> Subscribing:
        handle = self._opened(subscription, request, owner, now)
        unit = UnitOfWork(implicit=True)
        return Subscribing(handle, commit_changes(self._state.core, changes, unit, now, partial(_withdraw, handle)))

    def _opened(
        self, subscription: Subscription, request: SubscriptionRequest, owner: ProgramId, now: Time
    ) -> SubscriptionHandle:
        handle = SubscriptionHandle(subscription, request.options, owner, at_end=self._closes)
        if subscription.managed or (request.has(_MANAGED) and not request.identifier):
            handle.queue_handle = self._open_destination(subscription, request, owner, now)
        if not request.identifier:
            subscription.handles.append(handle)
            subscription.resumed = now
        return handle

    def _open_destination(
        self, subscription: Subscription, request: SubscriptionRequest, owner: ProgramId, now: Time
    ) -> Handle:
        """Open the queue of a subscription: the managed one, or a provided one that is resumed with MQSO_MANAGED.

        Raises `MQError` 2522 if a provided queue cannot be opened.
        """
        name, manager_name = subscription.destination
        try:
            options = request.open_options if subscription.managed else PROVIDED_OPEN_OPTIONS
            return open_queue(
                self._state.core, name, manager_name, options, owner, now, "", application=request.application
            )
        except MQError as error:
            if subscription.managed:
                raise
            raise MQError(MQRC.INVALID_DESTINATION, f"{name}: {error}") from error


def _withdraw(handle: SubscriptionHandle) -> None:
    """Close the handle of a call that has failed."""
    handle.closed = True
    if handle in handle.subscription.handles:
        handle.subscription.handles.remove(handle)
