"""Topics and subscriptions of a client: MQOPEN of a topic, MQSUB, MQSUBRQ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.pubsub import MANAGED_OPEN_OPTIONS, SubscriptionHandle, SubscriptionRequest
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.protocol.constants import MQCA, MQCO, MQOO, MQRC, MQRQ, MQSO, LsdOptions
from mqbridge.protocol.inferred import SUBSCRIPTION_BY_ID
from mqbridge.protocol.mqi import Call, Close, Open, Subscribe
from mqbridge.protocol.mqi import SubscriptionRequest as SubscriptionRequestCall
from mqbridge.protocol.text import decode_text

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn
    from mqbridge.bridge.queue_manager.connections import Connection

_SYNC: Final = 1
_ASYNC: Final = 2


def text_of(structure: Any, name: str) -> str:
    """A string behind an OD or SD; empty where there is none. Raises ``ConversionError``."""
    if not structure.has(f"{name}_vs_ptr"):
        return ""
    raw = structure.string(name)
    return decode_text(raw, structure.string_ccsid(name)).rstrip("\0 ") if raw else ""


def alternate_user_of(call: Call, structure: Any) -> str:
    """AlternateUserId of an OD or SD."""
    return call.text(structure.record.alternate_user_id) if structure.has("alternate_user_id") else ""


def open_topic(program: Hconn, call: Open, now: float) -> tuple[int, dict[str, int]]:
    """MQOPEN of a topic: its handle, and the defaults that go with it."""
    connection, pubsub = program.connected(), program.end.manager.pubsub
    handle = topic_handle(program, call, call.od, call.options, now)
    assert handle.target.topic is not None
    attributes = pubsub.attributes(handle.target.topic)
    defaults = {
        "persistence": int(attributes.words["DEFPSIST"] == "YES"),
        "put_response": _ASYNC if attributes.words["DEFPRESP"] == "ASYNC" else _SYNC,
        "read_ahead": 0,
        "property_control": 0,
    }
    return connection.handles.add(handle), defaults


def topic_handle(program: Hconn, call: Call, od: Any, options: int, now: float) -> Handle:
    """A topic that is open with MQOO bits, if the program may publish to it. Raises `MQError`."""
    connection, pubsub = program.connected(), program.end.manager.pubsub
    name, string = call.text(od.record.object_name), text_of(od, "object_string")
    handle = pubsub.open_topic(name, string, options=options, owner=connection, now=now)
    if connection.access is not None:
        assert handle.target.topic is not None
        try:
            connection.access.require_topic(handle.target.topic, options, alternate_user_of(call, od))
        except MQError:
            program.end.manager.close(handle, MQCO.NONE, now)
            raise
        if options & MQOO.ALTERNATE_USER_AUTHORITY:
            handle.user = alternate_user_of(call, od) or EVERYBODY_ELSE
    return handle


def subscribe(program: Hconn, call: Subscribe, now: float) -> None:
    """MQSUB, SPI SUBSCRIBE."""
    connection, sd, record = program.connected(), call.sd, call.sd.record
    request = SubscriptionRequest(
        record.options,
        call.text(record.object_name),
        text_of(sd, "object_string"),
        text_of(sd, "sub_name"),
        text_of(sd, "sub_user_data"),
        text_of(sd, "selection_string"),
        record.sub_correl_id,
        record.sub_expiry,
        record.pub_priority,
        record.pub_accounting_token,
        call.text(record.pub_appl_identity_data),
        record.sub_level,
        connection.application,
    )
    if not request.has(MQSO.MANAGED):
        if call.handle in connection.handles:
            opened = connection.handles.get(call.handle)
            request.destination = opened if isinstance(opened, Handle) else None
    elif call.local is not None and call.local.open_options:
        request.open_options = int(call.local.open_options)
    else:
        request.open_options = MANAGED_OPEN_OPTIONS
    if call.local is not None:
        request.shared = call.local.options & LsdOptions.SHARED == LsdOptions.SHARED
        request.replaces = request.has(MQSO.CREATE)  # who only resumes or unsubscribes names no selector
        if call.local.options & SUBSCRIPTION_BY_ID:
            request.identifier = call.local.sub_id
    try:
        _authorize(connection, request, alternate_user_of(call, sd))
    except MQError as error:
        if error.reason == MQRC.NOT_AUTHORIZED:
            about = [(MQCA.TOPIC_STRING, request.object_string or request.object_name)]
            application = connection.application
            events = program.end.manager.events
            events.denied(MQRQ.SUB_NOT_AUTHORIZED, application.user, now, about, application)
        raise
    connection.handles.require_room(2 if request.has(MQSO.MANAGED) else 1)
    answered: list[MQError | None] = []
    given: list[SubscriptionHandle] = []

    def told(error: MQError | None) -> None:
        answered.append(error)
        finish()

    def finish() -> None:
        if not answered or not given:
            return
        if answered[0] is not None:
            program.fail(call, answered[0])
            return
        _answer(program, call, given[0])

    given.append(program.end.manager.pubsub.subscribe(request, owner=connection, now=now, then=told))
    finish()


def _authorize(connection: Connection, request: SubscriptionRequest, alternate_user: str) -> None:
    """Raises `MQError` 2035. With an alternate user the subscription is that user's."""
    if connection.access is not None:
        connection.access.require_subscription(request, alternate_user)
    if request.has(MQSO.ALTERNATE_USER_AUTHORITY):
        request.application = evolve(request.application, user=alternate_user)


def _answer(program: Hconn, call: Subscribe, handle: SubscriptionHandle) -> None:
    connection = program.connection
    if connection is None:
        _give_up(program, handle)
        return
    hobj = call.handle
    try:
        connection.handles.require_room(1 if handle.queue_handle is None else 2)
        hsub = connection.add(handle)
    except MQError as error:  # while it was stored the connection was stopped, or MAXHANDS altered
        _give_up(program, handle)
        program.fail(call, error)
        return
    if handle.queue_handle is not None:
        hobj = connection.handles.add(handle.queue_handle)
    call.sd.record.sub_correl_id = handle.subscription.correl_id
    if call.local is not None:
        call.local.sub_id = handle.subscription.id
        if handle.queue_handle is not None:
            call.local.q_name = call.field(handle.subscription.destination[0], len(call.local.q_name))
    program.end.machine.replies.subscribe(call, handle=hobj, subscription=hsub)
    program.end.answered()


def _give_up(program: Hconn, handle: SubscriptionHandle) -> None:
    """Closes a subscription that the program has no handle of, and its managed queue."""
    manager, now = program.end.manager, program.end.channel_manager.now
    if handle.queue_handle is not None:
        manager.close(handle.queue_handle, MQCO.NONE, now)
    handle.close_at_end(now)


def request(program: Hconn, call: SubscriptionRequestCall, now: float) -> None:
    """MQSUBRQ."""
    opened = program.connected().handles.get(call.handle)
    if not isinstance(opened, SubscriptionHandle):
        raise MQError(MQRC.HOBJ_ERROR, str(call.handle))

    def counted(count: int) -> None:
        call.options.num_pubs = count

    program.end.manager.pubsub.request(opened, call.action, call.options.options, now, program.outcome(call), counted)


def close_subscription(program: Hconn, call: Close, opened: SubscriptionHandle, now: float) -> None:
    """MQCLOSE of an Hsub."""
    program.connected().remove(call.handle)
    program.end.manager.pubsub.close(opened, call.options, now, program.outcome(call))
