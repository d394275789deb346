"""DISPLAY CHSTATUS, QSTATUS, QMSTATUS and CMDSERV, and RESET QSTATS (channels.md 17.4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import (
    MQRCCF,
    Attribute,
    AttributeUnknown,
    Kind,
    Value,
    date_and_time,
    matches,
)
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.constants import MQAT, MQOO, MQRC

from .context import Context
from .display import CELL, selected, take_keywords
from .filters import take_filter
from .replies import Row, cells
from .status_fields import (
    CHANNEL_SAVED,
    CHANNEL_STATUS,
    HANDLE_STATUS,
    QUEUE_MANAGER_STATUS,
    QUEUE_STATUS,
    StatusTable,
)

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps

_SHOWN: Final = 100
"""Turn units for a row."""


def _finder(noun: str, names: Collection[str]) -> Callable[[str], Attribute | None]:
    def find(keyword: str) -> Attribute | None:
        if keyword not in names:
            raise AttributeUnknown(f"'{keyword}' is nothing that DISPLAY {noun} shows")
        return None

    return find


def show_rows(
    context: Context,
    rows: Iterable[StatusRow],
    table: StatusTable,
    missing: str,
    everything: bool = False,
    reason: int | None = None,
) -> None:
    """Reply with the rows that pass WHERE, in the fields asked for, or with the text `missing` where there is none.

    `everything`: as though the command said ALL. `reason`: of the refusal, where it is not the usual one of the noun.
    """
    command = context.command
    names = [field.name for field in table.fields]
    leading = [field.name for field in table.key]
    find = _finder(command.noun, names)
    condition = take_filter(command, find)
    everything = command.flag("ALL") or everything
    keywords = take_keywords(context, find)

    def steps() -> Steps:
        yield 0
        for values in rows:
            row: Row = cells({keyword: values[keyword] for keyword in names if keyword in values})
            if condition is None or condition.accepts(row.get(condition.keyword)):
                context.reply.add(table.amq, row=row if everything else selected(row, leading, keywords, condition))
            yield _SHOWN + CELL * len(row)
        if context.reply.responses:
            context.done(context.reply)
        elif reason is None:
            context.found_nothing(missing)
        else:
            context.refuse("AMQ8147", reason, missing)

    context.in_turns(steps())


def display_chstatus(context: Context) -> None:
    """DISPLAY CHSTATUS(generic) [CURRENT | SAVED | SHORT] [CONNAME()] [XMITQ()] [CHLTYPE()] [WHERE()] [fields]."""
    command = context.command
    generic = command.required_name("channel name or generic name")
    saved = command.flag("SAVED")
    command.flag("CURRENT")
    command.flag("SHORT")
    command.flag("MONITOR")
    narrowed = {}
    for keyword in ("CONNAME", "XMITQ", "CHLTYPE"):
        parameter = next((each for each in command.parameters if each.keyword == keyword), None)
        if parameter is not None and parameter.values is not None:
            narrowed[keyword] = command.one(keyword) or ""
    rows = [
        row
        for row in context.control.statuses(saved, context.now)
        if matches(generic, str(row["CHANNEL"]))
        and all(matches(value.strip(), str(row.get(keyword, ""))) for keyword, value in narrowed.items())
    ]
    rows.sort(key=lambda row: (str(row["CHANNEL"]), str(row.get("CONNAME", "")), str(row.get("RQMNAME", ""))))
    word = "SAVED" if saved else "CURRENT"
    marked: list[StatusRow] = [{**row, word: True} for row in rows]
    show_rows(context, marked, CHANNEL_SAVED if saved else CHANNEL_STATUS, f"no status of a channel {generic}")


def display_qstatus(context: Context) -> None:
    """DISPLAY QSTATUS(generic) [TYPE(QUEUE | HANDLE)] [OPENTYPE()] [WHERE()] [ALL | fields]."""
    command = context.command
    generic = command.required_name("queue name or generic name")
    handles = command.word("TYPE", ("QUEUE", "HANDLE"), "QUEUE") == "HANDLE"
    opened = command.word("OPENTYPE", ("ALL", "INPUT", "OUTPUT"), "ALL")
    command.flag("MONITOR")
    definitions = context.objects.select(Kind.QLOCAL, generic=generic)
    if not definitions:
        context.found_nothing(f"no local queue is meant by {generic}")
        return
    rows: Iterable[StatusRow]
    if handles:
        open_now = (row for each in definitions for row in _handles(context, each.name))
        rows = (row for row in open_now if opened == "ALL" or row.get(opened) not in (None, "NO"))
    else:
        rows = (_queue_status(context, each.name) for each in definitions)
    everything = not command.parameters and not generic.endswith("*")
    table, missing = HANDLE_STATUS if handles else QUEUE_STATUS, f"no status of a queue {generic}"
    show_rows(context, rows, table, missing, everything, MQRCCF.Q_STATUS_NOT_FOUND)


def _handles(context: Context, name: str) -> list[StatusRow]:
    """One row for each open handle of a local queue."""
    queue = context.manager.queue(name)
    rows: list[StatusRow] = []
    for handle in queue.handles if queue is not None else ():
        options = handle.options
        reading = options & (MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE)
        application = handle.application
        rows.append(
            {
                "QUEUE": name,
                "TYPE": "HANDLE",
                "APPLTAG": str(getattr(application, "appl_name", "")),
                "APPLTYPE": _application_type(getattr(application, "appl_type", MQAT.QMGR)),
                "BROWSE": _yes(options & MQOO.BROWSE),
                "CHANNEL": str(getattr(application, "channel", "")),
                "CONNAME": str(getattr(application, "connection", "")),
                "HSTATE": "ACTIVE",
                "INPUT": ("EXCL" if handle.exclusive else "SHARED") if reading else "NO",
                "INQUIRE": _yes(options & MQOO.INQUIRE),
                "OUTPUT": _yes(options & MQOO.OUTPUT),
                "SET": _yes(options & MQOO.SET),
                "USERID": str(getattr(application, "user", "")),
            }
        )
    return rows


def _yes(bits: int) -> str:
    return "YES" if bits else "NO"


def _application_type(number: int) -> str:
    """APPLTYPE of DISPLAY: SYSTEM for the queue manager and its channels, USER for programs."""
    return "SYSTEM" if number in (MQAT.QMGR, MQAT.CHANNEL_INITIATOR, MQAT.SYSTEM_EXTENSION) else "USER"


def _queue_status(context: Context, name: str) -> StatusRow:
    """Counters of one local queue."""
    queue = context.manager.queue(name)
    row: dict[str, Value] = {"QUEUE": name, "TYPE": "QUEUE", "MEDIALOG": "", "MONQ": "OFF", "QTIME": ","}
    if queue is None:
        return {**row, "CURDEPTH": 0, "IPPROCS": 0, "OPPROCS": 0, "UNCOM": 0}
    last_get = date_and_time(queue.last_get) if queue.last_get else ("", "")
    last_put = date_and_time(queue.last_put) if queue.last_put else ("", "")
    oldest = queue.oldest_message
    return {
        **row,
        "CURDEPTH": queue.depth,
        "IPPROCS": queue.input_count,
        "LGETDATE": last_get[0],
        "LGETTIME": last_get[1],
        "LPUTDATE": last_put[0],
        "LPUTTIME": last_put[1],
        "MSGAGE": max(0, int(date_of(context.now) - oldest)) if oldest is not None else 0,
        "OPPROCS": queue.output_count,
        "UNCOM": queue.uncommitted,
    }


def display_qmstatus(context: Context) -> None:
    """DISPLAY QMSTATUS [ALL | fields]."""
    started = date_and_time(context.started)
    row: StatusRow = {
        "QMNAME": context.objects.name,
        "STATUS": "RUNNING",
        "CHINIT": "RUNNING",
        "CMDSERV": _serving(context),
        "CONNS": sum(row.get("TYPE", "CONN") == "CONN" for row in context.control.connections(context.now)),
        "STANDBY": "NOPERMIT",
        "STARTDA": started[0],
        "STARTTI": started[1],
    }
    show_rows(context, [row], QUEUE_MANAGER_STATUS, "the queue manager does not meet the condition of WHERE")


def display_cmdserv(context: Context) -> None:
    """DISPLAY CMDSERV: what DISPLAY QMSTATUS CMDSERV shows.

    In IBM MQ the command exists on z/OS only; tools that administer both platforms issue it first, some with ALL as for
    every other display.
    """
    context.command.flag("ALL")
    context.command.finish()
    context.reply.add("AMQ8705", row=cells({"QMNAME": context.objects.name, "CMDSERV": _serving(context)}))
    context.done(context.reply)


def _serving(context: Context) -> str:
    return "RUNNING" if context.command_server is not None and context.command_server.running else "STOPPED"


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
