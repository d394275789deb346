"""MQGET of a session (mqi.md 7 to 13)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.connections.connection import Connection, PreparedGet
from mqbridge.bridge.queue_manager.errors import MQError, SearchYielded
from mqbridge.bridge.queue_manager.getting.handle_get import get_message
from mqbridge.bridge.queue_manager.getting.handle_get import unlock as unlock_message
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.getting.waiter import Waiter
from mqbridge.bridge.queue_manager.getting.waiting import begin_wait, end_wait, register_for_gets
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions, RetrievedMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQGMO, MQMO, MQOO, MQRC

from .outcomes import AVAILABLE, DONE, NO_MESSAGE, Done, Failed, Outcome, failed
from .requests import UNLIMITED, Cancel, Get, Unlock, Wait, Wanted

_BROWSE: Final = int(MQOO.BROWSE)
_SAVES: Final = int(MQOO.SAVE_ALL_CONTEXT)
_WAIT: Final = int(MQGMO.WAIT)
_SYNCPOINTS: Final = int(MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT)
_COMPLETE: Final = int(MQGMO.COMPLETE_MSG)
_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_TOKEN: Final = int(MQMO.MATCH_MSG_TOKEN)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)
_SECOND: Final = 1000
"""Milliseconds in a second."""


# Options


def prepare_get(connection: Connection, hobj: int, wanted: Wanted) -> PreparedGet:
    """Read the options of the gets of a stream; cached for a handle. Raises `MQError` 2018, 2019, 2036, 2037."""
    known = connection.gets.get(hobj)
    if known is not None and known.wanted is wanted:
        return known
    connection.enter(wanted.options & _QUIESCING)
    handle = _opened_for(connection, hobj, wanted.options)
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
        connection.application,
        wanted.gmo_version,
        wanted.md_version,
        False,
        wanted.encoding,
        wanted.ccsid,
        wanted.asks_again,
        handle.selection,
        connection.core.turns,
        Search(),
    )
    prepared = connection.gets[hobj] = PreparedGet(wanted, handle, options)
    return prepared


def _opened_for(connection: Connection, hobj: int, bits: int) -> Handle:
    """Return the queue handle if it was opened for a get with these MQGMO bits. Raises `MQError` 2019, 2036, 2037."""
    if bits & BROWSE_OPTIONS:
        handle = connection.handles.queue(hobj, MQRC.NOT_OPEN_FOR_BROWSE)
        if not handle.options & _BROWSE:
            raise MQError(MQRC.NOT_OPEN_FOR_BROWSE, handle.object_name)
        return handle
    handle = connection.handles.queue(hobj, MQRC.NOT_OPEN_FOR_INPUT)
    if not handle.inputs:
        raise MQError(MQRC.NOT_OPEN_FOR_INPUT, handle.object_name)
    return handle


def end_search(options: GetOptions) -> None:
    """End the search of a get, if it has one."""
    search = options.search
    if search is not None and search.running:
        search.end()


# MQGET


def get(connection: Connection, request: Get, now: Time) -> Outcome | None:
    """Make an MQGET: return the message, `NO_MESSAGE`, or None if the outcome comes later. Raises `MQError`."""
    wanted, interval, hobj = request.wanted, request.wait_interval, request.hobj
    if wanted.options & _WAIT and interval < UNLIMITED:
        raise MQError(MQRC.WAIT_INTERVAL_ERROR, str(interval))
    if connection.available and hobj in connection.available:
        connection.available[hobj].satisfied()
    prepared = connection.gets.get(hobj)
    if prepared is None or prepared.wanted is not wanted:
        prepared = prepare_get(connection, hobj, wanted)
    try:
        got = take(connection, hobj, prepared, now)
    except SearchYielded:
        PendingGet(connection, request, prepared, _until(interval, now)).search(now)
        return None
    except BaseException:
        end_search(prepared.options)
        raise
    search = prepared.options.search
    if search is not None and search.running:
        search.end()
    if got is not None:
        return got
    if not wanted.options & _WAIT:
        return NO_MESSAGE
    PendingGet(connection, request, prepared, _until(interval, now)).wait(now)
    return None


def _until(interval: int, now: Time) -> float | None:
    return None if interval == UNLIMITED else now + interval / _SECOND


def take(connection: Connection, hobj: int, prepared: PreparedGet, now: Time) -> RetrievedMessage | None:
    """Get or browse a message; None if there is none (2033). Raises `MQError`, and `SearchYielded` at the end of the
    turn.

    A message got outside syncpoint is held for delivery until `settle`.
    """
    handle, options = prepared.handle, prepared.options
    bits = options.options
    if connection.refusal or (bits & _QUIESCING and (connection.core.quiescing or connection.quiescing)):
        connection.enter(bits & _QUIESCING)
    if options.match & _TOKEN and bits & _WAIT:
        raise MQError(MQRC.MSG_TOKEN_ERROR, "MATCH_MSG_TOKEN with WAIT")
    deliveries = connection.deliveries
    unit = outside = deliveries.spare
    if bits & _SYNCPOINTS:
        unit = connection.syncpoint(now)
    elif bits & _COMPLETE and connection.in_unit_of_work:
        options = options.copy()
        options.unit_of_work_open = True
    gets, puts = len(unit.gets), len(unit.puts)
    try:
        got = get_message(connection.core, handle, options, unit, now, outside)
    except MQError as error:
        connection.refused(error, handle.names, now)
        raise
    if got is None or bits & BROWSE_OPTIONS:
        return got
    if outside.gets:
        got.held = True
        deliveries.hold(got.token)
    elif len(unit.gets) - gets > 1 or len(unit.puts) > puts:
        deliveries.note(got.token, unit, gets, puts)
    if handle.options & _SAVES and got.reason != _TRUNCATED_FAILED:
        message = got.message
        connection.contexts[hobj] = Message(message.raw_md, order=message.order, ccsid=message.ccsid)
    return got


def unlock(connection: Connection, request: Unlock, now: Time) -> Done:
    """Make an MQGET with MQGMO_UNLOCK; reason 2209 if no message was locked. Raises `MQError` 2019, 2036."""
    connection.enter(0)
    handle = connection.handles.queue(request.hobj, MQRC.NOT_OPEN_FOR_BROWSE)
    options = GetOptions(request.wanted.options, application=connection.application)
    return Done(unlock_message(connection.core, handle, options, now))


# Waiting


class PendingGet:
    """An MQGET that waits, or whose search continues in a later turn.

    ``until``: end of its wait in seconds since the epoch, None for an unlimited wait.
    """

    __slots__ = ("_connection", "_prepared", "_request", "_searching", "_until", "_waiter")

    def __init__(self, connection: Connection, request: Get, prepared: PreparedGet, until: float | None) -> None:
        self._connection = connection
        self._request = request
        self._prepared = prepared
        self._until = until
        self._waiter: Waiter | None = None
        self._searching = False

    def search(self, now: Time) -> None:
        """Continue the search in a later turn."""
        self._searching = True
        self._connection.pending[self._request.tag] = self
        self._connection.core.turns.again(self._turn, now)

    def wait(self, now: Time) -> None:
        """Wait for a message. Raises `MQError`."""
        connection, prepared = self._connection, self._prepared
        options = prepared.options
        connection.enter(options.options & _QUIESCING)
        waiter = self._waiter
        if waiter is None:
            waiter = self._waiter = Waiter(self, options, self._until, handle=prepared.handle)
        begin_wait(connection.core, prepared.handle.target, waiter, now)
        connection.waiters[waiter] = self._request.hobj
        connection.pending[self._request.tag] = self

    def woken(self, waiter: Waiter, reason: int, now: Time) -> None:
        """Look for the message that may be available (reason 0), or complete the get with a reason code."""
        if waiter is not self._waiter:
            return
        connection = self._connection
        connection.waiters.pop(waiter, None)
        if reason:
            end_search(self._prepared.options)
            self._complete(Failed(MQCC.FAILED, reason, waiter.queue))
        else:
            self._look(now)

    def _turn(self, now: Time) -> None:
        """Continue the search, unless the get was cancelled meanwhile."""
        if self._searching:
            self._searching = False
            self._look(now)

    def _look(self, now: Time) -> None:
        prepared, wait = self._prepared, self._prepared.options.options & _WAIT
        try:
            got = take(self._connection, self._request.hobj, prepared, now)
            end_search(prepared.options)
            if got is not None:
                self._complete(got)
            elif not wait or (self._until is not None and self._until <= now and self._waiter is not None):
                self._complete(NO_MESSAGE)
            else:
                self.wait(now)
        except SearchYielded:
            self._waiter = None
            self.search(now)
        except MQError as error:
            end_search(prepared.options)
            self._complete(failed(error))

    def cancel(self, reason: int, now: Time) -> None:
        """End the get: with a reason code, or without an outcome if ``reason`` is 0."""
        connection, waiter = self._connection, self._waiter
        if waiter is None:
            self._searching = False
            end_search(self._prepared.options)
            if reason:
                self._complete(Failed(MQCC.FAILED, reason))
            else:
                del connection.pending[self._request.tag]
        elif reason:
            end_wait(connection.core, waiter, reason)
        else:
            self._waiter = None
            del connection.pending[self._request.tag]
            connection.cancel_wait(waiter)

    def _complete(self, outcome: Outcome) -> None:
        self._waiter = None
        connection, tag = self._connection, self._request.tag
        if connection.pending.pop(tag, None) is not None:
            connection.complete(tag, outcome)


class PendingWait:
    """The wait of an asynchronous consumer, which gets the message itself by another request."""

    __slots__ = ("_connection", "_request", "_waiter")

    def __init__(self, connection: Connection, request: Wait, now: Time) -> None:
        self._connection = connection
        self._request = request
        prepared = prepare_get(connection, request.hobj, request.wanted)
        waiter = Waiter(self, prepared.options, None, handle=prepared.handle)
        self._waiter: Waiter | None = waiter
        if request.for_gets:
            register_for_gets(connection.core, waiter, prepared.handle.target)
        else:
            connection.enter(prepared.options.options & _QUIESCING)
            begin_wait(connection.core, prepared.handle.target, waiter, now)
        connection.waiters[waiter] = request.hobj
        connection.pending[request.tag] = self

    def woken(self, waiter: Waiter, reason: int, _now: Time) -> None:
        """Complete the request: a message may be available (reason 0), or the wait has ended with a reason code."""
        connection, request = self._connection, self._request
        if waiter is not self._waiter or request.tag not in connection.pending:
            return
        if reason:
            self.satisfied()
            connection.complete(request.tag, Failed(MQCC.FAILED, reason))
        else:
            connection.available[request.hobj] = self
            connection.complete(request.tag, AVAILABLE)

    def cancel(self, reason: int, _now: Time) -> None:
        """End the wait: with a reason code, or without an outcome if ``reason`` is 0.

        In the second case a message that the consumer was told of wakes another getter.
        """
        connection, waiter = self._connection, self._waiter
        assert waiter is not None
        if reason:
            end_wait(connection.core, waiter, reason)
            return
        self._end()
        connection.cancel_wait(waiter)

    def satisfied(self) -> None:
        """End the wait because the consumer gets the message that it was told of."""
        if self._waiter is not None:
            self._connection.waiters.pop(self._waiter, None)
        self._end()

    def _end(self) -> None:
        connection, request = self._connection, self._request
        self._waiter = None
        connection.pending.pop(request.tag, None)
        if connection.available.get(request.hobj) is self:
            del connection.available[request.hobj]


def wait(connection: Connection, request: Wait, now: Time) -> None:
    """Begin the wait of a consumer. Raises `MQError`."""
    PendingWait(connection, request, now)


def cancel(connection: Connection, request: Cancel, now: Time) -> Done:
    """Cancel a get or a wait."""
    pending = connection.pending.get(request.of)
    if pending is not None:
        pending.cancel(request.reason, now)
    return DONE
