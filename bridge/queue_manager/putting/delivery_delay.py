"""Delivery delay: messages that become available some time after they were put (client-observed.md O-071).

Each is kept on SYSTEM.DDELAY.LOCAL.QUEUE with its due time and destination before its data (``mappings.delayed``),
under syncpoint like any other put, and as durable as its persistence. When it is due it is put to its destination, in
one unit of work with its removal. The delay counts from the put, not from the commit. Errors of the put are reported at
once. If the message cannot be put when it is due, it goes to the dead-letter queue like one from a channel (channels.md
7.2), and if that fails it is tried again later.

The queue is read again after a restart, and its messages are not trusted: no user may put to it, each row has the user
with whose authority its message was put, and that user needs the authority to put to the destination.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.committing import backout, commit, retract
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.pubsub import PubSub
from mqbridge.bridge.queue_manager.putting.undelivered_messages import dispose
from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts
from mqbridge.bridge.queue_manager.queues.expiry import discard
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.reading import read_message
from mqbridge.bridge.queue_manager.queues.rows import MAX_PRIORITY, POSITION_BYTES, Row, deadline_of, milliseconds
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.turns import Steps
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork, on_complete
from mqbridge.mappings.delayed import DELAY_QUEUE, DelayedMessage, delayed_message, when_due
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQAT, MQPER, MQPMO, MQPRI, MQRC
from mqbridge.protocol.errors import MQBridgeError

from .descriptors import complete
from .header_checks import check_headers
from .on_behalf import authority_of, put_own, require_put
from .put import put
from .segmentation import may_be_cut

RETRY_INTERVAL: Final = 60.0
"""Seconds until delivery is retried after both the destination and the dead-letter queue have refused a message."""
_GOES_ON: Final = 2_000
"""Turn units for delivering a message."""
_KEPT_OPTIONS: Final = int(MQPMO.RETAIN | MQPMO.SCOPE_QMGR)


class DeliveryDelay:
    """The delayed messages of one queue manager."""

    def __init__(self, core: Core, pubsub: PubSub) -> None:
        self._core = core
        self._pubsub = pubsub
        self._due: list[tuple[int, bytes]] = []
        self._again: deque[tuple[float, bytes]] = deque()
        self._queue: LocalQueue | None = None
        core.timers.append(self)
        core.objects.add_listener(self._definition_changed)
        self._adopt()

    # Queue

    def _definition_changed(self, old: Definition | None, new: Definition | None) -> None:
        definition = new or old
        if definition is not None and definition.name == DELAY_QUEUE:
            self._adopt()

    def _adopt(self) -> None:
        """Read the messages of the queue if it was defined again."""
        queue = self._core.queues.get(DELAY_QUEUE)
        if queue is self._queue:
            return
        self._queue = queue
        self._due.clear()
        self._again.clear()
        if queue is not None:
            self._core.arrivals[queue] = self._arrived
            self._arrived(list(queue.rows()), 0.0)

    def _arrived(self, rows: Sequence[bytes], now: Time) -> None:
        """Schedule messages that have become visible on the queue."""
        queue = self._queue
        for row in rows:
            if queue is None:
                break
            try:
                delayed, _ = when_due(read_message(self._core, queue, Row(row), milliseconds(now)))
            except MQBridgeError as error:
                self._core.log("AMQ7472", queue.name, f"a message without the time when it is due: {error}")
                continue
            heapq.heappush(self._due, (delayed.due, row[:POSITION_BYTES]))

    # Puts

    def put(self, handle: Handle, message: Message, options: PutOptions, unit: UnitOfWork, now: Time) -> int:
        """MQPUT of a message with ``options.delay``; see `put_message`.

        Raises `MQError` for errors that are already known: 2046, 2051, 2052, 2041, 2030, 2031, 2048 and those of the
        descriptor; 2085, 2051, 2053, 2056 if the message cannot be kept.
        """
        core, target = self._core, handle.target
        warning = complete(core, target, message, options, now)
        check_headers(core, message)
        self._settle(target, message)
        delayed = DelayedMessage(
            milliseconds(now) + options.delay,
            *handle.names,
            topic=target.topic if not target.path else None,
            options=options.options & _KEPT_OPTIONS,
            pub_level=options.pub_level,
        )
        try:
            kept = delayed_message(message, delayed)
        except MQBridgeError as error:
            raise MQError(MQRC.MD_ERROR, str(error)) from error
        if self._queue is None:
            raise MQError(MQRC.UNKNOWN_OBJECT_NAME, DELAY_QUEUE)
        put_own(core, self._queue, kept, options.authority, unit, now, len(kept) - len(message))
        if isinstance(message.body, BodyInParts):
            message.body.give_back()
        return warning or (int(MQRC.PRIORITY_EXCEEDS_MAXIMUM) if message.md.priority > MAX_PRIORITY else 0)

    def _settle(self, target: Target, message: Message) -> None:
        """Set priority and persistence by the destination, and refuse a message that could never be put there."""
        md = message.md
        priority: int
        persistence: int
        if target.path:
            priority, persistence = target.path[0].def_priority, target.path[0].def_persistence
        elif target.topic is not None:
            attributes = self._pubsub.attributes(target.topic)
            priority, persistence = attributes.def_priority, attributes.def_persistence
        else:
            raise MQError(MQRC.Q_DELETED, target.queue_name)
        if md.priority == MQPRI.AS_Q_DEF:
            md.priority = priority
        if md.persistence == MQPER.AS_Q_DEF:
            md.persistence = persistence
        if target.topic is not None:
            return
        queue = target.require_puttable()
        if md.persistence and queue.temporary:
            raise MQError(MQRC.PERSISTENT_NOT_ALLOWED, queue.name)
        if len(message) > queue.max_message_length and not may_be_cut(message):
            raise MQError(MQRC.MSG_TOO_BIG_FOR_Q, f"{queue.name}: {len(message)} bytes")

    # Deadlines

    def next_timeout(self) -> float | None:
        """When the next message is due, in seconds since the epoch."""
        again = self._again[0][0] if self._again else None
        if not self._due:
            return again
        due = self._due[0][0] / 1000 - self._core.ahead
        return due if again is None else min(due, again)

    def timeout(self, now: Time) -> None:
        """Deliver messages that are due, in turns."""
        now_ms, turns = milliseconds(now), self._core.turns
        while self._again and self._again[0][0] <= now:
            heapq.heappush(self._due, (now_ms, self._again.popleft()[1]))
        if self._due and self._due[0][0] <= now_ms and not turns.busy(self):
            turns.begin(self._deliver_due(), now, self)

    def _deliver_due(self) -> Steps:
        now = yield 0
        while self._queue is not None and self._due and self._due[0][0] <= milliseconds(now):
            queue = self._queue
            _, position = heapq.heappop(self._due)
            row = queue.find(position)
            if row is not None and queue.take(row):
                deadline = deadline_of(row)
                if deadline and deadline <= milliseconds(now):
                    discard(self._core, queue, row, now)
                else:
                    self._deliver(queue, row, now)
            now = yield _GOES_ON

    def _deliver(self, queue: LocalQueue, row: bytes, now: Time) -> None:
        """Put one message to its destination; its row is already out of the queue's order."""
        core, work = self._core, UnitOfWork(implicit=True)
        queue.uncommitted_gets += 1
        work.gets.append((queue, row))
        try:
            kept = read_message(core, queue, Row(row), milliseconds(now))
            user = authority_of(row, kept)
            delayed, message = when_due(kept)
            try:
                self._put(delayed, message, user, work, now)
            except MQError as error:
                retract(core, work, 0)
                self._dispose(delayed, message, user, error, work, now)
        except MQBridgeError as error:
            self._retry(queue.name, row[:POSITION_BYTES], now, error)
            backout(core, work, now, counted=False)
            return
        on_complete(commit(core, work, now), partial(self._stored, queue.name, row[:POSITION_BYTES], now))

    def _put(self, delayed: DelayedMessage, message: Message, user: str, work: UnitOfWork, now: Time) -> None:
        core = self._core
        names = (delayed.queue_name, delayed.queue_manager_name)
        options = PutOptions(delayed.options & _KEPT_OPTIONS, direct=True, pub_level=delayed.pub_level, authority=user)
        if delayed.topic is None:
            target = resolve(core, *names)
        else:
            target = Target(None, (), "", core.name, topic=delayed.topic)
        require_put(core, user, target, names, ready_made=True)
        put(core, target, message, options, work, now)

    def _dispose(
        self, delayed: DelayedMessage, message: Message, user: str, error: MQError, work: UnitOfWork, now: Time
    ) -> None:
        core = self._core
        name = delayed.queue_name if delayed.topic is None else delayed.topic.encode("ascii", "replace").decode()[:48]
        application = Application(appl_type=MQAT.QMGR, appl_name=core.name)
        options = PutOptions(application=application, direct=True, authority=user)
        manager = delayed.queue_manager_name or core.name
        dispose(core, message, name, manager, error.reason, options, work, now, use_dead_letter_queue=True, fast=False)

    def _stored(self, queue: str, position: bytes, now: Time, error: MQError | None) -> None:
        """Handle the store's answer; a refused unit of work was backed out."""
        if error is not None:
            self._retry(queue, position, now, error)

    def _retry(self, queue: str, position: bytes, now: Time, error: MQBridgeError) -> None:
        reason = error.reason if isinstance(error, MQError) else int(MQRC.MD_ERROR)
        self._core.log("AMQ7320", queue, reason)
        self._again.append((now + RETRY_INTERVAL, position))
