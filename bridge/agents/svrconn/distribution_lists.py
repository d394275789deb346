"""Distribution lists of client programs: MQOPEN, MQPUT, MQPUT1 with records (mq-wire.md 5.6, client-observed.md
O-061)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.bridge.agents.svrconn.descriptors import as_version, body_of, message_of
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.agents.svrconn.topics import alternate_user_of
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.outcomes import ListOpened, ListOutcome, ListPlaced
from mqbridge.bridge.queue_manager.calls.requests import OpenList, PutList, PutOneList
from mqbridge.bridge.queue_manager.options import NO_ID
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMF, MQOT, MQPMO, MQPMRF, MQRC
from mqbridge.protocol.layouts.rr import Rr
from mqbridge.protocol.mqi import Call, Open, Put, Put1
from mqbridge.protocol.records import Record
from mqbridge.protocol.structures import ObjectDescriptor
from mqbridge.protocol.structures.od import replace_records

_RECORD_FIELDS: Final = (
    (MQPMRF.MSG_ID, "msg_id"),
    (MQPMRF.CORREL_ID, "correl_id"),
    (MQPMRF.GROUP_ID, "group_id"),
    (MQPMRF.FEEDBACK, "feedback"),
    (MQPMRF.ACCOUNTING_TOKEN, "accounting_token"),
)
_KNOWN_FIELDS: Final = sum(int(flag) for flag, _ in _RECORD_FIELDS)
_GROUPS: Final = int(
    MQMF.SEGMENTATION_ALLOWED | MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP | MQMF.SEGMENT | MQMF.LAST_SEGMENT
)
_SETS_CONTEXT: Final = int(MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT)


def is_list(od: ObjectDescriptor) -> bool:
    """Whether an OD is for a distribution list."""
    return bool(od.has("recs_present") and od.record.recs_present)


def open_list(program: Hconn, call: Open, now: Time) -> None:
    """MQOPEN of a list."""
    names = tuple(_names(call, call.od))
    request = OpenList(program.next_tag(), names, call.options, alternate_user_of(call, call.od))
    program.ask(call, request, _opened, now)


def _opened(program: Hconn, call: Open, opened: ListOpened, _now: Time) -> None:
    hobj, outcome = opened
    _count(call.od.record, outcome)
    _respond(call.od, outcome)
    machine = program.machine
    if hobj < 0:
        machine.replies.refuse(call, outcome.reason)
    else:
        program.lists[hobj] = len(outcome.answers)
        machine.replies.open(call, hobj, comp_code=outcome.completion, reason=outcome.reason)


def put_list(program: Hconn, call: Put, now: Time) -> None:
    """MQPUT to an open list."""
    descriptors, options = _descriptors(call, program.lists[call.handle]), call.options.record
    request = PutList(
        program.next_tag(),
        call.handle,
        descriptors,
        body_of(call.data),
        options.options,
        call.order,
        call.ccsid,
        options.context,
        call.delay,
    )
    program.ask(call, request, _placed, now)


def put_one_list(program: Hconn, call: Put1, now: Time) -> None:
    """MQPUT1 to a list."""
    names, options = tuple(_names(call, call.od)), call.options.record
    request = PutOneList(
        program.next_tag(),
        names,
        _descriptors(call, len(names)),
        body_of(call.data),
        options.options,
        call.order,
        call.ccsid,
        options.context,
        call.delay,
        alternate_user_of(call, call.od) if options.options & MQPMO.ALTERNATE_USER_AUTHORITY else "",
    )
    program.ask(call, request, _placed, now)


def _names(call: Call, od: ObjectDescriptor) -> list[tuple[str, str]]:
    """Queue and queue manager name of each destination. Raises `MQError` 2152 to 2155."""
    record = od.record
    if record.object_type != MQOT.Q:
        raise MQError(MQRC.RECS_PRESENT_ERROR, f"a list of objects of type {record.object_type}")
    if call.text(record.object_name):
        raise MQError(MQRC.OBJECT_NAME_ERROR, "a distribution list has no name")
    if call.text(record.object_q_mgr_name):
        raise MQError(MQRC.OBJECT_Q_MGR_NAME_ERROR, "a distribution list has no queue manager")
    if not record.object_rec_offset:
        raise MQError(MQRC.OBJECT_RECORDS_ERROR, "ObjectRecOffset is 0")
    return [(call.text(each.object_name), call.text(each.object_q_mgr_name)) for each in od.object_records]


def _descriptors(call: Put, count: int) -> tuple[bytes, ...]:
    """An MQMD for each destination: the call's descriptor with the fields of its put message record.

    Raises `MQError` 2158 for invalid fields, 2159 if there are no records to read, 2258 if all would share a group.
    """
    record = call.options.record
    fields = record.put_msg_rec_fields if record.version > 1 else 0
    if fields & ~_KNOWN_FIELDS or (fields & MQPMRF.ACCOUNTING_TOKEN and not record.options & _SETS_CONTEXT):
        raise MQError(MQRC.PMO_RECORD_FLAGS_ERROR, f"0x{fields:X}")
    if fields and record.recs_present and not record.put_msg_rec_offset:
        raise MQError(MQRC.PUT_MSG_RECORDS_ERROR, "PutMsgRecOffset is 0")
    records = call.options.put_msg_records if fields and record.recs_present else []
    first = message_of(call)
    own_groups = fields & MQPMRF.GROUP_ID and len(records) >= count
    grouped = first.md.msg_flags & _GROUPS and first.md.group_id != NO_ID
    if grouped and not own_groups and not record.options & MQPMO.LOGICAL_ORDER:
        raise MQError(MQRC.GROUP_ID_ERROR, "destinations would share a group id")
    messages = [first.copy() for _ in range(count)]
    for message, own in zip(messages, records, strict=False):  # too few or too many of them do no harm
        for name, value in _fields_of(own, fields):
            message.md.change(name, value)
    return tuple(message.raw_md for message in messages)


def _fields_of(record: Record, fields: int) -> list[tuple[str, Any]]:
    return [(name, getattr(record, name)) for flag, name in _RECORD_FIELDS if fields & flag]


def _placed(program: Hconn, call: Put, placed: ListPlaced, _now: Time) -> None:
    """Answer a put to a list."""
    if not call.wanted:
        return
    outcome, record = placed.outcome, call.options.record
    _count(record, outcome)
    if isinstance(call, Put1):
        _count(call.od.record, outcome)
        _respond(call.od, outcome)
    messages = [Message(descriptor, order=call.order, ccsid=call.ccsid) for descriptor in placed.descriptors]
    if record.version > 1 and record.recs_present:
        _respond(call.options, outcome)
        _give_ids(call, messages)
    _describe(call, messages, outcome)
    program.machine.replies.answer(call, comp_code=outcome.completion, reason=outcome.reason)


def _give_ids(call: Put, messages: list[Message]) -> None:
    """Fill the put message records with the ids of each message."""
    record, records = call.options.record, call.options.put_msg_records
    for own, message in zip(records, messages, strict=False):
        for name, _ in _fields_of(own, record.put_msg_rec_fields):
            setattr(own, name, getattr(message.md.record, name))
    if records:
        replace_records(call.options, record.put_msg_rec_offset, records)


def _describe(call: Put, messages: list[Message], outcome: ListOutcome) -> None:
    """Fill the descriptor with what all messages have in common; ids stay as given."""
    done = [message for message, answer in zip(messages, outcome.answers, strict=True) if not answer.failed]
    if not done:
        return
    given = message_of(call).md
    common = done[0].copy()
    for name in ("msg_id", "correl_id", "group_id"):
        if name != "group_id" or given.version > 1:
            setattr(common.md, name, getattr(given, name))
    version = 1 if len(call.descriptor) < len(common.raw_md) else common.md.version
    call.descriptor = as_version(common.raw_md, version, call.order)


def _count(record: Any, outcome: ListOutcome) -> None:
    record.known_dest_count = outcome.known
    record.unknown_dest_count = outcome.unknown
    record.invalid_dest_count = outcome.invalid


def _respond(structure: Any, outcome: ListOutcome) -> None:
    """Fill the response records, if there are any and the destinations' outcomes differ."""
    start = structure.record.response_rec_offset
    if not start or not outcome.mixed:
        return
    records: list[Rr] = structure.response_records
    for own, answer in zip(records, outcome.answers, strict=False):
        own.comp_code, own.reason = answer.completion, answer.reason
    replace_records(structure, start, records)
