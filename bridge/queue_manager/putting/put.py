"""Put a message (mqi.md 5): complete its descriptor, place it, confirm its arrival."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import MAX_PRIORITY
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import has_format
from mqbridge.mappings.reports import ReportKind
from mqbridge.protocol.constants import MQAT, MQFMT, MQRC

from .descriptors import set_origin
from .header_checks import check_headers
from .on_behalf import OWN, put_for, require_put
from .placing import place
from .plain_descriptors import complete
from .reporting import queue_manager_report
from .segmentation import TOO_BIG, may_be_cut, place_segments

_CONFIRMS: Final = int(ReportKind.COA)
_NOT_CONFIRMED: Final = (MQFMT.XMIT_Q_HEADER, MQFMT.DEAD_LETTER_HEADER)


def put(
    core: Core,
    target: Target,
    message: Message,
    options: PutOptions,
    unit: UnitOfWork,
    now: Time,
) -> int:
    """Put a message in a unit of work (mqi.md 5).

    On return the message is as stored, with generated ids, context, effective priority and persistence. Returns 0
    or the reason of a warning (2049, 2104). Raises `MQError`; the unit stays usable.
    """
    warning = 0
    if target.topic is not None:
        return core.publish(target, message, options, unit, now)
    user = options.authority
    if user and target.queue is not None and target.queue.reserved:
        raise MQError(MQRC.NOT_AUTHORIZED, f"{target.queue.name} is the queue manager's own")
    if not options.direct:
        target.require_puttable()
        warning = complete(core, target, message, options, now)
        check_headers(core, message)
    try:
        report, too_high = place(core, target, message, user, unit, now)
    except MQError as error:
        if error.reason not in TOO_BIG or not may_be_cut(message):
            raise
        report, too_high = _put_segments(core, target, message, options, unit, now, error)
    if report & _CONFIRMS and not target.remote:
        _confirm_arrival(core, message, user, unit, now)
    return warning or (int(MQRC.PRIORITY_EXCEEDS_MAXIMUM) if too_high else 0)


def _confirm_arrival(core: Core, message: Message, user: str, work: UnitOfWork, now: Time) -> None:
    raw_md = message.raw_md
    if not any(has_format(raw_md, name) for name in _NOT_CONFIRMED):
        queue_manager_report(core, message, ReportKind.COA, user, work, now)


def _put_segments(
    core: Core,
    target: Target,
    message: Message,
    options: PutOptions,
    work: UnitOfWork,
    now: Time,
    refusal: MQError,
) -> tuple[int, bool]:
    """Put a message that is too long in segments. Returns no report options, since each segment has confirmed its
    arrival.

    Raises `MQError` 2255 if its persistent segments need a unit of work of their own, but the program has one open.
    """
    md, user = message.md, options.authority
    if md.persistence and work.implicit and options.unit_of_work_open:
        raise MQError(MQRC.UOW_NOT_AVAILABLE, "to put persistent segments, and the program has one open")
    for segment in place_segments(core, target, message, user, work, now, refusal):
        if md.report & _CONFIRMS and not target.remote:
            _confirm_arrival(core, segment, user, work, now)
    return 0, md.priority > MAX_PRIORITY


def put_trigger_message(core: Core, queue: LocalQueue, message: Message, now: Time) -> None:
    """Put a trigger message on an initiation queue, in a unit of work of its own. Raises `MQError`."""
    message.md.msg_id = core.ids.message_id()
    set_origin(message.md, Application(appl_type=MQAT.QMGR, appl_name=core.name), now)
    work = UnitOfWork(implicit=True)
    put_for(core, OWN, (queue.name, ""), message, work, now)
    commit(core, work, now)


def put_with_authority(
    core: Core,
    names: tuple[str, str],
    message: Message,
    options: PutOptions,
    unit: UnitOfWork,
    now: Time,
) -> int:
    """Put to the target of two names for the user ``options.authority``.

    Returns and raises what `put` does, and `MQError` 2035.
    """
    target = resolve(core, *names)
    require_put(core, options.authority, target, names)
    return put(core, target, message, options, unit, now)
