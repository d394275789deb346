"""MQOPEN, MQCLOSE, MQINQ and MQSET of a session (mqi.md 2, 3, 16.2)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.attributes.inquire import Inquired
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle
from mqbridge.protocol.constants import MQOO, MQRC

from .outcomes import Done, ListOpened, OpenDefaults, Opened, Outcome, failed
from .requests import Close, Inquire, Open, OpenList, Set
from .state import Awaited, SessionState


def open_object(state: SessionState, request: Open, now: float) -> Opened:
    """MQOPEN of a queue, namelist, process or the queue manager."""
    connection = state.connection
    hobj = connection.open(
        request.object_name,
        request.object_q_mgr_name,
        options=request.options,
        now=now,
        object_type=request.object_type,
        dynamic_name=request.dynamic_name,
        selection_string=request.selection_string,
        alternate_user=request.alternate_user,
    )
    opened = connection.handles.get(hobj)
    if not isinstance(opened, Handle):
        return Opened(hobj)
    definition = state.manager.objects.queue(opened.object_name)
    defaults = None
    if definition is not None:
        defaults = OpenDefaults(
            definition.flag("DEFPSIST"),
            str(definition.get("DEFPRESP")),
            str(definition.get("DEFREADA")),
            str(definition.get("PROPCTL")),
        )
    local = bool(request.options & MQOO.RESOLVE_LOCAL_Q)
    return Opened(hobj, connection.names(hobj, local=local), opened.creator, defaults)


def open_list(state: SessionState, request: OpenList, now: float) -> ListOpened:
    """MQOPEN of a distribution list."""
    return ListOpened(
        *state.connection.open_list(
            request.names, options=request.options, now=now, alternate_user=request.alternate_user
        )
    )


def close(state: SessionState, request: Close, now: float) -> Outcome | None:
    """MQCLOSE of whatever is open."""
    connection, hobj, awaited = state.connection, request.hobj, Awaited(state, request.tag)
    if connection.ended:
        raise MQError(MQRC.HCONN_ERROR)
    opened = connection.handles.get(hobj)
    if isinstance(opened, SubscriptionHandle):
        connection.remove(hobj)
        state.manager.pubsub.close(opened, request.options, now, awaited)
        return awaited.outcome()
    try:
        return _close(state, request, now)
    except MQError as error:
        if error.reason != MQRC.Q_NOT_EMPTY:
            raise

    def again(_: MQError | None) -> None:
        if connection.ended:
            return
        try:
            state.complete(request.tag, _close(state, request, now))
        except MQError as error:
            state.complete(request.tag, failed(error))

    # A message that the program has may be on its way to leave the queue: the answer is right behind that.
    state.manager.submit((), again)
    return None


def _close(state: SessionState, request: Close, now: float) -> Done:
    warning = state.connection.close(request.hobj, request.options, now)
    state.closed(request.hobj)
    return Done(warning)


def inquire(state: SessionState, request: Inquire, _now: float) -> Inquired:
    """MQINQ."""
    return state.connection.inquire(request.hobj, request.selectors, request.int_count, request.char_length)


def set_values(state: SessionState, request: Set, now: float) -> Outcome | None:
    """MQSET."""
    awaited = Awaited(state, request.tag)
    state.connection.set(request.hobj, request.selectors, request.integers, request.characters, now, awaited)
    return awaited.outcome()
