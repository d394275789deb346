"""What the parts of the queue manager share: its queues, its limits, and what has gathered for others to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet, WeakValueDictionary

from mqbridge.bridge.store.interface import Operation, PutRecord, Store, StoreBusy, StoreDamaged, StoreError, StoreFull
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.constants import MQRC

from .effects import Effect, Log
from .errors import MQError
from .getting.waits import Waits
from .ids import IdSource
from .objects import Objects
from .queues.local_queue import LocalQueue
from .turns import Turns
from .units_of_work import PendingCommit

if TYPE_CHECKING:
    from .authority import PutAuthorities
    from .getting.message_selection import QueueViews
    from .handle import Handle
    from .options import PutOptions
    from .target import Route, Target
    from .units_of_work import UnitOfWork

TABLE: Final = "queue_manager"
"""Table of the store for what the queue manager itself must remember."""
_STARTED: Final = b"started"

STORE_FULL: Final = int(MQRC.Q_SPACE_NOT_AVAILABLE)
STORE_DAMAGED: Final = int(MQRC.OBJECT_DAMAGED)
STORE_FAILED: Final = int(MQRC.UNEXPECTED_ERROR)


class Expiring(Protocol):
    """Something beside messages that ends, or goes on, by itself."""

    def next_timeout(self) -> float | None:
        """When, in seconds since the epoch; None if never."""
        ...

    def timeout(self, now: float) -> None:
        """Ends what is due."""
        ...


def _no_trigger(queue: LocalQueue, message: Message, now: float) -> None:
    """Before the queue manager is complete nothing triggers."""


def _incomplete(*_: object) -> int:
    """Refuses a put before the queue manager is complete."""
    raise MQError(MQRC.FUNCTION_NOT_SUPPORTED, "the queue manager is not complete")


class Core:
    """Shared state of one queue manager.

    ``local_names`` holds the queue manager names that mean this queue manager: its own and blank. ``targets`` caches
    resolved names, ``routes`` the run-time side of alias and remote queues by name, ``channels`` which channel serves a
    transmission queue, ``expiring`` the queues with messages that have a deadline, ``changed`` those whose definition
    is new. ``memory_used`` is the number of bytes of non-persistent messages in memory. ``put_trigger`` puts a trigger
    message (set by the queue manager, whose putting stands above triggering), ``publish`` puts to a topic (set by
    publish/subscribe), ``put_later`` puts with a delivery delay, ``permits`` says who may put where (set by the queue
    manager). ``publishers``: open topics. ``views``: by queue, what takes its messages apart for the handles with
    selectors. ``arrivals``: who is told of messages that become visible on a queue. ``also_expires``: what expires
    beside messages; ``timers``: what must happen in time. ``ahead``: seconds by which the calendar is ahead of ``now``,
    so that dates can be waited for. ``abandoned``: managed queues without a subscription, which go when nobody has them
    open. ``turns``: works that are done in pieces.
    """

    __slots__ = (
        "abandoned", "ahead", "also_expires", "arrivals", "ccsid", "changed", "channels", "commits",
        "dead_letter_queue", "default_transmission_queue", "effects", "expiring", "ids", "local_names",
        "max_message_length", "max_properties", "max_uncommitted", "memory_used", "name", "objects", "permits",
        "publish", "publishers", "put_later", "put_trigger", "queues", "quiescing", "routes", "store", "targets",
        "timers", "trigger_interval", "turns", "views", "waits",
    )  # fmt: skip

    def __init__(self, name: str, store: Store, objects: Objects, now: float) -> None:
        self.name = name
        self.store = store
        self.objects = objects
        self.queues: dict[str, LocalQueue] = {}
        self.routes: dict[str, Route] = {}
        self.targets: dict[tuple[str, str], Target] = {}
        self.channels: dict[str, str] = {}
        self.expiring: set[LocalQueue] = set()
        self.changed: set[LocalQueue] = set()
        self.effects: list[Effect] = []
        self.commits: list[PendingCommit] = []
        self.waits = Waits()
        self.turns = Turns()
        self.put_trigger: Callable[[LocalQueue, Message, float], None] = _no_trigger
        self.publish: Callable[[Target, Message, PutOptions, UnitOfWork, float], int] = _incomplete
        self.put_later: Callable[[Handle, Message, PutOptions, UnitOfWork, float], int] = _incomplete
        self.permits: PutAuthorities
        self.publishers: WeakSet[Handle] = WeakSet()
        self.views: WeakValueDictionary[LocalQueue, QueueViews] = WeakValueDictionary()
        self.arrivals: dict[LocalQueue, Callable[[Sequence[bytes], float], None]] = {}
        self.abandoned: set[LocalQueue] = set()
        self.also_expires: list[Expiring] = []
        self.timers: list[Expiring] = []
        self.local_names = frozenset(("", name))
        self.memory_used = 0
        self.ahead = 0.0
        self.quiescing = False
        self.ids = IdSource(name, self._new_epoch(now))
        self.refresh()

    def _new_epoch(self, now: float) -> int:
        """The start time in seconds, later than that of every start before, and kept in the store."""
        kept = self.store.record(TABLE, _STARTED)
        epoch = max(int(date_of(now)), int.from_bytes(kept, "big") + 1 if kept else 0)
        self.submit([PutRecord(TABLE, _STARTED, epoch.to_bytes(8, "big"))])
        return epoch

    def refresh(self) -> None:
        """Takes over the queue manager's own attributes."""
        manager = self.objects.manager
        self.ccsid = manager.integer("CCSID")
        self.max_message_length = manager.integer("MAXMSGL")
        self.max_properties = manager.integer("MAXPROPL")
        self.max_uncommitted = manager.integer("MAXUMSGS")
        self.dead_letter_queue = manager.text("DEADQ")
        self.default_transmission_queue = manager.text("DEFXMITQ")
        self.trigger_interval = manager.integer("TRIGINT")

    def forget_resolved(self) -> None:
        """Drops what was derived from definitions."""
        self.targets.clear()
        self.channels.clear()

    def emit(self, effect: Effect) -> None:
        """Notes something for others to do."""
        self.effects.append(effect)

    def log(self, amq: str, *inserts: str | int) -> None:
        """Notes a line for the operator."""
        self.effects.append(Log(amq, inserts))

    def submit(self, operations: Sequence[Operation]) -> PendingCommit:
        """Note a transaction without a unit of work."""
        pending = PendingCommit(list(operations))
        self.commits.append(pending)
        return pending

    def store_error(self, error: StoreError, what: str) -> MQError:
        """The `MQError` for a store's error, with a line in the log that names ``what`` it happened to."""
        if isinstance(error, StoreFull):
            self.log("AMQ7463", what, str(error))
            return MQError(STORE_FULL, f"{what}: {error}")
        if isinstance(error, StoreBusy):
            self.log("AMQ6118", what, str(error))
            return MQError(MQRC.RESOURCE_PROBLEM, f"{what}: {error}")
        if isinstance(error, StoreDamaged):
            self.log("AMQ7472", what, str(error))
            return MQError(STORE_DAMAGED, f"{what}: {error}")
        self.log("AMQ6118", what, str(error))
        return MQError(STORE_FAILED, f"{what}: {error}")

    def require_not_quiescing(self) -> None:
        """Raises 2161 once the queue manager quiesces; for calls with FAIL_IF_QUIESCING."""
        if self.quiescing:
            raise MQError(MQRC.Q_MGR_QUIESCING)
