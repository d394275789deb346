"""MQBEGIN, MQCMIT, MQBACK, MQDISC and XA of a session (mqi.md 1.7, 16.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.queue_manager.xa import XAResource, Xid, XidError
from mqbridge.protocol.constants import XAReturn

from .outcomes import DONE, Done, Outcome, XaReturned
from .requests import Backout, Begin, Commit, Disconnect, Recover, Xa, XaVerb
from .state import Awaited, SessionState

_INVALID: Final = XaReturned(int(XAReturn.INVAL))


def begin(state: SessionState, _request: Begin, _now: float) -> Done:
    """MQBEGIN."""
    state.connection.begin()
    return DONE


def commit(state: SessionState, request: Commit, now: float) -> Outcome | None:
    """MQCMIT."""
    awaited = Awaited(state, request.tag)
    state.connection.commit(now, awaited, request.rows)
    return awaited.outcome()


def backout(state: SessionState, _request: Backout, now: float) -> Done:
    """MQBACK."""
    state.connection.backout(now)
    return DONE


def disconnect(state: SessionState, request: Disconnect, now: float) -> Outcome | None:
    """MQDISC."""
    awaited = Awaited(state, request.tag)
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
