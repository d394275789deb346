"""Calls of a message channel agent, or of another agent: puts, gets, and the end of its units of work (channels.md 5,
7).

An agent is trusted: DISPLAY CONN does not show it, and MAXHANDS does not limit it. It puts with the authority of the
user that its channel runs as. That authority is checked here; the result is cached until an authority record, a user or
an object changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.committing import backout as back_out
from mqbridge.bridge.queue_manager.committing import commit as commit_unit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.get_many import get_first, read_held, take_positions
from mqbridge.bridge.queue_manager.getting.waiter import Waiter
from mqbridge.bridge.queue_manager.getting.waiting import begin_wait
from mqbridge.bridge.queue_manager.getting.waiting import cancel as cancel_wait
from mqbridge.bridge.queue_manager.opening import close_queue, open_queue
from mqbridge.bridge.queue_manager.options import GetOptions
from mqbridge.bridge.queue_manager.programs import NO_PROGRAM
from mqbridge.bridge.queue_manager.putting.placing import place_usual
from mqbridge.bridge.queue_manager.putting.put import put
from mqbridge.bridge.queue_manager.putting.undelivered_messages import dispose
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import FLAGS, POSITION_BYTES, STORED, put_by
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQOO, MQPMO
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1

from .agent_requests import DisposeUndelivered, GetMany, HoldMessages, PutMany, PutReceived
from .channel_state import ChannelState
from .outcomes import (
    AVAILABLE,
    DONE,
    Disposed,
    Done,
    Failed,
    MessagesHeld,
    Opened,
    Outcome,
    PlacedMany,
    RetrievedMany,
    failed,
)
from .requests import Backout, Cancel, Close, Commit, Open, PutOne, Settle, Wait
from .sources import confirm_deliveries, end_search, take_many, topic_target

_OPTIONS: Final = int(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT)
_STANDING_IN: Final = int(MQOO.SET_ALL_CONTEXT | MQOO.ALTERNATE_USER_AUTHORITY)
_OUTPUT: Final = int(MQOO.OUTPUT)
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
MAX_GRANTED: Final = 1000
"""Maximum number of cached destinations; a partner can name any destination."""


# Puts


def put_one(state: ChannelState, request: PutOne, now: Time) -> Done:
    """Put a received message in the unit of work; its descriptor is stored unchanged.

    With MQPMO_ALTERNATE_USER_AUTHORITY the alternate user must be authorized to put, and the channel's user to act for
    others. Raises `MQError`.
    """
    _, name, manager_name, descriptor, body, bits, order, ccsid, _, _, alternate_user = request  # quicker than by name
    core = state.core
    if bits & _ALTERNATE_USER:
        user = alternate_user or EVERYBODY_ELSE
        target = resolve(core, name, manager_name)
        core.permits.require(user, target, name, manager_name)
        also = _OUTPUT if target.ready_made else 0
        core.permits.require(state.application.user, target, name, manager_name, _STANDING_IN | also)
        options = state.put_options(user)
    else:
        options = state.options
        target = _allowed(state, (name, manager_name))
    put(core, target, Message(descriptor, body, order=order, ccsid=ccsid), options, state.batch(), now)
    return DONE


def put_many(state: ChannelState, request: PutMany, now: Time) -> PlacedMany:
    """Put several received messages in the unit of work, as `put_one` does; the first error ends it and is returned."""
    core, options, order, ccsid = state.core, state.options, request.order, request.ccsid
    count = 0
    if request.checked:
        options = state.put_options(state.application.user, direct=False)
    try:
        if request.topic:
            target = topic_target(state, request.topic)
        else:
            target = _allowed(state, (request.object_name, request.object_q_mgr_name))
        unit = state.batch()
        for descriptor, data in request.messages:
            put(core, target, Message(descriptor, data, order=order, ccsid=ccsid), options, unit, now)
            count += 1
    except MQError as error:
        return PlacedMany(count, failed(error))
    return PlacedMany(count)


def put_received(state: ChannelState, request: PutReceived, now: Time) -> PlacedMany:
    """Put several received messages in the unit of work, as `put_one` does; the first error ends it and is returned."""
    core, options, messages = state.core, state.options, request.messages
    count = 0
    try:
        target = _allowed(state, (request.object_name, request.object_q_mgr_name))
        unit = state.batch()
        while True:
            count += place_usual(
                core, target, messages, count, request.order, request.ccsid, options.authority, unit, now
            )
            if count == len(messages):
                return PlacedMany(count)
            descriptor, data = messages[count][:MQMD_LENGTH_1], messages[count][MQMD_LENGTH_1:]
            put(core, target, Message(descriptor, data, order=request.order, ccsid=request.ccsid), options, unit, now)
            count += 1
    except MQError as error:
        return PlacedMany(count, failed(error))


def _allowed(state: ChannelState, names: tuple[str, str]) -> Target:
    """Resolve the names of a queue and a queue manager. Raises `MQError` 2035, and logs it, if the channel may not put
    there."""
    target = state.core.targets.get(names)
    if target and state.granted.get(names) is target and state.generation == state.authorities.generation:
        return target
    target = resolve(state.core, *names)
    if not state.trusted:
        state.core.permits.require(state.application.user, target, *names, _OPTIONS)
    generation = state.authorities.generation
    if state.generation != generation or len(state.granted) >= MAX_GRANTED:
        state.granted.clear()
        state.generation = generation
    state.granted[names] = target
    return target


def undeliverable(state: ChannelState, request: DisposeUndelivered, now: Time) -> Outcome | None:
    """Dispose of a message that cannot be put or sent. Raises `MQError` with the original reason.

    Returns None if the outcome waits for the store: a message that was got leaves its queue when that is on disk.
    """
    core, token, user = state.core, request.token, request.user
    if token:
        unit = state.taken((token,))
        known = put_by(unit.gets[0][1]) if unit.gets else EVERYBODY_ELSE
        user = user if known is None else known
    elif request.fast:
        unit = UnitOfWork(implicit=True)
    else:
        unit = state.batch()
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    try:
        disposal = dispose(
            core,
            message,
            request.object_name,
            request.object_q_mgr_name,
            request.reason,
            state.put_options(user),
            unit,
            now,
            use_dead_letter_queue=request.use_dead_letter_queue,
            fast=request.fast,
            dead_letter_queue=request.dead_letter_queue,
        )
    except MQError:
        if unit is not state.unit:
            back_out(core, unit, now)
        raise
    if unit is state.unit:
        return Disposed(disposal)
    pending = commit_unit(core, unit, now)
    if pending is None or not token:
        return Disposed(disposal)
    pending.then = partial(state.decided, request.tag, Disposed(disposal))
    return None


# Gets


def open_transmission_queue(state: ChannelState, request: Open, now: Time) -> Opened:
    """Open a transmission queue. Raises `MQError` as `open_queue` does."""
    handle = open_queue(
        state.core,
        request.object_name,
        request.object_q_mgr_name,
        request.options,
        NO_PROGRAM,
        now,
        request.dynamic_name,
    )
    return Opened(state.add(handle))


def close(state: ChannelState, request: Close, now: Time) -> Done:
    """Close a handle. Raises `MQError` 2019."""
    handle = state.opened(request.hobj)
    del state.handles[request.hobj]
    end_search(state, request.hobj)
    return Done(close_queue(state.core, handle, request.options, now))


def get_many(state: ChannelState, request: GetMany, now: Time) -> RetrievedMany:
    """Get the first messages of a queue and hold them. Raises `MQError`."""
    if request.hobj in state.searches:
        source, rows, messages, more = take_many(state, request, now)
        return RetrievedMany(tuple(messages), _hold(state, source, rows), _stored(rows), more)
    target = state.opened(request.hobj).target
    rows, messages = get_first(state.core, target, now, request.most, request.room, request.uncommitted)
    queue = target.queue
    assert queue is not None
    tokens = _hold(state, queue, rows)
    return RetrievedMany(tuple(messages), tokens, _stored(rows))


def _stored(rows: Sequence[bytes]) -> tuple[bool, ...]:
    return tuple([row[FLAGS] & STORED != 0 for row in rows])


def hold(state: ChannelState, request: HoldMessages, now: Time) -> MessagesHeld | RetrievedMany:
    """Hold the messages of a batch in doubt. Raises `MQError` if they are to be read and cannot be; they are held then
    as well."""
    queue, rows = take_positions(state.core, request.queue_name, request.positions)
    tokens = () if queue is None else _hold(state, queue, rows)
    if not request.read:
        return MessagesHeld(tokens)
    messages = () if queue is None else read_held(state.core, queue, rows, now)
    return RetrievedMany(tuple(messages), tokens, _stored(rows))


def _hold(state: ChannelState, queue: LocalQueue, rows: Sequence[bytes]) -> tuple[bytes, ...]:
    """Hold messages that were taken off a queue; returns their tokens."""
    number = queue.number.to_bytes(POSITION_BYTES, "big")
    tokens = tuple([number + row[:POSITION_BYTES] for row in rows])
    state.held.update(zip(tokens, [(queue, row) for row in rows], strict=True))
    return tokens


class _Waiting:
    """The pending `Wait` of a channel."""

    __slots__ = ("_state", "_tag")

    def __init__(self, state: ChannelState, tag: int) -> None:
        self._state = state
        self._tag = tag

    def woken(self, waiter: Waiter, reason: int, _now: Time) -> None:
        """Complete the wait: a message may be available (reason 0), or the wait has ended with a reason code."""
        state = self._state
        if state.waiting != (self._tag, waiter):
            return
        if reason:
            state.waiting = None
        state.complete(self._tag, Failed(MQCC.FAILED, reason) if reason else AVAILABLE)


def wait(state: ChannelState, request: Wait, now: Time) -> None:
    """Wait for a message. An agent waits at one queue at a time. Raises `MQError`."""
    core, handle = state.core, state.opened(request.hobj)
    options = state.searches.get(request.hobj)
    if options is None:
        options = GetOptions(request.wanted.options, application=state.application)
    waiter = Waiter(_Waiting(state, request.tag), options, handle=handle)
    begin_wait(core, handle.target, waiter, now)
    state.waiting = request.tag, waiter


def cancel(state: ChannelState, request: Cancel, now: Time) -> Done:
    """Cancel the wait; the message it was woken for wakes another getter."""
    if state.waiting is not None and state.waiting[0] == request.of:
        waiter, state.waiting = state.waiting[1], None
        cancel_wait(state.core, waiter, now)
    return DONE


# Units of work


def commit(state: ChannelState, request: Commit, now: Time) -> Outcome | None:
    """Commit puts, remove messages that were got, and write the agent's own rows, in one transaction.

    Returns None while the store has not answered. If it refuses, the messages that were got are held as before.
    """
    core, held = state.core, state.held
    unit, state.unit = state.unit, None
    gone = {token: held.pop(token) for token in request.tokens if token in held}
    if unit is None:
        if not gone:
            return _write(state, request)
        unit = UnitOfWork()
    if gone:
        unit.gets.extend(gone.values())
        unit.stays = True
        if state.searches:
            confirm_deliveries(core, gone.values(), unit, now)
    committing = unit

    def finish(error: MQError | None) -> None:
        """Back out the puts and hold the messages again if the store has refused."""
        if error is not None:
            held.update(gone)
            committing.gets = []
            back_out(core, committing, now)

    pending = commit_unit(core, unit, now, request.rows)
    if pending is None:
        return DONE
    pending.finish = finish
    pending.then = partial(state.decided, request.tag, DONE)
    return None


def _write(state: ChannelState, request: Commit) -> Outcome | None:
    """Write the agent's own rows only."""
    if not request.rows:
        return DONE
    state.core.submit(request.rows).then = partial(state.decided, request.tag, DONE)
    return None


def backout(state: ChannelState, request: Backout, now: Time) -> Done:
    """Back out the puts; messages that were got return to their queues with an incremented BackoutCount."""
    unit, state.unit = state.unit, None
    if unit is not None:
        back_out(state.core, unit, now)
    if request.tokens:
        back_out(state.core, state.taken(request.tokens), now)
    return DONE


def settle(state: ChannelState, request: Settle, now: Time) -> Done:
    """Remove messages that have arrived, and return others to their queues uncounted; does not wait for the store."""
    if request.arrived:
        commit_unit(state.core, state.taken(request.arrived), now)
    if request.back:
        back_out(state.core, state.taken(request.back), now, counted=False)
    return DONE
