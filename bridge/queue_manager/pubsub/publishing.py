"""Publishing: a put to a topic becomes a put to the destination of each subscription (mqi.md 17 rows 5 to 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from mqbridge.bridge.queue_manager.committing import require_active, retract, work_in_turns
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.programs import NO_PROGRAM, ProgramId
from mqbridge.bridge.queue_manager.putting.descriptors import complete
from mqbridge.bridge.queue_manager.putting.header_checks import check_headers
from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts
from mqbridge.mappings.moment import Time, date_of
from mqbridge.mappings.properties import PropertyView
from mqbridge.protocol.constants import MQEI, MQMF, MQPER, MQPMO, MQPRI, MQRC
from mqbridge.protocol.errors import MQBridgeError

from .copies import Copies
from .delivering import deliver
from .topic_attributes import NO_CAP

if TYPE_CHECKING:
    from collections.abc import Generator

    from mqbridge.bridge.queue_manager.options import PutOptions
    from mqbridge.bridge.queue_manager.target import Target
    from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
    from mqbridge.mappings.message import Message

    from .retained import RetainedPublications
    from .state import PubSubState
    from .subscription import Subscription
    from .topic_attributes import TopicAttributes

_Result = TypeVar("_Result")
_SEGMENTS: Final = int(MQMF.SEGMENT | MQMF.LAST_SEGMENT)
_RETAIN: Final = int(MQPMO.RETAIN)
_NOT_OWN: Final = int(MQPMO.NOT_OWN_SUBS)
AT_ONCE: Final = 32
"""Subscriptions that a publication outside syncpoint is put to at once."""
_LOOKED_AT: Final = 10
"""Turn units for a subscription that matches."""
_SELECTED: Final = 80
"""Turn units for a subscription whose selector is evaluated."""
_COPIED: Final = 600
"""Turn units for a copy."""
_WARN: Final = int(MQPMO.WARN_IF_NO_SUBS_MATCHED)


class _Publication(NamedTuple):
    """A publication that is being put."""

    topic: str
    attributes: TopicAttributes
    owner: ProgramId
    message: Message
    options: PutOptions
    now: Time


class Publisher:
    """MQPUT to topics."""

    __slots__ = ("_retained", "_state")

    def __init__(self, state: PubSubState, retained: RetainedPublications) -> None:
        self._state = state
        self._retained = retained

    def publish(self, target: Target, message: Message, options: PutOptions, unit: UnitOfWork, now: Time) -> int:
        """MQPUT to a topic. ``target`` has the topic string, and the alias queue through which it was opened.

        Either all copies are in the unit of work or none. On return ``message`` is the publication as it was put.
        Returns 0 or the reason of a warning, such as 2550. Raises `MQError` 2531, 2051, 2031, 2502, 2479, 2443, and
        those of a put to a queue.
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
        except MQBridgeError as error:
            raise MQError(MQRC.MD_ERROR, str(error)) from error
        require_active(unit)
        publication = _Publication(topic, attributes, target.owner, message, options, now)
        meant = state.index.match(topic, attributes.blocked)
        steps = self._steps(publication, meant, unit)
        if unit.in_turns and (len(meant) > AT_ONCE or (target.owner and core.turns.busy(target.owner))):
            matched = work_in_turns(core, unit, steps, now, target.owner or None)
        else:
            matched = _whole(steps)
        if matched is not None and not matched and options.options & _WARN:
            return int(MQRC.NO_SUBS_MATCHED)
        return warning

    def _steps(
        self, publication: _Publication, meant: list[Subscription], work: UnitOfWork
    ) -> Generator[int, Time, bool]:
        """Put all copies and retain the publication, in pieces. Returns whether any subscription matched.

        If a put fails that PMSGDLV or NPMSGDLV requires, everything is undone and `MQError` raised.
        """
        message = publication.message
        try:
            found = yield from self._put_copies(publication, meant, work)
        except MQError:
            raise
        except MQBridgeError as error:
            raise MQError(MQRC.MD_ERROR, str(error)) from error
        if isinstance(message.body, BodyInParts):
            message.body.give_back()
        return found

    def _put_copies(
        self, publication: _Publication, meant: list[Subscription], work: UnitOfWork
    ) -> Generator[int, Time, bool]:
        core = self._state.core
        topic, attributes, owner, message, options, now = publication
        copies = Copies(core, message, topic, now)
        not_own = owner if options.options & _NOT_OWN else NO_PROGRAM
        reached = yield from self._reached(meant, not_own, copies, options.pub_level, now)
        mark, held = len(work.puts), work.bytes_held
        rule = attributes.delivery(bool(message.md.persistence))
        delivered = []
        try:
            for subscription in reached:
                yield _COPIED
                if subscription.deleted:
                    continue
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

    @staticmethod
    def _reached(
        meant: list[Subscription], not_own: ProgramId, copies: Copies, level: int, now: Time
    ) -> Generator[int, Time, list[Subscription]]:
        """The subscriptions that get a publication: those that match and select it, with the highest SubLevel not above
        the PubLevel, and only one of each group (MQSO_GROUP_SUB)."""
        found: list[Subscription] = []
        date = date_of(now)
        view: PropertyView | None = None
        for each in meant:
            yield _LOOKED_AT if each.selector is None else _SELECTED
            if each.request_only or each.level > level or (each.expires_at is not None and each.expires_at <= date):
                continue
            if not_own and any(handle.owner == not_own for handle in each.handles):
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


def _whole(steps: Generator[int, Time, _Result]) -> _Result:
    """Run steps to their end at once, and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            result: _Result = ended.value
            return result


def _take_defaults(message: Message, target: Target, attributes: TopicAttributes) -> None:
    """Fill in default priority and persistence and cap the expiry, by the alias queue that was opened or the topic."""
    md = message.md
    first = target.path[0] if target.path else None
    if md.priority == MQPRI.AS_TOPIC_DEF:
        md.priority = attributes.def_priority if first is None else first.def_priority
    if md.persistence == MQPER.AS_TOPIC_DEF:
        md.persistence = attributes.def_persistence if first is None else first.def_persistence
    cap = attributes.cap_expiry
    if cap != NO_CAP and (md.expiry > cap or md.expiry == MQEI.UNLIMITED):
        md.expiry = cap
