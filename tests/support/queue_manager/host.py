"""A queue manager on a store in memory, and the host that drives it: clock, commits, effects, restarts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqbridge.bridge.queue_manager import (
    Effect,
    GetOptions,
    Handle,
    Log,
    MQError,
    PutOptions,
    RetrievedMessage,
    StartChannel,
    Then,
    UnitOfWork,
    Wake,
)
from mqbridge.bridge.queue_manager.effects import Completed
from mqbridge.bridge.queue_manager.getting.handle_get import unlock
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects
from mqbridge.bridge.store.interface import MAX_CHUNK, StoreError, StoreFull, Unit
from mqbridge.bridge.store.memory import MemoryParts, MemoryStore, MemoryTables
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.direct_calls import browse, get_message

NOW = 1_800_000_000.0
"""2027-01-15 08:00:00 UTC."""


class FailingParts(MemoryParts):
    """Parts for which there is no room while ``fail`` is set."""

    fail = False

    def write(self, part: Any) -> int:
        if self.fail:
            raise StoreFull("no room")
        return super().write(part)


class FailingStore(MemoryStore):
    """A store whose next commits fail with ``failure``, and which counts what it stages and reads."""

    failure: StoreError | None = None
    commits = 0

    def __init__(self, tables: MemoryTables | None = None) -> None:
        super().__init__(tables)
        self.staged = FailingParts(MAX_CHUNK)
        self.spilled = FailingParts()

    @property
    def fail_parts(self) -> bool:
        """Whether there is no room for parts of bodies."""
        return self.staged.fail

    @fail_parts.setter
    def fail_parts(self, fail: bool) -> None:
        self.staged.fail = self.spilled.fail = fail

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        if self.failure is not None:
            return [self.failure] * len(units)
        self.commits += len(units)
        return super().commit(units)


class Host:
    """Drives one queue manager ``EARTH``. Every call is followed by its commits unless ``hold`` is set."""

    gives_turns = True
    """Whether works that go on get their turns when calls are made; else only by `QueueManager.timeout`."""

    def __init__(self) -> None:
        self.store = FailingStore()
        self.now = NOW
        self.hold = False
        self.effects: list[Effect] = []
        self.outcomes: list[MQError | None] = []
        objects = Objects("EARTH", NOW)
        self.store.commit([objects.operations()])
        self.queue_manager = DirectQueueManager("EARTH", self.store, objects, NOW)
        self.pump()

    @property
    def objects(self) -> Objects:
        return self.queue_manager.objects

    def restart(self, after: float = 10.0) -> DirectQueueManager:
        """The process is gone and starts again; what was not committed is lost."""
        self.now += after
        tables = self.store._tables
        self.store = FailingStore(tables)
        objects = Objects("EARTH", self.now)
        objects.load(self.store.records(TABLE))
        self.effects = []
        self.queue_manager = DirectQueueManager("EARTH", self.store, objects, self.now)
        self.pump()
        return self.queue_manager

    def pump(self) -> None:
        """Does all commits, gives all turns that are asked for, and takes all effects."""
        if self.hold:
            return
        manager = self.queue_manager
        while (pending := manager.take_commits()) or (self.gives_turns and manager.turns.next_timeout() is not None):
            if not pending:
                manager.turns.timeout(self.now)
                continue
            answers = self.store.commit([each.operations for each in pending])
            for each, error in zip(pending, answers, strict=True):
                self.queue_manager.committed(each, error, self.now)
        for effect in self.queue_manager.take_effects():
            if isinstance(effect, Completed):
                effect.program.completed(self.now)
            else:
                self.effects.append(effect)

    # Objects

    def define(self, kind: Kind, name: str, **attributes: Any) -> None:
        change = self.objects.define(kind, name, attributes, self.now)
        self._changed(change.operations)

    def local(self, name: str, **attributes: Any) -> str:
        self.define(Kind.QLOCAL, name, **attributes)
        return name

    def transmission(self, name: str, **attributes: Any) -> str:
        return self.local(name, USAGE="XMITQ", **attributes)

    def alter(self, kind: Kind, name: str, **attributes: Any) -> None:
        self._changed(self.objects.alter(kind, name, attributes, self.now).operations)

    def alter_manager(self, **attributes: Any) -> None:
        self.alter(Kind.QMGR, "EARTH", **attributes)

    def delete(self, kind: Kind, name: str) -> None:
        operations = self.queue_manager.drop_queue(name, purge=True) if kind is Kind.QLOCAL else []
        self._changed([*operations, *self.objects.delete(kind, name).operations])

    def _changed(self, operations: Any) -> None:
        self.queue_manager.objects_changed(self.now)
        self.queue_manager.submit(operations)
        self.pump()

    # Messages

    def begin(self) -> UnitOfWork:
        return self.queue_manager.begin("test")

    def then(self) -> Then:
        return self.outcomes.append

    def put(
        self,
        queue: str,
        data: Any = b"data",
        unit: UnitOfWork | None = None,
        *,
        queue_manager: str = "",
        options: PutOptions | None = None,
        then: Then | None = None,
        **fields: Any,
    ) -> Message:
        """Puts a message as a program does and returns it as it was stored."""
        message = Message.build(data, **fields)
        self.send(queue, message, unit, queue_manager=queue_manager, options=options, then=then)
        return message

    def send(
        self,
        queue: str,
        message: Message,
        unit: UnitOfWork | None = None,
        *,
        queue_manager: str = "",
        options: PutOptions | None = None,
        then: Then | None = None,
    ) -> int:
        target = self.queue_manager.resolve(queue, queue_manager)
        try:
            return self.queue_manager.put(target, message, options or PutOptions(), unit, self.now, then)
        finally:
            self.pump()

    def get(
        self, queue: str, unit: UnitOfWork | None = None, then: Then | None = None, **options: Any
    ) -> RetrievedMessage | None:
        source = self.queue_manager.resolve(queue)
        try:
            return self.queue_manager.get(source, GetOptions(**options), unit, self.now, then)
        finally:
            self.pump()

    def got(self, queue: str, unit: UnitOfWork | None = None, **options: Any) -> Message:
        """The next message, which must be there."""
        found = self.get(queue, unit, **options)
        assert found is not None, f"{queue} gives nothing"
        return found.message

    # Handles

    def open(self, queue: str, options: int, **more: Any) -> Handle:
        handle = self.queue_manager.open(queue, options=options, owner=b"test", now=self.now, **more)
        self.pump()
        return handle

    def close(self, handle: Handle, options: int = 0) -> int:
        try:
            return self.queue_manager.close(handle, options, self.now)
        finally:
            self.pump()

    def read(
        self, handle: Handle, options: int = 0, unit: UnitOfWork | None = None, then: Then | None = None, **more: Any
    ) -> RetrievedMessage | None:
        """MQGET through a handle."""
        try:
            return get_message(self.queue_manager, handle, GetOptions(options, **more), unit, self.now, then)
        finally:
            self.pump()

    def unlock(self, handle: Handle, options: int = 0) -> int:
        try:
            return unlock(self.queue_manager.connections.core, handle, GetOptions(MQGMO.UNLOCK | options), self.now)
        finally:
            self.pump()

    def contents(self, queue: str) -> list[bytes]:
        """Data of all visible messages in order, browsed."""
        from mqbridge.bridge.queue_manager import Cursor

        cursor, found = Cursor(), []
        source = self.queue_manager.resolve(queue)
        options = GetOptions(MQGMO.BROWSE_NEXT)
        while (got := browse(self.queue_manager, source, cursor, options, self.now)) is not None:
            found.append(got.message.data)
        self.pump()
        return found

    def commit(self, unit: UnitOfWork, *extra: Any) -> None:
        self.queue_manager.commit(unit, self.now, self.then(), extra)
        self.pump()

    def backout(self, unit: UnitOfWork) -> None:
        self.queue_manager.backout(unit, self.now)
        self.pump()

    def depth(self, queue: str) -> int:
        found = self.queue_manager.queue(queue)
        assert found is not None
        return found.depth

    # Effects

    def woken(self) -> list[tuple[Any, int]]:
        return [(effect.waiter.owner, effect.reason) for effect in self.effects if isinstance(effect, Wake)]

    def started(self) -> list[str]:
        return [effect.channel for effect in self.effects if isinstance(effect, StartChannel)]

    def logged(self) -> list[str]:
        return [effect.amq for effect in self.effects if isinstance(effect, Log)]
