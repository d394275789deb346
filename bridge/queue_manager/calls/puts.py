"""MQPUT, MQPUT1 and MQSTAT of a session (mqi.md 5, mq-wire.md 5.17)."""

from __future__ import annotations

from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.connections.asynchronous_puts import (
    STAT_ASYNC_ERROR,
    STAT_RECONNECTION,
    STAT_RECONNECTION_ERROR,
)
from mqbridge.bridge.queue_manager.connections.connection import Connection, PreparedPut
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.putting.descriptors import check_put_options
from mqbridge.bridge.queue_manager.putting.handle_put import put_message
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit, UnitOfWork
from mqbridge.bridge.security import options_of_put1
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCO, MQOO, MQPER, MQPMO, MQRC

from .agents import put_for
from .handles import close_handle, open_handle
from .outcomes import DONE, Outcome, Placed, PutNames, PutStatus, Reserved, Staging
from .requests import PublishOne, Put, PutFailed, PutOne, Reserve, Stage, Stat
from .topics import topic_handle

_OUTPUT: Final = int(MQOO.OUTPUT)
_SAVES: Final = int(MQOO.SAVE_ALL_CONTEXT)
_SYNCPOINT: Final = int(MQPMO.SYNCPOINT)
_ASYNC: Final = int(MQPMO.ASYNC_RESPONSE)
_QUIESCING: Final = int(MQPMO.FAIL_IF_QUIESCING)
_LOCAL_NAMES: Final = int(MQPMO.RESOLVE_LOCAL_Q)
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
_NO_OPTIONS: Final = int(MQCO.NONE)
_PASSES: Final = int(MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.PASS_ALL_CONTEXT)
_CONTEXTS: Final = _PASSES | int(MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT)
_ASKED: Final = _CONTEXTS | _ALTERNATE_USER
_NO_NAMES: Final = PutNames()
MAX_RESERVED: Final = 256
"""Ids in one block. How a client carries into the next byte is unknown (client-observed.md O-066)."""


def put(connection: Connection, request: Put, now: Time) -> Outcome | None:
    """Make an MQPUT. Returns None while the store has not answered. Raises `MQError`, but for MQPMO_ASYNC_RESPONSE."""
    hobj, bits = request.hobj, request.options
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    if bits & _ASYNC:
        return _put_unawaited(connection, request, message, now)
    if connection.refusal or (bits & _QUIESCING and (connection.core.quiescing or connection.quiescing)):
        connection.enter(bits & _QUIESCING)
    prepared = connection.puts.get(hobj)
    if prepared is None or prepared.bits != bits:
        prepared = prepare_put(connection, hobj, bits)
    options = prepared.options
    if request.delay or bits & _PASSES:
        options = options_of(connection, options, request.delay, request.context)
    warning, pending = put_through(connection, prepared.handle, message, options, now)
    placed = Placed(message.raw_md, prepared.names, warning)
    if pending is None:
        return placed
    pending.then = partial(connection.decided, request.tag, placed)
    return None


def prepare_put(connection: Connection, hobj: int, bits: int) -> PreparedPut:
    """Read the options of the puts of a handle; cached. Raises `MQError` 2019, 2039, 2046, 2093 to 2096."""
    handle = connection.handles.queue(hobj, MQRC.NOT_OPEN_FOR_OUTPUT)
    options = put_options(connection, handle, bits)
    prepared = PreparedPut(bits, handle, options, names_of(connection, handle, bits & _LOCAL_NAMES))
    connection.puts[hobj] = prepared
    return prepared


def put_options(connection: Connection, handle: Handle, bits: int) -> PutOptions:
    """Return the options of puts through a handle. Raises `MQError` 2039, 2046, 2093 to 2096."""
    if not handle.options & _OUTPUT:
        raise MQError(MQRC.NOT_OPEN_FOR_OUTPUT, handle.object_name)
    if bits & _ALTERNATE_USER:
        raise MQError(MQRC.OPTIONS_ERROR, "ALTERNATE_USER_AUTHORITY is for MQPUT1")
    if bits & _CONTEXTS:
        check_put_options(bits)
        handle.require_context(bits)
    authority = connection.user if handle.user is None else handle.user
    return PutOptions(bits, connection.application, authority=authority)


def options_of(connection: Connection, options: PutOptions, delay: int, context: int) -> PutOptions:
    """Return the options with those of a single put added.

    ``delay``: milliseconds. ``context``: handle whose saved context MQPMO_PASS_* passes on. Raises `MQError` 2097.
    """
    passed = None
    if options.options & _PASSES:
        opened = connection.handles.get(context) if context in connection.handles else None
        if not isinstance(opened, Handle) or not opened.options & _SAVES:
            raise MQError(MQRC.CONTEXT_HANDLE_ERROR, str(context))
        passed = connection.contexts.get(context)
    options = options.copy()
    options.delay, options.context_from = delay, passed
    return options


