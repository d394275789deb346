"""Messages that cannot be delivered: dead-letter queue, return to sender, discard (channels.md 7.2, 7.3, 8)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.dead_letter import dead_letter
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError

from .descriptors import fitting
from .on_behalf import put_for


def put_dead_letter(
    core: Core,
    message: Message,
    queue_name: str,
    queue_manager_name: str,
    reason: int,
    application: Application,
    user: str,
    work: UnitOfWork,
    now: Time,
    *,
    queue: str = "",
) -> None:
    """Put a message with an MQDLH on the dead-letter queue, with the authority of the user of ``application``.

    ``user``: with whose authority the message itself was put. ``queue``: instead of the dead-letter queue. Raises
    `MQError` 2085 (no dead-letter queue), or the error of the put.
    """
    queue = queue or core.dead_letter_queue
    if not queue:
        raise MQError(MQRC.UNKNOWN_OBJECT_NAME, "no dead-letter queue is defined")
    try:
        dead = dead_letter(
            message,
            reason,
            queue_name,
            queue_manager_name,
            put_appl_type=int(application.appl_type),
            put_appl_name=fitting(application.appl_name, 28),
            now=now,
        )
    except MQBridgeError as error:
        raise MQError(MQRC.MD_ERROR, str(error)) from error
    put_for(core, application.user, (queue, ""), dead, work, now, authority=user)
