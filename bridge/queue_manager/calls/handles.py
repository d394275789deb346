"""MQOPEN, MQCLOSE, MQINQ and MQSET of a session (mqi.md 2, 3, 16.2)."""

from __future__ import annotations

from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.attributes.inquire import InquiredAttributes, inquire_attributes
from mqbridge.bridge.queue_manager.attributes.set_values import set_attributes
from mqbridge.bridge.queue_manager.connections.connection import Connection
from mqbridge.bridge.queue_manager.connections.handles import (
    ObjectHandle,
    Opened,
    check_object_close,
    definition_of,
    open_object,
)
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.opening import close_queue, open_queue
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCA, MQOO, MQOT, MQRC, MQRQ

from .outcomes import DONE, Done, OpenDefaults, Outcome, PutNames, failed
from .outcomes import Opened as OpenedOutcome
from .requests import Close, Inquire, Open, Set

_LOCAL_NAMES: Final = int(MQOO.RESOLVE_LOCAL_Q)
_QUIESCING: Final = int(MQOO.FAIL_IF_QUIESCING)
_QUEUES: Final = (int(MQOT.Q), int(MQOT.NONE))

# MQOPEN


def open_any(connection: Connection, request: Open, now: Time) -> OpenedOutcome:
    """Make an MQOPEN of a queue, namelist, process or the queue manager. Raises `MQError` as `open_handle` does."""
    hobj = open_handle(
        connection,
        request.object_name,
        request.object_q_mgr_name,
        request.options,
        now,
        object_type=request.object_type,
        dynamic_name=request.dynamic_name,
        selection_string=request.selection_string,
        alternate_user=request.alternate_user,
    )
    opened = connection.handles.get(hobj)
    if not isinstance(opened, Handle):
        return OpenedOutcome(hobj)
    definition = connection.core.objects.queue(opened.object_name)
    defaults = None
    if definition is not None:
        defaults = OpenDefaults(
            definition.flag("DEFPSIST"),
            str(definition.get("DEFPRESP")),
            str(definition.get("DEFREADA")),
            str(definition.get("PROPCTL")),
        )
    name, target = connection.core.name, opened.target
    resolved = target.resolved(name if request.options & _LOCAL_NAMES else "")
    names = PutNames(opened.object_name, name, *resolved, target.remote)
    return OpenedOutcome(hobj, names, opened.creator, defaults)


def open_handle(
    connection: Connection,
    object_name: str,
    object_q_mgr_name: str,
    options: int,
    now: Time,
    *,
    object_type: int = MQOT.Q,
    dynamic_name: str = "",
    selection_string: str = "",
    alternate_user: str = "",
) -> int:
    """Open an object with MQOO bits, and return its handle.

    ``alternate_user``: the user whose authorities count with MQOO_ALTERNATE_USER_AUTHORITY. Raises `MQError` 2017
    (MAXHANDS), 2035, 2043, 2516, and those of `open_queue`.
    """
    connection.enter(options & _QUIESCING)
    connection.handles.require_room()
    opened: Opened
    if object_type in _QUEUES:
        try:
            opened = open_queue_handle(
                connection, object_name, object_q_mgr_name, options, now, dynamic_name, selection_string, alternate_user
            )
        except MQError as error:
            connection.refused(error, (object_name, object_q_mgr_name), now, options)
            raise
    else:
        if selection_string:
            raise MQError(MQRC.SELECTOR_INVALID_FOR_TYPE, object_name)
        opened = open_object(connection.core.objects, object_type, object_name, options)
        if connection.access is not None:
            connection.access.require_object(opened.kind, opened.name, options, alternate_user)
    return connection.handles.add(opened)


def open_queue_handle(
    connection: Connection,
    name: str,
    manager_name: str,
    options: int,
    now: Time,
    dynamic_name: str = "",
    selection_string: str = "",
    alternate_user: str = "",
) -> Handle:
    """Open a queue if the user is authorized. Raises `MQError` 2035, and those of `open_queue`."""
    access = connection.access
    if access is not None:
        access.require_queue(name, manager_name, options, alternate_user)
    opened = open_queue(
        connection.core,
        name,
        manager_name,
        options,
        connection.id,
        now,
        dynamic_name,
        selection_string,
        connection.application,
    )
    if access is not None:
        if options & MQOO.ALTERNATE_USER_AUTHORITY:
            opened.user = alternate_user or EVERYBODY_ELSE
        if opened.creator:
            access.grant_creator(opened, now, alternate_user)
    return opened


