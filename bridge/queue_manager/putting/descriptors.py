"""Check and complete the descriptor of a message that a program puts (mqi.md 5.2 to 5.4, 6)."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.options import NO_ID, PutOptions
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.descriptor import Descriptor
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, put_date_and_time
from mqbridge.mappings.mq import begins_with_extension, merge_extension
from mqbridge.mappings.reports import ANY_REPORT
from mqbridge.protocol.constants import MQAT, MQCCSI, MQEI, MQMF, MQMT, MQPER, MQPMO, MQPRI, MQRC, MQRO
from mqbridge.protocol.errors import ConversionError, StructureError

_CONTEXTS: Final = (
    MQPMO.DEFAULT_CONTEXT, MQPMO.NO_CONTEXT, MQPMO.PASS_ALL_CONTEXT, MQPMO.PASS_IDENTITY_CONTEXT,
    MQPMO.SET_ALL_CONTEXT, MQPMO.SET_IDENTITY_CONTEXT,
)  # fmt: skip
_KNOWN_OPTIONS: Final = reduce(or_, map(int, MQPMO))
_KNOWN_REPORTS: Final = ANY_REPORT | int(
    MQRO.PASS_CORREL_ID | MQRO.PASS_MSG_ID | MQRO.DISCARD_MSG | MQRO.PASS_DISCARD_AND_EXPIRY
)
_SYSTEM_TYPES: Final = frozenset(map(int, (MQMT.REQUEST, MQMT.REPLY, MQMT.REPORT, MQMT.DATAGRAM, 112, 113)))
_MAX_SYSTEM_FEEDBACK: Final = 999_999_999
_IN_GROUP: Final = int(MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP)
_SEGMENT: Final = int(MQMF.SEGMENT | MQMF.LAST_SEGMENT)
_KNOWN_FLAGS: Final = _IN_GROUP | _SEGMENT | int(MQMF.SEGMENTATION_ALLOWED)
_REJECTED_FLAGS: Final = int(MQMF.REJECT_UNSUP_MASK)
_MAX_SEQ_NUMBER: Final = 999_999_999
_UNDEFINED_LENGTH: Final = -1
_checked_options: set[int] = set()
"""Cache of valid combinations of MQPMO bits; programs use few."""
_MAX_CHECKED: Final = 1000


def complete(core: Core, target: Target, message: Message, options: PutOptions, now: Time) -> int:
    """Check the options and the descriptor, and fill in the fields that the queue manager sets.

    Priority, persistence and expiry are left to `place`. Returns 0 or the reason of a warning; raises `MQError`.
    """
    check_put_options(options.options)
    if options.options & MQPMO.FAIL_IF_QUIESCING:
        core.require_not_quiescing()
    try:
        _take_extension(message)
        md = message.md
    except StructureError as error:
        raise MQError(MQRC.MD_ERROR, str(error)) from error
    if md.version not in (1, 2):
        raise MQError(MQRC.MD_ERROR, f"version {md.version}")
    try:
        warning = _check(target, md)
        _complete_ids(core, md, options.options)
        _complete_reply_to(core, md, options.options)
        if md.coded_char_set_id == MQCCSI.Q_MGR:
            md.coded_char_set_id = core.ccsid
        md.backout_count = 0
        _complete_group(core, md, len(message.body))
        set_context(md, options, now)
    except ConversionError as error:
        raise MQError(MQRC.MD_ERROR, str(error)) from error
    return warning


def _take_extension(message: Message) -> None:
    """Move the fields of an MQMDE into the descriptor, so that they are checked and completed. Raises `MQError`
    2248."""
    if not begins_with_extension(message):
        return
    merged = merge_extension(message)
    if merged is message:
        raise MQError(MQRC.MDE_ERROR, "Version, StrucLength or Encoding of the MQMDE is wrong")
    message.raw_md, message.body = merged.raw_md, merged.body


def check_put_options(options: int) -> None:
    """Raise `MQError` 2046 for MQPMO bits that exclude each other, and for LOGICAL_ORDER, which needs a handle."""
    if options in _checked_options:
        return
    if options & MQPMO.SYNCPOINT and options & MQPMO.NO_SYNCPOINT:
        raise MQError(MQRC.OPTIONS_ERROR, "SYNCPOINT with NO_SYNCPOINT")
    if sum(options & context != 0 for context in _CONTEXTS) > 1:
        raise MQError(MQRC.OPTIONS_ERROR, "more than one context option")
    if options & MQPMO.ASYNC_RESPONSE and options & MQPMO.SYNC_RESPONSE:
        raise MQError(MQRC.OPTIONS_ERROR, "ASYNC_RESPONSE with SYNC_RESPONSE")
    if options & ~_KNOWN_OPTIONS:
        raise MQError(MQRC.OPTIONS_ERROR, f"unknown option 0x{options & ~_KNOWN_OPTIONS:X}")
    if options & MQPMO.LOGICAL_ORDER:
        raise MQError(MQRC.OPTIONS_ERROR, "LOGICAL_ORDER without a handle")
    if len(_checked_options) < _MAX_CHECKED:
        _checked_options.add(options)


def _check(target: Target, md: Descriptor) -> int:
    warning = _check_report(target, md.report)
    if md.report & ANY_REPORT and not md.reply_to_q:
        raise MQError(MQRC.MISSING_REPLY_TO_Q, "a report is asked for")
    msg_type = md.msg_type
    if msg_type not in _SYSTEM_TYPES and not MQMT.APPL_FIRST <= msg_type <= MQMT.APPL_LAST:
        raise MQError(MQRC.MSG_TYPE_ERROR, str(msg_type))
    if msg_type == MQMT.REQUEST and not md.reply_to_q:
        raise MQError(MQRC.MISSING_REPLY_TO_Q, "a request has none")
    if md.expiry <= 0 and md.expiry != MQEI.UNLIMITED:
        raise MQError(MQRC.EXPIRY_ERROR, str(md.expiry))
    if md.feedback > _MAX_SYSTEM_FEEDBACK:
        raise MQError(MQRC.FEEDBACK_ERROR, str(md.feedback))
    if md.coded_char_set_id < MQCCSI.APPL or md.coded_char_set_id == MQCCSI.INHERIT:
        raise MQError(MQRC.CODED_CHAR_SET_ID_ERROR, str(md.coded_char_set_id))
    if md.priority < MQPRI.AS_Q_DEF:
        raise MQError(MQRC.PRIORITY_ERROR, str(md.priority))
    if md.persistence not in (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT, MQPER.AS_Q_DEF):
        raise MQError(MQRC.PERSISTENCE_ERROR, str(md.persistence))
    return warning


def _check_report(target: Target, report: int) -> int:
    """Refuse unknown report options, or return a warning, by their mask (channels.md 9.1)."""
    unknown = report & ~_KNOWN_REPORTS
    if not unknown:
        return 0
    if unknown & MQRO.REJECT_UNSUP_MASK:
        raise MQError(MQRC.REPORT_OPTIONS_ERROR, f"0x{unknown:X}")
    if unknown & MQRO.ACCEPT_UNSUP_IF_XMIT_MASK and not target.remote:
        raise MQError(MQRC.REPORT_OPTIONS_ERROR, f"0x{unknown:X}")
    return MQRC.UNKNOWN_REPORT_OPTION


def _complete_ids(core: Core, md: Descriptor, options: int) -> None:
    if options & MQPMO.NEW_MSG_ID or md.msg_id == NO_ID:
        md.msg_id = core.ids.message_id()
    if options & MQPMO.NEW_CORREL_ID:
        md.correl_id = core.ids.message_id()


def _complete_reply_to(core: Core, md: Descriptor, options: int) -> None:
    """Complete the reply-to names: suppressed, from a reply-to alias, or with the local queue manager (channels.md
    12.1)."""
    if options & MQPMO.SUPPRESS_REPLYTO:
        md.set(reply_to_q="", reply_to_q_mgr="")
        return
    if not md.reply_to_q or md.reply_to_q_mgr:
        return
    definition = core.objects.queue(md.reply_to_q)
    if definition is not None and definition.kind is Kind.QREMOTE:
        md.set(reply_to_q=definition.text("RNAME"), reply_to_q_mgr=definition.text("RQMNAME"))
    else:
        md.reply_to_q_mgr = core.name


def _complete_group(core: Core, md: Descriptor, length: int) -> None:
    """Check and complete group and segment fields of a message put in physical order (mqi.md 6.2, lower half of the
    table)."""
    if md.version == 1:
        return
    flags = md.msg_flags
    if flags & _REJECTED_FLAGS & ~_KNOWN_FLAGS:
        raise MQError(MQRC.MSG_FLAGS_ERROR, f"0x{flags:X}")
    if flags & MQMF.LAST_MSG_IN_GROUP:
        flags |= MQMF.MSG_IN_GROUP
    if flags & MQMF.LAST_SEGMENT:
        flags |= MQMF.SEGMENT
    if flags != md.msg_flags:
        md.msg_flags = flags
    if not flags & (_IN_GROUP | _SEGMENT | MQMF.SEGMENTATION_ALLOWED):
        md.set(group_id=NO_ID, msg_seq_number=1, offset=0)
        return
    if md.original_length < _UNDEFINED_LENGTH:
        raise MQError(MQRC.ORIGINAL_LENGTH_ERROR, str(md.original_length))
    if md.group_id == NO_ID:
        md.group_id = core.ids.message_id()
    if not flags & _IN_GROUP:
        md.msg_seq_number = 1
    elif not 1 <= md.msg_seq_number <= _MAX_SEQ_NUMBER:
        raise MQError(MQRC.MSG_SEQ_NUMBER_ERROR, str(md.msg_seq_number))
    if not flags & _SEGMENT:
        md.offset = 0
    elif md.offset > _MAX_SEQ_NUMBER:
        raise MQError(MQRC.OFFSET_ERROR, str(md.offset))
    elif not length and not flags & MQMF.LAST_SEGMENT and md.msg_type != MQMT.REPORT:
        raise MQError(MQRC.SEGMENT_LENGTH_ZERO)


def set_context(md: Descriptor, options: PutOptions, now: Time) -> None:
    """Set identity and origin context by the MQPMO bits (mqi.md 5.4). Raises `MQError` 2098 if none was saved."""
    bits = options.options
    if bits & MQPMO.SET_ALL_CONTEXT:
        return
    if bits & MQPMO.NO_CONTEXT:
        md.set(user_identifier="", accounting_token=bytes(32), appl_identity_data="")
        md.set(put_appl_type=MQAT.NO_CONTEXT, put_appl_name="", put_date="", put_time="", appl_origin_data="")
        return
    source = None
    if bits & (MQPMO.PASS_ALL_CONTEXT | MQPMO.PASS_IDENTITY_CONTEXT):
        if options.context_from is None:
            raise MQError(MQRC.CONTEXT_NOT_AVAILABLE)
        source = options.context_from.md
        md.set(
            user_identifier=source.user_identifier,
            accounting_token=source.accounting_token,
            appl_identity_data=source.appl_identity_data,
        )
    elif not bits & MQPMO.SET_IDENTITY_CONTEXT:
        application = options.application
        md.set(
            user_identifier=fitting(application.user, 12),
            accounting_token=application.accounting_token,
            appl_identity_data="",
        )
    if bits & MQPMO.PASS_ALL_CONTEXT and source is not None:
        _pass_origin(md, source)
    else:
        set_origin(md, options.application, now)


def _pass_origin(md: Descriptor, source: Descriptor) -> None:
    md.set(
        put_appl_type=source.put_appl_type,
        put_appl_name=source.put_appl_name,
        put_date=source.put_date,
        put_time=source.put_time,
        appl_origin_data=source.appl_origin_data,
    )
    if source.report & MQRO.PASS_DISCARD_AND_EXPIRY:
        md.expiry = source.expiry
        md.report |= source.report & MQRO.DISCARD_MSG


def set_origin(md: Descriptor, application: Application, now: Time) -> None:
    """Set default origin context: the program that puts, date and time."""
    date, clock = put_date_and_time(now)
    md.set(
        put_appl_type=int(application.appl_type),
        put_appl_name=fitting(application.appl_name, 28),
        put_date=date,
        put_time=clock,
        appl_origin_data="",
    )


def fitting(text: str, length: int) -> str:
    """Return a name truncated to ``length``, with characters outside ASCII replaced, as not every code page has
    them."""
    return text.encode("ascii", "replace").decode()[:length]
