"""RESET QSTATS: what performance events count, shown and counted anew (PCF: Reset Queue Statistics)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import MQRCCF, Kind
from mqbridge.protocol.constants import MQRC

from .context import Context
from .replies import cells


def reset_qstats(context: Context) -> None:
    """RESET QSTATS(generic); only while PERFMEV(ENABLED)."""
    command = context.command
    generic = command.required_name("queue name or generic name")
    command.finish()
    if context.objects.manager.text("PERFMEV") != "ENABLED":
        context.refuse("AMQ8101", MQRCCF.EVENTS_DISABLED, "nothing is counted while PERFMEV is DISABLED")
        return
    for definition in context.objects.select(Kind.QLOCAL, generic=generic):
        queue = context.manager.queue(definition.name)
        meter = queue.meter if queue is not None else None
        if queue is None or meter is None:
            continue
        row: StatusRow = {
            "QSTATS": definition.name,
            "QTYPE": Kind.QLOCAL.value,
            "HIQDEPTH": meter.high_depth,
            "MSGSIN": meter.enqueued,
            "MSGSOUT": meter.dequeued,
            "RESETINT": int(max(0.0, context.now - meter.since)),
        }
        meter.restart(queue.depth, context.now)
        context.reply.add("AMQ8450", row=cells(row))
    if context.reply.responses:
        context.done(context.reply)
    else:
        context.refuse("AMQ8147", MQRC.UNKNOWN_OBJECT_NAME, f"no queue is counted that is meant by {generic}")