def put_through(
    connection: Connection, handle: Handle, message: Message, options: PutOptions, now: Time
) -> tuple[int, PendingCommit | None]:
    """Put a message through a handle; outside syncpoint its unit of work is committed.

    Returns 0 or the reason of a warning, and the pending transaction, if any. Raises `MQError`; the event of a refused
    call has been emitted then.
    """
    if options.options & _SYNCPOINT:
        unit = connection.syncpoint(now)
    else:
        unit = UnitOfWork(implicit=True, in_turns=True)
        if (connection.unit is not None or connection.xa.unit is not None) and connection.in_unit_of_work:
            options = options.copy()
            options.unit_of_work_open = True
    try:
        warning = put_message(connection.core, handle, message, options, unit, now)
    except MQError as error:
        connection.refused(error, handle.names, now)
        raise
    if unit.implicit:
        return warning, commit(connection.core, unit, now)
    if connection.waiters or unit is not connection.unit:
        connection.wake_own(unit, now)
    return warning, None


def names_of(connection: Connection, opened: object, local: int = 0) -> PutNames:
    """Return the names of an open object as opened and as resolved; ``local``: nonzero for MQPMO_RESOLVE_LOCAL_Q."""
    if not isinstance(opened, Handle):
        return PutNames(getattr(opened, "object_name", ""))
    name, target = connection.core.name, opened.target
    return PutNames(opened.object_name, name, *target.resolved(name if local else ""), target.remote)


# MQPUT1


def put_one(connection: Connection, request: PutOne, now: Time) -> Outcome | None:
    """Make an MQPUT1 to a queue: open, put, close. Returns None while the store has not answered.

    Raises `MQError`, but for MQPMO_ASYNC_RESPONSE.
    """
    bits = request.options
    if connection.access is None and bits & _ALTERNATE_USER:
        return put_for(connection, request, now)
    names = PutNames(request.object_name, request.object_q_mgr_name)
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    if bits & _ASYNC:
        try:
            warning, pending = _put_one(connection, request, message, now)
        except MQError as error:
            return _unawaited_failed(connection, message, names, bits, error)
        return _unawaited(connection, message, names, warning, pending)
    warning, pending = _put_one(connection, request, message, now)
    placed = Placed(message.raw_md, _resolved(connection, request), warning)
    if pending is None:
        return placed
    pending.then = partial(connection.decided, request.tag, placed)
    return None


def _put_one(connection: Connection, request: PutOne, message: Message, now: Time) -> tuple[int, PendingCommit | None]:
    bits = request.options
    connection.enter(bits & _QUIESCING)
    if bits & MQPMO.LOGICAL_ORDER:
        raise MQError(MQRC.OPTIONS_ERROR, "LOGICAL_ORDER is for MQPUT")
    hobj = open_handle(
        connection,
        request.object_name,
        request.object_q_mgr_name,
        _OUTPUT | bits & _ASKED,  # these bits of MQPMO and MQOO are the same
        now,
        alternate_user=request.alternate_user,
    )
    try:
        handle = connection.handles.queue(hobj, MQRC.NOT_OPEN_FOR_OUTPUT)
        options = put_options(connection, handle, bits & ~_ALTERNATE_USER)
        if request.delay or bits & _PASSES:
            options = options_of(connection, options, request.delay, request.context)
        return put_through(connection, handle, message, options, now)
    finally:
        close_handle(connection, hobj, _NO_OPTIONS, now)


def _resolved(connection: Connection, request: PutOne) -> PutNames | None:
    """Return the names of the queue of an MQPUT1; None if it was a dynamic queue, which no longer exists."""
    name, manager_name = request.object_name, request.object_q_mgr_name
    target = resolve(connection.core, name, manager_name)
    if target.model is not None:
        return None
    here = connection.core.name if request.options & _LOCAL_NAMES else ""
    return PutNames(name, manager_name, *target.resolved(here), target.remote)


def publish_one(connection: Connection, request: PublishOne, now: Time) -> Outcome | None:
    """Make an MQPUT1 to a topic: open, publish, close. Returns None while the store has not answered. Raises
    `MQError`."""
    bits = request.options
    asked = options_of_put1(bits)
    handle = topic_handle(connection, request.object_name, request.object_string, asked, request.alternate_user, now)
    hobj = connection.handles.add(handle)
    bits &= ~_ALTERNATE_USER
    try:
        connection.puts[hobj] = PreparedPut(bits, handle, put_options(connection, handle, bits), _NO_NAMES)
        return put(
            connection,
            Put(
                request.tag,
                hobj,
                request.descriptor,
                request.body,
                bits,
                request.order,
                request.ccsid,
                request.context,
                request.delay,
            ),
            now,
        )
    finally:
        close_handle(connection, hobj, _NO_OPTIONS, now)


