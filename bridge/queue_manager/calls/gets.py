"""MQGET of a session, waiting, and what becomes of messages on their way (mqi.md 7 to 13)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError, SearchYielded
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.getting.waiting import Waiter
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.options import GetOptions
from mqbridge.bridge.queue_manager.queues.rows import put_by
from mqbridge.protocol.constants import MQCC, MQGMO, MQRC

from .agent_requests import Whose
from .outcomes import AVAILABLE, DONE, NO_MESSAGE, Done, Failed, Outcome, PutBy, failed
from .requests import UNLIMITED, Cancel, Get, Settle, Unlock, Wait, Wanted
from .state import SessionState

_WAIT: Final = int(MQGMO.WAIT)
_SECOND: Final = 1000
"""Milliseconds."""


class GoingGet:
    """A get that searches on or waits; ``until``: when its wait ends, None for a wait without end."""

    __slots__ = ("_options", "_request", "_searching", "_state", "_until", "_waiter")

    def __init__(self, state: SessionState, request: Get, options: GetOptions, until: float | None) -> None:
        self._state = state
        self._request = request
        self._options = options
        self._until = until
        self._waiter: Waiter | None = None
        self._searching = False

    def search(self, now: float) -> None:
        """Goes on with the search as soon as others had their turn."""
        self._searching = True
        self._state.waits[self._request.tag] = self
        self._state.manager.turns.again(self._turn, now)

    def wait(self, now: float) -> None:
        """Waits for a message. Raises `MQError`."""
        state, request = self._state, self._request
        self._waiter = state.connection.wait(request.hobj, self._options, self._until, self, now)
        state.waits[request.tag] = self

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """A message may be there, or the wait is over."""
        if waiter is not self._waiter:
            return
        try:
            got = self._state.connection.awakened(waiter, reason, now, held=True)
        except SearchYielded:
            self._waiter = None
            self.search(now)
            return
        except MQError as error:
            end_search(self._options)
            self._complete(failed(error))
            return
        end_search(self._options)
        if got is not None:
            self._complete(got)

    def _turn(self, now: float) -> None:
        """The search goes on."""
        if not self._searching:
            return
        self._searching = False
        state, request = self._state, self._request
        try:
            got = state.connection.get(request.hobj, self._options, now, held=True)
            end_search(self._options)
            if got is not None:
                self._complete(got)
            elif not self._options.options & _WAIT:
                self._complete(NO_MESSAGE)
            else:
                self.wait(now)
        except SearchYielded:
            self.search(now)
        except MQError as error:
            end_search(self._options)
            self._complete(failed(error))

    def cancel(self, reason: int, now: float) -> None:
        """Ends it with a reason, or unseen."""
        state, waiter = self._state, self._waiter
        if waiter is None:
            self._searching = False
            end_search(self._options)
            if reason:
                self._complete(Failed(int(MQCC.FAILED), reason))
            else:
                del state.waits[self._request.tag]
        elif reason:
            state.connection.end_wait(waiter, reason)
        else:
            self._waiter = None
            del state.waits[self._request.tag]
            state.connection.cancel_wait(waiter)

    def _complete(self, outcome: Outcome) -> None:
        self._waiter = None
        state, tag = self._state, self._request.tag
        if state.waits.pop(tag, None) is not None:
            state.complete(tag, outcome)


class GoingWait:
    """A wait of a consumer, which asks for the message itself."""

    __slots__ = ("_request", "_state", "_waiter")

    def __init__(self, state: SessionState, request: Wait, now: float) -> None:
        self._state = state
        self._request = request
        connection, options = state.connection, options_of(state, request.hobj, request.wanted)
        self._waiter: Waiter | None
        if request.for_gets:
            self._waiter = connection.wait_for_gets(request.hobj, options, self)
        else:
            self._waiter = connection.wait(request.hobj, options, None, self, now)
        state.waits[request.tag] = self

    def woken(self, waiter: Waiter, reason: int, _now: float) -> None:
        """A message may be there, or the wait is over."""
        state, request = self._state, self._request
        if waiter is not self._waiter or request.tag not in state.waits:
            return
        if reason:
            self.taken_up()
            state.complete(request.tag, Failed(int(MQCC.FAILED), reason))
        else:
            state.available[request.hobj] = self
            state.complete(request.tag, AVAILABLE)

    def cancel(self, reason: int, _now: float) -> None:
        """Ends it with a reason, or unseen: a message that it was told of is another's then."""
        state, waiter = self._state, self._waiter
        assert waiter is not None
        if reason:
            state.connection.end_wait(waiter, reason)
            return
        self._end()
        state.connection.cancel_wait(waiter)

    def taken_up(self) -> None:
        """The message that it was told of is asked for."""
        if self._waiter is not None:
            self._state.connection.forget_wait(self._waiter)
        self._end()

    def _end(self) -> None:
        state, request = self._state, self._request
        self._waiter = None
        state.waits.pop(request.tag, None)
        if state.available.get(request.hobj) is self:
            del state.available[request.hobj]


