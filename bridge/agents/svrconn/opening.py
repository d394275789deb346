"""MQOPEN and MQCLOSE of client programs."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.svrconn.distribution_lists import is_list, open_list
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.agents.svrconn.topics import alternate_user_of, text_of
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Done, OpenDefaults, Opened
from mqbridge.bridge.queue_manager.calls.requests import OpenTopic
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOO, MQOT, LpiOptions
from mqbridge.protocol.mqi import Close, Open

_NAME: Final = 48
_INPUTS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE)
_SAVE_CONTEXT: Final = int(LpiOptions.SAVE_IDENTITY_CONTEXT | LpiOptions.SAVE_ORIGIN_CONTEXT)
_PUT_RESPONSES: Final = {"SYNC": 1, "ASYNC": 2}
_READ_AHEAD: Final = {"NO": 0, "YES": 1, "DISABLED": 2}
_PROPERTY_CONTROL: Final = {"COMPAT": 0, "NONE": 1, "ALL": 2, "FORCE": 3, "V6COMPAT": 4}


def open_object(program: Hconn, call: Open, now: Time) -> None:
    """MQOPEN, SPI OPEN."""
    program.connected()
    od = call.od
    record = od.record
    if is_list(od):
        open_list(program, call, now)
        return
    tag, name, alternate_user = program.next_tag(), call.text(record.object_name), alternate_user_of(call, od)
    if record.object_type == MQOT.TOPIC:
        topic = OpenTopic(tag, name, text_of(od, "object_string"), call.options, alternate_user)
        program.ask(call, topic, _opened_topic, now)
        return
    request = requests.Open(
        tag,
        name,
        call.text(record.object_q_mgr_name),
        _options(call),
        record.object_type,
        call.text(record.dynamic_q_name),
        text_of(od, "selection_string"),
        alternate_user,
    )
    program.ask(call, request, _opened, now)


def _opened(program: Hconn, call: Open, opened: Opened, _now: Time) -> None:
    od, names = call.od, opened.names
    record = od.record
    if names is not None:
        if opened.created:  # otherwise the name that was asked for stays: JMS takes another one for a model queue's
            record.object_name = call.field(names.object_name, _NAME)
        if od.has("known_dest_count"):
            record.known_dest_count, record.unknown_dest_count = int(not names.remote), int(names.remote)
        if od.has("resolved_q_name"):
            record.resolved_q_name = call.field(names.resolved_object_name, _NAME)
            record.resolved_q_mgr_name = call.field(names.resolved_q_mgr_name, _NAME)
    elif od.has("known_dest_count"):
        record.known_dest_count = 1
    _answer(program, call, opened.hobj, opened.defaults)


def _opened_topic(program: Hconn, call: Open, opened: Opened, _now: Time) -> None:
    _answer(program, call, opened.hobj, opened.defaults)


def _options(call: Open) -> int:
    """MQOO options. SPI OPEN has its own bits for saving message context, which programs need that move unprocessable
    messages to another queue (mq-wire.md 5.12, client-observed.md O-096)."""
    if call.spi and call.attributes is not None and call.options & _INPUTS:
        saves = call.attributes.record.lpi_options & _SAVE_CONTEXT == _SAVE_CONTEXT
        return call.options | MQOO.SAVE_ALL_CONTEXT if saves else call.options
    return call.options


def _answer(program: Hconn, call: Open, hobj: int, defaults: OpenDefaults | None) -> None:
    if call.attributes is not None and call.attributes.has("extra_length"):
        record = call.attributes.record
        record.extra_offset, record.extra_length = 0 if call.spi else call.attributes.known, 0
    numbers: dict[str, int] = {}
    if defaults is not None:
        numbers = {
            "persistence": int(defaults.persistent),
            "put_response": _PUT_RESPONSES.get(defaults.put_response, 1),
            "read_ahead": _READ_AHEAD.get(defaults.read_ahead, 0),
            "property_control": _PROPERTY_CONTROL.get(defaults.property_control, 0),
        }
    program.machine.replies.open(call, hobj, **numbers)


def close_object(program: Hconn, call: Close, now: Time) -> None:
    """MQCLOSE: messages that the client has not received go back first."""
    program.connected()
    program.streams.closed(call.handle, call.unreceived, now)
    program.lists.pop(call.handle, None)
    program.ask(call, requests.Close(program.next_tag(), call.handle, call.options), _closed, now)


def _closed(program: Hconn, call: Close, outcome: Done, _now: Time) -> None:
    program.reply(call, outcome.reason)
