"""MQPUT, MQPUT1 and MQSTAT of a session (mqi.md 5, mq-wire.md 5.17)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.connections import ListOutcome, PutNames, PutStatus
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.putting.put import put_with_authority
from mqbridge.bridge.queue_manager.putting.undelivered_messages import dispose
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.bridge.security import options_of_put1
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCO, MQPER, MQPMO, MQRC

from .agent_requests import Undeliverable
from .outcomes import DONE, Disposed, ListPlaced, Outcome, Placed, Reserved, Staging
from .requests import PublishOne, Put, PutFailed, PutList, PutOne, PutOneList, Reserve, Stage, Stat
from .state import Awaited, SessionState
from .topics import topic_handle

_SYNCPOINT: Final = int(MQPMO.SYNCPOINT)
_ASYNC: Final = int(MQPMO.ASYNC_RESPONSE)
_LOCAL_NAMES: Final = int(MQPMO.RESOLVE_LOCAL_Q)
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
MAX_RESERVED: Final = 256
"""Ids of one block: how a client carries into the next byte is not known (client-observed.md O-066)."""


def put(state: SessionState, request: Put, now: float) -> Outcome | None:
    """MQPUT."""
    connection, bits, hobj = state.connection, request.options, request.hobj
    names = None
    if not bits & _ASYNC:
        names = state.names.get((hobj, bits & _LOCAL_NAMES != 0)) or _names(state, hobj, bits & _LOCAL_NAMES != 0)
    options = PutOptions(bits, connection.application, delay=request.delay, authority=connection.user)
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    if bits & _ASYNC:
        connection.put(hobj, message, options, now, context=request.context)
        return Placed(message.raw_md, None)
    if bits & _SYNCPOINT:
        warning = connection.put_now(hobj, message, options, now, None, request.context)
        return Placed(message.raw_md, names, warning)
    awaited = Awaited(state, request.tag)
    warning = connection.put_now(hobj, message, options, now, awaited, request.context)
    return awaited.outcome(Placed(message.raw_md, names, warning))


def _names(state: SessionState, hobj: int, local: bool) -> PutNames:
    names = state.names[hobj, local] = state.connection.names(hobj, local=local)
    return names


def stage(state: SessionState, request: Stage, _now: float) -> Staging:
    """Data of a message that arrive in parts."""
    target = state.connection.handles.queue(request.hobj, MQRC.NOT_OPEN_FOR_OUTPUT).target
    queue = target.require_puttable()
    longest = state.manager.objects.manager.integer("MAXMSGL")
    too_long = MQRC.MSG_TOO_BIG_FOR_Q_MGR
    if queue.max_message_length <= longest:
        longest, too_long = queue.max_message_length, MQRC.MSG_TOO_BIG_FOR_Q
    persistence = request.persistence
    if persistence == MQPER.AS_Q_DEF:
        persistence = target.path[0].def_persistence
    writer = BodyWriter(state.core.store, bool(persistence), state.core.store_error)
    return Staging(writer, longest, int(too_long))


def put_one(state: SessionState, request: PutOne, now: float) -> Outcome | None:
    """MQPUT1 to a queue."""
    connection, bits = state.connection, request.options
    if connection.access is None and bits & _ALTERNATE_USER:
        return _put_for(state, request, now)
    options = PutOptions(bits, connection.application, delay=request.delay, authority=connection.user)
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    awaited = Awaited(state, request.tag)
    waits = not bits & (_SYNCPOINT | _ASYNC)
    warning = connection.put1(
        request.object_name,
        request.object_q_mgr_name,
        message,
        options,
        now,
        awaited if waits else None,
        context=request.context,
        alternate_user=request.alternate_user,
    )
    names = None if bits & _ASYNC else _resolved(state, request)
    placed = Placed(message.raw_md, names, warning)
    return awaited.outcome(placed) if waits else placed


def _put_for(state: SessionState, request: PutOne, now: float) -> Placed:
    """MQPUT1 under syncpoint by a part of the queue manager for a user, who must be allowed to put there."""
    connection = state.connection
    bits = request.options & ~_ALTERNATE_USER
    options = PutOptions(bits, connection.application, delay=request.delay, authority=request.alternate_user)
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    names = request.object_name, request.object_q_mgr_name
    warning = put_with_authority(state.core, names, message, options, _unit(state, now), now)
    return Placed(message.raw_md, None, warning)


def _unit(state: SessionState, now: float) -> UnitOfWork:
    """The unit of work of a call under syncpoint. Raises 2018."""
    if state.connection.ended:
        raise MQError(MQRC.HCONN_ERROR)
    return state.connection.syncpoint(now)


def undeliverable(state: SessionState, request: Undeliverable, now: float) -> Disposed:
    """A message that cannot be put, under syncpoint."""
    connection = state.connection
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    disposal = dispose(
        state.core,
        message,
        request.object_name,
        request.object_q_mgr_name,
        request.reason,
        PutOptions(_SYNCPOINT, connection.application, authority=request.user),
        _unit(state, now),
        now,
        use_dead_letter_queue=request.use_dead_letter_queue,
        fast=request.fast,
    )
    return Disposed(disposal)


def _resolved(state: SessionState, request: PutOne) -> PutNames | None:
    """Where a message went that was put in one step."""
    name, manager_name = request.object_name, request.object_q_mgr_name
    target = state.manager.resolve(name, manager_name)
    if target.model is not None:
        return None  # its queue is gone again
    here = state.manager.name if request.options & _LOCAL_NAMES else ""
    return PutNames(name, manager_name, *target.resolved(here), target.remote)


def publish_one(state: SessionState, request: PublishOne, now: float) -> Outcome | None:
    """MQPUT1 to a topic: opens, publishes and closes."""
    connection, bits = state.connection, request.options
    asked = options_of_put1(bits)
    handle = topic_handle(state, request.object_name, request.object_string, asked, request.alternate_user, now)
    hobj = connection.handles.add(handle)
    options = PutOptions(
        bits & ~_ALTERNATE_USER, connection.application, delay=request.delay, authority=connection.user
    )
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    awaited = Awaited(state, request.tag)
    waits = not bits & (_SYNCPOINT | _ASYNC)
    try:
        warning = connection.put(hobj, message, options, now, awaited if waits else None, context=request.context)
    finally:
        connection.close(hobj, int(MQCO.NONE), now)
    placed = Placed(message.raw_md, PutNames(), warning)
    return awaited.outcome(placed) if waits else placed


def put_failed(state: SessionState, request: PutFailed, _now: float) -> Outcome | None:
    """A put that could not be tried, and that nobody waits for."""
    connection, hobj = state.connection, request.hobj
    names = PutNames(request.object_name, request.object_q_mgr_name)
    if not request.object_name and hobj in connection.handles:
        names = connection.names(hobj)
    connection.put_failed(names, request.options, MQError(request.reason))
    return DONE


class _List:
    """Messages on their way to a list."""

    __slots__ = ("_late", "_state", "_tag", "messages", "outcome")

    def __init__(self, state: SessionState, request: PutList | PutOneList) -> None:
        self._state = state
        self._tag = request.tag
        self._late = False
        self.outcome: ListPlaced | None = None
        self.messages = [
            Message(descriptor, request.body, order=request.order, ccsid=request.ccsid)
            for descriptor in request.descriptors
        ]

    def told(self, outcome: ListOutcome) -> None:
        """Every destination has its answer."""
        placed = ListPlaced(tuple(message.raw_md for message in self.messages), outcome)
        if self._late:
            self._state.complete(self._tag, placed)
        else:
            self.outcome = placed

    def or_later(self) -> ListPlaced | None:
        """The outcome, None where it comes."""
        self._late = True
        return self.outcome


def put_list(state: SessionState, request: PutList, now: float) -> Outcome | None:
    """MQPUT to an open list."""
    connection = state.connection
    opened = connection.list_of(request.hobj)
    if opened is None:
        raise MQError(MQRC.HOBJ_ERROR, str(request.hobj))
    options = PutOptions(request.options, connection.application, delay=request.delay, authority=connection.user)
    placing = _List(state, request)
    connection.put_list(opened, placing.messages, options, now, placing.told, context=request.context)
    return placing.or_later()


def put_one_list(state: SessionState, request: PutOneList, now: float) -> Outcome | None:
    """MQPUT1 to a list."""
    connection = state.connection
    options = PutOptions(request.options, connection.application, delay=request.delay, authority=connection.user)
    placing = _List(state, request)
    connection.put1_list(
        request.names,
        placing.messages,
        options,
        now,
        placing.told,
        context=request.context,
        open_options=options_of_put1(request.options),
        alternate_user=request.alternate_user,
    )
    return placing.or_later()


def stat(state: SessionState, request: Stat, _now: float) -> PutStatus:
    """MQSTAT."""
    return state.connection.status(request.status_type)


def reserve(state: SessionState, request: Reserve, _now: float) -> Reserved:
    """SPI RESERVE: ids that nobody else gets, for asynchronous puts."""
    return Reserved(state.core.ids.block(MAX_RESERVED), min(request.number, MAX_RESERVED))
