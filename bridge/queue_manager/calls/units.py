"""MQBEGIN, MQCMIT, MQBACK, MQDISC and XA of a session (mqi.md 1.7, 16.1), and the settling of messages that were sent
to the program (client-observed.md O-055)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.committing import backout as back_out
from mqbridge.bridge.queue_manager.committing import commit as commit_unit
from mqbridge.bridge.queue_manager.connections.connection import Connection
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.own_messages import give_back_own
from mqbridge.bridge.queue_manager.turns import Steps
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit, UnitOfWork, on_complete
from mqbridge.bridge.queue_manager.xa import Decision, XAResource, Xid, XidError
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQRC, XAReturn

from .outcomes import DONE, Done, Outcome, XaReturned, failed
from .requests import Backout, Begin, Commit, Disconnect, SeparateUnit, Settle
from .xa_requests import Recover, Xa, XaVerb

_INVALID: Final = XaReturned(int(XAReturn.INVAL))
_DOOMED: Final = "an asynchronous put in the unit of work failed"


def begin(connection: Connection, _request: Begin, _now: Time) -> Done:
    """Refuse an MQBEGIN: only a transaction manager begins global units of work (mqi.md 16.1). Raises `MQError` 2012,
    2128."""
    connection.enter(0)
    if connection.in_unit_of_work:
        raise MQError(MQRC.UOW_IN_PROGRESS)
    raise MQError(MQRC.ENVIRONMENT_ERROR)


def separate(connection: Connection, request: SeparateUnit, _now: Time) -> Done:
    """Make a message a unit of work of its own; an unknown token is ignored."""
    unit = UnitOfWork()
    if connection.unit is not None:
        connection.deliveries.move(request.token, (connection.unit,), unit)
    if unit.count:
        connection.separate[request.token] = unit
    return DONE


def commit(connection: Connection, request: Commit, now: Time) -> Outcome | None:
    """Make an MQCMIT, with the caller's rows in the same transaction. Returns None while the store has not answered.

    Raises `MQError` 2003 if the unit was backed out because an asynchronous put had failed, and 2012 inside an XA
    branch. If the store refuses the transaction the outcome is 2003 too.
    """
    if request.tokens:
        return _commit_separate(connection, request, now)
    connection.enter(0)
    _require_local(connection)
    pending = _decide(connection, now, request.rows)
    if pending is None:
        return DONE
    pending.then = partial(connection.decided, request.tag, DONE)
    return None


def _commit_separate(connection: Connection, request: Commit, now: Time) -> Outcome | None:
    """Commit units of work of single messages; they go to the store together."""
    found = [unit for token in request.tokens if (unit := connection.separate.pop(token, None)) is not None]
    pending = [each for unit in found if (each := commit_unit(connection.core, unit, now)) is not None]
    if not pending:
        return DONE
    gathering = _Gathering(connection, request.tag, len(pending))
    for each in pending:
        each.then = gathering.decided
    return None


class _Gathering:
    """The transactions of one request. It is completed when all have ended, with the first error if there is one."""

    __slots__ = ("_connection", "_error", "_left", "_tag")

    def __init__(self, connection: Connection, tag: int, count: int) -> None:
        self._connection = connection
        self._tag = tag
        self._left = count
        self._error: MQError | None = None

    def decided(self, error: MQError | None) -> None:
        """Record the end of one transaction."""
        self._error = self._error or error
        self._left -= 1
        if not self._left:
            self._connection.decided(self._tag, DONE, self._error)


def _decide(connection: Connection, now: Time, rows: Sequence[Operation] = ()) -> PendingCommit | None:
    """Commit the local unit of work. Raises `MQError` 2003 if an asynchronous put had failed; it is backed out then."""
    unit, doomed = connection.take_unit()
    if doomed:
        if unit is not None:
            back_out(connection.core, unit, now)
        raise MQError(MQRC.BACKED_OUT, _DOOMED)
    if unit is None and not rows:
        return None
    return commit_unit(connection.core, unit or UnitOfWork(), now, rows)


def backout(connection: Connection, _request: Backout, now: Time) -> Done:
    """Make an MQBACK. Raises `MQError` 2012 inside an XA branch."""
    connection.enter(0)
    _require_local(connection)
    connection.back_out_separate(now)
    unit, _ = connection.take_unit()
    if unit is not None:
        back_out(connection.core, unit, now)
    return DONE


def _require_local(connection: Connection) -> None:
    if connection.xa.unit is not None:
        raise MQError(MQRC.ENVIRONMENT_ERROR, "a transaction manager decides")


# Messages sent to the program


def settle(connection: Connection, request: Settle, now: Time) -> Done | None:
    """Remove messages that have arrived, and return those that the program never received, uncounted.

    Returns None while the store has not answered.
    """
    core, held, tag = connection.core, connection.deliveries, request.tag
    pending: PendingCommit | None = None
    gone = held.release(request.arrived)
    if gone is not None:
        gone.implicit = bool(tag)
        pending = commit_unit(core, gone, now)
    if request.back:
        units = [unit for unit in (connection.unit, connection.xa.unit) if unit is not None]
        back = held.release(request.back) or UnitOfWork()
        for token in request.back:
            held.move(token, units, back)
        give_back_own(core, units, back.gets)
        back_out(core, back, now, counted=False)
    if pending is None or not tag:
        return DONE
    pending.then = partial(connection.decided, tag, DONE)
    return None


# MQDISC


def disconnect(connection: Connection, request: Disconnect, now: Time) -> Outcome | None:
    """Make an MQDISC: commit the unit of work and close all handles (mqi.md 1.7); roll back an XA branch not yet
    prepared.

    Returns None while that goes on. The outcome is a warning 2003 if the unit was backed out. Raises `MQError` 2018.
    """
    if connection.ended:
        raise MQError(MQRC.HCONN_ERROR)
    connection.back_out_separate(now)
    connection.leave(now, arrived=True)
    leaving = _Leaving(connection, request.tag)
    try:
        on_complete(_decide(connection, now), leaving.decided)
    except MQError as error:
        leaving.decided(error)
    connection.core.turns.begin(leaving.close_all(), now)
    return leaving.outcome()


class _Leaving:
    """An MQDISC, which ends when the store has answered and all handles are closed."""

    __slots__ = ("_connection", "_error", "_late", "_left", "_tag")

    def __init__(self, connection: Connection, tag: int) -> None:
        self._connection = connection
        self._tag = tag
        self._left = 2
        self._late = False
        self._error: MQError | None = None

    def decided(self, error: MQError | None) -> None:
        """Record the end of the unit of work."""
        self._error = error
        self._done()

    def close_all(self) -> Steps:
        """Close all handles, in turns."""
        yield from self._connection.closing()
        self._done()

    def _done(self) -> None:
        self._left -= 1
        if not self._left and self._late:
            self._connection.complete(self._tag, self._outcome())

    def _outcome(self) -> Outcome:
        error = self._error
        return DONE if error is None else failed(MQError(error.reason, error.detail, completion=MQCC.WARNING))

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None if it comes later."""
        self._late = True
        return None if self._left else self._outcome()


