"""MQBEGIN, MQCMIT, MQBACK, MQDISC and XA of a session (mqi.md 1.7, 16.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.queue_manager.committing import backout as backout_unit
from mqbridge.bridge.queue_manager.committing import commit as commit_unit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.units_of_work import Then, UnitOfWork
from mqbridge.bridge.queue_manager.xa import XAResource, Xid, XidError
from mqbridge.protocol.constants import XAReturn

from .outcomes import DONE, Done, Outcome, XaReturned
from .requests import Backout, Begin, Commit, Disconnect, Separate
from .state import Awaited, SessionState
from .xa_requests import Recover, Xa, XaVerb

_INVALID: Final = XaReturned(int(XAReturn.INVAL))


def begin(state: SessionState, _request: Begin, _now: float) -> Done:
    """MQBEGIN."""
    state.connection.begin()
    return DONE


def separate(state: SessionState, request: Separate, _now: float) -> Done:
    """A message becomes a unit of work of its own."""
    unit = UnitOfWork(state.connection)
    state.connection.move(request.token, unit)
    if unit.count:
        state.separate[request.token] = unit
    return DONE


def commit(state: SessionState, request: Commit, now: float) -> Outcome | None:
    """MQCMIT."""
    awaited = Awaited(state, request.tag)
    if request.tokens:
        _commit_separate(state, request.tokens, now, awaited)
    else:
        state.connection.commit(now, awaited, request.rows)
    return awaited.outcome()


def _commit_separate(state: SessionState, tokens: tuple[bytes, ...], now: float, then: Then) -> None:
    """Commits units of work of single messages, all handed to the store together; the first failure is told when all
    have ended."""
    found = [unit for token in tokens if (unit := state.separate.pop(token, None)) is not None]
    outcomes: list[MQError | None] = []

    def ended(error: MQError | None) -> None:
        outcomes.append(error)
        if len(outcomes) == len(found):
            then(next(filter(None, outcomes), None))

    for unit in found:
        commit_unit(state.core, unit, now, ended)
    if not found:
        then(None)


def backout(state: SessionState, _request: Backout, now: float) -> Done:
    """MQBACK."""
    back_out_separate(state, now)
    state.connection.backout(now)
    return DONE


def back_out_separate(state: SessionState, now: float) -> None:
    """Messages that are units of work of their own go back."""
    units, state.separate = state.separate, {}
    for unit in reversed(units.values()):
        backout_unit(state.core, unit, now)


def disconnect(state: SessionState, request: Disconnect, now: float) -> Outcome | None:
    """MQDISC."""
    awaited = Awaited(state, request.tag)
    back_out_separate(state, now)
    state.connection.disconnect(now, awaited)
    state.end_waits()
    return awaited.outcome()


class _Returned:
    """The return value of an XA call, known at once or later."""

    __slots__ = ("_late", "_state", "_tag", "outcome")

    def __init__(self, state: SessionState, tag: int) -> None:
        self._state = state
        self._tag = tag
        self._late = False
        self.outcome: XaReturned | None = None

    def told(self, value: int) -> None:
        """It is known."""
        if self._late:
            self._state.complete(self._tag, XaReturned(value))
        else:
            self.outcome = XaReturned(value)

    def or_later(self) -> XaReturned | None:
        """The outcome, None where it comes."""
        self._late = True
        return self.outcome


_Told = Callable[[int], None]
_AT_ONCE: Final[dict[XaVerb, Callable[[XAResource], int]]] = {
    XaVerb.OPEN: XAResource.open,
    XaVerb.CLOSE: XAResource.close,
}
_OF_BRANCH: Final[dict[XaVerb, Callable[[XAResource, Xid, int, float, _Told], None]]] = {
    XaVerb.START: lambda xa, xid, flags, now, told: told(xa.start(xid, flags, now)),
    XaVerb.END: lambda xa, xid, flags, _, told: told(xa.end(xid, flags)),
    XaVerb.PREPARE: XAResource.prepare,
    XaVerb.COMMIT: XAResource.commit,
    XaVerb.ROLLBACK: XAResource.rollback,
    XaVerb.FORGET: lambda xa, xid, flags, _, told: xa.forget(xid, flags, told),
}


def call_xa(state: SessionState, request: Xa, now: float) -> Outcome | None:
    """An XA call of a transaction manager."""
    resource = state.connection.xa
    at_once = _AT_ONCE.get(request.verb)
    if at_once is not None:
        return XaReturned(at_once(resource))
    if request.xid is None:
        return _INVALID
    try:
        xid = Xid(*request.xid)
    except XidError:
        return _INVALID
    returned = _Returned(state, request.tag)
    _OF_BRANCH[request.verb](resource, xid, request.flags, now, returned.told)
    return returned.or_later()


def recover(state: SessionState, request: Recover, _now: float) -> XaReturned:
    """XA_RECOVER."""
    value, found = state.connection.xa.recover(request.number, request.flags)
    return XaReturned(value, tuple((each.format_id, each.gtrid, each.bqual) for each in found))
