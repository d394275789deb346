"""Retained publications: the last one of each topic string, for later subscribers (mqi.md 17 row 8).

They are messages on SYSTEM.RETAINED.PUB.QUEUE with the topic string in their ``mqps`` folder, so units of work, the
store and expiry treat them like any other. A publication that is retained under syncpoint replaces its predecessor when
the unit is committed. A non-persistent one is lost when the queue manager ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects.default_objects import RETAINED_QUEUE
from mqbridge.bridge.queue_manager.putting.on_behalf import put_own
from mqbridge.bridge.queue_manager.queues.reading import read_message
from mqbridge.bridge.queue_manager.queues.rows import (
    POSITION_BYTES,
    Row,
    arrival_of_position,
    milliseconds,
    position_of,
)
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.body import BodyFromOffset, BodyPieces
from mqbridge.mappings.moment import Time
from mqbridge.mappings.publications import PublicationProperties, published_topic, with_properties, without_properties
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
    from mqbridge.bridge.queue_manager.turns import Steps
    from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
    from mqbridge.mappings.message import Message

    from .wildcards import Pattern

RETAINED: Final = "retained publications"
"""Order (`Turns.begin`) of tasks that index retained publications, and of tasks that must follow them."""
AT_ONCE: Final = 50
"""Publications retained by one commit that are indexed at once."""
_INDEXED: Final = 600
"""Turn units for one of them."""


class RetainedPublications:
    """The retained publications of one queue manager, by topic string. Every message of the queue is read at start."""

    __slots__ = ("_core", "_positions", "_queue")

    def __init__(self, core: Core, now: Time) -> None:
        self._core = core
        self._positions: dict[str, bytes] = {}
        self._queue: LocalQueue | None = None
        self._attach(now)

    def _attach(self, now: Time) -> LocalQueue | None:
        """The queue; if it was defined anew, its messages are indexed first."""
        queue = self._core.queues.get(RETAINED_QUEUE)
        if queue is not self._queue:
            self._queue = queue
            self._positions.clear()
            if queue is not None:
                self._core.arrivals[queue] = self._arrived
                for _ in self._take_over(list(queue.rows()), now):
                    pass
        return queue

    def put(self, topic: str, message: Message, user: str, work: UnitOfWork, now: Time) -> None:
        """Retain a publication when ``work`` is committed. ``user``: with whose authority. Raises `MQError` 2479."""
        queue = self._attach(now)
        if queue is None:
            raise MQError(MQRC.PUT_NOT_RETAINED, f"{RETAINED_QUEUE} does not exist")
        body = message.body
        plain = message.copy(body if isinstance(body, bytes | memoryview | BodyPieces) else BodyFromOffset(body, 0))
        try:
            kept = with_properties(plain, PublicationProperties(topic))
            put_own(self._core, queue, kept, user, work, now, max(len(kept) - len(message), 0))
        except MQBridgeError as error:
            raise MQError(MQRC.PUT_NOT_RETAINED, str(error)) from error

    def _arrived(self, rows: Sequence[bytes], now: Time) -> None:
        """Index publications that were committed, each in place of its predecessor."""
        turns = self._core.turns
        if len(rows) <= AT_ONCE and not turns.busy(RETAINED):
            for _ in self._take_over(rows, now):
                pass
        else:
            turns.begin(self._take_over(rows, now), now, RETAINED)

    def _take_over(self, rows: Sequence[bytes], now: Time) -> Steps:
        queue = self._queue
        if queue is None:
            return
        yield 0
        superseded = []
        for row in rows:
            yield _INDEXED
            topic = self._topic_of(queue, row, now)
            if topic is None:
                continue
            position = row[:POSITION_BYTES]
            before = self._positions.get(topic)
            known = queue.find(before) if before is not None else None
            if known is None or _arrival(known) < _arrival(row):
                self._positions[topic] = position
                if known is not None:
                    superseded.append(known)
            elif known[:POSITION_BYTES] != position:
                superseded.append(row)
        self._remove(queue, superseded, now)

    def _topic_of(self, queue: LocalQueue, row: bytes, now: Time) -> str | None:
        try:
            return published_topic(read_message(self._core, queue, Row(row), milliseconds(now)))
        except MQBridgeError:
            return None

    def _remove(self, queue: LocalQueue, rows: Iterable[bytes], now: Time) -> PendingCommit | None:
        work = UnitOfWork(implicit=True)
        for row in rows:
            if queue.take(row):
                queue.uncommitted_gets += 1
                work.gets.append((queue, row))
        return commit(self._core, work, now) if work.gets else None

    def has(self, topic: str) -> bool:
        """Whether a topic string has a retained publication."""
        return self._row(topic) is not None

    def _row(self, topic: str) -> bytes | None:
        position = self._positions.get(topic)
        if position is None or self._queue is None:
            return None
        return self._queue.find(position)

    def topics(self) -> list[str]:
        """The topic strings with a retained publication."""
        gone = [topic for topic in self._positions if self._row(topic) is None]
        for topic in gone:
            del self._positions[topic]
        return list(self._positions)

    def count(self, pattern: Pattern | str) -> int:
        """An upper bound of the retained publications that a pattern matches."""
        return 1 if isinstance(pattern, str) else len(self._positions)

    def matching(self, pattern: Pattern | str, now: Time) -> Iterator[tuple[str, Message] | None]:
        """Topic string and message of each retained publication that a pattern matches, None for each that it does not.

        Publications may come and go between two steps. Raises `MQError` 2525 if one cannot be read.
        """
        self._attach(now)
        wanted = [pattern] if isinstance(pattern, str) else list(self._positions)
        now_ms = milliseconds(now)
        for topic in wanted:
            row = self._row(topic) if isinstance(pattern, str) or pattern.matches(topic) else None
            queue = self._queue
            if row is None or queue is None:
                yield None
                continue
            fields = Row(row)
            if fields.deadline and fields.deadline <= now_ms:
                yield None
                continue
            try:
                yield topic, without_properties(read_message(self._core, queue, fields, now_ms))
            except MQBridgeError as error:
                raise MQError(MQRC.RETAINED_MSG_Q_ERROR, str(error)) from error

    def clear(self, pattern: Pattern | str, now: Time) -> tuple[int, PendingCommit | None]:
        """Remove the retained publications of matching topic strings. Returns how many, and the transaction."""
        queue = self._attach(now)
        wanted = [pattern] if isinstance(pattern, str) else filter(pattern.matches, self.topics())
        rows = [row for topic in wanted if (row := self._row(topic)) is not None]
        return len(rows), None if queue is None else self._remove(queue, rows, now)


def _arrival(row: bytes) -> int:
    return arrival_of_position(position_of(row))
