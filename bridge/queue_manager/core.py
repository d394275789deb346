"""State shared by the parts of the queue manager: queues, limits, pending transactions and effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakValueDictionary

from mqbridge.bridge.store.interface import Operation, PutRecord, Store, StoreBusy, StoreDamaged, StoreError, StoreFull
from mqbridge.mappings.conversion import NO_FORMATS, Formats
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, date_of
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
"""Table of the store for the queue manager's own records."""
_STARTED: Final = b"started"

STORE_FULL: Final = int(MQRC.Q_SPACE_NOT_AVAILABLE)
STORE_DAMAGED: Final = int(MQRC.OBJECT_DAMAGED)
STORE_FAILED: Final = int(MQRC.UNEXPECTED_ERROR)


class Expiring(Protocol):
    """Something with a timer of its own, beside messages."""

    def next_timeout(self) -> float | None:
        """When `timeout` is due, in seconds since the epoch; None for never."""
        ...

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        ...


def _no_trigger(queue: LocalQueue, message: Message, now: Time) -> None:
    """Trigger nothing: the queue manager is not yet complete."""


def _incomplete(*_: object) -> int:
    """Refuse a put before the queue manager is complete."""
    raise MQError(MQRC.FUNCTION_NOT_SUPPORTED, "the queue manager is not complete")


class Core:
    """Shared state of one queue manager.

    ``local_names``: queue manager names for this queue manager, its own and blank. ``targets``: cache of resolved
    names. ``routes``: alias and remote queues at run time, by name. ``channels``: the channel of each transmission
    queue. ``expiring``: queues that have messages with a deadline. ``changed``: queues whose definition has changed.
    ``memory_used``: bytes of non-persistent messages in memory. ``put_trigger``: puts a trigger message. ``publish``:
    puts to a topic. ``put_later``: puts with a delivery delay. ``permits``: authority checks of puts. (These four are
    set by rooms above.) ``publishers``: topics open for output. ``views``: by queue, messages parsed for handles with
    selectors. ``arrivals``: by queue, a function to call with messages that become visible. ``also_expires``: what
    expires beside messages. ``timers``: other timers. ``ahead``: seconds by which the calendar is ahead of ``now``.
    ``abandoned``: managed queues without a subscription, deleted when their last handle is closed. ``turns``: tasks in
    turns. ``formats``: formats of messages beside MQ's own, for conversion.
    """

    __slots__ = (
        "abandoned", "ahead", "also_expires", "arrivals", "ccsid", "changed", "channels", "commits",
        "dead_letter_queue", "default_transmission_queue", "effects", "expiring", "formats", "ids", "local_names",
        "max_message_length", "max_properties", "max_uncommitted", "memory_used", "name", "objects", "permits",
        "publish", "publishers", "put_later", "put_trigger", "queues", "quiescing", "routes", "store", "targets",
        "timers", "trigger_interval", "turns", "views", "waits",
    )  # fmt: skip

    def __init__(self, name: str, store: Store, objects: Objects, now: Time, formats: Formats = NO_FORMATS) -> None:
        self.name = name
        self.formats = formats
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
        self.put_trigger: Callable[[LocalQueue, Message, Time], None] = _no_trigger
        self.publish: Callable[[Target, Message, PutOptions, UnitOfWork, Time], int] = _incomplete
        self.put_later: Callable[[Handle, Message, PutOptions, UnitOfWork, Time], int] = _incomplete
        self.permits: PutAuthorities
        self.publishers: set[Handle] = set()
        self.views: WeakValueDictionary[LocalQueue, QueueViews] = WeakValueDictionary()
        self.arrivals: dict[LocalQueue, Callable[[Sequence[bytes], Time], None]] = {}
        self.abandoned: set[LocalQueue] = set()
        self.also_expires: list[Expiring] = []
        self.timers: list[Expiring] = []
        self.local_names = frozenset(("", name))
        self.memory_used = 0
        self.ahead = 0.0
        self.quiescing = False
        self.ids = IdSource(name, self._new_epoch(now))
        self.refresh()

    def _new_epoch(self, now: Time) -> int:
        """The start time in whole seconds, later than at every earlier start, and kept in the store."""
        kept = self.store.record(TABLE, _STARTED)
        epoch = max(int(date_of(now)), int.from_bytes(kept, "big") + 1 if kept else 0)
        self.submit([PutRecord(TABLE, _STARTED, epoch.to_bytes(8, "big"))])
        return epoch

    def refresh(self) -> None:
        """Read the queue manager's own attributes."""
        manager = self.objects.manager
        self.ccsid = manager.integer("CCSID")
        self.max_message_length = manager.integer("MAXMSGL")
        self.max_properties = manager.integer("MAXPROPL")
        self.max_uncommitted = manager.integer("MAXUMSGS")
        self.dead_letter_queue = manager.text("DEADQ")
        self.default_transmission_queue = manager.text("DEFXMITQ")
        self.trigger_interval = manager.integer("TRIGINT")

    def forget_resolved(self) -> None:
        """Empty the caches of resolved names."""
        self.targets.clear()
        self.channels.clear()

    def emit(self, effect: Effect) -> None:
        """Add an effect for the host to perform."""
        self.effects.append(effect)

    def log(self, amq: str, *inserts: str | int) -> None:
        """Add a line to the operator's log."""
        self.effects.append(Log(amq, inserts))

    def submit(self, operations: Sequence[Operation]) -> PendingCommit:
        """Add a transaction without a unit of work."""
        pending = PendingCommit(list(operations))
        self.commits.append(pending)
        return pending

    def store_error(self, error: StoreError, what: str) -> MQError:
        """Log an error of the store and return its `MQError`. ``what``: what it happened to."""
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
        """Raise `MQError` 2161 if the queue manager is quiescing; for calls with FAIL_IF_QUIESCING."""
        if self.quiescing:
            raise MQError(MQRC.Q_MGR_QUIESCING)
