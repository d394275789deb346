"""Process a message that a get has taken off its queue (mqi.md 7 to 10, 13)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import ANY_LENGTH, GetOptions, RetrievedMessage
from mqbridge.bridge.queue_manager.putting.on_behalf import authority_of
from mqbridge.bridge.queue_manager.putting.reporting import queue_manager_report
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.reading import read_message
from mqbridge.bridge.queue_manager.queues.rows import PERSISTENT, Row, milliseconds
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.body import read_slice
from mqbridge.mappings.conversion import DataEncoding, convert_message
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import has_format
from mqbridge.mappings.reports import ReportKind
from mqbridge.protocol.constants import MQFMT, MQGMO, MQRC

from .property_options import begins_with_properties, in_form

_CONFIRMS: Final = int(ReportKind.COD)
_SYNCPOINT_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
_CONVERT: Final = int(MQGMO.CONVERT)
_ACCEPT_TRUNCATED: Final = int(MQGMO.ACCEPT_TRUNCATED_MSG)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)


def deliver(
    core: Core,
    queue: LocalQueue,
    row: bytes,
    options: GetOptions,
    unit: UnitOfWork,
    now: Time,
    outside: UnitOfWork | None,
) -> RetrievedMessage:
    """Read a message that was taken and add it to a unit of work; return it to the queue if that fails."""
    fields = Row(row)
    try:
        message = read_message(core, queue, fields, milliseconds(now))
        got = RetrievedMessage(message, queue.name, queue.number, fields.position, fields.length)
        if options.max_length != ANY_LENGTH or options.options & _CONVERT or begins_with_properties(message):
            fit(core, queue, got, options)
            if got.reason == _TRUNCATED_FAILED:
                queue.restore((row,))
                return got
    except BaseException:
        queue.restore((row,))
        raise
    if outside is not None and options.options & _SYNCPOINT_IF_PERSISTENT and not fields.flags & PERSISTENT:
        unit = outside
    queue.uncommitted_gets += 1
    unit.gets.append((queue, row))
    if queue.meter is not None:
        queue.meter.got(queue, 1, now)
    if fields.report & _CONFIRMS:
        confirm_delivery(core, queue, row, fields, unit, now, None if got.reason else message)
    return got


def confirm_delivery(
    core: Core,
    queue: LocalQueue,
    row: bytes,
    fields: Row,
    work: UnitOfWork,
    now: Time,
    whole: Message | None = None,
) -> None:
    """Put the COD report, if requested, in the unit of work of the get (channels.md 9.2).

    ``fields``: the parsed row. ``whole``: the message, if it was read with all its data. If it cannot be read, the
    report is given up, with a line in the log, because the message itself has been taken.
    """
    if not fields.report & _CONFIRMS or queue.is_transmission_queue:
        return
    if whole is None:
        try:
            whole = read_message(core, queue, fields, milliseconds(now))
        except MQError as error:
            core.log("AMQ7310", ReportKind.COD.name, fields.msg_id.hex(), error.reason)
            return
    if not has_format(whole.raw_md, MQFMT.DEAD_LETTER_HEADER):
        queue_manager_report(core, whole, ReportKind.COD, authority_of(row, whole), work, now)


def fit(core: Core, queue: LocalQueue, got: RetrievedMessage, options: GetOptions) -> None:
    """Apply the property option, convert the data if requested, and truncate it to the caller's buffer (mqi.md 13 to
    15)."""
    if begins_with_properties(got.message):
        message = in_form(got.message, queue, options.options)
        if message is not got.message:
            got.message, got.stored_length, got.length = message, got.length, len(message)
    if options.options & _CONVERT:
        _convert(core, got, options)
    room = options.max_length
    if room != ANY_LENGTH and room < got.length:
        got.message.body = read_slice(got.message.body, 0, room)
        cut = options.options & _ACCEPT_TRUNCATED
        got.reason = MQRC.TRUNCATED_MSG_ACCEPTED if cut else MQRC.TRUNCATED_MSG_FAILED


def _convert(core: Core, got: RetrievedMessage, options: GetOptions) -> None:
    """Convert the data; it stays unconverted if only conversion makes it too long (2120)."""
    converted = got.message.copy()
    got.reason = convert_message(converted, DataEncoding(options.encoding, options.ccsid), core.ccsid, core.formats)
    room = options.max_length
    if got.length <= room < len(converted) and not options.options & _ACCEPT_TRUNCATED and not options.asks_again:
        got.reason = MQRC.CONVERTED_MSG_TOO_BIG
        return
    if got.stored_length < 0:
        got.stored_length = got.length
    got.message, got.length = converted, len(converted)