# MQCLOSE


def close(connection: Connection, request: Close, now: Time) -> Outcome | None:
    """Make an MQCLOSE of any handle; None if the outcome waits for the store. Raises `MQError` 2018, and as
    `close_handle`."""
    if connection.ended:
        raise MQError(MQRC.HCONN_ERROR)
    hobj = request.hobj
    opened = connection.handles.get(hobj)
    if isinstance(opened, SubscriptionHandle):
        connection.closed(hobj)
        pending = connection.services.pubsub.close(opened, request.options, now)
        if pending is None:
            return DONE
        pending.then = partial(connection.decided, request.tag, DONE)
        return None
    try:
        return Done(close_handle(connection, hobj, request.options, now))
    except MQError as error:
        if error.reason != MQRC.Q_NOT_EMPTY:
            raise
    # The removal of a message that the program has got may still be on its way to disk: try again after it.
    connection.core.submit(()).then = partial(_close_again, connection, request, now)
    return None


def _close_again(connection: Connection, request: Close, now: Time, _: MQError | None) -> None:
    if connection.ended:
        return
    try:
        connection.complete(request.tag, Done(close_handle(connection, request.hobj, request.options, now)))
    except MQError as error:
        connection.complete(request.tag, failed(error))


def close_handle(connection: Connection, hobj: int, options: int, now: Time) -> int:
    """Close a handle with MQCO bits, and end waits on it without an outcome (mqi.md 3). If it fails the handle stays
    open.

    Returns 0, or the reason of a warning: 2241, 2242. Raises `MQError` 2018, 2019, 2035, 2045, 2055.
    """
    if connection.ended:
        raise MQError(MQRC.HCONN_ERROR)
    opened = connection.handles.get(hobj)
    warning = 0
    if isinstance(opened, Handle):
        if options and connection.access is not None and not opened.creator:
            _require_close(connection, opened, options, now)
        warning = close_queue(connection.core, opened, options, now)
    else:
        check_object_close(options)
        if not isinstance(opened, ObjectHandle):
            opened.close_at_end(now)
    connection.closed(hobj)
    return warning


def _require_close(connection: Connection, opened: Handle, options: int, now: Time) -> None:
    assert connection.access is not None
    try:
        connection.access.require_close(opened, options)
    except MQError:
        about = [(MQCA.Q_NAME, opened.object_name)]
        application = connection.application
        connection.services.events.denied(MQRQ.CLOSE_NOT_AUTHORIZED, application.user, now, about, application)
        raise


# MQINQ and MQSET


def inquire(connection: Connection, request: Inquire, _now: Time) -> InquiredAttributes:
    """Make an MQINQ (mqi.md 16.2). Raises `MQError` 2006, 2021, 2038, 2052, 2065, 2066, 2067."""
    connection.enter(0)
    opened = connection.handles.get(request.hobj)
    if not getattr(opened, "options", 0) & MQOO.INQUIRE:
        raise MQError(MQRC.NOT_OPEN_FOR_INQUIRE, str(request.hobj))
    core = connection.core
    definition = definition_of(core.objects, opened)
    queue = core.queues.get(definition.name) if isinstance(opened, Handle) else None
    return inquire_attributes(definition, queue, request.selectors, request.int_count, request.char_length)


def set_values(connection: Connection, request: Set, now: Time) -> Outcome | None:
    """Make an MQSET, which takes effect at once (mqi.md 16.2); None while the store has not answered.

    Raises `MQError` 2006, 2020, 2021, 2040, 2041, 2052, 2065 to 2067, 2075 to 2078.
    """
    connection.enter(0)
    handle = connection.handles.queue(request.hobj, MQRC.NOT_OPEN_FOR_SET)
    handle.require(MQOO.SET)
    if handle.target.superseded:
        raise MQError(MQRC.OBJECT_CHANGED, handle.object_name)
    core = connection.core
    definition = definition_of(core.objects, handle)
    pending = set_attributes(core, definition, request.selectors, request.integers, request.characters, now)
    if pending is None:
        return DONE
    pending.then = partial(connection.decided, request.tag, DONE)
    return None