# XA

_AT_ONCE: Final[dict[XaVerb, Callable[[XAResource], int]]] = {
    XaVerb.OPEN: XAResource.open,
    XaVerb.CLOSE: XAResource.close,
}
_OF_BRANCH: Final[dict[XaVerb, Callable[[XAResource, Xid, int, Time], Decision]]] = {
    XaVerb.START: lambda xa, xid, flags, now: Decision(xa.start(xid, flags, now)),
    XaVerb.END: lambda xa, xid, flags, _: Decision(xa.end(xid, flags)),
    XaVerb.PREPARE: XAResource.prepare,
    XaVerb.COMMIT: XAResource.commit,
    XaVerb.ROLLBACK: XAResource.rollback,
    XaVerb.FORGET: lambda xa, xid, flags, _: xa.forget(xid, flags),
}


def call_xa(connection: Connection, request: Xa, now: Time) -> Outcome | None:
    """Make an XA call of a transaction manager. Returns None while the store has not answered."""
    resource = connection.xa
    at_once = _AT_ONCE.get(request.verb)
    if at_once is not None:
        return XaReturned(at_once(resource))
    if request.xid is None:
        return _INVALID
    try:
        xid = Xid(*request.xid)
    except XidError:
        return _INVALID
    decision = _OF_BRANCH[request.verb](resource, xid, request.flags, now)
    if decision.pending is None:
        return XaReturned(decision.value)
    decision.pending.then = partial(_answered, connection, request.tag, decision)
    return None


def _answered(connection: Connection, tag: int, decision: Decision, error: MQError | None) -> None:
    connection.complete(tag, XaReturned(decision.answered(error)))


def recover(connection: Connection, request: Recover, _now: Time) -> XaReturned:
    """Make an XA_RECOVER."""
    value, found = connection.xa.recover(request.number, request.flags)
    return XaReturned(value, tuple((each.format_id, each.gtrid, each.bqual) for each in found))