# Asynchronous puts


def _put_unawaited(connection: Connection, request: Put, message: Message, now: Time) -> Placed:
    """Make an MQPUT with MQPMO_ASYNC_RESPONSE: errors are counted, not raised."""
    hobj, bits = request.hobj, request.options
    try:
        connection.enter(bits & _QUIESCING)
        prepared = connection.puts.get(hobj)
        if prepared is None or prepared.bits != bits:
            prepared = prepare_put(connection, hobj, bits)
        options = prepared.options
        if request.delay or bits & _PASSES:
            options = options_of(connection, options, request.delay, request.context)
        warning, pending = put_through(connection, prepared.handle, message, options, now)
    except MQError as error:
        return _unawaited_failed(connection, message, _names_at(connection, hobj), bits, error)
    if pending is None and not warning:
        connection.put_record.succeeded()
        return Placed(message.raw_md, None)
    return _unawaited(connection, message, _names_at(connection, hobj), warning, pending)


def _names_at(connection: Connection, hobj: int) -> PutNames:
    """Return the names of the destination with a handle; blank for an unknown handle."""
    return names_of(connection, connection.handles.get(hobj)) if hobj in connection.handles else _NO_NAMES


def _unawaited(
    connection: Connection, message: Message, names: PutNames, warning: int, pending: PendingCommit | None
) -> Placed:
    if pending is None:
        connection.put_record.stored(names, warning, None)
    else:
        pending.then = partial(connection.put_record.stored, names, warning)
    return Placed(message.raw_md, None)


def _unawaited_failed(connection: Connection, message: Message, names: PutNames, bits: int, error: MQError) -> Placed:
    put_failed_as(connection, names, bits, error)
    return Placed(message.raw_md, None)


def put_failed_as(connection: Connection, names: PutNames, bits: int, error: MQError) -> None:
    """Count an asynchronous put that has failed; under syncpoint the unit of work can then only be backed out."""
    connection.put_record.failed(names, error)
    if bits & _SYNCPOINT:
        connection.mark_rollback_only()


def put_failed(connection: Connection, request: PutFailed, _now: Time) -> Outcome | None:
    """Count an asynchronous put that could not be tried."""
    names = PutNames(request.object_name, request.object_q_mgr_name)
    if not request.object_name and request.hobj in connection.handles:
        names = _names_at(connection, request.hobj)
    put_failed_as(connection, names, request.options, MQError(request.reason))
    return DONE


def stage(connection: Connection, request: Stage, _now: Time) -> Staging:
    """Begin the data of a message that arrives in parts. Raises `MQError` 2019, 2039, 2051 and those of the target."""
    core = connection.core
    target = connection.handles.queue(request.hobj, MQRC.NOT_OPEN_FOR_OUTPUT).target
    queue = target.require_puttable()
    longest, too_long = core.max_message_length, MQRC.MSG_TOO_BIG_FOR_Q_MGR
    if queue.max_message_length <= longest:
        longest, too_long = queue.max_message_length, MQRC.MSG_TOO_BIG_FOR_Q
    persistence = request.persistence
    if persistence == MQPER.AS_Q_DEF:
        persistence = target.path[0].def_persistence
    return Staging(BodyWriter(core.store, bool(persistence), core.store_error), longest, int(too_long))


def stat(connection: Connection, request: Stat, _now: Time) -> PutStatus:
    """Make an MQSTAT: return and reset the counts of asynchronous puts.

    Raises `MQError` 2430, and 2012 for the state of a reconnection, which only the client knows.
    """
    connection.enter(0)
    if request.status_type == STAT_ASYNC_ERROR:
        return connection.put_record.take()
    if request.status_type not in (STAT_RECONNECTION, STAT_RECONNECTION_ERROR):
        raise MQError(MQRC.STAT_TYPE_ERROR, str(request.status_type))
    raise MQError(MQRC.ENVIRONMENT_ERROR, "a reconnection is known to the client alone")


def reserve(connection: Connection, request: Reserve, _now: Time) -> Reserved:
    """Answer SPI RESERVE: reserve a block of unique message ids for asynchronous puts."""
    return Reserved(connection.core.ids.block(MAX_RESERVED), min(request.number, MAX_RESERVED))
