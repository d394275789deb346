"""MQPUT, MQPUT1, MQSTAT and SPI RESERVE of client programs."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.svrconn.descriptors import as_version, body_of
from mqbridge.bridge.agents.svrconn.distribution_lists import is_list, put_list, put_one_list
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.agents.svrconn.topics import alternate_user_of, text_of
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Placed, PutStatus, Reserved
from mqbridge.bridge.queue_manager.calls.requests import PublishOne, PutOne
from mqbridge.mappings.descriptor import bounds
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOT, MQPMO, MQRC
from mqbridge.protocol.mqi import Put, Put1, Reserve, Stat

_NAME: Final = 48
_VERSION, _BEHIND_VERSION = bounds("version")
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
RESERVED_POSITION: Final = 24
"""Byte, from 1, that is incremented for the ids of asynchronous puts."""


def put(program: Hconn, call: Put, now: Time) -> None:
    """MQPUT."""
    session, record = program.connected(), call.options.record
    if program.lists and call.handle in program.lists:
        put_list(program, call, now)
        return
    if record.recs_present:
        raise MQError(MQRC.RECS_PRESENT_ERROR, str(record.recs_present))
    tag = program.tag = program.tag + 1
    outcome = session.submit(
        requests.Put(
            tag,
            call.handle,
            call.descriptor,
            body_of(call.data),
            record.options,
            call.order,
            call.ccsid,
            record.context,
            call.delay,
        ),
        now,
    )
    if outcome is None:
        program.pending[tag] = call, _placed
    elif type(outcome) is Failed:
        program.fail(call, outcome)
    elif isinstance(outcome, Placed):
        _placed(program, call, outcome, now)


def _placed(program: Hconn, call: Put, placed: Placed, _now: Time) -> None:
    """Answer a put: with the stored descriptor, and where the message went."""
    if not call.wanted:
        return
    record, raw, names = call.options.record, placed.descriptor, placed.names
    version = 1 if len(call.descriptor) < len(raw) else int.from_bytes(raw[_VERSION:_BEHIND_VERSION], call.order.endian)
    call.descriptor = as_version(raw, version, call.order)
    remote = names is not None and names.remote
    record.resolved_q_name = call.field("" if names is None else names.resolved_object_name, _NAME)
    record.resolved_q_mgr_name = call.field("" if names is None else names.resolved_q_mgr_name, _NAME)
    record.known_dest_count, record.unknown_dest_count = int(not remote), int(remote)
    program.machine.replies.answer(call, comp_code=1 if placed.reason else 0, reason=placed.reason)


def put_one(program: Hconn, call: Put1, now: Time) -> None:
    """MQPUT1."""
    program.connected()
    record, options = call.od.record, call.options.record
    if is_list(call.od):
        put_one_list(program, call, now)
        return
    if options.recs_present:
        raise MQError(MQRC.RECS_PRESENT_ERROR, str(options.recs_present))
    topic = record.object_type == MQOT.TOPIC
    kind: type[PublishOne | PutOne] = PublishOne if topic else PutOne
    alternate_user = alternate_user_of(call, call.od) if options.options & _ALTERNATE_USER else ""
    request = kind(
        program.next_tag(),
        call.text(record.object_name),
        text_of(call.od, "object_string") if topic else call.text(record.object_q_mgr_name),
        call.descriptor,
        body_of(call.data),
        options.options,
        call.order,
        call.ccsid,
        options.context,
        call.delay,
        alternate_user,
    )
    program.ask(call, request, _placed if topic else _placed_one, now)


def _placed_one(program: Hconn, call: Put1, placed: Placed, now: Time) -> None:
    """Also fill the OD with where the message went, except for a dynamic queue that has been deleted already."""
    od, names = call.od, placed.names
    if call.wanted and names is not None:
        if od.has("known_dest_count"):
            od.record.known_dest_count, od.record.unknown_dest_count = int(not names.remote), int(names.remote)
        if od.has("resolved_q_name"):
            od.record.resolved_q_name = call.field(names.resolved_object_name, _NAME)
            od.record.resolved_q_mgr_name = call.field(names.resolved_q_mgr_name, _NAME)
    _placed(program, call, placed, now)


def reserve(program: Hconn, call: Reserve, now: Time) -> None:
    """SPI RESERVE: unique message ids for asynchronous puts."""
    program.ask(call, requests.Reserve(program.next_tag(), call.count), _reserved, now)


def _reserved(program: Hconn, call: Reserve, outcome: Reserved, _now: Time) -> None:
    first, count = outcome
    program.machine.replies.reserve(call, count=count, position=RESERVED_POSITION, first_id=first)


def status(program: Hconn, call: Stat, now: Time) -> None:
    """MQSTAT."""
    program.ask(call, requests.Stat(program.next_tag(), call.status_type), _reported, now)


def _reported(program: Hconn, call: Stat, found: PutStatus, _now: Time) -> None:
    record = call.report.record
    record.comp_code, record.reason = found.completion, found.reason
    record.put_success_count = found.success_count
    record.put_warning_count = found.warning_count
    record.put_failure_count = found.failure_count
    record.object_type = found.object_type
    record.object_name = call.field(found.object_name, _NAME)
    record.object_q_mgr_name = call.field(found.object_q_mgr_name, _NAME)
    record.resolved_object_name = call.field(found.resolved_object_name, _NAME)
    record.resolved_q_mgr_name = call.field(found.resolved_q_mgr_name, _NAME)
    program.reply(call)
