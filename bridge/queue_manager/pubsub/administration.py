"""Administrative subscriptions: DEFINE, ALTER and DELETE SUB (channels.md 17.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind, ObjectMissing
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .destinations import add_managed_queue, commit_changes, undo
from .late_delivery import deliver_retained
from .topic_strings import full_topic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mqbridge.bridge.queue_manager.objects import Change, Definition, Value
    from mqbridge.bridge.queue_manager.units_of_work import PendingCommit

    from .removing import SubscriptionRemoval
    from .retained import RetainedPublications
    from .state import PubSubState

DEFAULT_SUBSCRIPTION = "SYSTEM.DEFAULT.SUB"


class Administration:
    """DEFINE, ALTER and DELETE SUB.

    Each method returns the transaction that makes the change durable, None if there is nothing to store. A change that
    the store refuses is undone.
    """

    __slots__ = ("_remover", "_retained", "_state")

    def __init__(self, state: PubSubState, retained: RetainedPublications, remover: SubscriptionRemoval) -> None:
        self._state = state
        self._retained = retained
        self._remover = remover

    def define(
        self, name: str, attributes: Mapping[str, Value], now: Time, *, like: str, replace: bool
    ) -> PendingCommit | None:
        """DEFINE SUB. The definition keeps the full topic string: that of TOPICOBJ followed by TOPICSTR.

        Raises ``ObjectError``, and `MQError` 2085, 2425, 2503, 2436 (topic) or 2551 (selection string).
        """
        state, objects = self._state, self._state.core.objects
        old = objects.find(Kind.SUB, name)
        base = objects.find(Kind.SUB, like or DEFAULT_SUBSCRIPTION)
        given = dict(attributes)
        if base is not None and "TOPICOBJ" not in given and base.text("TOPICOBJ"):
            given["TOPICOBJ"] = base.text("TOPICOBJ")
        if given.get("TOPICSTR") or given.get("TOPICOBJ"):
            given["TOPICSTR"] = self._whole_topic(given, old)
            self._check_topic(str(given["TOPICSTR"]))
        state.selector(str(given.get("SELECTOR", "")))
        changes: list[Change] = []
        try:
            if old is not None and old.text("DESTCLAS") == "MANAGED":
                given["DEST"] = old.text("DEST")
            elif old is None and self._is_managed(given, base):
                change = add_managed_queue(
                    state.core, state.topics.attributes(str(given.get("TOPICSTR", ""))), now, durable=True
                )
                changes.append(change)
                assert change.new is not None  # it was added
                given["DEST"], given["DESTQMGR"] = change.new.name, ""
            changes.append(objects.define(Kind.SUB, name, given, now, like=like, replace=replace))
            made = state.named(name)
            unit = UnitOfWork(implicit=True)
            if old is None and made is not None and not made.request_only:
                deliver_retained(state, self._retained, made, unit, now)
        except BaseException:
            undo(state.core, changes)
            raise
        return commit_changes(state.core, changes, unit, now)

    def _whole_topic(self, given: dict[str, Value], old: Definition | None) -> str:
        """TOPICSTR as the definition keeps it; a full string given again, as scripts of `dump` do, is not extended."""
        string, topic_object = str(given.get("TOPICSTR", "")), str(given.get("TOPICOBJ", ""))
        objects = self._state.core.objects
        if topic_object and string:
            administrative = objects.find(Kind.TOPIC, topic_object)
            begins = administrative is not None and string.startswith(administrative.text("TOPICSTR"))
            if begins and old is not None and old.text("TOPICSTR") == string:
                return string
        return full_topic(objects, topic_object, string)

    def _check_topic(self, topic: str) -> None:
        attributes = self._state.topics.attributes(topic)
        if not attributes.subscribe_enabled:
            raise MQError(MQRC.SUB_INHIBITED, topic)
        if not attributes.durable_allowed:
            raise MQError(MQRC.DURABILITY_NOT_ALLOWED, topic)

    @staticmethod
    def _is_managed(given: dict[str, Value], base: Definition | None) -> bool:
        assumed = base.text("DESTCLAS") if base is not None else "PROVIDED"
        return given.get("DESTCLAS", assumed) == "MANAGED"

    def alter(self, definition: Definition, attributes: Mapping[str, Value], now: Time) -> PendingCommit | None:
        """ALTER SUB. Messages already put to the old destination stay there. Raises ``ObjectError``."""
        objects = self._state.core.objects
        if not definition.name:
            raise MQError(MQRC.SUB_NAME_ERROR, "a subscription without a name is altered by its program")
        change = objects.alter(Kind.SUB, definition.name, attributes, now)
        return commit_changes(self._state.core, [change], UnitOfWork(implicit=True), now)

    def delete(self, definition: Definition, now: Time) -> PendingCommit | None:
        """DELETE SUB, with its managed queue. Raises `MQError` 2429 while a program has it open."""
        subscription = self._state.subscriptions.get(definition.identity)
        if subscription is None:
            change = self._state.core.objects.delete(Kind.SUB, definition.name)
            return commit_changes(self._state.core, [change], UnitOfWork(implicit=True), now)
        if subscription.handles:
            raise MQError(MQRC.SUBSCRIPTION_IN_USE, definition.name)
        return self._remover.remove(subscription, now)

    def find(self, name: str, identifier: str) -> Definition:
        """The definition with this name or, if the name is blank, with this SUBID. Raises ``ObjectMissing``."""
        objects = self._state.core.objects
        if name:
            return objects.existing(Kind.SUB, name, {})
        found = self._state.by_id(identifier)
        if found is None:
            raise ObjectMissing(f"no subscription has SUBID({identifier})", reason=MQRC.NO_SUBSCRIPTION)
        return found.definition
