"""State shared by the parts of publish/subscribe: topics, subscriptions, open topics."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.moment import Time, date_of
from mqbridge.mappings.selectors import SelectorError, compile_selector
from mqbridge.protocol.constants import MQRC

from .matching import SubscriptionIndex
from .subscription import Subscription
from .topic_attributes import TopicObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.objects import Definition

    from .requests import SubscriptionRequest
    from .subscription import Selects

_CLEAN_AT: Final = 64
"""Entries of the expiry heap above which stale ones are dropped."""
MAX_SELECTION_STRING: Final = 10_240
"""Characters of a selection string (MQ_SELECTOR_LENGTH)."""


def _nothing(_look_up: Callable[[str], Any]) -> bool:
    return False


class PubSubState:
    """Topics and subscriptions of one queue manager.

    ``topics``: the tree of topic objects. ``index``: subscriptions by topic string or pattern. ``subscriptions``: by
    the identity of their definitions. ``publishers``: topics open for output.
    """

    __slots__ = ("_by_id", "_ends", "_order", "core", "index", "publishers", "subscriptions", "topics")

    def __init__(self, core: Core) -> None:
        self.core = core
        self.topics = TopicObjects(core.objects)
        self.index = SubscriptionIndex()
        self.subscriptions: dict[str, Subscription] = {}
        self._by_id: dict[str, Subscription] = {}
        self._ends: list[tuple[float, int, Subscription]] = []
        """Heap of expiry times; entries that no longer hold are skipped."""
        self._order = 0
        self.publishers: set[Handle] = core.publishers
        for definition in core.objects.select(Kind.SUB):
            self._take(definition)

    # Following the definitions

    def definition_changed(self, old: Definition | None, new: Definition | None) -> None:
        """Follow a change of a definition; the registry calls it after every change."""
        kind = (new or old).kind if new is not None or old is not None else None  # type: ignore[union-attr]
        if kind is Kind.TOPIC:
            self.topics.changed()
        elif kind is Kind.SUB:
            if new is not None:
                self._take(new)
            elif old is not None:
                self._forget(old)

    def _take(self, definition: Definition) -> None:
        """Add or refresh a subscription. One without a topic string is only a template for others (LIKE)."""
        if not definition.text("TOPICSTR"):
            return
        known = self.subscriptions.get(definition.identity)
        if known is not None:
            known.refresh(definition)
        else:
            self._order += 1
            known = Subscription(definition, self._order, self._kept_selector(definition))
            self.subscriptions[definition.identity] = self._by_id[definition.text("SUBID")] = known
            self.index.add(known)
        if known.expires_at is not None:
            heapq.heappush(self._ends, (known.expires_at, known.order, known))
            if len(self._ends) > _CLEAN_AT and len(self._ends) > 2 * len(self.subscriptions):
                found = self.subscriptions.values()
                self._ends = [(each.expires_at, each.order, each) for each in found if each.expires_at is not None]
                heapq.heapify(self._ends)

    def _forget(self, definition: Definition) -> None:
        found = self.subscriptions.pop(definition.identity, None)
        if found is not None:
            found.deleted = True
            del self._by_id[definition.text("SUBID")]
            self.index.remove(found)

    def _kept_selector(self, definition: Definition) -> Selects | None:
        """The selector of a definition. It was checked at creation; one that no longer compiles selects nothing."""
        try:
            return self.selector(definition.text("SELECTOR"))
        except MQError as error:
            self.core.log("AMQ7472", definition.name, f"its selection string is not understood: {error}")
            return _nothing

    # Questions

    def named(self, name: str) -> Subscription | None:
        """The subscription with this name."""
        return self.subscriptions.get(name) if name else None

    def by_id(self, identifier: str) -> Subscription | None:
        """The subscription with this SUBID, 48 hexadecimal digits."""
        return self._by_id.get(identifier.upper())

    def asked_for(self, request: SubscriptionRequest) -> Subscription | None:
        """The subscription with the SubId or name of a request."""
        if request.identifier:
            return self.by_id(request.identifier.hex())
        return self.named(request.name)

    def expired(self, now: Time) -> Iterator[Subscription]:
        """Expired subscriptions, each taken off the heap."""
        date = date_of(now)
        while (end := self.next_expiry()) is not None and end <= date:
            yield heapq.heappop(self._ends)[2]

    def next_expiry(self) -> float | None:
        """The date at which the next subscription expires."""
        ends = self._ends
        while ends and (ends[0][2].deleted or ends[0][2].expires_at != ends[0][0]):
            heapq.heappop(ends)
        return ends[0][0] if ends else None

    def require_enabled(self) -> None:
        """Raise `MQError` 2531 with PSMODE(DISABLED).

        PSMODE(COMPAT) stops only the queued publish/subscribe of older releases, which is not offered here.
        """
        if self.core.objects.manager.text("PSMODE") == "DISABLED":
            raise MQError(MQRC.PUBSUB_INHIBITED)

    @staticmethod
    def selector(text: str, *, resuming: bool = False) -> Selects | None:
        """Compile a selection string; None for a blank one.

        Raises `MQError` 2519 (too long), 2504 (never true), 2551 (syntax) or, when resuming, 2459.
        """
        if not text.strip():
            return None
        if len(text) > MAX_SELECTION_STRING:
            raise MQError(MQRC.SELECTION_STRING_ERROR, f"{len(text)} characters")
        try:
            return compile_selector(text).selects
        except SelectorError as error:
            reason = MQRC.SELECTOR_SYNTAX_ERROR if resuming else error.reason
            raise MQError(reason, str(error)) from error
