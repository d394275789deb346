"""Put reports, to the reply queue or the dead-letter queue (channels.md 9)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.reports import FEEDBACK, ReportKind, report_message
from mqbridge.protocol.constants import MQAT, MQFB, MQRC
from mqbridge.protocol.errors import MQBridgeError

from .dead_lettering import put_dead_letter
from .descriptors import fitting
from .on_behalf import put_for


def queue_manager_report(
    core: Core, original: Message, kind: ReportKind, user: str, work: UnitOfWork, now: Time
) -> None:
    """Put a COA, COD or expiration report of this queue manager in a unit of work.

    ``user``: with whose authority the original was put, checked again for the report. A report that cannot be put goes
    to the dead-letter queue; if that fails too, it is given up, with a line in the log.
    """
    application = Application(appl_type=MQAT.QMGR, appl_name=core.name)
    try:
        send_report(core, original, kind, FEEDBACK.get(kind, MQFB.NONE), application, user, work, now)
    except MQError as error:
        core.log("AMQ7310", kind.name, original.md.msg_id.hex(), error.reason)


def send_report(
    core: Core,
    original: Message,
    kind: ReportKind,
    feedback: int,
    application: Application,
    user: str,
    work: UnitOfWork,
    now: Time,
) -> None:
    """Put a report to the reply queue of ``original``, with the authority of ``user``, else to the dead-letter queue.

    Raises `MQError` if that fails too.
    """
    try:
        report = report_message(
            original,
            kind,
            int(feedback),
            queue_manager=core.name,
            msg_id=core.ids.message_id(),
            now=now,
            put_appl_type=int(application.appl_type),
            put_appl_name=fitting(application.appl_name, 28),
        )
        queue, queue_manager = original.md.reply_to_q, original.md.reply_to_q_mgr
    except MQBridgeError as error:
        raise MQError(MQRC.MD_ERROR, str(error)) from error
    try:
        put_for(core, user, (queue, queue_manager), report, work, now)
    except MQError as error:
        put_dead_letter(core, report, queue, queue_manager, error.reason, application, user, work, now)
