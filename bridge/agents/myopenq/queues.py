"""The queues that callers of MyOpenQ see: local queues of the queue manager, found, made, shown and deleted.

All doors of a queue manager share them. SYSTEM queues and transmission queues are nobody's here. A queue that CREATE
made is a local queue with its limits, first in, first out, and a row among the `Definitions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.queue_manager import LocalQueue, MQError
from mqbridge.bridge.queue_manager.objects import Change, Definition, Kind, ObjectError, Value
from mqbridge.bridge.queue_manager.security_records import remove_records
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.myopenq import Code, Create, MoqError, QueueType

from .definitions import Definitions
from .settings import refusal

MAX_TIMEOUT: Final = 99_999_999
"""Most seconds that a message may stay on a queue, by the width of CAPEXPRY."""
DELETE_TIME: Final = 5.0
"""Seconds for which DELETE waits until others let go of the queue."""
_DELETE_AGAIN: Final = 0.05
_TENTHS: Final = 10
_SYSTEM: Final = "SYSTEM."
_IN_USE: Final[frozenset[int]] = frozenset((MQRC.OBJECT_IN_USE, MQRC.Q_NOT_EMPTY))
Rows: TypeAlias = Callable[[], Sequence[Operation]]
"""Returns what is written in the same transaction; called once, when nothing can be refused any more."""
Then: TypeAlias = Callable[[MQError | None], None]
"""Called when all is on disk, or with why it is not."""


class Getter(Protocol):
    """A GET that holds or awaits a message."""

    def queue_deleted(self) -> None:
        """Its queue is being deleted: let go of it."""
        ...


class Queues:
    """The queues of one queue manager. ``gets``: the GETs that hold or await a message, by queue."""

    def __init__(self, host: CarrierHost, definitions: Definitions) -> None:
        self.host = host
        self.definitions = definitions
        self.gets: dict[str, set[Getter]] = {}
        self.alias: Callable[[str], str | None] = lambda _: None
        """Returns the queue of MQ that a name means which MQ does not know; None for none."""
        self._leaving: set[str] = set()
        host.manager.objects.add_listener(self._changed)

    # Finding

    def puttable(self, name: str) -> str:
        """Return the name in MQ of a queue that callers may know of. Raises `MoqError` 1003, `MQError`."""
        name = self._real_name(name)
        target = self.host.manager.target(name)
        if target.ready_made or (target.queue is not None and not target.remote and _hidden(target.queue)):
            raise MoqError(Code.UNKNOWN_QUEUE)
        return name

    def local(self, name: str) -> LocalQueue:
        """The local queue of this name, or of an alias of it. Raises `MoqError` 1003, `MQError`."""
        target = self.host.manager.target(self._real_name(name))
        if target.queue is None or target.remote or _hidden(target.queue):
            raise MoqError(Code.UNKNOWN_QUEUE)
        return target.queue

    def _real_name(self, name: str) -> str:
        if name in self._leaving or name.startswith(_SYSTEM):
            raise MoqError(Code.UNKNOWN_QUEUE)
        known = self.host.manager.objects.queue(name) is not None
        return name if known else self.alias(name) or name

    # Showing

    def count(self, name: str) -> int:
        """The number of messages: those that can be got, and on a remote queue those that are being sent (M-072)."""
        queue, definition = self.local(name), self.definitions.get(name)
        sending = definition is not None and definition.type is QueueType.REMOTE
        return queue.visible + (queue.uncommitted_gets if sending else 0)

    def display(self, name: str) -> str:
        """The description of a queue (M-038)."""
        queue, made = self.local(name), self.definitions.get(name)
        values = {
            "name": name,
            "size": queue.max_depth,
            "length": queue.max_message_length,
            "timeout": max(queue.cap_expiry, 0) // _TENTHS,
            "type": "local" if made is None else made.type.name.lower(),
            "ip": "" if made is None else made.address,
            "port": made.port if made is not None and made.port else "",
            "count": self.count(name),
        }
        return ";".join(f"{key}={value}" for key, value in values.items())

    # Making

    def create(self, wanted: Create, longest: int, most: int, rows: Rows, then: Then) -> None:
        """Define a queue. ``longest``: message; ``most``: queues. ``rows``: returns what is written with it.

        Raises `MoqError` 1001, 1004, 1005, 2003, 3001.
        """
        manager, name = self.host.manager, wanted.queue
        if name.startswith(_SYSTEM):
            raise MoqError(Code.NAME_INVALID)
        if wanted.length > longest:
            raise MoqError(Code.LENGTH_INVALID)
        if wanted.timeout > MAX_TIMEOUT:
            raise MoqError(Code.MALFORMED, f"the time-out is at most {MAX_TIMEOUT} seconds")
        if name in self._leaving or manager.objects.queue(name) is not None or self.definitions.get(name) is not None:
            raise MoqError(Code.QUEUE_EXISTS)
        if len(self.definitions) >= most:
            raise MoqError(Code.TOO_MANY_QUEUES)
        now = self.host.now
        try:
            change = manager.objects.define(Kind.QLOCAL, name, _attributes(wanted), now)
        except ObjectError as error:
            raise MoqError(Code.INTERNAL, str(error)) from error
        manager.objects_changed(now)
        operations = [*change.operations, *self.definitions.add(wanted), *rows()]

        def stored(error: MQError | None) -> None:
            if error is None:
                self.definitions.made(wanted)
            else:
                self._undo([change])
                if self.definitions.get(name) is wanted:
                    self.definitions.remove(name)
            then(error)

        manager.submit(operations, stored)

    def delete(self, name: str, rows: Rows, then: Callable[[Exception | None], None]) -> None:
        """Delete a queue that `create` made, with its messages (M-062).

        Raises `MoqError` 1003, and 4001 for another's queue. ``then`` gets None when it is gone from disk, `MoqError`
        9001 where others do not let go of it in time.
        """
        made = self.definitions.get(name)
        if made is None or name in self._leaving:
            self.local(name)
            raise MoqError(Code.NOT_PERMITTED)
        self._leaving.add(name)
        for get in list(self.gets.get(name, ())):
            get.queue_deleted()
        self.definitions.leaving(made)
        _Deletion(self, made, rows, then).timeout(self.host.now)

    def drop(self, made: Create, rows: Rows, then: Then) -> None:
        """Delete the queue now. Raises `MQError` 2042, 2055 while it is in use."""
        manager, name = self.host.manager, made.queue
        dropped = manager.drop_queue(name, purge=True)
        gone = self.definitions.remove(name)
        changes = [manager.objects.delete(Kind.QLOCAL, name), *remove_records(manager.objects, "QUEUE", name)]
        manager.objects_changed(self.host.now)

        def stored(error: MQError | None) -> None:
            if error is not None:
                self._undo(changes)
            then(error)

        manager.submit([*dropped, *(each for change in changes for each in change.operations), *gone, *rows()], stored)

    def stays(self, made: Create) -> None:
        """A queue was not deleted."""
        self._leaving.discard(made.queue)
        self.definitions.made(made)

    def gone(self, name: str) -> None:
        """A queue is deleted, on disk too."""
        self._leaving.discard(name)

    def _undo(self, changes: Sequence[Change]) -> None:
        for change in reversed(changes):
            self.host.manager.objects.undo(change)
        self.host.manager.objects_changed(self.host.now)

    def _changed(self, old: Definition | None, new: Definition | None) -> None:
        """An operator has deleted a queue: nothing is left of what CREATE made."""
        if new is not None or old is None or old.kind is not Kind.QLOCAL:
            return
        made = self.definitions.get(old.name)
        if made is not None and made.queue not in self._leaving:
            self.definitions.leaving(made)
            self.host.manager.submit(self.definitions.remove(old.name))


class _Deletion:
    """A DELETE, which tries again while programs have the queue open or units of work end."""

    def __init__(
        self,
        queues: Queues,
        made: Create,
        rows: Rows,
        then: Callable[[Exception | None], None],
    ) -> None:
        self._queues = queues
        self._made = made
        self._rows = rows
        self._then = then
        self._until = queues.host.now + DELETE_TIME

    def timeout(self, now: Time) -> None:
        """Try."""
        try:
            self._queues.drop(self._made, self._rows, self._dropped)
        except MQError as error:
            if error.reason in _IN_USE and now < self._until:
                self._queues.host.timers.set(self, now + _DELETE_AGAIN)
                return
            self._queues.stays(self._made)
            self._then(refusal(error))

    def _dropped(self, error: MQError | None) -> None:
        if error is None:
            self._queues.gone(self._made.queue)
            self._then(None)
        else:
            self._queues.stays(self._made)
            self._then(refusal(error))


def _hidden(queue: LocalQueue) -> bool:
    return queue.name.startswith(_SYSTEM) or queue.is_transmission_queue


def _attributes(wanted: Create) -> dict[str, Value]:
    attributes: dict[str, Value] = {
        "MAXDEPTH": wanted.size,
        "MAXMSGL": wanted.length,
        "MSGDLVSQ": "FIFO",
        "DEFPSIST": "YES",
        "DESCR": f"MyOpenQ, {wanted.type.name.lower()}",
    }
    if wanted.timeout:
        attributes["CAPEXPRY"] = wanted.timeout * _TENTHS
    return attributes