def options_of(state: SessionState, hobj: int, wanted: Wanted) -> GetOptions:
    """The options of a get, read once for the gets of a stream. Raises 2018, 2019."""
    known = state.prepared.get(hobj)
    if known is not None and known[0] is wanted:
        return known[1]
    if state.connection.ended:
        raise MQError(MQRC.HCONN_ERROR)
    opened = state.connection.handles.get(hobj)
    options = GetOptions(
        wanted.options,
        wanted.match,
        wanted.msg_id,
        wanted.correl_id,
        wanted.group_id,
        wanted.msg_seq_number,
        wanted.offset,
        wanted.token,
        wanted.max_length,
        state.connection.application,
        wanted.gmo_version,
        wanted.md_version,
        False,
        wanted.encoding,
        wanted.ccsid,
        wanted.asks_again,
        opened.selection if isinstance(opened, Handle) else None,
        state.core.turns,
        Search(),
    )
    state.prepared[hobj] = wanted, options
    return options


def end_search(options: GetOptions) -> None:
    """A search is over."""
    search = options.search
    if search is not None and search.going:
        search.end()


def get(state: SessionState, request: Get, now: float) -> Outcome | None:
    """MQGET."""
    wanted, interval, hobj = request.wanted, request.wait_interval, request.hobj
    if wanted.options & _WAIT and interval < UNLIMITED:
        raise MQError(MQRC.WAIT_INTERVAL_ERROR, str(interval))
    if state.available and hobj in state.available:
        state.available[hobj].taken_up()
    known = state.prepared.get(hobj)
    options = known[1] if known is not None and known[0] is wanted else options_of(state, hobj, wanted)
    until = None if interval == UNLIMITED else now + interval / _SECOND
    try:
        got = state.connection.get(hobj, options, now, held=True)
    except SearchYielded:
        GoingGet(state, request, options, until).search(now)
        return None
    except BaseException:
        end_search(options)
        raise
    search = options.search
    if search is not None and search.going:
        search.end()
    if got is not None:
        return got
    if not wanted.options & _WAIT:
        return NO_MESSAGE
    GoingGet(state, request, options, until).wait(now)
    return None


def whose(state: SessionState, request: Whose, _now: float) -> PutBy:
    """With whose authority a message was put that was got under syncpoint."""
    return PutBy(put_by(state.connection.row(request.token)))


def unlock(state: SessionState, request: Unlock, now: float) -> Done:
    """MQGET with MQGMO_UNLOCK."""
    options = options_of(state, request.hobj, request.wanted)
    return Done(state.connection.unlock(request.hobj, options, now))


def wait(state: SessionState, request: Wait, now: float) -> None:
    """A consumer waits."""
    GoingWait(state, request, now)


def cancel(state: SessionState, request: Cancel, now: float) -> Done:
    """A get or a wait is not wanted any more."""
    going = state.waits.get(request.of)
    if going is not None:
        going.cancel(request.reason, now)
    return DONE


def settle(state: SessionState, request: Settle, now: float) -> Done:
    """Messages have arrived, or go back."""
    if request.arrived:
        state.connection.arrived(request.arrived, now)
    if request.back:
        state.connection.put_back(request.back, now)
    return DONE
