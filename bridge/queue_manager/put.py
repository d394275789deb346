"""Putting messages (mqi.md 5): completing what programs give, placing it, confirming its arrival."""

from __future__ import annotations

from typing import Final

from mappings.message import Message
from mappings.mq import has_format
from mappings.reports import ReportKind
from protocol.constants import MQAT, MQFMT, MQRC

from .committing import commit
from .core import Core
from .descriptors import complete, set_origin
from .options import Application, PutOptions
from .placing import place
from .queues import LocalQueue
from .reporting import queue_manager_report
from .resolution import Target, target_of
from .units_of_work import Then, UnitOfWork

_CONFIRMS: Final = int(ReportKind.COA)
_NOT_CONFIRMED: Final = (MQFMT.XMIT_Q_HEADER, MQFMT.DEAD_LETTER_HEADER)


def put(
    core: Core,
    target: Target,
    message: Message,
    options: PutOptions,
    unit: UnitOfWork | None,
    now: float,
    then: Then | None = None,
) -> int:
    """See `QueueManager.put`."""
    warning = 0
    if target.topic is not None:
        return core.publish(target, message, options, unit, now, then)
    if not options.direct:
        target.require_puttable()
        warning = complete(core, target, message, options, now)
    work = UnitOfWork(implicit=True) if unit is None else unit
    report, too_high = place(core, target, message, work, now)
    if report & _CONFIRMS and not target.remote:
        raw_md = message.raw_md
        if not any(has_format(raw_md, name) for name in _NOT_CONFIRMED):
            queue_manager_report(core, message, ReportKind.COA, work, now)
    if unit is None:
        commit(core, work, now, then)
    return warning or (int(MQRC.PRIORITY_EXCEEDS_MAXIMUM) if too_high else 0)


def put_trigger_message(core: Core, queue: LocalQueue, message: Message, now: float) -> None:
    """Puts a trigger message on an initiation queue, in a unit of work of its own. Raises `MQError`."""
    message.md.msg_id = core.ids.message_id()
    set_origin(message.md, Application(appl_type=MQAT.QMGR, appl_name=core.name), now)
    work = UnitOfWork(implicit=True)
    place(core, target_of(core, queue), message, work, now)
    commit(core, work, now)
