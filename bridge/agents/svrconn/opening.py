"""MQOPEN and MQCLOSE of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.agents.svrconn.distribution_lists import is_list, open_list
from mqbridge.bridge.agents.svrconn.topics import alternate_user_of, close_subscription, open_topic, text_of
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle
from mqbridge.protocol.constants import MQOO, MQOT, MQRC, LpiOptions
from mqbridge.protocol.mqi import Close, Open

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn

_NAME: Final = 48
_INPUTS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE)
_SAVE_CONTEXT: Final = int(LpiOptions.SAVE_IDENTITY_CONTEXT | LpiOptions.SAVE_ORIGIN_CONTEXT)
_PUT_RESPONSES: Final = {"SYNC": 1, "ASYNC": 2}
_READ_AHEAD: Final = {"NO": 0, "YES": 1, "DISABLED": 2}
_PROPERTY_CONTROL: Final = {"COMPAT": 0, "NONE": 1, "ALL": 2, "FORCE": 3, "V6COMPAT": 4}


def open_object(program: Hconn, call: Open, now: float) -> None:
    """MQOPEN, SPI OPEN."""
    connection, od = program.connected(), call.od
    record = od.record
    if is_list(od):
        open_list(program, call, now)
        return
    if record.object_type == MQOT.TOPIC:
        _answer(program, call, *open_topic(program, call, now))
        return
    hobj = connection.open(
        call.text(record.object_name),
        call.text(record.object_q_mgr_name),
        options=_options(call),
        now=now,
        object_type=record.object_type,
        dynamic_name=call.text(record.dynamic_q_name),
        selection_string=text_of(od, "selection_string"),
        alternate_user=alternate_user_of(call, od),
    )
    opened = connection.handles.get(hobj)
    defaults: dict[str, int] = {}
    if isinstance(opened, Handle):
        target = opened.target
        if opened.creator:  # otherwise the name that was asked for stays: JMS takes another one for a model queue's
            record.object_name = call.field(opened.object_name, _NAME)
        if od.has("known_dest_count"):
            record.known_dest_count, record.unknown_dest_count = int(not target.remote), int(target.remote)
        if od.has("resolved_q_name"):
            here = program.end.manager.name if call.options & MQOO.RESOLVE_LOCAL_Q else ""
            name, manager_name = target.resolved(here)
            record.resolved_q_name = call.field(name, _NAME)
            record.resolved_q_mgr_name = call.field(manager_name, _NAME)
        definition = program.end.manager.objects.queue(opened.object_name)
        if definition is not None:
            defaults = {
                "persistence": int(definition.flag("DEFPSIST")),
                "put_response": _PUT_RESPONSES.get(str(definition.get("DEFPRESP")), 1),
                "read_ahead": _READ_AHEAD.get(str(definition.get("DEFREADA")), 0),
                "property_control": _PROPERTY_CONTROL.get(str(definition.get("PROPCTL")), 0),
            }
    elif od.has("known_dest_count"):
        record.known_dest_count = 1
    _answer(program, call, hobj, defaults)


def _options(call: Open) -> int:
    """MQOO bits. SPI OPEN has bits of its own to save the context of messages: those who move messages that cannot be
    processed to another queue count on them (mq-wire.md 5.12, client-observed.md O-096)."""
    if call.spi and call.attributes is not None and call.options & _INPUTS:
        saves = call.attributes.record.lpi_options & _SAVE_CONTEXT == _SAVE_CONTEXT
        return call.options | MQOO.SAVE_ALL_CONTEXT if saves else call.options
    return call.options


def _answer(program: Hconn, call: Open, hobj: int, defaults: dict[str, int]) -> None:
    if call.attributes is not None and call.attributes.has("extra_length"):
        record = call.attributes.record
        record.extra_offset, record.extra_length = 0 if call.spi else call.attributes.known, 0
    program.end.machine.replies.open(call, hobj, **defaults)
    program.end.answered()


def close_object(program: Hconn, call: Close, now: float) -> None:
    """MQCLOSE: what the client had not received goes back first."""
    connection = program.connected()
    opened = connection.handles.get(call.handle)
    if isinstance(opened, SubscriptionHandle):
        close_subscription(program, call, opened, now)
        return
    program.streams.closed(call.handle, call.unreceived, now)

    def again(_: MQError | None) -> None:
        if program.connection is None:
            return
        try:
            program.reply(call, program.connection.close(call.handle, call.options, now))
        except MQError as error:
            program.fail(call, error)

    try:
        program.reply(call, connection.close(call.handle, call.options, now))
    except MQError as error:
        if error.reason != MQRC.Q_NOT_EMPTY:
            raise
        # A message that the program has may be on its way to leave the queue: the answer is right behind that.
        program.end.manager.submit((), again)
