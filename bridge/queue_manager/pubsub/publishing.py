"""Publishing: a put to a topic becomes a put to the destination of each subscription (mqi.md 17 rows 5 to 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bridge.queue_manager.committing import commit, require_active, retract
from bridge.queue_manager.errors import MQError
from bridge.queue_manager.putting.descriptors import complete
from bridge.queue_manager.putting.header_checks import check_headers
from bridge.queue_manager.queues.bodies import PartedBody
from bridge.queue_manager.units_of_work import UnitOfWork
from mappings.moment import date_of
from mappings.properties import PropertyView
from protocol.constants import MQEI, MQMF, MQPER, MQPMO, MQPRI, MQRC
from protocol.errors import MQBridgeError

from .copies import Copies
from .delivering import deliver
from .topic_attributes import NO_CAP

if TYPE_CHECKING:
    from bridge.queue_manager.options import PutOptions
    from bridge.queue_manager.resolution import Target
    from bridge.queue_manager.units_of_work import Then
    from mappings.message import Message

    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription
    from .topic_attributes import TopicAttributes

_SEGMENTS: Final = int(MQMF.SEGMENT | MQMF.LAST_SEGMENT)
_RETAIN: Final = int(MQPMO.RETAIN)
_NOT_OWN: Final = int(MQPMO.NOT_OWN_SUBS)
_WARN: Final = int(MQPMO.WARN_IF_NO_SUBS_MATCHED)


class Publisher:
    """Puts to topics."""

    __slots__ = ("_retained", "_state")

    def __init__(self, state: PubSubState, retained: RetainedPublications) -> None:
        self._state = state
        self._retained = retained

    def publish(
        self,
        target: Target,
        message: Message,
        options: PutOptions,
        unit: UnitOfWork | None,
        now: float,
        then: Then | None = None,
    ) -> int:
        """MQPUT to a topic: ``target`` names the topic string, and the alias queue that led to it.

        All copies are in the unit of work, or none. The message afterwards holds what was published. Returns 0 or the
        reason of a warning, 2550 among them. Raises `MQError`: 2531, 2051, 2031, 2502, 2479, 2443 and what a
        put raises.
        """
        state, topic = self._state, target.topic
        core = state.core
        assert topic is not None  # a target of another kind does not come here
        state.require_enabled()
        if target.superseded:
            raise MQError(MQRC.OBJECT_CHANGED, topic)
        for part in target.path:
            if part.put_inhibited:
                raise MQError(MQRC.PUT_INHIBITED, part.name)
        attributes = state.topics.attributes(topic)
        if not attributes.publish_enabled:
            raise MQError(MQRC.PUT_INHIBITED, f"topic {topic}")
        warning = 0
        if not options.direct:
            warning = complete(core, target, message, options, now)
            check_headers(core, message)
            if message.md.msg_flags & _SEGMENTS:
                raise MQError(MQRC.SEGMENTATION_NOT_ALLOWED, f"topic {topic}")
        if len(message) > core.max_message_length:
            raise MQError(MQRC.MSG_TOO_BIG_FOR_Q_MGR, f"{len(message)} bytes, MAXMSGL {core.max_message_length}")
        try:
            _take_defaults(message, target, attributes)
            work = UnitOfWork(implicit=True) if unit is None else unit
            require_active(work)
            matched = self._put_copies(topic, attributes, target.owner, message, options, work, now)
        except MQError:
            raise
        except MQBridgeError as error:
            raise MQError(MQRC.MD_ERROR, str(error)) from error
        if isinstance(message.body, PartedBody):
            message.body.give_back()
        if unit is None:
            commit(core, work, now, then)
        if not matched and options.options & _WARN:
            return int(MQRC.NO_SUBS_MATCHED)
        return warning

    def _put_copies(
        self,
        topic: str,
        attributes: TopicAttributes,
        owner: Any,
        message: Message,
        options: PutOptions,
        work: UnitOfWork,
        now: float,
    ) -> bool:
        """Puts all copies and retains the publication; takes everything back if one of it must not fail and does.

        Returns whether any subscription matched.
        """
        core = self._state.core
        copies = Copies(core, message, topic, now)
        not_own = owner if options.options & _NOT_OWN else None
        reached = self._reached(topic, attributes, not_own, copies, options.pub_level, now)
        mark, held = len(work.puts), work.bytes_held
        rule = attributes.delivery(bool(message.md.persistence))
        delivered = []
        try:
            for subscription in reached:
                reason = deliver(
                    core,
                    subscription,
                    copies,
                    work,
                    now,
                    use_dead_letter_queue=attributes.uses_dead_letter_queue,
                )
                if not reason:
                    delivered.append(subscription)
                elif rule == "ALL" or (rule == "ALLDUR" and subscription.durable):
                    raise MQError(MQRC.PUBLICATION_FAILURE, f"{subscription.destination[0]}: {MQRC(reason)}")
            if options.options & _RETAIN:
                self._retained.put(topic, message, options.authority, work, now)
        except BaseException:
            retract(core, work, mark)
            work.bytes_held = held
            raise
        for subscription in delivered:
            subscription.messages += 1
            subscription.last_message = now
        return bool(reached)

    def _reached(
        self, topic: str, attributes: TopicAttributes, not_own: Any, copies: Copies, level: int, now: float
    ) -> list[Subscription]:
        """The subscriptions that get a publication: those that match and select it, of the highest SubLevel that is
        not above the PubLevel, and of each group that shares a destination one."""
        found: list[Subscription] = []
        date = date_of(now)
        view: PropertyView | None = None
        for each in self._state.index.match(topic, attributes.blocked):
            if each.request_only or each.level > level or (each.expires_at is not None and each.expires_at <= date):
                continue
            if not_own is not None and any(handle.owner is not_own for handle in each.handles):
                continue
            if each.selector is not None:
                if view is None:
                    view = PropertyView.of(copies.form())
                if not each.selects(view.get):
                    continue
            found.append(each)
        if len(found) < 2:
            return found
        highest = max(each.level for each in found)
        groups: set[tuple[tuple[str, str], bytes]] = set()
        chosen = []
        for each in found:
            key = (each.destination, each.correl_id)
            if each.level != highest or (each.grouped and key in groups):
                continue
            if each.grouped:
                groups.add(key)
            chosen.append(each)
        return chosen


def _take_defaults(message: Message, target: Target, attributes: TopicAttributes) -> None:
    """Priority, persistence and expiry as the first definition on the path says, an alias queue or the topic."""
    md = message.md
    first = target.path[0] if target.path else None
    if md.priority == MQPRI.AS_TOPIC_DEF:
        md.priority = attributes.def_priority if first is None else first.def_priority
    if md.persistence == MQPER.AS_TOPIC_DEF:
        md.persistence = attributes.def_persistence if first is None else first.def_persistence
    cap = attributes.cap_expiry
    if cap != NO_CAP and (md.expiry > cap or md.expiry == MQEI.UNLIMITED):
        md.expiry = cap
