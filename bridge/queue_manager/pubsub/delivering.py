"""Put copies of a publication to the destinations of subscriptions (mqi.md 17 row 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.core import STORE_DAMAGED, STORE_FAILED, STORE_FULL
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.putting.dead_lettering import put_dead_letter
from mqbridge.bridge.queue_manager.putting.on_behalf import OWN, put_for
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.descriptor import patcher
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQAT, MQRC, ByteOrder

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
    from mqbridge.mappings.message import Message

    from .copies import Copies
    from .subscription import Subscription

_SET_PERSISTENCE = {order: patcher(order, "persistence") for order in ByteOrder}
_OF_THE_UNIT: Final = frozenset(
    map(int, (MQRC.SYNCPOINT_LIMIT_REACHED, MQRC.BACKED_OUT, STORE_FULL, STORE_DAMAGED, STORE_FAILED))
)
"""Reasons that do not lie with the destination: the whole publication fails with them."""


def deliver(
    core: Core, subscription: Subscription, copies: Copies, work: UnitOfWork, now: Time, *, use_dead_letter_queue: bool
) -> int:
    """Put a copy of a publication to a subscription's destination, or to the dead-letter queue.

    Returns 0, or the reason why neither took it. Raises `MQError` if the unit of work or the store fails. A temporary
    dynamic queue keeps no persistent messages: copies for it become non-persistent, and are lost with the queue when
    the queue manager ends. The copy is put with the authority of the subscription's user. Where that is blank an
    operator has chosen the destination, and what follows from the put is done as `EVERYBODY_ELSE`.
    """
    queue_name, queue_manager_name = subscription.destination
    user = OWN if subscription.managed else subscription.user
    whose = subscription.user or EVERYBODY_ELSE
    copy = copies.copy_for(subscription)
    try:
        target = resolve(core, queue_name, queue_manager_name)
        if target.topic is not None:
            raise MQError(MQRC.OBJECT_TYPE_ERROR, f"{queue_name} is an alias of a topic")
        queue = target.queue
        if queue is not None and queue.temporary and not target.remote:
            copy.raw_md = _SET_PERSISTENCE[copy.order](copy.raw_md, 0)
        uncounted = max(len(copy) - copies.length, 0)
        put_for(core, user, subscription.destination, copy, work, now, authority=whose, uncounted=uncounted)
    except MQError as error:
        if error.reason in _OF_THE_UNIT:
            raise
        if not use_dead_letter_queue:
            return error.reason
        return _dead_letter(core, copy, (queue_name, queue_manager_name or core.name), error.reason, whose, work, now)
    return 0


def _dead_letter(
    core: Core, copy: Message, destination: tuple[str, str], reason: int, user: str, work: UnitOfWork, now: Time
) -> int:
    application = Application(appl_type=MQAT.QMGR, appl_name=core.name)
    try:
        put_dead_letter(core, copy, *destination, reason, application, user, work, now)
    except MQError as error:
        if error.reason in _OF_THE_UNIT:
            raise
        return reason
    return 0
